"""Mail comes in: where it waits (`MailSource`), and the one step that makes it ours (`take_in`).

Raw bytes are stored first. Then the mail's row, its place and its job are committed together, and only then
the mail is moved, several at a time. So after a crash at any point it either waits as before, or is taken in
and still to be moved. A repeat, under any UID, stops at the hash of its bytes. Nothing here reads the mail.

The same look compares the folder of the mails that were taken in (`_Look.compare`). What lies there and is
not known came by another program, or in the time that a restored backup lacks: it is taken in from there. A
mark of another site ends the look (`service.mail.mailbox.mark`).

A mail that the server will not hand out or let go is remembered (`service.store.mail_troubles`), tried again
after growing pauses, and never ends the look: the mails behind it may be in time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event
from time import monotonic
from typing import TypeAlias

from sqlalchemy.orm import Session

from service.clock import Clock
from service.facts import events
from service.jobs import Jobs
from service.mail.authors import authors
from service.mail.headers import split_headers
from service.mail.mailbox import mark
from service.mail.mailbox.source import (
    MailboxError,
    MailboxLocation,
    MailCut,
    MailFault,
    MailSource,
    MoveRefused,
    RawMail,
    WaitingMail,
)
from service.store import mail_troubles, records
from service.store.addresses import NO_AUTHOR, author_mark
from service.store.blobs import Blobs
from service.store.columns import MailTroubleKind
from service.store.engine import Store

log = logging.getLogger(__name__)

WORK = "mail"
"""Name of the job that judges a mail; its payload is {"mail": sha256}, its key "mail:<sha256>"."""

TOO_LARGE = "too_large"
"""`MailRow.reason` of a mail above the limit: only its header was fetched, and the blob is that header."""

ABREAST_BYTES = 16_000_000
"""Two mails with more bytes together are not held in memory at the same time."""

MOST_MOVED = 20
"""Mails that are moved on the server by one command."""

LOOK_SECONDS = 20.0
"""Seconds of taking in after which a look ends, so that the next one lists what came meanwhile."""
FLOOD = 50
"""Waiting mails above which their order matters: fewer are taken in within seconds."""
MOST_PROVED = 2_000
"""Mails under players' addresses whose headers one look reads to see which are proved."""

FETCH_TRIES = 3
"""Tries to fetch one mail, before it goes to quarantine unread."""
REFUSED_MOVES = 3
"""Single mails whose move the server refused in a row, after which a look tries no more moves."""
PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds before the next try while the mailbox cannot be reached; the last one repeats."""


@dataclass(frozen=True, slots=True)
class IngestCounts:
    """The mails of one look: new ones, repeats of known ones, those that could not be fetched, those that
    could not be moved, those that were listed and then gone, those that it or a listing after it left, and
    the new ones that another program had moved."""

    new: int = 0
    repeats: int = 0
    unreadable: int = 0
    unmoved: int = 0
    gone: int = 0
    left: int = 0
    foreign: int = 0

    def __add__(self, other: IngestCounts) -> IngestCounts:
        return IngestCounts(
            self.new + other.new, self.repeats + other.repeats, self.unreadable + other.unreadable,
            self.unmoved + other.unmoved, self.gone + other.gone, self.left + other.left,
            self.foreign + other.foreign,
        )


Expects: TypeAlias = Callable[[Session, bytes], bool]
"""Whether the mail with these bytes goes before others; see `service.intake.sender_proof`."""


def expects_all(_session: Session, _raw: bytes) -> bool:
    """No mail waits for others."""
    return True


def take_in(
    source: MailSource, store: Store, blobs: Blobs, jobs: Jobs, clock: Clock,
    expects: Expects = expects_all, *, patience: float = LOOK_SECONDS,
) -> IngestCounts:
    """Empty the mailbox: each waiting mail becomes one row and one job. Safe in two processes at a time.

    The mails that `expects` does not name are judged after all other work, so that a thousand mails of
    strangers hold up no player's. For the same reason a look that finds very many ends after `LOOK_SECONDS`,
    and after `patience` seconds with mails that another program had moved.

    While one mail is written to the disk the next is fetched, unless the two are large. Raises MailboxError
    if the mailbox fails, MailboxTaken if it is another site's, OSError if the disk is full; what is not
    committed yet still waits on the server.
    """
    look = _Look(source, store, blobs, jobs, clock, expects)
    with ThreadPoolExecutor(1, thread_name_prefix="galloper-store") as aside:
        try:
            done = look.compare()
            waiting_mails = source.list_waiting(look.since)
            ordered = in_order(source, store, waiting_mails, expects)
            end = monotonic() + LOOK_SECONDS
            for number, waiting in enumerate(ordered):
                if monotonic() >= end:
                    look.total += IngestCounts(left=len(ordered) - number)
                    break
                look.take(waiting, aside)
            look.settle()
            look.bring_back(done, patience)
        except MailboxError:
            # The mail fetched before is still stored; the next look moves it.
            with suppress(Exception):
                look.settle()
            raise
        except Exception:
            # A full disk stops the mail at hand, but those committed before it may leave the mailbox.
            with suppress(Exception):
                look.move()
            raise
    look.move()
    with store.begin() as session:
        mail_troubles.end_of_look(session, [waiting.place for waiting in waiting_mails])
    return look.total


def in_order(
    source: MailSource, store: Store, waiting_mails: Sequence[WaitingMail], expects: Expects
) -> Sequence[WaitingMail]:
    """The mails in the order in which they are taken in: as they are listed, but of very many those that
    `expects` names first, then others under a player's address, each the newest first."""
    if len(waiting_mails) <= FLOOD:
        return waiting_mails
    newest_first = sorted(waiting_mails, key=lambda mail: mail.received_at, reverse=True)
    with store() as session:
        known = records.places_known(session, [mail.place for mail in newest_first])
    of_players = may_be_of_players(source, store, [mail for mail in newest_first if mail.place not in known])
    try:
        headers = source.headers(of_players[:MOST_PROVED])
    except MailboxError:
        headers = {}
    with store() as session:
        proved = {place for place, raw in headers.items() if expects(session, raw)}
    first = {mail.place for mail in of_players}
    return sorted(newest_first, key=lambda mail: (mail.place not in proved, mail.place not in first))


def may_be_of_players(
    source: MailSource, store: Store, waiting_mails: Sequence[WaitingMail]
) -> list[WaitingMail]:
    """The mails without those that by their From header name no registered player. Few are not asked
    for it, since they are taken in as quickly."""
    if len(waiting_mails) <= FLOOD:
        return list(waiting_mails)
    try:
        from_lines = source.from_lines(waiting_mails)
    except MailboxError:
        # One that the server cannot open ends the connection. All may be players' then.
        return list(waiting_mails)
    with store() as session:
        marks = records.player_marks(session)
    return [mail for mail in waiting_mails
            if mail.place not in from_lines or author_of(from_lines[mail.place]) in marks]


@dataclass(slots=True)
class _Look:
    """One look: its counts so far, the mail being stored, and the committed mails that are still to be
    moved."""

    source: MailSource
    store: Store
    blobs: Blobs
    jobs: Jobs
    clock: Clock
    expects: Expects
    total: IngestCounts = IngestCounts()
    since: datetime | None = None
    _seen: str | None = None
    stored: list[MailboxLocation] = field(default_factory=list)
    _refusal: str = ""
    _storing: tuple[WaitingMail, Future[bool]] | None = None

    def compare(self) -> Sequence[WaitingMail]:
        """The mails in the folder of those taken in whose places are not known, newest first; none before the
        mailbox was marked. Raises MailboxTaken for the mark of another site or a later copy."""
        with self.store() as session:
            row = mark.row_of(session, self.source.name)
            if row is None:
                return ()
            seen, self.since = row.done_seen, row.since
        listed, state = self.source.list_done(seen, self.since)
        with self.store() as session:
            known = records.places_known(session, [mail.place for mail in listed])
        unknown = [mail for mail in listed if mail.place not in known]
        marks = map(mark.mark_in, self.source.marks() if unknown else ())
        # Asked after the marks were read: a process of this site raises the database's count first.
        with self.store() as session:
            for found in marks:
                if found is not None:
                    mark.check(session, self.source.name, found)
        self._seen = state if state != seen else None
        return unknown

    def bring_back(self, done: Sequence[WaitingMail], patience: float) -> None:
        """Take in mails that lie in the folder of those taken in: their bytes show which are new."""
        end = monotonic() + patience
        is_whole = True
        new: list[datetime] = []
        for number, waiting in enumerate(done):
            if monotonic() >= end:
                self.total += IngestCounts(left=len(done) - number)
                is_whole = False
                break
            with self.store() as session:
                if mail_troubles.rests(session, waiting.place, self.clock.now()):
                    is_whole = False
                    continue
            try:
                raw = _fetch(self.source, waiting)
            except MailFault as fault:
                self._unreadable(waiting, fault, is_done=True)
                is_whole = False
                continue
            if raw is not None and not mark.is_mark(raw.data) and self._keep(waiting, raw):
                new.append(waiting.received_at)
        with self.store.begin() as session:
            if new:
                self.total += IngestCounts(foreign=len(new))
                records.log_event(session, self.clock.now(), events.Event.MAIL_MOVED_ELSEWHERE, detail={
                    "count": len(new), "first": min(new).isoformat(), "last": max(new).isoformat()})
            if is_whole and self._seen is not None:
                mark.compared(session, self.source.name, self._seen)

    def take(self, waiting: WaitingMail, aside: ThreadPoolExecutor) -> None:
        """Fetch a mail and begin to store it."""
        with self.store() as session:
            is_known = records.place_known(session, waiting.place)
            must_rest = mail_troubles.rests(session, waiting.place, self.clock.now())
        if must_rest:
            self.total += IngestCounts(unmoved=1) if is_known else IngestCounts(unreadable=1)
            return
        # Committed before a crash; only the move is missing.
        if is_known:
            self.total += IngestCounts(repeats=1)
            self._stored(waiting.place)
            return
        if self._storing is not None and self._storing[0].size + waiting.size > ABREAST_BYTES:
            self.settle()
        try:
            raw = _fetch(self.source, waiting)
        except MailFault as fault:
            self._unreadable(waiting, fault)
            return
        self.settle()
        if raw is None:
            self.total += IngestCounts(gone=1)
            return
        self._storing = waiting, aside.submit(self._keep, waiting, raw)

    def settle(self) -> None:
        """Wait until the mail being stored is committed. Raises what storing it raised."""
        if self._storing is None:
            return
        (waiting, future), self._storing = self._storing, None
        self.total += IngestCounts(new=1) if future.result() else IngestCounts(repeats=1)
        self._stored(waiting.place)

    def move(self) -> None:
        """Move the committed mails on the server; those it keeps are remembered."""
        # After a crash at this point the next look finds their places known, and only moves them.
        places, self.stored = self.stored, []
        if not places:
            return
        refusals, new_places = self._move_all(places)
        with self.store.begin() as session:
            now = self.clock.now()
            for place in places:
                if place in refusals:
                    mail_troubles.note(session, place, MailTroubleKind.UNMOVED, refusals[place], now)
                else:
                    records.mark_moved(session, place, now)
                    if self.since is not None and place in new_places:
                        records.add_moved_place(session, place, new_places[place], now)
                    mail_troubles.end(session, place)
        self.total += IngestCounts(unmoved=len(refusals))

    def _move_all(
        self, places: list[MailboxLocation]
    ) -> tuple[dict[MailboxLocation, str], dict[MailboxLocation, MailboxLocation]]:
        """The mails that the server keeps where they are, each with the reason, and the new places of the
        others, as far as the server names them."""
        if self._refusal:
            return dict.fromkeys(places, self._refusal), {}
        try:
            new_places = dict(self.source.move_to_done(places))
        except MoveRefused as refusal:
            reason = str(refusal)
        else:
            return {}, new_places
        if len(places) == 1:
            return {places[0]: reason}, {}
        # It may be one of them alone, so each is tried by itself; but a full mailbox refuses them all.
        refusals: dict[MailboxLocation, str] = {}
        new_places = {}
        in_a_row = 0
        for place in places:
            if in_a_row < REFUSED_MOVES:
                try:
                    new_places |= self.source.move_to_done([place])
                    in_a_row = 0
                    continue
                except MoveRefused as refusal:
                    reason, in_a_row = str(refusal), in_a_row + 1
            refusals[place] = reason
        self._refusal = reason if in_a_row == REFUSED_MOVES else ""
        return refusals, new_places

    def _stored(self, place: MailboxLocation) -> None:
        self.stored.append(place)
        if len(self.stored) >= MOST_MOVED:
            self.move()

    def _keep(self, waiting: WaitingMail, raw: RawMail) -> bool:
        """Bytes first, then row, place and job in one transaction; False if the same bytes are known."""
        # The key is the hash of the bytes. A Message-ID is never a key: it may be missing or used twice.
        key = self.blobs.put(raw.data)
        now = self.clock.now()
        with self.store.begin() as session:
            is_new = records.add_mail(session, key, waiting.size, waiting.received_at, now,
                                      reason=None if raw.is_whole else TOO_LARGE, author=author_of(raw.data))
            records.add_place(session, waiting.place, key)
            mail_troubles.fetched(session, waiting.place, waiting.size, waiting.received_at)
            if is_new:
                is_last = not self.expects(session, raw.data)
                self.jobs.enqueue(session, WORK, f"{WORK}:{key}", {"mail": key}, is_last=is_last)
        return is_new

    def _unreadable(self, waiting: WaitingMail, fault: MailFault, *, is_done: bool = False) -> None:
        place, why = waiting.place, str(fault)
        kind = MailTroubleKind.AWAY if is_done else MailTroubleKind.UNFETCHED
        log.warning("a mail in %s cannot be fetched", place.folder)
        if not is_done and not isinstance(fault, MailCut):
            try:
                self.source.quarantine(place)
                kind = MailTroubleKind.AWAY
            except MoveRefused as refusal:
                why = f"{why}; {refusal}"
        with self.store.begin() as session:
            now = self.clock.now()
            is_new = mail_troubles.note(session, place, kind, why, now,
                                        size=waiting.size, received_at=waiting.received_at)
            if is_new:
                records.log_event(session, now, events.Event.MAIL_UNREADABLE,
                                  detail={"uid": place.uid, "why": why})
        self.total += IngestCounts(unreadable=1)


def author_of(raw: bytes) -> str:
    """The mark of a mail's author, by its headers alone; NO_AUTHOR if it can be no one's sheet."""
    # As the verdict on it (`bad_from`): one address in From, or it counts for no person.
    senders = senders_of(raw)
    return author_mark(senders[0]) if len(senders) == 1 and senders[0] else NO_AUTHOR


def senders_of(raw: bytes) -> tuple[str, ...]:
    """The addresses in From, "" for one that is not an address."""
    return authors(split_headers(raw)[0].all("from"))


def _fetch(source: MailSource, waiting: WaitingMail) -> RawMail | None:
    # Each further try has a new connection: `ImapSource` drops one whose answer cannot be used.
    for _ in range(FETCH_TRIES - 1):
        try:
            return source.fetch(waiting)
        except MailCut:
            raise
        except MailFault:
            continue
    return source.fetch(waiting)


_SLICE = 0.5
"""Seconds of waiting for one event after which the other is looked at."""

Report = Callable[[str], None]
"""Called with "" when the mailbox answers, and otherwise with the sentence for the status page."""


def watch(
    source: MailSource, take: Callable[[], IngestCounts], stop: Event, report: Report, seconds: float = 60.0,
    *, wake: Event | None = None,
) -> None:
    """Keep the mailbox empty until `stop` is set: take in, wait for a push, repeat. Never raises.

    `take` is `take_in` with its arguments. What it left is taken in by another look at once, since the server
    has pushed it already; only once, where that look takes in nothing either. A mailbox that cannot be
    reached, a full disk or a locked database is reported and tried again after growing pauses. Anyone who
    sets `wake` needs a look now; it is cleared before the look. """
    wanted = wake or Event()
    news = _AnyOf(stop, wanted)
    failures, is_repeat = 0, False
    while not stop.is_set():
        wanted.clear()
        try:
            counts = take()
            report("")
            failures = 0
            is_repeat = counts.left > 0 and (counts.new > 0 or not is_repeat)
            if not is_repeat:
                source.wait(seconds, news)
        except Exception as error:
            pause = PAUSES[min(failures, len(PAUSES) - 1)]
            failures += 1
            report(in_words(error))
            news.wait(pause)
    source.close()


@dataclass(frozen=True, slots=True)
class _AnyOf:
    """Set while one of two events is."""

    first: Event
    second: Event

    def is_set(self) -> bool:
        return self.first.is_set() or self.second.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        end = None if timeout is None else monotonic() + timeout
        while not self.second.is_set():
            remaining = _SLICE if end is None else min(_SLICE, end - monotonic())
            if remaining <= 0 or self.first.wait(remaining):
                break
        return self.is_set()


def in_words(error: Exception) -> str:
    """Why mail is not taken in, for the status page."""
    match error:
        case MailboxError():
            return str(error)
        case OSError():
            return (f"Mail cannot be stored ({error.strerror or type(error).__name__}); check the disk. It "
                    f"waits on the mail server.")
        case _:
            # The text of an unforeseen error may quote a mail.
            log.error("receiving mail failed: %s", type(error).__name__)
            return f"Mail cannot be received ({type(error).__name__}); it waits on the mail server."
