"""The process of a bench: limited to one core; its memory and processor time."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
    """Processor seconds of this process, of the children that it waited for, and of those that still run."""
    spent = os.times()
    return (spent.user + spent.system + spent.children_user + spent.children_system
            + sum(map(_seconds, _children(os.getpid()))))


def running_seconds(process: int) -> float:
    """Processor seconds so far of a process that runs, and of the processes that it started."""
    return _seconds(process) + sum(map(_seconds, _children(process)))


def _children(process: int) -> list[int]:
    """The processes that a process started, and those that they started, as far as they run."""
    children: list[int] = []
    for tasks in Path(f"/proc/{process}/task").glob("*/children"):
        # A thread may end meanwhile.
        with suppress(OSError):
            children += map(int, tasks.read_text("ascii").split())
    return children + [grandchild for child in children for grandchild in _children(child)]


def _seconds(process: int) -> float:
    """Of a process and of the children that it waited for; 0 for one that has ended."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


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
