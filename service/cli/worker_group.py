"""Several worker processes on one machine: reading is bound by the processor, and a process alone does not
use all cores."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from time import monotonic

PAUSES = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Seconds before a process that died is started again, after its first, second ... death in a row; the last
one repeats."""
STEADY = 300.0
"""Seconds after which a process has lived so long that its death is a first one."""
LONGEST_END = 60.0
"""Seconds that a process has to end in order."""
_STEP = 0.2


def worker_command(folder: Path, threads: int) -> tuple[str, ...]:
    """The words that run one worker process."""
    return (sys.executable, "-m", "service.cli.main", "worker", str(folder), "--threads", str(threads))


class WorkerGroup:
    """Keeps `count` processes of one command running until it is instructed to stop. What a process that died
    had begun is taken over by the queue, as with any worker."""

    def __init__(
        self, command: Sequence[str], count: int, say: Callable[[str], None],
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        self._command, self._say, self._pauses = tuple(command), say, tuple(pauses)
        self._places = [_Place() for _ in range(count)]

    def run(self, stop: Event) -> None:
        """Run until `stop` is set; then end every process in order."""
        try:
            while not stop.wait(_STEP):
                for place in self._places:
                    self._look_after(place)
        finally:
            self._end()

    def _look_after(self, place: _Place) -> None:
        if place.process is None:
            if monotonic() >= place.start_at:
                place.process = subprocess.Popen(self._command)  # noqa: S603 our own command
                place.began_at = monotonic()
            return
        status = place.process.poll()
        if status is None:
            return
        place.deaths = 1 if monotonic() - place.began_at > STEADY else place.deaths + 1
        pause = self._pauses[min(place.deaths, len(self._pauses)) - 1]
        place.process, place.start_at = None, monotonic() + pause
        self._say(f"A worker process ended with {status}; the next one starts in {pause:g} s.")

    def _end(self) -> None:
        running = [place.process for place in self._places if place.process is not None]
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(LONGEST_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class _Place:
    """One of the processes, and how its last ones fared."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.began_at = self.start_at = 0.0
        self.deaths = 0
