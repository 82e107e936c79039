"""smtplib with a time limit for each command and its answer, and what it shows when something goes wrong."""

from __future__ import annotations

import smtplib
import socket
import ssl

from service.config import MailOut
from service.mail.time_limit import LimitedTlsSocket, TimeLimit, limited, limited_context


class LimitedSmtp(smtplib.SMTP):
    """smtplib whose every command, the greeting included, has to end in time."""

    def __init__(
        self, host: str, port: int, limit: TimeLimit, *, seconds: float, context: ssl.SSLContext | None
    ) -> None:
        self.limit = limit
        self.limited_context = limited_context(context)
        self._name = host
        super().__init__(host, port, timeout=seconds)

    def putcmd(self, cmd: str, args: str = "") -> None:
        """See smtplib. A command begins."""
        # STARTTLS puts a new socket in the place of the limited one.
        if isinstance(self.sock, LimitedTlsSocket):
            self.sock.limit = self.limit
        self.limit.begin()
        super().putcmd(cmd, args)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connection = socket.create_connection((host, port), timeout)
        self.limit.begin()
        return limited(connection, self.limit)


class LimitedSmtpTls(LimitedSmtp):
    """The same, encrypted from the first byte on."""

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connection = socket.create_connection((host, port), timeout)
        encrypted = self.limited_context.wrap_socket(connection, server_hostname=self._name)
        self.limit.begin()
        return limited(encrypted, self.limit)


def timed_out(error: Exception) -> bool:
    """Whether a time limit passed; smtplib calls that "disconnected"."""
    return isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError)


def sentence(settings: MailOut, error: Exception) -> str:
    """The fault and what to check, for the status page."""
    server = f"{settings.host}:{settings.port}"
    match error:
        case smtplib.SMTPAuthenticationError():
            secret = "password" if settings.oauth is None else "oauth"
            words = f"The mail server {server} refused the login; check mail_out.user and mail_out.{secret}."
        case smtplib.SMTPNotSupportedError():
            words = (f"The mail server {server} offers no STARTTLS or no login; check mail_out.port and "
                     "mail_out.starttls.")
        # The bare class: smtplib supports none of the server's ways to log in.
        case smtplib.SMTPException() if type(error) is smtplib.SMTPException:
            words = (f"The mail server {server} offers no login by password; see mail_out.oauth in the "
                     "settings.")
        # No name server answered, as on a machine without a network: the name may be right.
        case socket.gaierror(errno=socket.EAI_AGAIN):
            words = (f"The name {settings.host} could not be looked up, since no name server answers; check "
                     "the network of this machine. Galloper keeps trying.")
        case socket.gaierror():
            words = f"There is no computer with the name {settings.host}; check mail_out.host."
        case ssl.SSLError():
            words = f"The certificate of {server} is not trusted; check mail_out.host."
        case TimeoutError():
            words = (f"The mail server {server} does not answer in time; check the network. Galloper keeps "
                     "trying.")
        case ConnectionRefusedError():
            words = (f"There is no answer from {server}; check mail_out.host and mail_out.port, or start "
                     "the mail server.")
        case _:
            words = f"Mail cannot be sent through {server} ({type(error).__name__}); Galloper keeps trying."
    return words
