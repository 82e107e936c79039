"""A mail server for the newcomer: pymap, pure Python, in a child process on loopback.

It forgets everything when it ends. It ends with the program that started it, even if that program is killed.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
import threading
import time
from datetime import datetime
from typing import Any

from imapclient import IMAPClient

from adjudicator.errors import UserFacingError
from service.config import MailIn

_USER, _PASSWORD = "orders", "loopback"
# The reader, or another program, may have every core meanwhile: a slow machine is waited for.
_START_SECONDS = 300.0
_DELIVERY_SECONDS = 600.0


class MissingMailServer(UserFacingError):
    """The Python package with the demo's mail server is not installed."""


class MailServerError(UserFacingError):
    """The demo's mail server is not there; the words say since when."""


class DemoMailServer:
    """An IMAP server with one empty mailbox. Use `settings` for the mailbox, `append` to deliver."""

    def __init__(self) -> None:
        self.port = _free_port()
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers. Raises MissingMailServer, and MailServerError if it ends or
        never answers."""
        if importlib.util.find_spec("pymap") is None:
            raise MissingMailServer(
                "the demo needs a mail server that is not installed (pymap); in the source tree: pip install "
                '--editable ".[demo]"')
        command = [sys.executable, "-m", "demo.mail_server", "--host", "127.0.0.1", "--port", str(self.port),
                   "--no-tls", "dict", "--demo-user", _USER, "--demo-password", _PASSWORD]  # fmt: skip
        self._child = subprocess.Popen(  # noqa: S603 (our own module)
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            # Ctrl-C is for the program that started it, which ends it in its turn.
            start_new_session=True,
        )
        give_up_at = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self._child.poll() is not None or time.monotonic() > give_up_at:
                self.stop()
                raise MailServerError("its mail server did not start")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it; its mail is lost."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            if child.stdin is not None:
                child.stdin.close()

    def check(self) -> None:
        """Raises MailServerError if it has ended by itself: its mails went with it."""
        if self._child is not None and self._child.poll() is not None:
            raise MailServerError("its mail server was ended from outside")

    def settings(self) -> MailIn:
        """The settings of a mailbox on this server."""
        return MailIn(host="127.0.0.1", port=self.port, tls=False, user=_USER, password=_PASSWORD)

    def append(self, raw: bytes, received_at: datetime) -> None:
        """Deliver a mail, received at that time (IMAP's INTERNALDATE)."""
        with IMAPClient("127.0.0.1", self.port, ssl=False, timeout=_DELIVERY_SECONDS) as client:
            client.login(_USER, _PASSWORD)
            client.append("INBOX", raw, msg_time=received_at)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.settimeout(1)
                return connection.recv(16).startswith(b"* OK")
        except OSError:
            return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _end_with_parent() -> None:
    # The parent never writes: the end of the pipe is the end of the parent, even by SIGKILL.
    sys.stdin.buffer.read()
    os._exit(0)


def _hold_connections() -> None:
    """Keep the task of each connection until it ends. proxy-protocol 0.11, which starts them for pymap, keeps
    none, and since Python 3.13 asyncio's streams do not either: a collection of garbage cut them off."""
    from pymap.imap import IMAPServer

    serve = IMAPServer.__call__
    running: set[asyncio.Task[Any] | None] = set()

    async def serve_held(server: Any, *connection: Any) -> None:
        task = asyncio.current_task()
        running.add(task)
        try:
            await serve(server, *connection)
        finally:
            running.discard(task)

    IMAPServer.__call__ = serve_held  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    from pymap.main import main

    _hold_connections()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    main()
