"""Mail comes in while every process is killed again and again, at random instants.

A round starts what was killed, hands over a few mails, waits a random time and kills one process with all its
children. On SQLite that is the only one, which takes in, works and sends; on PostgreSQL it is one of two, and
in every other round the one that leads (`service.scheduler`), while a game's deadline comes. At the end
everything unfinished is finished, with a clock first a quarter and then half an hour ahead, since a letter
whose sender died is left alone for ten minutes and tried again after five more. Then every mail must be
stored once and used once, and each receipt sent once, or twice if Galloper itself marked it "possibly twice";
and every game whose deadline came must be closed and judged once.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import and_, func, or_, select, true, update

from bench.figure import Figure
from bench.servers.dovecot import Dovecot
from bench.servers.postgres import Postgres, binaries
from bench.servers.smtp_sink import SmtpSink
from bench.storm.parts import Database, StormSizes
from bench.storm.site import (
    StormError,
    StormProcess,
    StormSite,
    add_games,
    order_mail,
    photograph,
    storm_site,
    wait_for,
)
from service.clock import SystemClock
from service.scheduler import CLOCKWORK
from service.store.tables import (
    EventRow,
    LeaseRow,
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PhaseRow,
    PhaseState,
    SubmissionRow,
)

AHEAD_MINUTES = (15, 30)
# Seconds after it is ready within which a process is killed: on a quiet machine long enough to finish a mail
# in most of its lives. On an overloaded one the same job may run at death after death; `jobs.REST` parts
# them.
LONGEST_LIFE = 6.0
FIRST_TO_CLOSE = 100_000
"""The number of the first game whose deadline comes; the mails are for games from 0 on."""
STARTING_SHARE = 0.1  # of kills that come while a process is starting
LEADER_SECONDS = 20.0  # for a leader: three leases
FINISH_SECONDS = 200.0  # for each clock of AHEAD_MINUTES: longer than two leases of a dead worker


@dataclass(frozen=True, slots=True)
class KillCount:
    """What the database and the mail sink show.

    `twice`: receipts that arrived more than once; `unmarked`: those of them that Galloper did not mark as
    possibly sent twice. `waiting`: mails left in the mailbox. `others`: states and reasons of mails that were
    not used. `deadlines`: games that were to close; `judged`: those that were, once; `leaders`: leaders that
    were killed.
    """

    stored: int
    used: int
    receipts: int
    twice: int
    unmarked: int
    waiting: int
    others: str
    deadlines: int = 0
    judged: int = 0
    leaders: int = 0


def measure(sizes: StormSizes, database: Database) -> Iterator[Figure]:
    """The figures of the part. Raises StormError, after the figures if they show something lost or
    doubled."""
    with database_of(database) as url, tempfile.TemporaryDirectory(prefix="galloper-kill-") as folder:
        server, sink = Dovecot().start(), SmtpSink().start()
        try:
            with storm_site(Path(folder), url=url, server=server, sink=sink) as place:
                begun = time.monotonic()
                games = add_games(place, sizes.kills // 2, first=FIRST_TO_CLOSE) if url else []
                leaders = _storm(place, server, sizes, games)
                finish(place, server, sizes.mails)
                seconds = time.monotonic() - begun
                count = replace(count_outcome(place, server, sink), deadlines=len(games),
                                judged=_judged_once(place, games), leaders=leaders)
        finally:
            sink.stop()
            server.remove()
    prefix = f"kill storm on {database.value}, {sizes.mails} mails, {sizes.kills} kills: "
    expected_count = str(sizes.mails)
    yield Figure(f"{prefix}mails stored", count.stored, "mails", target=expected_count)
    yield Figure(f"{prefix}mails at their end, used", count.used, "mails", target=expected_count,
                 how=count.others or None)
    yield Figure(f"{prefix}receipts that arrived", count.receipts, "letters", target=expected_count)
    yield Figure(f"{prefix}receipts that arrived twice, marked so", count.twice - count.unmarked, "letters")
    yield Figure(f"{prefix}receipts that arrived twice, unmarked", count.unmarked, "letters", target="0")
    yield Figure(f"{prefix}mails left in the mailbox", count.waiting, "mails", target="0")
    if count.deadlines:
        yield Figure(f"{prefix}leaders killed", count.leaders, "processes", of=sizes.kills)
        yield Figure(f"{prefix}games closed and judged once", count.judged, "games",
                     target=str(count.deadlines), of=count.deadlines)
    yield Figure(f"{prefix}time", round(seconds), "s")
    wrong = loss_sentences(count, sizes.mails)
    if wrong:
        raise StormError(f"{prefix}{'; '.join(wrong)}")


def loss_sentences(count: KillCount, mails: int) -> list[str]:
    """Sentences about what a storm of `mails` mails lost or doubled; none if each mail was used once."""
    sentences = []
    if count.stored != mails:
        sentences.append(f"{count.stored} of {mails} mails are stored")
    if count.used != mails:
        sentences.append(f"{count.used} of {mails} mails were used ({count.others or 'the others are gone'})")
    if count.receipts != mails:
        sentences.append(f"{count.receipts} of {mails} receipts arrived")
    if count.unmarked:
        sentences.append(f"{count.unmarked} receipts arrived twice and are not marked")
    if count.waiting:
        sentences.append(f"{count.waiting} mails are left in the mailbox")
    if count.judged != count.deadlines:
        sentences.append(f"{count.judged} of {count.deadlines} games were closed and judged once")
    return sentences


@contextmanager
def database_of(kind: Database) -> Iterator[str]:
    """The URL of a new database of this kind; "" for SQLite, which is a file in the site's folder. Raises
    StormError."""
    if kind is Database.SQLITE:
        yield ""
        return
    if binaries() is None:
        raise StormError("PostgreSQL's server is not installed; install the package postgresql")
    cluster = Postgres().start()
    try:
        yield cluster.url()
    finally:
        cluster.stop()


def _storm(place: StormSite, server: Dovecot, sizes: StormSizes, games: list[int]) -> int:
    """Hand over mails and kill processes; how many of the killed led. With `games`, there are two processes,
    and every other round one game's deadline comes and the leader is killed."""
    chance = random.Random(sizes.seed)  # noqa: S311 no secret
    waiting, leaders = mails_of(place, sizes.mails), 0
    chance.shuffle(waiting)
    per_round = max(1, len(waiting) // max(1, sizes.kills))
    running: list[StormProcess | None] = [None] * (2 if games else 1)
    try:
        for kill in range(sizes.kills):
            for number, process in enumerate(running):
                if process is None:
                    running[number] = StormProcess(place, "site")
            for _ in range(min(per_round, len(waiting))):
                server.deliver(waiting.pop())
            closing = games[kill // 2] if kill % 2 and kill // 2 < len(games) else None
            victim, is_leader = _choose(place, running, closing, chance)
            leaders += is_leader
            _kill(running[victim], chance)
            running[victim] = None
    finally:
        for process in running:
            if process is not None:
                process.kill()
    for mail in waiting:
        server.deliver(mail)
    return leaders


def _choose(
    place: StormSite, running: list[StormProcess | None], closing: int | None, chance: random.Random
) -> tuple[int, bool]:
    """The number of the process to be killed, and whether it leads. With a phase that is `closing`, its
    deadline comes, and the leader is chosen."""
    victim = chance.randrange(len(running))
    if closing is None:
        return victim, False
    for process in running:
        _alive(process).ready()
    with place.store.begin() as session:
        session.execute(update(PhaseRow).where(PhaseRow.id == closing).values(deadline=SystemClock().now()))
    leader = _leader(place, running)
    return (victim, False) if leader is None else (leader, True)


def _leader(place: StormSite, running: list[StormProcess | None]) -> int | None:
    """The number of the process that leads; None if no one does for a while."""
    def leading() -> list[int]:
        with place.store() as session:
            # Connections for letters have leases too, and other holders.
            holder = session.scalar(select(LeaseRow.holder).where(
                LeaseRow.name == CLOCKWORK, LeaseRow.ends_at > datetime.now(UTC)))
        # A holder is named "host:process:chance" (`service.jobs.DbosJobs`).
        pid = int(holder.split(":")[-2]) if holder else None
        return [number for number, process in enumerate(running) if _alive(process).pid == pid]

    wait_for(leading, LEADER_SECONDS)
    return next(iter(leading()), None)


def _judged_once(place: StormSite, phases: list[int]) -> int:
    """Those of some phases that were closed and judged, each once."""
    with place.store() as session:
        rows = session.execute(select(PhaseRow.game_id, PhaseRow.state).where(PhaseRow.id.in_(phases))).all()
        events = Counter((game, event) for game, event in session.execute(select(
            EventRow.game_id, EventRow.what).where(EventRow.what.in_(["phase_closed", "phase_judged"]))))
    return sum(state == PhaseState.READY and events[game, "phase_closed"] == events[game, "phase_judged"] == 1
               for game, state in rows)


def _alive(process: StormProcess | None) -> StormProcess:
    assert process is not None
    return process


def _kill(process: StormProcess | None, chance: random.Random) -> None:
    process = _alive(process)
    if chance.random() >= STARTING_SHARE:
        process.ready()
    time.sleep(chance.uniform(0, LONGEST_LIFE))
    process.kill()


def mails_of(place: StormSite, count: int) -> list[bytes]:
    """One mail for each seat of as many games as it takes, which it adds."""
    powers = sorted(place.variant.powers)
    add_games(place, -(-count // len(powers)))
    return [
        order_mail(place, n // len(powers), powers[n % len(powers)], 1, photograph(n)) for n in range(count)
    ]


def finish(place: StormSite, server: Dovecot, mails: int) -> None:
    """Finish everything: first what dead senders had claimed is released, then it is tried again. What is due
    later than the clock of the moment is not waited for."""
    for ahead in AHEAD_MINUTES:
        process = StormProcess(place, "site", str(ahead))

        def finished(minutes: int = ahead) -> bool:
            return not _unfinished(place, mails, minutes) and not server.contents()

        try:
            process.ready()
            wait_for(finished, FINISH_SECONDS, step=1.0)
        finally:
            process.kill()
        if not _unfinished(place, mails):
            return


def _unfinished(place: StormSite, mails: int, ahead: int | None = None) -> int:
    """Mails without an end, sheets to be read, games to be judged and letters to be sent; with `ahead` only
    letters that a clock so many minutes ahead lets be sent."""
    now = SystemClock().now()
    # Without this the first clock waited all its time for letters that only the second one may send.
    due = true() if ahead is None else OutboxRow.due_at <= now + timedelta(minutes=ahead)
    waiting = or_(OutboxRow.state == OutboxState.SENDING, and_(OutboxRow.state == OutboxState.QUEUED, due))
    with place.store() as session:
        used = (
            session.scalar(select(func.count()).select_from(MailRow).where(MailRow.state != MailState.STORED))
            or 0
        )
        letters = session.scalar(select(func.count()).select_from(OutboxRow).where(waiting)) or 0
        # A receipt may wait until its sheet is read.
        unread = session.scalar(
            select(func.count()).select_from(SubmissionRow).where(SubmissionRow.read_at.is_(None))) or 0
        closing = session.scalar(select(func.count()).select_from(PhaseRow).where(
            PhaseRow.state.in_([PhaseState.OPEN, PhaseState.CLOSED]), PhaseRow.deadline <= now)) or 0
    return max(0, mails - used) + letters + unread + closing


def count_outcome(place: StormSite, server: Dovecot, sink: SmtpSink) -> KillCount:
    """The outcome, counted in the database, the mailbox and the mail sink."""
    arrived = Counter(str(letter.message["Message-ID"]) for letter in sink.letters)
    with place.store() as session:
        stored = session.scalar(select(func.count()).select_from(MailRow)) or 0
        used = (
            session.scalar(select(func.count()).select_from(MailRow).where(MailRow.state == MailState.USED))
            or 0
        )
        others = session.execute(select(MailRow.state, MailRow.reason, func.count()).where(
            MailRow.state != MailState.USED).group_by(MailRow.state, MailRow.reason)).all()
        receipts = session.scalars(select(OutboxRow).where(OutboxRow.kind == "receipt")).all()
    twice = [row for row in receipts if arrived[row.message_id] > 1]
    return KillCount(
        stored, used, sum(arrived[row.message_id] > 0 for row in receipts), len(twice),
        sum(not row.possibly_twice for row in twice), len(server.contents()),
        ", ".join(f"{number} {state}: {reason}" for state, reason, number in others))
