"""What a bench asks of its own process: one core, and how much memory and processor time it took."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

KIB_PER_MIB = 1024


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process and its children to one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    # Children started from here on inherit it.
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def processor_seconds() -> float:
    """Processor seconds of this process and of the children that it waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def peak_mib() -> float:
    """The most resident memory of this process in MiB, since it became this program."""
    # ru_maxrss may still hold what the process was before, such as the large test run that started it:
    # getrusage(2) keeps it over execve. VmHWM starts from zero.
    try:
        status = Path("/proc/self/status").read_text("ascii").splitlines()
        kib = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kib / KIB_PER_MIB
