"""The web server on a socket, in its own thread."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Sequence

import uvicorn
from fastapi import FastAPI

from adjudicator.errors import UserFacingError
from service.web.connections import ConnectionLimits, limited_to

LOCAL = ("127.0.0.1", "::1")
_START_SECONDS = 15.0


class WebError(UserFacingError):
    """The desk's port cannot be used; the sentence shows what to change."""


class _Server(uvicorn.Server):
    """uvicorn that is woken when it must end. It looks ten times a second, for that and for the date in its
    answers, which this site does not send: a tenth of what an idle site cost."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending = asyncio.Event()

    async def main_loop(self) -> None:
        """See `uvicorn.Server`."""
        self._loop = asyncio.get_running_loop()
        if not await self.on_tick(0):
            await self._ending.wait()

    def end(self) -> None:
        """Finish the requests in progress and end."""
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ending.set)


class WebServer:
    """uvicorn in a thread. `port` 0 takes any free port; `address` is known after construction. `proxies` are
    addresses or networks of the web servers that are before the desk: they alone say in X-Forwarded-For for
    whom they ask."""

    def __init__(
        self, app: FastAPI, host: str, port: int, proxies: Sequence[str] = LOCAL,
        limits: ConnectionLimits | None = None,
    ) -> None:
        # Bound before uvicorn starts, so that a port in use is one sentence at once and port 0 is known.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise WebError(
                f"{host}:{port} cannot be used ({error.strerror}); is another Galloper running? Change "
                f"web.port."
            ) from error
        self.address = f"http://{host}:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            # An access log would hold the secrets in the addresses of players' pages (docs/security.md: logs
            # hold none).
            app, log_config=None, access_log=False, server_header=False, date_header=False,
            http=limited_to(limits or ConnectionLimits(), proxies), ws="none",
            forwarded_allow_ips=list(proxies),
        )
        # A line for each request that is none: strangers would write the log.
        for name in ("uvicorn.error", "python_multipart"):
            logging.getLogger(name).setLevel(logging.ERROR)
        self._server = _Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="galloper-web", daemon=True
        )

    def start(self) -> None:
        """Start serving; returns once requests are answered. Raises WebError after 15 seconds."""
        self._thread.start()
        end = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > end:
                raise WebError(f"the desk at {self.address} did not start")
            time.sleep(0.02)

    def stop(self) -> None:
        """Finish the requests in progress and stop."""
        self._server.end()
        self._thread.join(timeout=10)
        self._socket.close()
