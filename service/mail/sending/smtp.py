"""Two ways out for a finished mail: SMTP, or a file in a folder (the demo)."""

from __future__ import annotations

import re
import smtplib
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from adjudicator.errors import UserFacingError
from service import config
from service.config import MailOut
from service.mail.access.login import Login, LoginPaused
from service.mail.access.oauth import NoToken, Tokens, xoauth2
from service.mail.sending.smtp_client import LimitedSmtp, LimitedSmtpTls, sentence, timed_out
from service.mail.time_limit import LineLimits, TimeLimit

SECONDS = 60.0
"""Longest wait for a part of an answer of the server; `LineLimits` has that for a whole one."""
_GOES_AWAY = 421
_REPLY_WORDS = 160
"""Characters of the server's own words that are stored for the coordinator."""
_TOO_BIG = 552
LONGEST_LOCAL_PART = 64
"""Characters before the @ (RFC 5321, 4.5.3.1.1)."""


@dataclass(frozen=True, slots=True)
class MailEnvelope:
    """One mail to hand over: bare addresses, the finished bytes and their Message-ID."""

    sender: str
    recipient: str
    message_id: str
    data: bytes


class ServerUnavailable(UserFacingError):
    """No mail can be sent now: the server is away or refuses us. The sentence shows what to check."""


class SmtpAnswer(UserFacingError):
    """The server's answer about one mail, with its code. The text may quote the server; `for_log` does
    not."""

    def __init__(self, text: str, code: int = 0, for_log: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.for_log = for_log or text


class TryAgainLater(SmtpAnswer):
    """The server asks to try this mail again later (4xx)."""


class SmtpRefused(SmtpAnswer):
    """The server will not take this mail (5xx)."""


class MailTooLarge(SmtpRefused):
    """The server will not take this mail because of its size."""


class DeliveryUnknown(UserFacingError):
    """The connection ended after the mail was handed over and before the answer: it may be delivered."""


class Transport(Protocol):
    """A way out for mail."""

    def send(self, envelope: MailEnvelope) -> None:
        """Hand one mail over.

        Raises ServerUnavailable, TryAgainLater, SmtpRefused, MailTooLarge or DeliveryUnknown; their texts
        hold no address.
        """

    def close(self) -> None:
        """Leave; never raises."""


class SmtpTransport:
    """The site's relay, by smtplib. One mail is one SMTP transaction; the connection stays open until
    `close`."""

    def __init__(
        self, settings: MailOut, *, seconds: float = SECONDS, limits: LineLimits | None = None,
        login: Login | None = None, context: ssl.SSLContext | None = None,
    ) -> None:
        """`login` is shared by everything that logs in as the same user."""
        self._settings = settings
        self._seconds = seconds
        self._limits = limits or LineLimits()
        self._context = context
        # Each thread has its own connection, so that two jobs may send at the same time.
        self._local = threading.local()
        self._login = login or Login(settings, "mail_out")

    def send(self, envelope: MailEnvelope) -> None:
        """See Transport."""
        with self._reporting():
            self._hand_over(self._ready(), envelope)

    def knock(self) -> None:
        """Connect and log in, and hand nothing over. Raises ServerUnavailable."""
        with self._reporting():
            self._ready()

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Turn whatever goes wrong into the exceptions of `Transport`; the next use then connects again."""
        try:
            yield
        except SmtpAnswer as answer:
            # RFC 5321, 3.8: after 421 the server ends the connection; the next letter has a new one.
            if answer.code == _GOES_AWAY:
                self._drop()
            raise
        except (ServerUnavailable, DeliveryUnknown):
            self._drop()
            raise
        except LoginPaused as pause:
            raise ServerUnavailable(str(pause)) from None
        except NoToken as refusal:
            self._drop()
            shown = self._login.refused(str(refusal)) if refusal.is_refused else str(refusal)
            raise ServerUnavailable(shown) from refusal
        except (OSError, smtplib.SMTPException) as error:
            self._drop()
            shown = sentence(self._settings, TimeoutError() if timed_out(error) else error)
            # RFC 4954, 6: a code from 500 on is about name and password; 454 and 421 pass by themselves.
            if isinstance(error, smtplib.SMTPAuthenticationError) and error.smtp_code >= 500:
                uses_password = self._login.tokens is None
                shown = self._login.refused(shown) if uses_password else self._login.refused_token(shown)
            raise ServerUnavailable(shown) from error

    def close(self) -> None:
        """See Transport. Ends the connection of this thread."""
        if self._smtp is not None:
            with suppress(OSError, smtplib.SMTPException):
                self._smtp.quit()
        self._drop()

    @property
    def _smtp(self) -> LimitedSmtp | None:
        connection: LimitedSmtp | None = getattr(self._local, "smtp", None)
        return connection

    def _drop(self) -> None:
        smtp, self._local.smtp = self._smtp, None
        if smtp is not None:
            with suppress(OSError):
                smtp.close()

    def _ready(self) -> LimitedSmtp:
        if self._smtp is not None:
            with suppress(OSError, smtplib.SMTPException):
                if self._smtp.rset()[0] == 250:
                    return self._smtp
            # The server closed the open connection meanwhile.
            self._drop()
        self._login.check()
        smtp = self._connect()
        try:
            smtp.ehlo()
            if self._settings.starttls and not self._is_encrypted:
                smtp.starttls(context=smtp.limited_context)
                # RFC 3207, 4.2: what the server offered in clear counts no longer.
                smtp.ehlo()
            if self._login.tokens is not None:
                _log_in(smtp, self._settings.user, self._login.tokens)
            elif self._settings.user:
                smtp.login(self._settings.user, self._settings.password)
            self._login.accepted()
        except BaseException:
            smtp.close()
            raise
        self._local.smtp = smtp
        return smtp

    @property
    def _is_encrypted(self) -> bool:
        """Whether the connection is encrypted from its first byte on."""
        return self._settings.port == config.IMPLICIT_TLS_PORT

    def _connect(self) -> LimitedSmtp:
        kind = LimitedSmtpTls if self._is_encrypted else LimitedSmtp
        return kind(self._settings.host, self._settings.port, TimeLimit(self._limits),
                    seconds=self._seconds, context=self._context)

    def _hand_over(self, smtp: LimitedSmtp, envelope: MailEnvelope) -> None:
        size = len(envelope.data)
        # RFC 1870: a server may name its limit before anything is sent.
        limit = smtp.esmtp_features.get("size", "")
        if limit.isdigit() and 0 < int(limit) < size:
            raise MailTooLarge(f"the mail server accepts {int(limit) // 1000} kB at most")
        try:
            options = [f"size={size}"] if "size" in smtp.esmtp_features else []
            _check(*smtp.mail(self._return_path(envelope), options))
            _check(*smtp.rcpt(envelope.recipient), about_the_mail=False)
        except UnicodeEncodeError:
            raise SmtpRefused("the mail server does not accept addresses with letters outside "
                              "ASCII") from None
        # By hand and not by `smtplib.SMTP.data`: only so is it known whether a fault came before or after the
        # mail was handed over.
        code, reply_text = smtp.docmd("DATA")
        if code != 354:
            _check(code, reply_text)
            raise ServerUnavailable(f"the mail server answered DATA with {code}")
        smtp.limit.expect(size)
        smtp.limit.begin()
        try:
            # RFC 5321, 4.5.2: a dot at the start of a line is doubled, since a line of one dot ends the mail.
            smtp.send(
                re.sub(rb"(?m)^\.", b"..", envelope.data)
                + (b"" if envelope.data.endswith(b"\r\n") else b"\r\n")
            )
            smtp.send(b".\r\n")
            code, reply_text = smtp.getreply()
        except (OSError, smtplib.SMTPException) as error:
            raise DeliveryUnknown(
                "the connection ended before the mail server confirmed; it may have been delivered"
            ) from error
        _check(code, reply_text)

    def _return_path(self, envelope: MailEnvelope) -> str:
        # An address for each letter: a bounce then names its letter even if it quotes nothing of it.
        local, _, domain = envelope.sender.rpartition("@")
        letter_mailbox = f"{local}+{envelope.message_id.strip('<>').rpartition('@')[0]}"
        return (
            f"{letter_mailbox}@{domain}"
            if self._settings.return_by_letter and len(letter_mailbox) <= LONGEST_LOCAL_PART
            else envelope.sender
        )


def _log_in(smtp: LimitedSmtp, user: str, tokens: Tokens) -> None:
    """Log in by access token. Raises NoToken, SMTPAuthenticationError."""
    token = tokens.token()
    # A server that refuses the token first shows why, as a challenge, and expects an empty answer.
    smtp.auth("XOAUTH2", lambda challenge=None: xoauth2(user, token) if challenge is None else "")


def _check(code: int, reply_text: bytes, *, about_the_mail: bool = True) -> None:
    """Return for a positive answer of the server; raise TryAgainLater, MailTooLarge or SmtpRefused for
    others."""
    if 200 <= code < 300:
        return
    # Servers quote the address in their texts: the log gets the numbers alone (RFC 3463).
    status = re.match(rb"\s*([245]\.\d{1,3}\.\d{1,3})\b", reply_text)
    numbers = f"{code} {status[1].decode()}" if status else str(code)
    answered = f"the mail server answered {numbers}"
    words = server_words(reply_text)
    text = f'{answered}: "{words}"' if words else answered
    if 400 <= code < 500:
        raise TryAgainLater(text, code, answered)
    # After RCPT a 552 means a full mailbox, not a large mail.
    if (code == _TOO_BIG and about_the_mail) or numbers.endswith(" 5.3.4"):
        raise MailTooLarge(f"{answered}: too large", code)
    raise SmtpRefused(text, code, answered)


def server_words(reply_text: bytes) -> str:
    """The server's own words for the coordinator: one line, short, without codes and without whatever holds
    an address or is in angle brackets."""
    text = "".join(c if c.isprintable() else " " for c in reply_text.decode("utf-8", "replace"))
    text = re.sub(r"(^|\s)[245]\.\d{1,3}\.\d{1,3}\b", " ", text)
    text = re.sub(r"<[^>]*>?|\S*@\S*", "...", text)
    text = " ".join(text.split())
    return text if len(text) <= _REPLY_WORDS else f"{text[:_REPLY_WORDS].rstrip()}..."


@dataclass(frozen=True, slots=True)
class FolderTransport:
    """Writes each mail as a file "0001-results.abc.eml", numbered in order; the same mail has one file."""

    folder: Path

    def send(self, envelope: MailEnvelope) -> None:
        """See Transport. A full disk is ServerUnavailable."""
        name = re.sub(r"[^A-Za-z0-9.-]", "", envelope.message_id.partition("@")[0]) or "letter"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            files = sorted(self.folder.glob("*.eml"))
            existing = next((file for file in files if file.name.partition("-")[2] == f"{name}.eml"), None)
            path = existing or self.folder / f"{len(files) + 1:04d}-{name}.eml"
            temporary = path.with_suffix(".new")
            temporary.write_bytes(envelope.data)
            temporary.replace(path)
        except OSError as error:
            raise ServerUnavailable(f"{self.folder} cannot be written ({error.strerror}); check "
                                    f"mail_out.path.") from error

    def close(self) -> None:
        """See Transport."""
