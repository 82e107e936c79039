"""The openers of this process: one for each kind of work, started with the first file (see `opener`)."""

from __future__ import annotations

import atexit
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from errno import EBADF
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock

from service.intake.opening.opener import FORK_NUMBERS, STATUS

AVAILABLE = sys.platform == "linux" and hasattr(os, "pidfd_open")
"""Whether this system has what an opener needs."""
_LONGEST_ERROR = 100_000
TRIES = 2
"""Openers that are started for a file, if they end."""
_PATIENCE = 10.0
"""Seconds for which the end of an opener is waited for."""


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """A file to be opened. `numbers`: see `FORK_NUMBERS`; `files`: input, answer and error output, as numbers
    of open files; `seconds`: by the clock, at most."""

    numbers: tuple[int, int, int, int]
    files: tuple[int, int, int]
    seconds: float


class OpenerEnded(Exception):
    """An opener ended, which no file brings about. `status`: its exit status, negative for a signal."""

    def __init__(self, status: int, errors: bytes) -> None:
        super().__init__(f"an opener ended with status {status}")
        self.status, self.errors = status, errors


class _Opener:
    """One opener. It ends when it is retired and no thread waits for a fork of it any more."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.start, self.process_of = (command, environment), os.getpid()
        self._errors = TemporaryFile()  # noqa: SIM115 open as long as the opener
        self._control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(  # noqa: S603 our own module
                [*command, str(other.fileno())], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=self._errors, pass_fds=[other.fileno()], cwd=folder, env=environment)
        self._lock, self._users, self._is_retired = Lock(), 0, False
        self._ending = Lock()
        self._end: OpenerEnded | None = None

    def status_of(self, request: ForkRequest) -> int | None:
        """The exit status of the fork for a request; None where the opener ended first. Raises
        TimeoutError."""
        with self._lock:
            self._users += 1
        status_pipe, other = os.pipe()
        try:
            try:
                self._ask(request, other)
            finally:
                os.close(other)
            ended = select.poll()
            ended.register(status_pipe, select.POLLIN)
            if not ended.poll(request.seconds * 1000):
                raise TimeoutError
            status = os.read(status_pipe, STATUS.size)
            return int(STATUS.unpack(status)[0]) if len(status) == STATUS.size else None
        finally:
            os.close(status_pipe)
            self._leave()

    def _ask(self, request: ForkRequest, status_pipe: int) -> None:
        """Send a request, unless the opener ended before: then nothing will come out of the pipe."""
        try:
            socket.send_fds(self._control, [FORK_NUMBERS.pack(*request.numbers)],
                            [*request.files, status_pipe])
        except ConnectionError:
            return
        except OSError as error:
            # Another thread, whose file ended its fork, has ended this opener since it was chosen here.
            if error.errno != EBADF:
                raise

    def retire(self) -> None:
        """Take no further request."""
        with self._lock:
            self._is_retired = True
            self._users += 1
        self._leave()

    def end(self) -> OpenerEnded:
        """Have it end, with its forks, and return how it did."""
        with self._ending:
            if self._end is None:
                self._control.close()
                try:
                    status = self._process.wait(_PATIENCE)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    status = self._process.wait()
                with self._errors as errors:
                    errors.seek(0)
                    self._end = OpenerEnded(status, errors.read(_LONGEST_ERROR))
            return self._end

    def _leave(self) -> None:
        with self._lock:
            self._users -= 1
            is_over = self._is_retired and not self._users
        if is_over:
            self.end()


_openers: dict[str, _Opener] = {}
_lock = Lock()


def status_of(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], request: ForkRequest
) -> int:
    """The exit status of a fork that worked on a request, negative for a signal. `command`: what starts an
    opener; its last word names the kind of work. Raises TimeoutError, OpenerEnded, and OSError where this
    machine starts no process."""
    for _ in range(TRIES):
        opener = _opener(command, folder, environment)
        status = opener.status_of(request)
        if status == 0:
            return 0
        # A file that ended its fork may have learned where things lie in memory, and the next fork of the
        # same opener has them at the same places.
        with _lock:
            if _openers.get(command[-1]) is opener:
                del _openers[command[-1]]
        if status is not None:
            opener.retire()
            return status
        end = opener.end()
        opener.retire()
        # One that was at rest for long ends by itself, and one may be ended from outside: the next may do.
    raise end


def _opener(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> _Opener:
    job = command[-1]
    with _lock:
        opener = _openers.get(job)
        if opener is not None and opener.process_of != os.getpid():
            opener = None  # It is the parent's, whose fork this process is.
        elif opener is not None and opener.start != (command, environment):
            # At once: the next may not start.
            del _openers[job]
            opener.retire()
            opener = None
        if opener is None:
            opener = _openers[job] = _Opener(command, folder, environment)
        return opener


@contextmanager
def in_memory(data: bytes) -> Iterator[int]:
    """A file in memory with these bytes, at its beginning, as the number of an open file."""
    file = os.memfd_create("galloper")
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(file, view):]
        os.lseek(file, 0, os.SEEK_SET)
        yield file
    finally:
        os.close(file)


def close() -> None:
    """End every opener of this process."""
    with _lock:
        ending = list(_openers.values())
        _openers.clear()
    for opener in ending:
        opener.retire()


atexit.register(close)
