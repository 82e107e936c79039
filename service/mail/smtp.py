"""Two ways out for a finished mail: SMTP, or a file in a folder (the demo)."""

from __future__ import annotations

import re
import smtplib
import ssl
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from adjudicator.errors import UserFacingError
from service import config
from service.config import MailOut
from service.mail.oauth import NoToken, Tokens, tokens_of, xoauth2

SECONDS = 60.0
"""Longest wait for an answer of the server."""
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
    """No mail can be sent now: the server is away or refuses us. The sentence says what to check."""


class TryAgainLater(UserFacingError):
    """The server asks to try this mail again later (4xx)."""


class SmtpRefused(UserFacingError):
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
        self, settings: MailOut, *, seconds: float = SECONDS, context: ssl.SSLContext | None = None
    ) -> None:
        self._settings = settings
        self._seconds = seconds
        self._context = context
        # Each thread has its own connection, so that two jobs may send at the same time.
        self._local = threading.local()
        self._tokens = tokens_of(settings.oauth, "mail_out.oauth")

    def send(self, envelope: MailEnvelope) -> None:
        """See Transport."""
        try:
            smtp = self._ready()
            self._hand_over(smtp, envelope)
        except (ServerUnavailable, DeliveryUnknown):
            self._drop()
            raise
        except NoToken as error:
            self._drop()
            raise ServerUnavailable(str(error)) from error
        except (OSError, smtplib.SMTPException) as error:
            self._drop()
            raise ServerUnavailable(self._sentence(error)) from error

    def close(self) -> None:
        """See Transport. Ends the connection of this thread."""
        if self._smtp is not None:
            with suppress(OSError, smtplib.SMTPException):
                self._smtp.quit()
        self._drop()

    @property
    def _smtp(self) -> smtplib.SMTP | None:
        connection: smtplib.SMTP | None = getattr(self._local, "smtp", None)
        return connection

    def _drop(self) -> None:
        smtp, self._local.smtp = self._smtp, None
        if smtp is not None:
            with suppress(OSError):
                smtp.close()

    def _ready(self) -> smtplib.SMTP:
        if self._smtp is not None:
            with suppress(OSError, smtplib.SMTPException):
                if self._smtp.rset()[0] == 250:
                    return self._smtp
            # The server closed the open connection meanwhile.
            self._drop()
        settings = self._settings
        context = self._context or ssl.create_default_context()
        implicit_tls = settings.port == config.IMPLICIT_TLS_PORT
        smtp = (
            smtplib.SMTP_SSL(settings.host, settings.port, timeout=self._seconds, context=context)
            if implicit_tls
            else smtplib.SMTP(settings.host, settings.port, timeout=self._seconds)
        )
        try:
            smtp.ehlo()
            if settings.starttls and not implicit_tls:
                smtp.starttls(context=context)
                # RFC 3207, 4.2: what the server offered in clear counts no longer.
                smtp.ehlo()
            if self._tokens is not None:
                _log_in(smtp, settings.user, self._tokens)
            elif settings.user:
                smtp.login(settings.user, settings.password)
        except BaseException:
            smtp.close()
            raise
        self._local.smtp = smtp
        return smtp

    def _hand_over(self, smtp: smtplib.SMTP, envelope: MailEnvelope) -> None:
        size = len(envelope.data)
        # RFC 1870: a server may name its limit before anything is sent.
        limit = smtp.esmtp_features.get("size", "")
        if limit.isdigit() and 0 < int(limit) < size:
            raise MailTooLarge(f"the mail server takes {int(limit) // 1000} kB at most")
        try:
            options = [f"size={size}"] if "size" in smtp.esmtp_features else []
            _check(*smtp.mail(self._return_path(envelope), options))
            _check(*smtp.rcpt(envelope.recipient), about_the_mail=False)
        except UnicodeEncodeError:
            raise SmtpRefused("the mail server does not take addresses with letters outside ASCII") from None
        # By hand and not by `smtplib.SMTP.data`: only so is it known whether a fault came before or after the
        # mail was handed over.
        code, reply_text = smtp.docmd("DATA")
        if code != 354:
            _check(code, reply_text)
            raise ServerUnavailable(f"the mail server answered DATA with {code}")
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

    def _sentence(self, error: Exception) -> str:
        settings = self._settings
        server = f"{settings.host}:{settings.port}"
        match error:
            case smtplib.SMTPAuthenticationError():
                secret = "password" if settings.oauth is None else "oauth"
                return (f"The mail server {server} refused the login; check mail_out.user and "
                        f"mail_out.{secret}.")
            case smtplib.SMTPNotSupportedError():
                return (f"The mail server {server} offers no STARTTLS or no login; check "
                        f"mail_out.port and mail_out.starttls.")
            # The bare class: smtplib knows none of the ways to log in that the server offers.
            case smtplib.SMTPException() if type(error) is smtplib.SMTPException:
                return (f"The mail server {server} offers no login by password; see mail_out.oauth "
                        f"in the settings.")
            case ssl.SSLError():
                return f"The certificate of {server} is not trusted; check mail_out.host."
            case ConnectionRefusedError():
                return (f"Nothing answers at {server}; check mail_out.host and mail_out.port, or "
                        f"start the mail server.")
            case _:
                return (f"Mail cannot be sent through {server} ({type(error).__name__}); Galloper "
                        f"keeps trying.")


def _log_in(smtp: smtplib.SMTP, user: str, tokens: Tokens) -> None:
    """Log in by access token. Raises NoToken, SMTPAuthenticationError."""
    token = tokens.token()
    try:
        # A server that refuses the token first says why, as a challenge, and expects an empty answer.
        smtp.auth("XOAUTH2", lambda challenge=None: xoauth2(user, token) if challenge is None else "")
    except smtplib.SMTPAuthenticationError:
        tokens.forget()
        raise


def _check(code: int, reply_text: bytes, *, about_the_mail: bool = True) -> None:
    """Return for a positive answer of the server; raise TryAgainLater, MailTooLarge or SmtpRefused for
    others."""
    if 200 <= code < 300:
        return
    # Servers quote the address in their texts; the numbers say enough (RFC 3463).
    status = re.match(rb"\s*([245]\.\d{1,3}\.\d{1,3})\b", reply_text)
    numbers = f"{code} {status[1].decode()}" if status else str(code)
    if 400 <= code < 500:
        raise TryAgainLater(f"the mail server answered {numbers}")
    # After RCPT a 552 means a full mailbox, not a large mail.
    if (code == _TOO_BIG and about_the_mail) or numbers.endswith(" 5.3.4"):
        raise MailTooLarge(f"the mail server answered {numbers}: too large")
    raise SmtpRefused(f"the mail server answered {numbers}")


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
