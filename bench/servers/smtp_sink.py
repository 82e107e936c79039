"""A mail server that takes letters in and can be told to be difficult."""

from __future__ import annotations

import asyncio
import base64
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from bench.servers.dovecot import free_port


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail as it arrived."""

    sender: str
    recipients: tuple[str, ...]
    data: bytes

    @property
    def message(self) -> EmailMessage:
        return message_from_bytes(self.data, policy=policy.default)


Answer = str | None
"""What the server says instead of taking it ("451 4.3.0 later"), or None for "as usual"."""


@dataclass
class SmtpSink:
    """An SMTP server on loopback. `letters` are those it took.

    `at_rcpt` and `at_data` decide about each recipient and each mail; `cut_after_data` closes the connection
    that many times after the mail was taken and before it is confirmed; `size_limit` is announced and kept.
    With a `certificate` (and its key) it insists on STARTTLS, or is encrypted from the start where it is
    `implicit`. With a `token` it wants a login by XOAUTH2; `logins` are what was said there.
    """

    port: int = field(default_factory=free_port)
    letters: list[Letter] = field(default_factory=list)
    at_rcpt: Callable[[str], Answer] = lambda _address: None
    at_data: Callable[[Letter], Answer] = lambda _letter: None
    cut_after_data: int = 0
    size_limit: int = 33_554_432
    certificate: tuple[Path, Path] | None = None
    implicit: bool = False
    token: str = ""
    logins: list[str] = field(default_factory=list)
    _controller: Controller | None = None

    def start(self) -> SmtpSink:
        context = None
        if self.certificate is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*self.certificate)
        self._controller = Controller(
            self,
            hostname="127.0.0.1",
            port=self.port,
            data_size_limit=self.size_limit,
            server_hostname="sink.test",
            ssl_context=context if self.implicit else None,
            tls_context=None if self.implicit else context,
            require_starttls=context is not None and not self.implicit,
            auth_required=bool(self.token),
            auth_require_tls=not self.token,
            auth_exclude_mechanism=["LOGIN", "PLAIN"],
        )
        self._controller.start()
        return self

    def stop(self) -> None:
        if self._controller is not None:
            self._controller.stop()
            self._controller = None

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802 aiosmtpd finds it so
        """See aiosmtpd. A wrong token is answered with words, which the client must take note of."""
        said = base64.b64decode(args[1]).decode()
        self.logins.append(said)
        if f"auth=Bearer {self.token}\1\1" in said:
            return AuthResult(success=True, auth_data=said)
        await server.challenge_auth(b'{"status":"400"}')
        return AuthResult(success=False, handled=False)

    async def handle_RCPT(  # noqa: N802 aiosmtpd calls it so
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        refusal = self.at_rcpt(address)
        if refusal is None:
            envelope.rcpt_tos.append(address)
        return refusal or "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 aiosmtpd calls it so
        content = envelope.content
        assert isinstance(content, bytes)
        letter = Letter(envelope.mail_from or "", tuple(envelope.rcpt_tos), content)
        refusal = self.at_data(letter)
        if refusal is not None:
            return refusal
        self.letters.append(letter)
        if self.cut_after_data > 0:
            self.cut_after_data -= 1
            assert server.transport is not None
            raw = server.transport.get_extra_info("socket")
            raw.shutdown(socket.SHUT_RDWR)
            await asyncio.sleep(0.05)
        return "250 OK"
