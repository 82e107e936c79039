"""A limit on the time of a whole command, on the socket itself.

A socket's own timeout begins again with every byte: a server that sends one byte a second is never too late
by it, and once held the poller and another game's deadline for six minutes. Here every read and write has
only what is left of its command's time.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class LineLimits:
    """How slow a mail server may be. Both numbers were set by hand: a server that searches a large folder
    takes seconds, and a line of 256 kbit/s carries 32,000 bytes a second.

    `command_seconds`: time of one command, its bytes left aside. `bytes_per_second`: the slowest line on
    which a large mail still comes through; 36 MB have 19 minutes by it.
    """

    command_seconds: float = 60.0
    bytes_per_second: float = 32_000.0


class TimeLimit:
    """The clock of one connection. `until`: an instant of `time.monotonic` that no command passes."""

    def __init__(self, limits: LineLimits, until: float | None = None) -> None:
        self._limits = limits
        self._until = until
        self._end = 0.0
        self._expected = 0
        self.begin()

    def expect(self, size: int) -> None:
        """The next command carries this many bytes more than its words."""
        self._expected = size

    def begin(self) -> None:
        """A command begins now."""
        seconds = self._limits.command_seconds + self._expected / self._limits.bytes_per_second
        self._end, self._expected = monotonic() + seconds, 0

    def remaining(self) -> float:
        """Seconds that the command still has, above 0. Raises TimeoutError when there are none."""
        end = self._end if self._until is None else min(self._end, self._until)
        seconds = end - monotonic()
        if seconds <= 0:
            raise TimeoutError("the command took too long")
        return seconds

    @property
    def has_passed(self) -> bool:
        """Whether the command's time is over."""
        return monotonic() >= (self._end if self._until is None else min(self._end, self._until))


class _Limited(socket.socket):
    """Reads and writes within the limit of the connection; without one like any socket."""

    limit: TimeLimit | None = None

    def recv(self, *arguments: Any, **named: Any) -> bytes:
        # imaplib of Python 3.14 reads so; before, it read through a file, which calls `recv_into`.
        return self._within(super().recv, *arguments, **named)

    def recv_into(self, *arguments: Any, **named: Any) -> int:
        return self._within(super().recv_into, *arguments, **named)

    def send(self, *arguments: Any, **named: Any) -> int:
        return self._within(super().send, *arguments, **named)

    def sendall(self, *arguments: Any, **named: Any) -> None:
        # Without TLS this is one call for all bytes; with TLS it calls `send` for each part.
        return self._within(super().sendall, *arguments, **named)

    def _within(self, act: Callable[..., Answer], *arguments: Any, **named: Any) -> Answer:
        before = self.gettimeout()
        # A read that does not wait cannot be late: so IDLE is read.
        if self.limit is None or before == 0:
            return act(*arguments, **named)
        remaining = self.limit.remaining()
        self.settimeout(remaining if before is None else min(before, remaining))
        try:
            return act(*arguments, **named)
        finally:
            self.settimeout(before)


class LimitedSocket(_Limited):
    """A plain socket with a limit."""


class LimitedTlsSocket(_Limited, ssl.SSLSocket):
    """An encrypted socket with a limit."""


def limited_context(context: ssl.SSLContext | None) -> ssl.SSLContext:
    """A context whose sockets can be limited: the given one, or a new one that trusts what the system
    trusts."""
    context = context or ssl.create_default_context()
    context.sslsocket_class = LimitedTlsSocket
    return context


def limited(connection: socket.socket, limit: TimeLimit) -> socket.socket:
    """The connection under the limit from now on; the one that was given is not to be used any more."""
    if isinstance(connection, LimitedTlsSocket):
        connection.limit = limit
        return connection
    timeout = connection.gettimeout()
    limited_socket = LimitedSocket(fileno=connection.detach())
    limited_socket.settimeout(timeout)
    limited_socket.limit = limit
    return limited_socket
