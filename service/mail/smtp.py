"""How a finished mail leaves: by SMTP, or as a file in a folder (the demo)."""

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
_TOO_BIG = 552
LONGEST_LOCAL_PART = 64
"""Letters before the @ (RFC 5321, 4.5.3.1.1)."""


@dataclass(frozen=True, slots=True)
class MailEnvelope:
    """What is handed over: bare addresses, the finished bytes and their Message-ID."""

    sender: str
    recipient: str
    message_id: str
    data: bytes


class ServerUnavailable(UserFacingError):
    """Nothing can be sent now, to nobody: the server is away or refuses us. The sentence says what to
    check."""


class TryAgainLater(UserFacingError):
    """The server asks to try this mail again later (4xx)."""


class SmtpRefused(UserFacingError):
    """The server will not take this mail (5xx)."""


class MailTooLarge(SmtpRefused):
    """The server will not take this mail because of its size."""


class DeliveryUnknown(UserFacingError):
    """The connection ended after the mail was handed over and before the answer: it may have been taken."""


class Transport(Protocol):
    """A way out."""

    def send(self, envelope: MailEnvelope) -> None:
        """Hand one mail over. Raises Down, Later, Refused, TooBig or Unclear; their texts hold no address."""

    def close(self) -> None:
        """Leave; never raises."""


class SmtpTransport:
    """The site's relay, by smtplib. One mail is one SMTP transaction; the connection is kept until `close`.

    Each thread has a connection of its own, so that two jobs may send at a time.
    """

    def __init__(
        self, settings: MailOut, *, seconds: float = SECONDS, context: ssl.SSLContext | None = None
    ) -> None:
        self._settings = settings
        self._seconds = seconds
        self._context = context
        self._own = threading.local()
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
        kept: smtplib.SMTP | None = getattr(self._own, "smtp", None)
        return kept

    def _drop(self) -> None:
        smtp, self._own.smtp = self._smtp, None
        if smtp is not None:
            with suppress(OSError):
                smtp.close()

    def _ready(self) -> smtplib.SMTP:
        if self._smtp is not None:
            with suppress(OSError, smtplib.SMTPException):
                if self._smtp.rset()[0] == 250:
                    return self._smtp
            self._drop()  # the server closed the kept connection meanwhile
        s = self._settings
        context = self._context or ssl.create_default_context()
        from_the_start = s.port == config.IMPLICIT_TLS_PORT
        smtp = (
            smtplib.SMTP_SSL(s.host, s.port, timeout=self._seconds, context=context)
            if from_the_start
            else smtplib.SMTP(s.host, s.port, timeout=self._seconds)
        )
        try:
            smtp.ehlo()
            if s.starttls and not from_the_start:
                smtp.starttls(context=context)
                smtp.ehlo()
            if self._tokens is not None:
                _log_in(smtp, s.user, self._tokens)
            elif s.user:
                smtp.login(s.user, s.password)
        except BaseException:
            smtp.close()
            raise
        self._own.smtp = smtp
        return smtp

    def _hand_over(self, smtp: smtplib.SMTP, envelope: MailEnvelope) -> None:
        size = len(envelope.data)
        limit = smtp.esmtp_features.get("size", "")
        if limit.isdigit() and 0 < int(limit) < size:
            raise MailTooLarge(f"the mail server takes {int(limit) // 1000} kB at most")
        try:
            options = [f"size={size}"] if "size" in smtp.esmtp_features else []
            _check(*smtp.mail(self._return_path(envelope), options))
            _check(*smtp.rcpt(envelope.recipient), about_the_mail=False)
        except UnicodeEncodeError:
            raise SmtpRefused("the mail server does not take addresses with letters outside ASCII") from None
        code, words = smtp.docmd("DATA")
        if code != 354:
            _check(code, words)
            raise ServerUnavailable(f"the mail server answered DATA with {code}")
        try:
            smtp.send(
                re.sub(rb"(?m)^\.", b"..", envelope.data)
                + (b"" if envelope.data.endswith(b"\r\n") else b"\r\n")
            )
            smtp.send(b".\r\n")
            code, words = smtp.getreply()
        except (OSError, smtplib.SMTPException) as error:
            raise DeliveryUnknown(
                "the connection ended before the mail server confirmed; it may have been delivered"
            ) from error
        _check(code, words)

    def _return_path(self, envelope: MailEnvelope) -> str:
        local, _, domain = envelope.sender.rpartition("@")
        own = f"{local}+{envelope.message_id.strip('<>').rpartition('@')[0]}"
        return (
            f"{own}@{domain}"
            if self._settings.return_by_letter and len(own) <= LONGEST_LOCAL_PART
            else envelope.sender
        )

    def _sentence(self, error: Exception) -> str:
        s = self._settings
        match error:
            case smtplib.SMTPAuthenticationError():
                secret = "password" if s.oauth is None else "oauth"
                return (f"The mail server {s.host}:{s.port} refused the login; check mail_out.user and "
                        f"mail_out.{secret}.")
            case smtplib.SMTPNotSupportedError():
                return (f"The mail server {s.host}:{s.port} offers no STARTTLS or no login; check "
                        f"mail_out.port and mail_out.starttls.")
            # so smtplib says that it knows no way
            case smtplib.SMTPException() if type(error) is smtplib.SMTPException:
                return (f"The mail server {s.host}:{s.port} offers no login by password; see mail_out.oauth "
                        f"in the settings.")
            case ssl.SSLError():
                return f"The certificate of {s.host}:{s.port} is not trusted; check mail_out.host."
            case ConnectionRefusedError():
                return (f"Nothing answers at {s.host}:{s.port}; check mail_out.host and mail_out.port, or "
                        f"start the mail server.")
            case _:
                return (f"Mail cannot be sent through {s.host}:{s.port} ({type(error).__name__}); Galloper "
                        f"keeps trying.")


def _log_in(smtp: smtplib.SMTP, user: str, tokens: Tokens) -> None:
    """By access token. A server that refuses it says why first, and wants an empty answer to that."""
    token = tokens.token()
    try:
        smtp.auth("XOAUTH2", lambda challenge=None: xoauth2(user, token) if challenge is None else "")
    except smtplib.SMTPAuthenticationError:
        tokens.forget()
        raise


def _check(code: int, words: bytes, *, about_the_mail: bool = True) -> None:
    """Turn an answer of the server into our words. After RCPT a 552 means a full mailbox, not a large
    mail."""
    if 200 <= code < 300:
        return
    # Servers quote the address in their words; the numbers say enough.
    status = re.match(rb"\s*([245]\.\d{1,3}\.\d{1,3})\b", words)
    numbers = f"{code} {status[1].decode()}" if status else str(code)
    if 400 <= code < 500:
        raise TryAgainLater(f"the mail server answered {numbers}")
    if (code == _TOO_BIG and about_the_mail) or numbers.endswith(" 5.3.4"):
        raise MailTooLarge(f"the mail server answered {numbers}: too large")
    raise SmtpRefused(f"the mail server answered {numbers}")


@dataclass(frozen=True, slots=True)
class FolderTransport:
    """Each mail as a file "0001-results.abc.eml", numbered in the order of sending; the same mail again keeps
    its file."""

    folder: Path

    def send(self, envelope: MailEnvelope) -> None:
        """See Transport. A disk that is full is Down."""
        name = re.sub(r"[^A-Za-z0-9.-]", "", envelope.message_id.partition("@")[0]) or "letter"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            files = sorted(self.folder.glob("*.eml"))
            known = next((f for f in files if f.name.partition("-")[2] == f"{name}.eml"), None)
            path = known or self.folder / f"{len(files) + 1:04d}-{name}.eml"
            temporary = path.with_suffix(".new")
            temporary.write_bytes(envelope.data)
            temporary.replace(path)
        except OSError as error:
            raise ServerUnavailable(f"{self.folder} cannot be written ({error.strerror}); check "
                                    f"mail_out.path.") from error

    def close(self) -> None:
        """See Transport."""
