"""The one request with which a browser comes back to this machine (RFC 8252, 7.3)."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from time import monotonic
from urllib.parse import parse_qs, urlsplit

_PAGE = b"<!doctype html><title>Galloper</title><p>You can close this page and go back to the terminal.</p>"
_MOST_REQUESTS = 50
"""Requests of others, such as for an icon, before waiting ends."""


class LoopbackListener:
    """Listens on 127.0.0.1 alone, at a port that the system chooses, until one answer came."""

    def __init__(self, *, seconds: float = 600.0, now: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._came_back = ""
        listener = self

        class Handler(BaseHTTPRequestHandler):
            # A client that sends nothing is let go.
            timeout = 5.0

            def do_GET(self) -> None:
                # Another name for this machine, as a page of a stranger may give it, is no answer to us.
                is_ours = self.headers.get("Host", "") == f"127.0.0.1:{listener.port}"
                query = parse_qs(urlsplit(self.path).query)
                is_answer = is_ours and "state" in query and urlsplit(self.path).path == "/"
                if is_answer:
                    listener._came_back = self.path
                self.send_response(200 if is_answer else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(_PAGE if is_answer else b"")

            # The address has the code in it, and http.server would write it to standard error.
            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def redirect(self) -> str:
        """The address to which the browser is sent back."""
        return f"http://127.0.0.1:{self.port}/"

    def wait(self) -> str:
        """The address with which the browser came back, "" if it did not in time. The port is closed then."""
        end = self._now() + self._seconds
        try:
            for _ in range(_MOST_REQUESTS):
                self._server.timeout = max(0.0, end - self._now())
                if self._came_back or not self._server.timeout:
                    break
                self._server.handle_request()
        finally:
            self._server.server_close()
        return self._came_back
