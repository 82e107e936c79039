"""A mailbox on an IMAP server. Every trap of the protocol and of IMAPClient is handled in this file.

Everything in the folder is looked at, read or unread. Bodies are fetched one by one, and not before their
size is known.
"""

from __future__ import annotations

import logging
import socket
import ssl
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
from service.mail.mailbox.imap_answers import (
    BATCH,
    body_of,
    copied_uids,
    creating,
    newest_headers,
    personal_prefix,
)
from service.mail.mailbox.imap_client import (
    FolderMissing,
    LimitedImapClient,
    LoginRefused,
    ServerBusy,
    is_busy,
    response_code,
    sentence,
)
from service.mail.mailbox.mark import SUBJECT as MARK_SUBJECT, is_mark
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
_STARTTLS_PORT = 143
# Nothing that opens a mail: Dovecot ends the connection at one whose file it cannot read.
_DESCRIPTION = ("INTERNALDATE", "RFC822.SIZE")
_FROM = "BODY.PEEK[HEADER.FIELDS (FROM)]"


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
        self._listed: dict[int, WaitingMail] = {}
        self._listed_in = ""
        self._from_lines: dict[MailboxLocation, bytes] = {}
        self._cut: Counter[str] = Counter()
        # Copied where MOVE is missing, and not removed yet: another try must not copy them again.
        self._copied: set[tuple[str, int]] = set()
        self._login = login or Login(settings, "mail_in")

    @property
    def name(self) -> str:
        """See MailSource."""
        return f"{self._settings.user}@{self._settings.host}/{self._settings.folder}"

    def list_waiting(self, since: datetime | None = None) -> Sequence[WaitingMail]:
        """See MailSource."""
        with self._use("look into") as client:
            # Straight after another session's delivery a search may be empty until the server gets a NOOP.
            client.noop()
            self._forget_news(client)
            # Not UNSEEN: another program may have opened the mail and so marked it as read.
            uids = sorted(client.search(["UNDELETED"] if since is None else ["UNDELETED", "SINCE", since]))
            waiting_mails = self._described(client, uids)
        # A mail whose transfer was cut before comes last, so that it cannot delay the others.
        return sorted(waiting_mails, key=lambda mail: (self._cut[mail.place.uid], int(mail.place.uid)))

    def count_before(self, since: datetime) -> int:
        """See MailSource."""
        with self._use("look into") as client:
            return len(client.search(["UNDELETED", "BEFORE", since]))

    def _described(self, client: IMAPClient, uids: Sequence[int]) -> list[WaitingMail]:
        """The mails of the open folder. One that was described before is not asked for again: twenty thousand
        that wait are described once, and not at every look."""
        if self._listed_in != self._uidvalidity:
            self._listed_in, self._listed = self._uidvalidity, {}
        unknown = [uid for uid in uids if uid not in self._listed]
        for start in range(0, len(unknown), BATCH):
            for mail in self._describe(client.fetch(unknown[start : start + BATCH], _DESCRIPTION)):
                self._listed[int(mail.place.uid)] = mail
        # Asked once more, one by one: a mailbox with a mail that an answer left out would otherwise pass for
        # empty at a deadline.
        for uid in unknown:
            if uid not in self._listed:
                for mail in self._describe(client.fetch([uid], _DESCRIPTION)):
                    self._listed[int(mail.place.uid)] = mail
        self._listed = {uid: self._listed[uid] for uid in uids if uid in self._listed}
        return list(self._listed.values())

    def from_lines(self, waiting_mails: Sequence[WaitingMail]) -> Mapping[MailboxLocation, bytes]:
        """See MailSource."""
        places = [mail.place for mail in waiting_mails]
        self._asked(places, _FROM, self._from_lines)
        self._from_lines = {place: self._from_lines[place] for place in places if place in self._from_lines}
        return self._from_lines

    def headers(self, waiting_mails: Sequence[WaitingMail]) -> Mapping[MailboxLocation, bytes]:
        """See MailSource."""
        headers: dict[MailboxLocation, bytes] = {}
        self._asked([mail.place for mail in waiting_mails], f"BODY.PEEK[HEADER]<0.{HEADER_BYTES}>", headers)
        return headers

    def _asked(
        self, places: Sequence[MailboxLocation], part: str, answered: dict[MailboxLocation, bytes]
    ) -> None:
        """Ask for a part of mails in the folder of orders, but for those that `answered` has; what comes is
        added to it."""
        with self._use("look into") as client:
            wanted = {int(place.uid): place for place in places
                      if place.uidvalidity == self._uidvalidity and place not in answered}
            uids = sorted(wanted)
            for start in range(0, len(uids), BATCH):
                for uid, answer in client.fetch(uids[start : start + BATCH], [part]).items():
                    block = body_of(answer)
                    if uid in wanted and block is not None:
                        answered[wanted[uid]] = block

    def list_done(self, seen: str, since: datetime) -> tuple[Sequence[WaitingMail], str]:
        """See MailSource."""
        folder = self._settings.done_folder
        with self._use("look into") as client:
            target = self._prefixed(folder)
            try:
                status = client.folder_status(target, ["UIDVALIDITY", "UIDNEXT"])
                state = f"{status[b'UIDVALIDITY']}:{status[b'UIDNEXT']}"
            except IMAPClientAbortError:
                raise
            except (IMAPClientError, KeyError):
                if client.folder_exists(target):
                    raise
                return (), ""
            if state == seen:
                return (), seen
            with self._other_folder(client, target) as uidvalidity:
                valid, _, begin = seen.partition(":")
                first = int(begin) if valid == uidvalidity else 1
                found = client.search(["UNDELETED", "UID", f"{first}:*", "SINCE", since])
                # A range that ends in * holds the last mail, whatever its number (RFC 3501, 6.4.8).
                uids = sorted((uid for uid in found if uid >= first), reverse=True)
                mails = [mail for start in range(0, len(uids), BATCH)
                         for mail in self._describe(client.fetch(uids[start : start + BATCH], _DESCRIPTION),
                                                    folder, uidvalidity)]
        return sorted(mails, key=lambda mail: -int(mail.place.uid)), state

    def marks(self) -> Sequence[bytes]:
        """See MailSource."""
        with self._use("look into") as client:
            target = self._prefixed(self._settings.done_folder)
            if not client.folder_exists(target):
                return []
            with self._other_folder(client, target):
                uids = client.search(["UNDELETED", "SUBJECT", MARK_SUBJECT])
                answers = client.fetch(uids, [f"BODY.PEEK[]<0.{HEADER_BYTES}>"]) if uids else {}
        return [block for answer in answers.values() if (block := body_of(answer)) is not None]

    def put_mark(self, note: bytes) -> None:
        """See MailSource."""
        with self._use("mark") as client:
            target = self._prefixed(self._settings.done_folder)
            try:
                creating(client, target, lambda: client.append(target, note, flags=[b"\\Seen"]))
            except IMAPClientAbortError:
                raise
            except IMAPClientError as error:
                raise MoveRefused(
                    f"the mail server refuses a mail in the folder {self._settings.done_folder}") from error
            client.select_folder(target)
            try:
                uids = sorted(client.search(["UNDELETED", "SUBJECT", MARK_SUBJECT]))
                blocks = client.fetch(uids, [f"BODY.PEEK[]<0.{HEADER_BYTES}>"]) if uids else {}
                # A letter about the mark has its subject too, and stays.
                old = [uid for uid in uids if is_mark(body_of(blocks.get(uid, {})) or b"")][:-1]
                if old:
                    client.delete_messages(old, silent=True)
                    if client.has_capability("UIDPLUS"):
                        client.uid_expunge(old)
            finally:
                self._uidvalidity = self._select(client)

    @contextmanager
    def _other_folder(self, client: IMAPClient, target: str) -> Iterator[str]:
        """Look into another folder, which changes nothing in it; gives its UIDVALIDITY. Then the folder of
        orders is open again."""
        answer = client.select_folder(target, readonly=True)
        yield str(answer[b"UIDVALIDITY"])
        # Without `finally`: after a fault the connection is given up.
        self._uidvalidity = self._select(client)

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

    def _describe(
        self, answers: dict[int, dict[bytes, Any]], folder: str = "", uidvalidity: str = ""
    ) -> Iterator[WaitingMail]:
        for uid, answer in answers.items():
            stamp, size = answer.get(b"INTERNALDATE"), answer.get(b"RFC822.SIZE")
            # A server may push flag changes of other mails into the answer; those are seen at the next look.
            if isinstance(stamp, datetime) and isinstance(size, int):
                place = self._place(uid, folder, uidvalidity)
                yield WaitingMail(place, size, stamp.astimezone(UTC))

    def fetch(self, waiting: WaitingMail) -> RawMail | None:
        """See MailSource."""
        uid = waiting.place.uid
        is_whole = waiting.size <= self._settings.max_bytes
        # PEEK, because a fetch of BODY[] marks the mail as read for everybody (RFC 3501, 6.4.5).
        part = "BODY.PEEK[]" if is_whole else f"BODY.PEEK[HEADER]<0.{HEADER_BYTES}>"
        if self._cut[uid] >= CUT_TRIES:
            # Counted again from here, for its next turn.
            del self._cut[uid]
            raise MailCut(f"its transfer broke off {CUT_TRIES} times")
        # The count is deleted once the bytes are here, so it stays where the connection was cut on the way.
        self._cut[uid] += 1
        with self._use("fetch a mail from") as client:
            is_done = waiting.place.folder != self._settings.folder
            uidvalidity = self._uidvalidity
            if is_done:
                target = self._prefixed(waiting.place.folder)
                uidvalidity = str(client.select_folder(target, readonly=True)[b"UIDVALIDITY"])
            if waiting.place.uidvalidity != uidvalidity:
                del self._cut[uid]
                self._uidvalidity = self._select(client) if is_done else uidvalidity
                return None
            self._limit.expect(waiting.size if is_whole else HEADER_BYTES)
            try:
                answer = client.fetch([int(uid)], [part])
                if is_done:
                    self._uidvalidity = self._select(client)
            except IMAPClientAbortError:
                raise
            except (IMAPClientError, ValueError, LookupError) as error:
                del self._cut[uid]
                reason = response_code(error) or type(error).__name__
                raise MailFault(f"the server's answer cannot be used: {reason}") from error
        del self._cut[uid]
        parts = answer.get(int(uid), {})
        data = body_of(parts)
        return None if data is None else RawMail(data, is_whole)

    def move_to_done(self, places: Sequence[MailboxLocation]) -> Mapping[MailboxLocation, MailboxLocation]:
        """See MailSource."""
        return self._move(places, self._settings.done_folder)

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
                    # The server is well: the next use connects again, and no one is alarmed.
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
        # "0 EXISTS" reports an empty folder, which is not news.
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
        """The time on the server's clock; None if the server does not return the mail that requests it.

        That mail is for a moment in the folder of those taken in.
        """
        # RFC 3501, 6.3.11: the server stamps a mail that is appended without a date.
        name = make_msgid(domain="galloper.invalid")
        probe = f"Message-ID: {name}\r\nSubject: What time is it?\r\n\r\n".encode()
        with self._use("ask for the time at") as client:
            target = self._prefixed(self._settings.done_folder)
            # Marked as deleted, so that no look takes it for a mail.
            creating(client, target, lambda: client.append(target, probe, flags=[b"\\Deleted"]))
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

    def _place(self, uid: int, folder: str = "", uidvalidity: str = "") -> MailboxLocation:
        return MailboxLocation(
            f"{self._settings.user}@{self._settings.host}", folder or self._settings.folder,
            uidvalidity or self._uidvalidity, str(uid))

    def _move(
        self, places: Sequence[MailboxLocation], folder: str
    ) -> Mapping[MailboxLocation, MailboxLocation]:
        with self._use("move mails on") as client:
            # If the folder was rebuilt meanwhile, the mail shows up again under another UID, and its hash is
            # known.
            uids = [int(place.uid) for place in places if place.uidvalidity == self._uidvalidity]
            if not uids:
                return {}
            if self._is_read_only:
                raise MoveRefused(f"the folder {self._settings.folder} may only be read (READ-ONLY)")
            client._imap.untagged_responses.pop("COPYUID", None)  # noqa: SLF001 (as in `_forget_news`)
            try:
                self._move_uids(client, uids, self._prefixed(folder))
            except IMAPClientAbortError:
                raise
            except IMAPClientError as error:
                code = response_code(error)
                raise MoveRefused(f"the mail server refuses to move mails to the folder {folder}"
                                  f"{f' ({code})' if code else ''}") from error
            answers = client._imap.untagged_responses.pop("COPYUID", [])  # noqa: SLF001
        return {self._place(old): self._place(new, folder, uidvalidity)
                for uidvalidity, old, new in copied_uids(answers)}

    def _move_uids(self, client: IMAPClient, uids: Sequence[int], target: str) -> None:
        if client.has_capability("MOVE"):
            creating(client, target, lambda: client.move(uids, target))
            return
        places = {(self._uidvalidity, uid) for uid in uids}
        uncopied = [uid for uid in uids if (self._uidvalidity, uid) not in self._copied]
        if uncopied:
            creating(client, target, lambda: client.copy(uncopied, target))
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
            self._prefix = personal_prefix(client)
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
                # Mails can be taken in all the same; that they cannot be moved is reported.
                self._is_read_only = True
                answer = client.select_folder(self._settings.folder, readonly=True)
            return str(answer[b"UIDVALIDITY"])
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            raise FolderMissing from error

    def _sentence(self, error: Exception, action: str) -> str:
        return sentence(self._settings, error, action)


