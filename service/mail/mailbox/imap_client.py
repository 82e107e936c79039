"""IMAPClient with a time limit for each command, and what it shows when something goes wrong."""

from __future__ import annotations

import re
import socket
import ssl
from typing import Any

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, LoginError
from imapclient.imap4 import IMAP4WithTimeout
from imapclient.tls import IMAP4_TLS

from service.config import MailIn
from service.mail.mailbox.source import MailboxError
from service.mail.time_limit import LimitedTlsSocket, TimeLimit, limited, limited_context

_CODE = re.compile(r"\[([A-Z][A-Z0-9-]{1,40})\b")
# RFC 5530, 3. A server that names no code states "Too many simultaneous connections" or the like.
_BUSY_CODES = frozenset({"LIMIT", "UNAVAILABLE", "INUSE", "SERVERBUG", "CONTACTADMIN"})
_BUSY_WORDS = re.compile(
    r"too many|simultaneous|concurrent|connection limit|maximum number of connections|try again|temporar",
    re.IGNORECASE)


class FolderMissing(Exception):
    """SELECT was refused."""


class _PlainProtocol(IMAP4WithTimeout):  # type: ignore[misc]  # an untyped library
    def __init__(self, address: str, port: int, timeout: float | None, limit: TimeLimit) -> None:
        self.limit = limit
        super().__init__(address, port, timeout)

    def _create_socket(self, timeout: float | None = None) -> socket.socket:
        connection = super()._create_socket(timeout)
        self.limit.begin()
        return limited(connection, self.limit)

    def _command(self, name: str, *arguments: Any) -> Any:
        _begin(self, self.limit)
        return super()._command(name, *arguments)


class _TlsProtocol(IMAP4_TLS):  # type: ignore[misc]  # an untyped library
    def __init__(
        self, host: str, port: int, context: ssl.SSLContext, timeout: float | None, limit: TimeLimit
    ) -> None:
        self.limit = limit
        super().__init__(host, port, context, timeout)

    def _create_socket(self, timeout: float | None = None) -> socket.socket:
        connection = super()._create_socket(timeout)
        self.limit.begin()
        return limited(connection, self.limit)

    def _command(self, name: str, *arguments: Any) -> Any:
        _begin(self, self.limit)
        return super()._command(name, *arguments)


def _begin(protocol: Any, limit: TimeLimit) -> None:
    # STARTTLS puts a new socket in the place of the limited one.
    if isinstance(protocol.sock, LimitedTlsSocket):
        protocol.sock.limit = limit
    limit.begin()


class LimitedImapClient(IMAPClient):  # type: ignore[misc]  # an untyped library
    """IMAPClient whose every command, the greeting included, has to end in time."""

    def __init__(
        self, host: str, port: int, limit: TimeLimit, *, tls: bool, context: ssl.SSLContext | None,
        timeout: SocketTimeout,
    ) -> None:
        self.limit = limit
        self.limited_context = limited_context(context)
        super().__init__(host, port, ssl=tls, ssl_context=self.limited_context, timeout=timeout)
        # Left on, this option turns INTERNALDATE into local time without a zone.
        self.normalise_times = False
        # IMAPClient spells every answer out for a debug log, written or not: half the time of a fetch and
        # most of its memory, 34 ms of processor time a mail instead of 20. And a log is not a place for a
        # mail.
        self._imap.debug = 0

    def _create_IMAP4(self) -> Any:  # noqa: N802 IMAPClient's name
        timeout = self._timeout.connect
        if self.ssl:
            return _TlsProtocol(self.host, self.port, self.limited_context, timeout, self.limit)
        return _PlainProtocol(self.host, self.port, timeout, self.limit)

    def idle_done(self) -> Any:
        """See IMAPClient. The end of IDLE is its own command as far as time goes."""
        self.limit.begin()
        return super().idle_done()


def response_code(error: Exception) -> str:
    """The code of a server's refusal, such as OVERQUOTA (RFC 5530), or ""."""
    code = _CODE.search(str(error))
    return code[1] if code else ""


def is_busy(error: Exception) -> bool:
    """Whether a refused login states that the server is busy, and nothing of name and password."""
    return response_code(error) in _BUSY_CODES or (
        response_code(error) != "AUTHENTICATIONFAILED" and bool(_BUSY_WORDS.search(str(error))))


class LoginRefused(MailboxError):
    """The mail server refused name and password, or the token. Asked again and again, providers lock the
    account, so the next try waits (`service.mail.access.login`)."""


class ServerBusy(Exception):
    """The server takes no further connection now."""


def sentence(settings: MailIn, error: Exception, action: str) -> str:
    """The fault and what to check, for the status page."""
    server = f"{settings.host}:{settings.port}"
    match error:
        case LoginError():
            secret = "password" if settings.oauth is None else "oauth"
            words = f"The mail server {server} refused the login; check mail_in.user and mail_in.{secret}."
        case ServerBusy():
            words = (f"The mail server {server} is too busy, or allows no further "
                     "connection to this mailbox; close other mail programs that use it. Galloper keeps "
                     "trying.")
        # No name server answered, as on a machine without a network: the name may be right.
        case socket.gaierror(errno=socket.EAI_AGAIN):
            words = (f"The name {settings.host} could not be looked up, since no name server answers; check "
                     "the network of this machine. Galloper keeps trying.")
        case socket.gaierror():
            words = f"There is no computer with the name {settings.host}; check mail_in.host."
        case ssl.SSLError():
            words = (f"No encryption could be agreed with {server}; check its certificate, mail_in.host and "
                     "mail_in.port.")
        case ConnectionRefusedError():
            words = (f"There is no answer from {server}; check mail_in.host and mail_in.port, or start the "
                     "mail server.")
        case TimeoutError():
            words = (f"The mail server {server} does not answer in time; check the network. Galloper keeps "
                     "trying.")
        case FolderMissing():
            words = f"The mail server {server} has no folder {settings.folder}; check mail_in.folder."
        case IMAPClientAbortError() | ConnectionError():
            words = f"The connection to the mail server {server} was lost; Galloper connects again."
        case _:
            words = (f"Could not {action} the mailbox at {server} ({type(error).__name__}); Galloper keeps "
                     "trying.")
    return words
