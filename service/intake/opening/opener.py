"""The opener: a process that has loaded what opens the files of strangers, and forks for each of them.

Starting Python took longer than opening most mails. The opener itself reads requests of its parent and never
a byte of a file: each file is opened in a fork, with limits and a separate jail, and the fork ends with it.
So nothing of one file reaches the next.

A request is a packet with `FORK_NUMBERS` and four open files: the input, the answer, the error output, and a
pipe. Into the pipe goes the fork's exit status, negative for a signal; anyone who closes the other end of the
pipe has the fork killed.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import struct
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from service.intake.opening import jail

FORK_NUMBERS = struct.Struct("4q")
"""Bytes of address space, seconds of processor time, bytes of output, quality of JPEG."""
STATUS = struct.Struct("i")
REST_SECONDS = 600.0
"""An opener without work ends after so long: a site that is idle keeps no memory for it."""
_FILES = 4


@dataclass(frozen=True, slots=True)
class _Fork:
    process: int
    handle: int
    status_pipe: int


def serve(control: socket.socket, work: Callable[[tuple[int, ...]], None]) -> None:
    """Fork for each request that comes by `control`, until its other end is closed or nothing has come for
    `REST_SECONDS`. `work` is called in the fork, with the input as standard input, and the numbers."""
    # What was loaded stays shared with the forks: the collector would write into it.
    gc.collect()
    gc.freeze()
    events = select.poll()
    events.register(control, select.POLLIN)
    forks: dict[int, _Fork] = {}
    while True:
        ready = events.poll(None if forks else REST_SECONDS * 1000)
        if not ready:
            return
        for file, _ in ready:
            if file == control.fileno():
                packet, files, _, _ = socket.recv_fds(control, FORK_NUMBERS.size, _FILES)
                if not packet:
                    for fork in forks.values():
                        os.kill(fork.process, signal.SIGKILL)
                    return
                _add(_begin(FORK_NUMBERS.unpack(packet), files, work), forks, events)
            elif file in forks:
                # By its handle it ended, and by its pipe no thread waits for it.
                fork = forks[file]
                if file == fork.status_pipe:
                    os.kill(fork.process, signal.SIGKILL)
                _end(fork, forks, events)


def _begin(
    numbers: tuple[int, ...], files: list[int], work: Callable[[tuple[int, ...]], None]
) -> _Fork | None:
    """A fork that works on a request; None where this machine starts none, which closes the pipe."""
    try:
        process = os.fork()
    except OSError:
        for file in files:
            os.close(file)
        return None
    if process == 0:
        _work(numbers, files, work)
    for file in files[:-1]:
        os.close(file)
    return _Fork(process, os.pidfd_open(process), files[-1])


def _work(
    numbers: tuple[int, ...], files: list[int], work: Callable[[tuple[int, ...]], None]
) -> NoReturn:
    status = 1
    try:
        for number, file in enumerate(files[:-1]):
            os.dup2(file, number)
        # The way to the parent, and the files of other forks.
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        jail.end_with_parent()
        work(numbers)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        # Nothing of the opener's own is done at the end of a fork.
        os._exit(status)


def _add(fork: _Fork | None, forks: dict[int, _Fork], events: select.poll) -> None:
    if fork is not None:
        forks[fork.handle] = forks[fork.status_pipe] = fork
        events.register(fork.handle, select.POLLIN)
        events.register(fork.status_pipe, 0)  # a closed other end is reported without being asked for


def _end(fork: _Fork, forks: dict[int, _Fork], events: select.poll) -> None:
    _, status = os.waitpid(fork.process, 0)
    with suppress(BrokenPipeError):
        os.write(fork.status_pipe, STATUS.pack(os.waitstatus_to_exitcode(status)))
    for file in (fork.handle, fork.status_pipe):
        events.unregister(file)
        del forks[file]
        os.close(file)
