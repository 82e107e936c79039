"""A mail server that accepts letters, and can be instructed to refuse, to hang up, or to want a login."""

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

from bench.servers.ports import free_port


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
"""The server's refusal ("451 4.3.0 later"), or None to accept."""


class _Server(SMTP):
    async def _handle_client(self) -> None:
        sink: SmtpSink = self.event_handler
        sink.open += 1
        sink.peak = max(sink.peak, sink.open)
        try:
            if sink.most and sink.open > sink.most:
                sink.refused += 1
                await self.push("421 4.7.0 Too many connections from this account")
                if self.transport is not None:
                    self.transport.close()
                return
            await super()._handle_client()
        finally:
            sink.open -= 1

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 aiosmtpd's name
        refusal = self.event_handler.at_data_command()
        await (super().smtp_DATA(arg) if refusal is None else self.push(refusal))


class _Controller(Controller):
    def factory(self) -> SMTP:
        return _Server(self.handler, **self.SMTP_kwargs)


@dataclass
class SmtpSink:
    """An SMTP server on loopback. `letters` are those it accepted.

    `at_rcpt` and `at_data` decide about each recipient and each mail, `at_data_command` about each mail
    before it is handed over. `cut_after_data`: how often it closes
    the connection after it accepted the mail and before it confirms that. `size_limit`: bytes, announced and
    enforced. With a `certificate` (and its key) it insists on STARTTLS, or, if `implicit`, on TLS from the
    start. With a `token` it needs a login by XOAUTH2; `logins` are the answers it got. It takes `most`
    connections at one time, 0 for any number, and counts those it `refused`; `peak` is the most that were
    open. `seconds`: how long it takes to accept a mail.
    """

    port: int = field(default_factory=free_port)
    letters: list[Letter] = field(default_factory=list)
    at_rcpt: Callable[[str], Answer] = lambda _address: None
    at_data: Callable[[Letter], Answer] = lambda _letter: None
    at_data_command: Callable[[], Answer] = lambda: None
    cut_after_data: int = 0
    size_limit: int = 33_554_432
    certificate: tuple[Path, Path] | None = None
    implicit: bool = False
    token: str = ""
    logins: list[str] = field(default_factory=list)
    most: int = 0
    seconds: float = 0.0
    open: int = 0
    peak: int = 0
    refused: int = 0
    _controller: Controller | None = None

    def start(self) -> SmtpSink:
        context = None
        if self.certificate is not None:
            # The purpose names the other side: CLIENT_AUTH is for a server.
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*self.certificate)
        self._controller = _Controller(
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
            # A relay that takes tokens and no password.
            auth_exclude_mechanism=["LOGIN", "PLAIN"],
        )
        self._controller.start()
        return self

    def stop(self) -> None:
        if self._controller is not None:
            self._controller.stop()
            self._controller = None

    async def auth_XOAUTH2(self, server: SMTP, args: list[str]) -> AuthResult:  # noqa: N802 aiosmtpd's name
        """See aiosmtpd. A wrong token gets a challenge with the reason, which the client must answer."""
        answer = base64.b64decode(args[1]).decode()
        self.logins.append(answer)
        if f"auth=Bearer {self.token}\1\1" in answer:
            return AuthResult(success=True, auth_data=answer)
        await server.challenge_auth(b'{"status":"400"}')
        return AuthResult(success=False, handled=False)

    async def handle_RCPT(  # noqa: N802 aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        refusal = self.at_rcpt(address)
        if refusal is None:
            envelope.rcpt_tos.append(address)
        return refusal or "250 OK"

    async def handle_DATA(  # noqa: N802 aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        content = envelope.content
        assert isinstance(content, bytes)
        letter = Letter(envelope.mail_from or "", tuple(envelope.rcpt_tos), content)
        if self.seconds:
            await asyncio.sleep(self.seconds)
        refusal = self.at_data(letter)
        if refusal is not None:
            return refusal
        self.letters.append(letter)
        if self.cut_after_data > 0:
            self.cut_after_data -= 1
            assert server.transport is not None
            raw = server.transport.get_extra_info("socket")
            # Accepted and never confirmed: the sender cannot know, and may send a second time.
            raw.shutdown(socket.SHUT_RDWR)
            await asyncio.sleep(0.05)
        return "250 OK"
