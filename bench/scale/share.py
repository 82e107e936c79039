"""Processes that are held to a share of a core, so that several of them can be compared on few cores."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread

STEP = 0.01
"""Seconds between two looks at what a process has used."""
CREDIT = 0.05
"""Processor seconds that a process which waited may catch up with at most."""
_PROCESS_CLOCK = 2
"""The kind of a process's own clock in a clock's number (clock_getcpuclockid(3), on Linux)."""


@contextmanager
def held_to(pids: Sequence[int], share: float) -> Iterator[None]:
    """Stop each process whenever it has used more than `share` (0..1) of a core, as a quota of the kernel
    would; a share of 1 or more holds no one."""
    if share >= 1:
        yield
        return
    stop = Event()
    holders = [Thread(target=_hold, args=(pid, share, stop), daemon=True) for pid in pids]
    for holder in holders:
        holder.start()
    try:
        yield
    finally:
        stop.set()
        for holder in holders:
            holder.join()


def processor_time(pid: int) -> float:
    """Processor seconds of a process so far, its own threads alone. Raises OSError if it has ended."""
    return time.clock_gettime((~pid << 3) | _PROCESS_CLOCK)


def _hold(pid: int, share: float, stop: Event) -> None:
    with suppress(OSError):
        begun, base = time.monotonic(), processor_time(pid)
        stopped = False
        while not stop.is_set():
            credit = (time.monotonic() - begun) * share - (processor_time(pid) - base)
            if credit > CREDIT:
                # What it did not use while it waited is gone.
                begun += (credit - CREDIT) / share
            if (credit < 0) != stopped:
                stopped = credit < 0
                os.kill(pid, signal.SIGSTOP if stopped else signal.SIGCONT)
            time.sleep(STEP)
    with suppress(OSError):
        os.kill(pid, signal.SIGCONT)
