"""Mail comes in while every process is killed again and again, at instants that chance chooses.

A round starts what was killed, hands over a few mails, waits a random while and kills one process with all
its children. On SQLite that is the only one, which takes in, works and sends; on PostgreSQL one of two. At
the end what is unfinished is finished, with a clock a quarter and then half an hour ahead, since a letter
whose sender died is left alone for ten minutes and tried again after five more. Then every mail must be
stored once and at its end once, and each receipt sent once, or twice where Galloper itself says "possibly
twice".
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sqlalchemy import and_, func, or_, select, true

from bench.figure import Figure
from bench.servers.dovecot import Dovecot
from bench.servers.postgres import Postgres, binaries
from bench.servers.smtp_sink import SmtpSink
from bench.storm.parts import Database, StormSizes
from bench.storm.site import (
    StormFault,
    StormPlace,
    StormProcess,
    add_games,
    orders,
    photograph,
    place,
    wait_for,
)
from service.clock import SystemClock
from service.store.tables import MailRow, MailState, OutboxRow, OutboxState

AHEAD_MINUTES = (15, 30)
LONGEST_LIFE = 6.0
"""Seconds after it is ready within which a process is killed: long enough on a quiet machine to end a mail in
most of its lives. On an overloaded one work is under way at death after death; it rests between them
(`jobs.REST`)."""
AT_START = 0.1
"""Share of kills that come while a process is starting."""
PATIENCE = 200.0
"""Seconds for each of the two: longer than two leases of a dead worker."""


@dataclass(frozen=True, slots=True)
class Count:
    """What the database and the server that letters went to say. `twice`: receipts that arrived more than
    once, `unmarked`: those of them that Galloper does not call possibly twice. `others`: ends of mails that
    were not used, and their reasons."""

    stored: int
    used: int
    receipts: int
    twice: int
    unmarked: int
    waiting: int
    others: str


def measure(sizes: StormSizes, database: Database) -> Iterator[Figure]:
    """The figures of the part. Raises StormFault, after the figures where they show something lost or
    doubled."""
    with database_of(database) as url, tempfile.TemporaryDirectory(prefix="galloper-kill-") as folder:
        server, sink = Dovecot().start(), SmtpSink().start()
        try:
            with place(Path(folder), url=url, server=server, sink=sink) as at:
                begun = time.monotonic()
                _storm(at, server, sizes, 2 if url else 1)
                _finish(at, server, sizes.mails)
                seconds = time.monotonic() - begun
                count = counted(at, server, sink)
        finally:
            sink.stop()
            server.remove()
    told = f"kill storm on {database.value}, {sizes.mails} mails, {sizes.kills} kills: "
    wanted = str(sizes.mails)
    yield Figure(f"{told}mails stored", count.stored, "mails", target=wanted)
    yield Figure((f"{told}mails at their end, "
                  f"used"), count.used, "mails", target=wanted, how=count.others or None)
    yield Figure(f"{told}receipts that arrived", count.receipts, "letters", target=wanted)
    yield Figure(f"{told}receipts that arrived twice, marked so", count.twice - count.unmarked, "letters")
    yield Figure(f"{told}receipts that arrived twice, unmarked", count.unmarked, "letters", target="0")
    yield Figure(f"{told}mails left in the mailbox", count.waiting, "mails", target="0")
    yield Figure(f"{told}time", round(seconds), "s")
    wrong = faults(count, sizes.mails)
    if wrong:
        raise StormFault(f"{told}{'; '.join(wrong)}")


def faults(count: Count, mails: int) -> list[str]:
    """What a storm of so many mails lost or doubled, in phrases; none where each came to its end once."""
    found = []
    if count.stored != mails:
        found.append(f"{count.stored} of {mails} mails are stored")
    if count.used != mails:
        found.append(f"{count.used} of {mails} mails were used ({count.others or 'the others are gone'})")
    if count.receipts != mails:
        found.append(f"{count.receipts} of {mails} receipts arrived")
    if count.unmarked:
        found.append(f"{count.unmarked} receipts arrived twice and are not marked")
    if count.waiting:
        found.append(f"{count.waiting} mails are left in the mailbox")
    return found


@contextmanager
def database_of(kind: Database) -> Iterator[str]:
    """The address of a new database of this kind; "" for SQLite, which lies in the site's folder. Raises
    StormFault."""
    if kind is Database.SQLITE:
        yield ""
        return
    if binaries() is None:
        raise StormFault("PostgreSQL's server is not installed; install the package postgresql")
    cluster = Postgres().start()
    try:
        yield cluster.url()
    finally:
        cluster.stop()


def _storm(at: StormPlace, server: Dovecot, sizes: StormSizes, rooms: int) -> None:
    chance = random.Random(sizes.seed)  # noqa: S311 no secret
    waiting = _mails(at, sizes.mails)
    chance.shuffle(waiting)
    each = max(1, len(waiting) // max(1, sizes.kills))
    running: list[StormProcess | None] = [None] * rooms
    try:
        for _ in range(sizes.kills):
            for number, room in enumerate(running):
                if room is None:
                    running[number] = StormProcess(at, "site")
            for _ in range(min(each, len(waiting))):
                server.deliver(waiting.pop())
            chosen = chance.randrange(rooms)
            _kill(running[chosen], chance)
            running[chosen] = None
    finally:
        for room in running:
            if room is not None:
                room.kill()
    for mail in waiting:
        server.deliver(mail)


def _kill(room: StormProcess | None, chance: random.Random) -> None:
    assert room is not None
    if chance.random() < AT_START:
        time.sleep(chance.uniform(0, LONGEST_LIFE))
    else:
        room.ready()
        time.sleep(chance.uniform(0, LONGEST_LIFE))
    room.kill()


def _mails(at: StormPlace, count: int) -> list[bytes]:
    """One mail for each seat of as many games as it takes."""
    powers = sorted(at.variant.powers)
    add_games(at, -(-count // len(powers)))
    return [orders(at, n // len(powers), powers[n % len(powers)], 1, photograph(n)) for n in range(count)]


def _finish(at: StormPlace, server: Dovecot, mails: int) -> None:
    """Bring everything to its end: first what dead senders had claimed is let go, then it is tried again.
    Nobody waits for what the clock of the moment does not let happen."""
    for ahead in AHEAD_MINUTES:
        room = StormProcess(at, "site", str(ahead))
        try:
            room.ready()
            wait_for(lambda: not _unfinished(at, mails, ahead) and not server.contents(), PATIENCE, step=1.0)  # noqa: B023 called here
        finally:
            room.kill()
        if not _unfinished(at, mails):
            return


def _unfinished(at: StormPlace, mails: int, ahead: int | None = None) -> int:
    """Mails without an end and letters to be sent; with `ahead` only those that a clock so many minutes ahead
    lets be sent."""
    now = SystemClock().now()
    due = true() if ahead is None else OutboxRow.due_at <= now + timedelta(minutes=ahead)
    waiting = or_(OutboxRow.state == OutboxState.SENDING, and_(OutboxRow.state == OutboxState.QUEUED, due))
    with at.store() as session:
        used = (
            session.scalar(select(func.count()).select_from(MailRow).where(MailRow.state != MailState.STORED))
            or 0
        )
        letters = session.scalar(select(func.count()).select_from(OutboxRow).where(waiting)) or 0
    return max(0, mails - used) + letters


def counted(at: StormPlace, server: Dovecot, sink: SmtpSink) -> Count:
    """What came of it."""
    arrived = Counter(str(letter.message["Message-ID"]) for letter in sink.letters)
    with at.store() as session:
        stored = session.scalar(select(func.count()).select_from(MailRow)) or 0
        used = (
            session.scalar(select(func.count()).select_from(MailRow).where(MailRow.state == MailState.USED))
            or 0
        )
        others = session.execute(select(MailRow.state, MailRow.reason, func.count()).where(
            MailRow.state != MailState.USED).group_by(MailRow.state, MailRow.reason)).all()
        receipts = session.scalars(select(OutboxRow).where(OutboxRow.kind == "receipt")).all()
    twice = [row for row in receipts if arrived[row.message_id] > 1]
    return Count(
        stored, used, sum(arrived[row.message_id] > 0 for row in receipts), len(twice),
        sum(not row.possibly_twice for row in twice), len(server.contents()),
        ", ".join(f"{number} {state}: {reason}" for state, reason, number in others))
