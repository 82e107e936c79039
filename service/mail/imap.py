"""A mailbox on an IMAP server. Every trap of the protocol and of IMAPClient lives in this file.

- Read or unread means nothing, because another client may have opened the mail: everything in the folder is
  looked at.
- Bodies are fetched with PEEK, one by one, and not before their size is known.
- A search straight after another session's delivery may be empty: NOOP first.
- After the server died, `idle_check` returns an empty list at once, for ever: an empty answer before its time
  is a
  lost connection. Behind a peer that swallows packets it looks like a quiet night: IDLE is left every few
  minutes,
  and `idle_done` runs into the socket's timeout.
- News of a mail that comes while another command runs stands among that command's answers, also those of IDLE
  itself,
  and IDLE does not repeat it: it is looked for there, or the mail would lie until the next look.
- `idle_check` reads without waiting and takes half a line for the end of the connection. The server is well:
  the next
  look connects anew, and nobody is alarmed.
- IMAPClient has every answer spelled out for a log of its own, each mail as text several times its size,
  written or not.
  That is switched off: it takes longer than the fetch, and a log is no place for a mail.
- What a server can do is asked after the login; IDLE and MOVE may be missing before.
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
LONGEST_IDLE = 300.0
POLL_WITHOUT_IDLE = 30.0
_SLICE = 1.0
_BATCH = 200
_STARTTLS_PORT = 143


class ImapSource:
    """The folder that orders arrive in. Connects at the first use, and again at the first use after a
    failure."""

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
        """See MailSource. A mail whose transfer was cut before comes last, so that it cannot hold up the
        others."""
        with self._use("look into") as client:
            client.noop()
            self._forget_news(client)
            uids = sorted(client.search("UNDELETED"))
            found: list[WaitingMail] = []
            for at in range(0, len(uids), _BATCH):
                found += self._describe(client.fetch(uids[at : at + _BATCH], ["INTERNALDATE", "RFC822.SIZE"]))
        return sorted(found, key=lambda w: (self._cut[w.place.uid], int(w.place.uid)))

    def _describe(self, answers: dict[int, dict[bytes, Any]]) -> Iterator[WaitingMail]:
        for uid, answer in answers.items():
            stamp, size = answer.get(b"INTERNALDATE"), answer.get(b"RFC822.SIZE")
            # A server may push flag changes of other mails into the answer; those are seen at the next look.
            if isinstance(stamp, datetime) and isinstance(size, int):
                yield WaitingMail(self._place(uid), size, stamp.astimezone(UTC))

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        """See MailSource."""
        uid = waiting.place.uid
        whole = waiting.size <= self._settings.max_bytes
        part = "BODY.PEEK[]" if whole else f"BODY.PEEK[HEADER]<0.{HEADER_BYTES}>"
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
        data = next((v for k, v in answer.get(int(uid), {}).items() if k.startswith(b"BODY[")), None)
        return RawMail(data, whole) if isinstance(data, bytes) else None

    def move_to_done(self, places: Sequence[MailboxLocation]) -> None:
        """See MailSource."""
        self._move(places, self._settings.done_folder)

    def quarantine(self, place: MailboxLocation) -> None:
        """See MailSource."""
        self._move([place], self._settings.quarantine_folder)

    def wait(self, seconds: float, stop: Event) -> None:
        """See MailSource. By IDLE, never longer than the keep-alive time; without IDLE a plain pause. After a
        quiet while the folder is opened anew, for servers that lost sight of a mail which came while others
        were moved on."""
        longest = min(seconds, self._settings.keep_alive_seconds, LONGEST_IDLE)
        with self._use("wait at") as client:
            if not client.has_capability("IDLE"):
                stop.wait(min(longest, POLL_WITHOUT_IDLE))
                return
            if self._has_news(client):
                return
            client.idle()
            news = self._has_news(client)
            end = monotonic() + (0 if news else longest)
            while not stop.is_set() and (left := end - monotonic()) > 0:
                try:
                    if self._pushed(client, min(left, _SLICE)):
                        news = True
                        break
                except IMAPClientAbortError as error:
                    if "unterminated line" not in str(error):
                        raise
                    self._client = None
                    client.shutdown()
                    return
            client.idle_done()
            if not news and not stop.is_set():
                self._uidvalidity = self._select(client)

    @staticmethod
    def _forget_news(client: IMAPClient) -> None:
        client._imap.untagged_responses.pop("EXISTS", None)  # noqa: SLF001 (IMAPClient has no door to it)

    @staticmethod
    def _has_news(client: IMAPClient) -> bool:
        """Whether the server spoke of a mail since the last look, in the answers to other commands."""
        counts = client._imap.untagged_responses.get("EXISTS", [b"0"])  # noqa: SLF001
        return bool(counts[-1] != b"0")

    @staticmethod
    def _pushed(client: IMAPClient, seconds: float) -> bool:
        begun = monotonic()
        answers = client.idle_check(timeout=seconds)
        if not answers and monotonic() - begun < seconds * 0.8:
            raise IMAPClientAbortError("the connection ended while waiting")
        return any(len(a) > 1 and a[1] in (b"EXISTS", b"RECENT") for a in answers)

    def server_time(self) -> datetime | None:
        """What the server's clock says: it stamps a mail that is put somewhere without a date (RFC 3501,
        6.3.11). For a moment that mail stands in the folder of those taken in. None where the server does not
        give it back."""
        name = make_msgid(domain="galloper.invalid")
        probe = f"Message-ID: {name}\r\nSubject: What time is it?\r\n\r\n".encode()
        with self._use("ask for the time at") as client:
            target = self._prefixed(self._settings.done_folder)
            _creating(client, target, lambda: client.append(target, probe))
            client.select_folder(target)
            uids = client.search(["HEADER", "Message-ID", name])
            stamps = (
                [a.get(b"INTERNALDATE") for a in client.fetch(uids, ["INTERNALDATE"]).values()]
                if uids
                else []
            )
            if uids:
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
            # Where the folder was rebuilt meanwhile the mail shows up again and its hash is known.
            uids = [int(place.uid) for place in places if place.uidvalidity == self._uidvalidity]
            if not uids:
                return
            target = self._prefixed(folder)
            if client.has_capability("MOVE"):
                _creating(client, target, lambda: client.move(uids, target))
                return
            _creating(client, target, lambda: client.copy(uids, target))
            client.delete_messages(uids, silent=True)
            # Without UIDPLUS an EXPUNGE would also remove what other clients marked. The search leaves out
            # deleted ones.
            if client.has_capability("UIDPLUS"):
                client.uid_expunge(uids)

    def _prefixed(self, folder: str) -> str:
        return folder if folder.startswith(self._prefix) else self._prefix + folder

    @contextmanager
    def _use(self, doing: str) -> Iterator[IMAPClient]:
        """The connection, or MailboxError; after any trouble with it the next use begins with a new one."""
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
            raise MailboxError(self._sentence(error, doing)) from error

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.shutdown()

    def _connect(self) -> IMAPClient:
        s = self._settings
        upgrade = s.tls and s.port == _STARTTLS_PORT
        context = self._context or ssl.create_default_context()
        client = IMAPClient(
            s.host, s.port, ssl=s.tls and not upgrade, ssl_context=context, timeout=self._timeout
        )
        client.normalise_times = False
        client._imap.debug = 0  # noqa: SLF001 (IMAPClient has no door to it)
        try:
            # The keep-alive of the socket notices a vanished peer even where no command is under way.
            client.socket().setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if upgrade:
                client.starttls(context)
            self._log_in(client)
            self._uidvalidity = self._select(client)
            self._prefix = _personal_prefix(client)
        except BaseException:
            with suppress(Exception):
                client.shutdown()
            raise
        return client

    def _log_in(self, client: IMAPClient) -> None:
        s = self._settings
        if self._tokens is None:
            client.login(s.user, s.password)
            return
        try:
            client.oauth2_login(s.user, self._tokens.token())
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

    def _sentence(self, error: Exception, doing: str) -> str:
        """What went wrong and what to check, for the status page."""
        s, server = self._settings, f"{self._settings.host}:{self._settings.port}"
        match error:
            case LoginError():
                secret = "password" if s.oauth is None else "oauth"
                says = f"The mail server {server} refused the login; check mail_in.user and mail_in.{secret}."
            case socket.gaierror():
                says = f"There is no computer called {s.host}; check mail_in.host."
            case ssl.SSLError():
                says = (f"No encryption could be agreed with {server}; check its certificate, mail_in.host "
                        f"and mail_in.port.")
            case ConnectionRefusedError():
                says = (f"Nothing answers at {server}; check mail_in.host and mail_in.port, or start the "
                        f"mail server.")
            case TimeoutError():
                says = (f"The mail server {server} does not answer in time; check the network. Galloper "
                        f"keeps trying.")
            case _MissingFolder():
                says = f"The mail server {server} has no folder {s.folder}; check mail_in.folder."
            case IMAPClientAbortError() | ConnectionError():
                says = f"The connection to the mail server {server} was lost; Galloper connects again."
            case _:
                says = (f"Could not {doing} the mailbox at {server} ({type(error).__name__}); Galloper keeps "
                        f"trying.")
        return says


class _MissingFolder(Exception):
    """SELECT was refused."""


def _personal_prefix(client: IMAPClient) -> str:
    """What folder names must begin with on this server ("INBOX." on some), or ""."""
    if not client.has_capability("NAMESPACE"):
        return ""
    personal = client.namespace().personal
    return str(personal[0][0]) if personal else ""


def _creating(client: IMAPClient, folder: str, act: Callable[[], object]) -> None:
    """Do it; when it is refused because the folder is missing, create the folder and do it again."""
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
