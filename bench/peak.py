"""The most memory that this process has held."""

from __future__ import annotations

import resource
from pathlib import Path

_KIB_IN_MIB = 1024


def peak_mib() -> float:
    """The most resident memory of this process in MiB, since it became this program: ru_maxrss may still hold
    what the process was before, a large test run say that started it (getrusage(2) keeps it over execve)."""
    try:
        status = Path("/proc/self/status").read_text("ascii").splitlines()
        own = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return own / _KIB_IN_MIB
