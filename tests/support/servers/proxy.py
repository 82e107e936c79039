"""A TCP proxy on loopback that can be instructed to misbehave: the cut and the silent network of the
tests."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field

from tests.support.servers.dovecot import free_port


@dataclass
class Proxy:
    """Passes bytes between `port` and `target` on 127.0.0.1, a port there or the path of a socket.

    `silent`: swallows everything without closing, and accepts connections that never answer. `cut_after`:
    resets both sides once that many bytes came from the server, one time. `from_server` counts those bytes.
    `drip`: seconds between two bytes from the server, once `drip_after` is among what it states. `pace`:
    bytes a second from the server, a slow line that is honest. `close_after`: both sides are closed once the
    server has said this. `connections` counts those that were asked for. """

    target: int | str
    port: int = field(default_factory=free_port)
    silent: bool = False
    cut_after: int | None = None
    from_server: int = 0
    drip: float = 0.0
    drip_after: bytes = b""
    pace: int = 0
    close_after: bytes = b""
    connections: int = 0
    _listener: socket.socket | None = None
    _open: list[socket.socket] = field(default_factory=list)

    def start(self) -> Proxy:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def stop(self) -> None:
        if self._listener is not None:
            # A thread in accept() is not woken by close alone.
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        for connection in self._open:
            connection.close()

    def _accept(self) -> None:
        assert self._listener is not None
        while True:
            try:
                client, _ = self._listener.accept()
                self.connections += 1
                server = self._connect()
            except OSError:
                return
            server.settimeout(None)
            self._open += [client, server]
            threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def cut(self) -> None:
        """Reset every connection."""
        connections, self._open = self._open, []
        for connection in connections:
            _reset(connection)

    def _connect(self) -> socket.socket:
        if isinstance(self.target, int):
            return socket.create_connection(("127.0.0.1", self.target), 5)
        server = socket.socket(socket.AF_UNIX)
        server.settimeout(5)
        server.connect(self.target)
        return server

    def _pass(self, source: socket.socket, sink: socket.socket, server: bool) -> None:
        with suppress(OSError):
            while data := source.recv(16_384):
                if self.silent:
                    continue
                if server:
                    self.from_server += len(data)
                    if self.cut_after is not None and self.from_server > self.cut_after:
                        self.cut_after = None
                        # Half of the last piece arrives, so that the cut falls into the middle of an answer.
                        sink.sendall(data[: len(data) // 2])
                        _reset(source)
                        _reset(sink)
                        return
                    self._say_slowly(sink, data)
                    if self.close_after and self.close_after in data:
                        break
                else:
                    sink.sendall(data)
        if not self.silent:
            for connection in (source, sink):
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


    def _say_slowly(self, sink: socket.socket, data: bytes) -> None:
        if self.drip and self.drip_after in data:
            # Every byte that comes after it, in this connection and in others.
            self.drip_after = b""
            for byte in data:
                sink.sendall(bytes([byte]))
                time.sleep(self.drip)
            return
        sink.sendall(data)
        if self.pace:
            time.sleep(len(data) / self.pace)


def _reset(connection: socket.socket) -> None:
    with suppress(OSError):
        # On with 0 seconds: the connection is reset (RST) in place of closed (FIN).
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    # The thread of the other direction sits in recv and would keep the connection open over a mere close.
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
