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
from time import monotonic
from typing import Any

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, IMAPClientReadOnlyError, LoginError

from service.config import MailIn
from service.mail.access.login import Login, LoginPaused
from service.mail.access.oauth import NoToken
from service.mail.mailbox.imap_client import (
    FolderMissing,
    LimitedImapClient,
    LoginRefused,
    ServerBusy,
    is_busy,
    response_code,
    sentence,
)
from service.mail.mailbox.source import (
    HEADER_BYTES,
    MailboxError,
    MailboxLocation,
    MailCut,
    MailFault,
    MoveRefused,
    RawMail,
    Signal,
    WaitingMail,
)
from service.mail.time_limit import LineLimits, TimeLimit


def newest_headers(client: IMAPClient, folders: Sequence[str], most: int) -> list[bytes]:
    """The header blocks of the newest mails of several folders, newest first. A folder that is not there is
    passed over."""
    dated: list[tuple[datetime, bytes]] = []
    for folder in folders:
        if not client.folder_exists(folder):
            continue
        # EXAMINE, because SELECT would take the mark of newness from every mail (RFC 3501, 6.3.2), and PEEK,
        # because a plain fetch marks as read.
        client.select_folder(folder, readonly=True)
        uids = sorted(client.search("UNDELETED"))[-most:]
        answers = client.fetch(uids, ["INTERNALDATE", f"BODY.PEEK[HEADER]<0.{HEADER_BYTES}>"]) if uids else {}
        for answer in answers.values():
            stamp = answer.get(b"INTERNALDATE")
            block = next((value for key, value in answer.items() if key.startswith(b"BODY[")), None)
            if isinstance(stamp, datetime) and isinstance(block, bytes):
                dated.append((stamp.astimezone(UTC), block))
    return [block for _, block in sorted(dated, key=lambda pair: pair[0], reverse=True)[:most]]


log = logging.getLogger(__name__)

CONNECT_SECONDS = 15.0
READ_SECONDS = 30.0
"""Longest waits for a connection, and for each part of an answer; `LineLimits` has those of a whole one."""
# Behind a peer that swallows packets IDLE looks like a quiet night. So it is left after 300 s at most, and
# `idle_done` then runs into the socket's timeout.
LONGEST_IDLE = 300.0
POLL_WITHOUT_IDLE = 30.0
"""Seconds; also the longest pause at a server that cannot push."""
CUT_TRIES = 4
"""Transfers of one mail that broke off, after which it counts as one that cannot be fetched now."""
_SLICE = 1.0
"""Seconds of waiting after which `stop` is looked at again."""
_BATCH = 200
"""Mails whose size and stamp are asked by one command."""
_STARTTLS_PORT = 143


class ImapSource:
    """The folder in which orders arrive. Connects at the first use, and at the first use after a failure."""

    def __init__(
        self, settings: MailIn, *, read_seconds: float = READ_SECONDS, limits: LineLimits | None = None,
        until: float | None = None, login: Login | None = None, context: ssl.SSLContext | None = None,
    ) -> None:
        """`until`: the instant of `time.monotonic` at which whatever is under way ends with MailboxError.
        `login` is shared by everything that logs in as the same user."""
        self._settings = settings
        self._timeout = SocketTimeout(CONNECT_SECONDS, read_seconds)
        self._limit = TimeLimit(limits or LineLimits(), until)
        self._context = context
        self._client: IMAPClient | None = None
        self._uidvalidity = ""
        self._prefix = ""
        self._is_read_only = False
        self._pushes = True
        self._cut: Counter[str] = Counter()
        # Copied where MOVE is missing, and not removed yet: another try must not copy them again.
        self._copied: set[tuple[str, int]] = set()
        self._login = login or Login(settings, "mail_in")

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
            self._add_undescribed(client, uids, waiting_mails)
        # A mail whose transfer was cut before comes last, so that it cannot delay the others.
        return sorted(waiting_mails, key=lambda mail: (self._cut[mail.place.uid], int(mail.place.uid)))

    def _add_undescribed(
        self, client: IMAPClient, uids: Sequence[int], waiting_mails: list[WaitingMail]
    ) -> None:
        """Ask once more, one by one, for mails that an answer left out."""
        # A mailbox with such a mail would otherwise pass for empty at a deadline.
        described = {mail.place.uid for mail in waiting_mails}
        for uid in uids:
            if str(uid) not in described:
                waiting_mails += self._describe(client.fetch([uid], ["INTERNALDATE", "RFC822.SIZE"]))

    def newest_headers(self, most: int) -> list[bytes]:
        """The header blocks of the newest mails, newest first, also of those that were taken in. Nothing is
        marked or moved. For `galloper check`."""
        with self._use("look into") as client:
            try:
                return newest_headers(
                    client, (self._settings.folder, self._prefixed(self._settings.done_folder)), most)
            finally:
                # Another folder is open now, and the next use begins in the right one.
                self._drop()

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
        if self._cut[uid] >= CUT_TRIES:
            # Counted anew from here, for its next turn.
            del self._cut[uid]
            raise MailCut(f"its transfer broke off {CUT_TRIES} times")
        # The count is deleted once the bytes are here, so it stays where the connection was cut on the way.
        self._cut[uid] += 1
        with self._use("fetch a mail from") as client:
            if waiting.place.uidvalidity != self._uidvalidity:
                del self._cut[uid]
                return None
            self._limit.expect(waiting.size if is_whole else HEADER_BYTES)
            try:
                answer = client.fetch([int(uid)], [part])
            except IMAPClientAbortError:
                raise
            except (IMAPClientError, ValueError, LookupError) as error:
                del self._cut[uid]
                reason = response_code(error) or type(error).__name__
                raise MailFault(f"the server's answer cannot be used: {reason}") from error
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

    def wait(self, seconds: float, stop: Signal) -> None:
        """See MailSource. By IDLE, never longer than the keep-alive time; without IDLE a plain pause."""
        longest = min(seconds, self._settings.keep_alive_seconds, LONGEST_IDLE)
        with self._use("wait at") as client:
            if not (self._pushes and client.has_capability("IDLE")):
                stop.wait(min(longest, POLL_WITHOUT_IDLE))
                return
            # News of a mail that comes while another command runs is among that command's answers, and IDLE
            # does not repeat it: without this look the mail would wait until the next one.
            if self._has_news(client):
                return
            try:
                client.idle()
            except IMAPClientAbortError:
                raise
            except IMAPClientError:
                # It offers IDLE and refuses it. The mailbox is well: it is looked into now and then.
                self._pushes = False
                self._drop()
                stop.wait(min(longest, POLL_WITHOUT_IDLE))
                return
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
            if self._is_read_only:
                raise MoveRefused(f"the folder {self._settings.folder} may only be read (READ-ONLY)")
            try:
                self._move_uids(client, uids, self._prefixed(folder))
            except IMAPClientAbortError:
                raise
            except IMAPClientError as error:
                code = response_code(error)
                raise MoveRefused(f"the mail server refuses to move mails to the folder {folder}"
                                  f"{f' ({code})' if code else ''}") from error

    def _move_uids(self, client: IMAPClient, uids: Sequence[int], target: str) -> None:
        if client.has_capability("MOVE"):
            _creating(client, target, lambda: client.move(uids, target))
            return
        places = {(self._uidvalidity, uid) for uid in uids}
        uncopied = [uid for uid in uids if (self._uidvalidity, uid) not in self._copied]
        if uncopied:
            _creating(client, target, lambda: client.copy(uncopied, target))
            self._copied |= places
        client.delete_messages(uids, silent=True)
        # RFC 4315: without UIDPLUS an EXPUNGE would also remove the mails that other programs marked. Ours
        # stay then, but the search leaves out deleted ones.
        if client.has_capability("UIDPLUS"):
            client.uid_expunge(uids)
        self._copied -= places

    def _prefixed(self, folder: str) -> str:
        return folder if folder.startswith(self._prefix) else self._prefix + folder

    @contextmanager
    def _use(self, action: str) -> Iterator[IMAPClient]:
        """The connection, or MailboxError; after any trouble the next use begins with a new connection."""
        try:
            client = self._client or self._connect()
            self._client = client
            yield client
        except MoveRefused:
            raise
        except MailFault:
            self._drop()
            raise
        except LoginPaused as error:
            raise LoginRefused(str(error)) from None
        except LoginError as error:
            self._drop()
            if is_busy(error):
                raise MailboxError(self._sentence(ServerBusy(), action)) from error
            note = self._login.refused if self._login.tokens is None else self._login.refused_token
            raise LoginRefused(note(self._sentence(error, action))) from error
        except NoToken as error:
            self._drop()
            if error.is_refused:
                raise LoginRefused(self._login.refused(str(error))) from error
            raise MailboxError(str(error)) from error
        except (OSError, IMAPClientError, FolderMissing, ValueError, LookupError) as error:
            timed_out = isinstance(error, IMAPClientAbortError) and self._limit.has_passed
            self._drop()
            shown = TimeoutError() if timed_out else error
            raise MailboxError(self._sentence(shown, action)) from error

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.shutdown()

    def _connect(self) -> IMAPClient:
        settings = self._settings
        self._login.check()
        upgrade = settings.tls and settings.port == _STARTTLS_PORT
        self._limit.begin()
        client = LimitedImapClient(
            settings.host, settings.port, self._limit, tls=settings.tls and not upgrade,
            context=self._context, timeout=self._timeout,
        )
        try:
            # The socket's keep-alive notices a vanished peer even if no command is under way.
            client.socket().setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if upgrade:
                client.starttls(client.limited_context)
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
        settings, tokens = self._settings, self._login.tokens
        if tokens is None:
            client.login(settings.user, settings.password)
        else:
            client.oauth2_login(settings.user, tokens.token())
        self._login.accepted()

    def _select(self, client: IMAPClient) -> str:
        try:
            self._is_read_only = False
            try:
                answer = client.select_folder(self._settings.folder)
            except IMAPClientReadOnlyError:
                # Mails can be taken in all the same; that they cannot be moved is told.
                self._is_read_only = True
                answer = client.select_folder(self._settings.folder, readonly=True)
            return str(answer[b"UIDVALIDITY"])
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            raise FolderMissing from error

    def _sentence(self, error: Exception, action: str) -> str:
        return sentence(self._settings, error, action)


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
