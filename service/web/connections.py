"""Limits on strangers' connections (SEC-05): how many at once, and how long a request may take to come.

uvicorn waits for ever for the end of a request, and takes connections until the process has no file left to
open, neither a mail's nor the database's.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from service.web.networks import LOOPBACK, network_of

_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\nConnection: close\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\n\r\n"
    b"Too many connections are open. Nothing was changed: try again in a minute.\n"
)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """`most` connections of the process, and `most_of_a_network` of one address, or of one network of IPv6; a
    web server that is before the desk is excepted. `head_seconds` for the head of a request,
    `body_seconds` and a second for each `bytes_a_second` for its body, `answer_seconds` with its answer, of
    which something is taken every `body_seconds`."""

    most: int = 400
    most_of_a_network: int = 60
    head_seconds: float = 20.0
    body_seconds: float = 30.0
    bytes_a_second: float = 10_000.0
    answer_seconds: float = 1200.0


class LimitedConnection(H11Protocol):
    """One connection of uvicorn, within limits. `limited_to` gives the class its two values."""

    limits = ConnectionLimits()
    proxies: Sequence[ipaddress.IPv4Network | ipaddress.IPv6Network] = ()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._watch: asyncio.TimerHandle | None = None
        self._head_since: float | None = None
        self._noticed: RequestResponseCycle | None = None
        self._request_since = 0.0
        self._body_bytes = 0
        self._unread, self._unread_since = 0, 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Refuse one too many, and watch the others."""
        super().connection_made(transport)
        if self._is_one_too_many():
            transport.write(_REFUSAL)
            transport.close()
            return
        self._head_since = self._unread_since = self.loop.time()
        self._look()

    def data_received(self, data: bytes) -> None:
        """Note what came in, for the look that follows."""
        if self._waits_for_a_head:
            self._head_since = self._head_since or self.loop.time()
        else:
            self._body_bytes += len(data)
        super().data_received(data)
        self._notice(len(data))

    def connection_lost(self, exc: Exception | None) -> None:
        """Watch it no longer."""
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    @property
    def _waits_for_a_head(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _notice(self, came: int = 0) -> None:
        """Begin to measure a request whose head is complete; `came`: the bytes that completed it, which may
        hold some of its body."""
        if self.cycle is not None and self.cycle is not self._noticed:
            self._noticed, self._head_since = self.cycle, None
            self._request_since, self._body_bytes = self.loop.time(), came

    def _look(self) -> None:
        self._notice()
        if self._is_too_slow():
            self.transport.abort()
            return
        self._watch = self.loop.call_later(min(2.0, self.limits.head_seconds / 4), self._look)

    def _is_too_slow(self) -> bool:
        now, limits = self.loop.time(), self.limits
        if self._is_unread(now):
            return True
        if self._waits_for_a_head:
            # Between two requests, uvicorn itself ends a connection on which nothing comes.
            return self._head_since is not None and now - self._head_since > limits.head_seconds
        taken = now - self._request_since
        body_seconds = limits.body_seconds + self._body_bytes / limits.bytes_a_second
        return taken > (body_seconds if self.cycle.more_body else limits.answer_seconds)

    def _is_unread(self, now: float) -> bool:
        """True if nothing of an answer was taken for long: it is held in memory for anyone who asked."""
        left = self.transport.get_write_buffer_size()
        if not left or left < self._unread:
            self._unread_since = now
        self._unread = left
        return now - self._unread_since > self.limits.body_seconds

    def _is_one_too_many(self) -> bool:
        if len(self.connections) > self.limits.most:
            return True
        network = self._network(self)
        if network is None:
            return False
        others = sum(self._network(other) == network for other in self.connections)
        return others > self.limits.most_of_a_network

    def _network(self, connection: Any) -> str | None:
        """Whose connection it is; None for a web server that is before the desk, and for this machine."""
        host = connection.client[0] if connection.client else ""
        network = network_of(host)
        if network == LOOPBACK or any(ipaddress.ip_address(host) in proxy for proxy in self.proxies):
            return None
        return network


def limited_to(limits: ConnectionLimits, proxies: Iterable[str]) -> type[LimitedConnection]:
    """The protocol of uvicorn within these limits. `proxies`: addresses or networks of web servers that stand
    before the desk."""
    networks = tuple(ipaddress.ip_network(proxy) for proxy in proxies)
    return type("Connection", (LimitedConnection,), {"limits": limits, "proxies": networks})
