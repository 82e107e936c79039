"""A mailbox on an IMAP server. Every trap of the protocol and of IMAPClient is handled in this file.

Everything in the folder is looked at, read or unread. Bodies are fetched one by one, and not before their
size is known.
"""

from __future__ import annotations

import logging
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import make_msgid
from threading import Event
from time import monotonic
from typing import Any

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, LoginError

from service.config import MailIn
from service.mail.ingest import HEADER_BYTES, MailboxError, MailboxLocation, MailFault, RawMail, WaitingMail
from service.mail.oauth import NoToken, tokens_of

log = logging.getLogger(__name__)

CONNECT_SECONDS = 15.0
READ_SECONDS = 30.0
"""Longest waits for a connection, and for each answer."""
# Behind a peer that swallows packets IDLE looks like a quiet night. So it is left after 300 s at most, and
# `idle_done` then runs into the socket's timeout.
LONGEST_IDLE = 300.0
POLL_WITHOUT_IDLE = 30.0
"""Seconds; also the longest pause at a server that cannot push."""
_SLICE = 1.0
"""Seconds of waiting after which `stop` is looked at again."""
_BATCH = 200
"""Mails whose size and stamp are asked by one command."""
_STARTTLS_PORT = 143


class ImapSource:
    """The folder in which orders arrive. Connects at the first use, and at the first use after a failure."""

    def __init__(
        self, settings: MailIn, *, read_seconds: float = READ_SECONDS, context: ssl.SSLContext | None = None
    ) -> None:
        self._settings = settings
        self._timeout = SocketTimeout(CONNECT_SECONDS, read_seconds)
        self._context = context
        self._client: IMAPClient | None = None
        self._uidvalidity = ""
        self._prefix = ""
        self._cut: Counter[str] = Counter()
        self._tokens = tokens_of(settings.oauth, "mail_in.oauth")

    def list_waiting(self) -> Sequence[WaitingMail]:
        """See MailSource."""
        with self._use("look into") as client:
            # Straight after another session's delivery a search may be empty until the server gets a NOOP.
            client.noop()
            self._forget_news(client)
            # Not UNSEEN: another program may have opened the mail and so marked it as read.
            uids = sorted(client.search("UNDELETED"))
            waiting_mails: list[WaitingMail] = []
            for start in range(0, len(uids), _BATCH):
                batch = uids[start : start + _BATCH]
                waiting_mails += self._describe(client.fetch(batch, ["INTERNALDATE", "RFC822.SIZE"]))
        # A mail whose transfer was cut before comes last, so that it cannot delay the others.
        return sorted(waiting_mails, key=lambda mail: (self._cut[mail.place.uid], int(mail.place.uid)))

    def _describe(self, answers: dict[int, dict[bytes, Any]]) -> Iterator[WaitingMail]:
        for uid, answer in answers.items():
            stamp, size = answer.get(b"INTERNALDATE"), answer.get(b"RFC822.SIZE")
            # A server may push flag changes of other mails into the answer; those are seen at the next look.
            if isinstance(stamp, datetime) and isinstance(size, int):
                yield WaitingMail(self._place(uid), size, stamp.astimezone(UTC))

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        """See MailSource."""
        uid = waiting.place.uid
        is_whole = waiting.size <= self._settings.max_bytes
        # PEEK, because a fetch of BODY[] marks the mail as read for everybody (RFC 3501, 6.4.5).
        part = "BODY.PEEK[]" if is_whole else f"BODY.PEEK[HEADER]<0.{HEADER_BYTES}>"
        # The count is deleted once the bytes are here, so it stays where the connection was cut on the way.
        self._cut[uid] += 1
        with self._use("fetch a mail from") as client:
            if waiting.place.uidvalidity != self._uidvalidity:
                return None
            try:
                answer = client.fetch([int(uid)], [part])
            except IMAPClientAbortError:
                raise
            except (IMAPClientError, ValueError, LookupError) as error:
                raise MailFault(f"the server's answer cannot be used: {type(error).__name__}") from error
        del self._cut[uid]
        parts = answer.get(int(uid), {})
        data = next((value for key, value in parts.items() if key.startswith(b"BODY[")), None)
        return RawMail(data, is_whole) if isinstance(data, bytes) else None

    def move_to_done(self, places: Sequence[MailboxLocation]) -> None:
        """See MailSource."""
        self._move(places, self._settings.done_folder)

    def quarantine(self, place: MailboxLocation) -> None:
        """See MailSource."""
        self._move([place], self._settings.quarantine_folder)

    def wait(self, seconds: float, stop: Event) -> None:
        """See MailSource. By IDLE, never longer than the keep-alive time; without IDLE a plain pause."""
        longest = min(seconds, self._settings.keep_alive_seconds, LONGEST_IDLE)
        with self._use("wait at") as client:
            if not client.has_capability("IDLE"):
                stop.wait(min(longest, POLL_WITHOUT_IDLE))
                return
            # News of a mail that comes while another command runs is among that command's answers, and IDLE
            # does not repeat it: without this look the mail would wait until the next one.
            if self._has_news(client):
                return
            client.idle()
            news = self._has_news(client)
            end = monotonic() + (0 if news else longest)
            while not stop.is_set() and (remaining := end - monotonic()) > 0:
                try:
                    if self._pushed(client, min(remaining, _SLICE)):
                        news = True
                        break
                except IMAPClientAbortError as error:
                    # `idle_check` reads without waiting and takes half a line for the end of the connection.
                    # The server is well: the next use connects again, and nobody is alarmed.
                    if "unterminated line" not in str(error):
                        raise
                    self._client = None
                    client.shutdown()
                    return
            client.idle_done()
            # The demo's mail server once lost sight of two mails that came while others were moved; they
            # waited for as long as the connection held. So the folder is opened again after a quiet while.
            if not news and not stop.is_set():
                self._uidvalidity = self._select(client)

    @staticmethod
    def _forget_news(client: IMAPClient) -> None:
        client._imap.untagged_responses.pop("EXISTS", None)  # noqa: SLF001 (IMAPClient has no door to it)

    @staticmethod
    def _has_news(client: IMAPClient) -> bool:
        """Whether the server reported a mail since the last look, in the answers to other commands."""
        # "0 EXISTS" reports an empty folder, which is no news.
        counts = client._imap.untagged_responses.get("EXISTS", [b"0"])  # noqa: SLF001
        return bool(counts[-1] != b"0")

    @staticmethod
    def _pushed(client: IMAPClient, seconds: float) -> bool:
        started = monotonic()
        answers = client.idle_check(timeout=seconds)
        # After the server died, `idle_check` returns an empty list at once, for ever.
        if not answers and monotonic() - started < seconds * 0.8:
            raise IMAPClientAbortError("the connection ended while waiting")
        return any(len(answer) > 1 and answer[1] in (b"EXISTS", b"RECENT") for answer in answers)

    def server_time(self) -> datetime | None:
        """The time on the server's clock; None if the server does not return the mail that asks for it.

        That mail is for a moment in the folder of those taken in.
        """
        # RFC 3501, 6.3.11: the server stamps a mail that is appended without a date.
        name = make_msgid(domain="galloper.invalid")
        probe = f"Message-ID: {name}\r\nSubject: What time is it?\r\n\r\n".encode()
        with self._use("ask for the time at") as client:
            target = self._prefixed(self._settings.done_folder)
            _creating(client, target, lambda: client.append(target, probe))
            client.select_folder(target)
            uids = client.search(["HEADER", "Message-ID", name])
            stamps = []
            if uids:
                answers = client.fetch(uids, ["INTERNALDATE"]).values()
                stamps = [answer.get(b"INTERNALDATE") for answer in answers]
                client.delete_messages(uids, silent=True)
                if client.has_capability("UIDPLUS"):
                    client.uid_expunge(uids)
            self._uidvalidity = self._select(client)
        return next((stamp.astimezone(UTC) for stamp in stamps if isinstance(stamp, datetime)), None)

    def close(self) -> None:
        """See MailSource."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.logout()

    def _place(self, uid: int) -> MailboxLocation:
        return MailboxLocation(
            f"{self._settings.user}@{self._settings.host}", self._settings.folder, self._uidvalidity, str(uid)
        )

    def _move(self, places: Sequence[MailboxLocation], folder: str) -> None:
        with self._use("move mails on") as client:
            # If the folder was rebuilt meanwhile, the mail shows up again under another UID, and its hash is
            # known.
            uids = [int(place.uid) for place in places if place.uidvalidity == self._uidvalidity]
            if not uids:
                return
            target = self._prefixed(folder)
            if client.has_capability("MOVE"):
                _creating(client, target, lambda: client.move(uids, target))
                return
            _creating(client, target, lambda: client.copy(uids, target))
            client.delete_messages(uids, silent=True)
            # RFC 4315: without UIDPLUS an EXPUNGE would also remove the mails that other programs marked.
            # Ours stay then, but the search leaves out deleted ones.
            if client.has_capability("UIDPLUS"):
                client.uid_expunge(uids)

    def _prefixed(self, folder: str) -> str:
        return folder if folder.startswith(self._prefix) else self._prefix + folder

    @contextmanager
    def _use(self, action: str) -> Iterator[IMAPClient]:
        """The connection, or MailboxError; after any trouble the next use begins with a new connection."""
        try:
            client = self._client or self._connect()
            self._client = client
            yield client
        except MailFault:
            self._drop()
            raise
        except NoToken as error:
            self._drop()
            raise MailboxError(str(error)) from error
        except (OSError, IMAPClientError, _MissingFolder, ValueError, LookupError) as error:
            self._drop()
            raise MailboxError(self._sentence(error, action)) from error

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.shutdown()

    def _connect(self) -> IMAPClient:
        settings = self._settings
        upgrade = settings.tls and settings.port == _STARTTLS_PORT
        context = self._context or ssl.create_default_context()
        client = IMAPClient(
            settings.host, settings.port, ssl=settings.tls and not upgrade, ssl_context=context,
            timeout=self._timeout,
        )
        # Left on, this option turns INTERNALDATE into local time without a zone.
        client.normalise_times = False
        # IMAPClient spells every answer out for a debug log, written or not: half the time of a fetch and
        # most of its memory, 34 ms of processor time a mail instead of 20. And a log is no place for a mail.
        client._imap.debug = 0  # noqa: SLF001 (IMAPClient has no door to it)
        try:
            # The socket's keep-alive notices a vanished peer even if no command is under way.
            client.socket().setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if upgrade:
                client.starttls(context)
            # Abilities are asked after the login: some servers name IDLE and MOVE only then.
            self._log_in(client)
            self._uidvalidity = self._select(client)
            self._prefix = _personal_prefix(client)
        except BaseException:
            with suppress(Exception):
                client.shutdown()
            raise
        return client

    def _log_in(self, client: IMAPClient) -> None:
        settings = self._settings
        if self._tokens is None:
            client.login(settings.user, settings.password)
            return
        try:
            client.oauth2_login(settings.user, self._tokens.token())
        except LoginError:
            self._tokens.forget()
            raise

    def _select(self, client: IMAPClient) -> str:
        try:
            return str(client.select_folder(self._settings.folder)[b"UIDVALIDITY"])
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            raise _MissingFolder from error

    def _sentence(self, error: Exception, action: str) -> str:
        """What went wrong and what to check, for the status page."""
        settings, server = self._settings, f"{self._settings.host}:{self._settings.port}"
        match error:
            case LoginError():
                secret = "password" if settings.oauth is None else "oauth"
                sentence = (f"The mail server {server} refused the login; check mail_in.user and "
                            f"mail_in.{secret}.")
            case socket.gaierror():
                sentence = f"There is no computer called {settings.host}; check mail_in.host."
            case ssl.SSLError():
                sentence = (f"No encryption could be agreed with {server}; check its certificate, "
                            "mail_in.host and mail_in.port.")
            case ConnectionRefusedError():
                sentence = (f"Nothing answers at {server}; check mail_in.host and mail_in.port, or start the "
                            "mail server.")
            case TimeoutError():
                sentence = (f"The mail server {server} does not answer in time; check the network. Galloper "
                            "keeps trying.")
            case _MissingFolder():
                sentence = f"The mail server {server} has no folder {settings.folder}; check mail_in.folder."
            case IMAPClientAbortError() | ConnectionError():
                sentence = f"The connection to the mail server {server} was lost; Galloper connects again."
            case _:
                sentence = (f"Could not {action} the mailbox at {server} ({type(error).__name__}); Galloper "
                            "keeps trying.")
        return sentence


class _MissingFolder(Exception):
    """SELECT was refused."""


def _personal_prefix(client: IMAPClient) -> str:
    """The start of every folder name on this server ("INBOX." on some), or "" (RFC 2342)."""
    if not client.has_capability("NAMESPACE"):
        return ""
    personal = client.namespace().personal
    return str(personal[0][0]) if personal else ""


def _creating(client: IMAPClient, folder: str, act: Callable[[], object]) -> None:
    """Call `act`; if the server refuses because `folder` is missing, create it and call `act` again."""
    try:
        act()
    except IMAPClientAbortError:
        raise
    except IMAPClientError:
        if client.folder_exists(folder):
            raise
        client.create_folder(folder)
        with suppress(IMAPClientError):
            client.subscribe_folder(folder)
        act()
