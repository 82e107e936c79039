"""Many games of ten powers close in the same second: from the deadline until every phase is judged and every
letter of the results stands in the outbox.

Every power has a sheet on file whose lines hold its units, read and sure. Closing and judging are the
workers' own work; approving, which a coordinator does at the desk, is put into the queue as soon as all are
judged. Letters are counted in the outbox and not sent.

Each worker has one core, as a machine of its own would: drawing leaves the interpreter's lock, so that a
worker alone on two cores would use part of the second one, and a second worker would seem to bring less than
it does. The figures are wall clock: two workers need two free cores, and the database takes its time from the
same ones. Processor time holds on a busy machine too.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from PIL import Image
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from bench.figure import Figure
from bench.storm.child import APPROVE
from bench.storm.kill import database_of
from bench.storm.parts import Database, StormSizes
from bench.storm.site import StormFault, StormPlace, StormProcess, add_games, address, place, wait_for
from service.clock import SystemClock
from service.jobs import DbosJobs
from service.scheduler import due_now
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import (
    EventRow,
    LineRow,
    LineState,
    MailRow,
    MailState,
    OutboxRow,
    PageRow,
    PhaseRow,
    PhaseState,
    SubmissionRow,
)

PATIENCE = 7200.0
ROW_HEIGHT = 60


@dataclass(frozen=True, slots=True)
class Run:
    """How long `games` took with so many workers: seconds until all were judged, and until all letters were
    written; `processor` is what the workers spent meanwhile."""

    games: int
    judged: float
    written: float
    processor: float
    letters: int


def measure(sizes: StormSizes, database: Database) -> Iterator[Figure]:
    """The figures of the part. Raises StormFault, also where a phase is judged twice or a letter is
    missing."""
    few = _run(sizes.few_games, 1, database)
    many = _run(sizes.games, 1, database)
    for run in (few, many):
        yield from _told(run, 1, database)
    yield Figure(("time per game of many beside few, judged and "
                  "written"), round(_each(many) / _each(few), 2), "",
                 target="at most 2", how=f"{many.games} games beside {few.games}")
    if database is Database.POSTGRES:
        two = _run(sizes.games, 2, database)
        yield from _told(two, 2, database)
        yield Figure(
            "two workers beside one",
            round(many.written / two.written, 2),
            "",
            target="at least 1.7",
            how=f"{sizes.games} games, judged and written; each worker on one core of "
            f"{os.cpu_count()}, shared with "
            "the database",
        )


def _each(run: Run) -> float:
    return run.written / run.games


def _told(run: Run, workers: int, database: Database) -> Iterator[Figure]:
    what = (f"{run.games} games close in one second, {workers} worker{'s' if workers > 1 else ''}, "
            f"{database.value}: ")
    yield Figure(f"{what}all judged", round(run.judged, 2), "s", of=run.games, how="each phase judged once")
    yield Figure(f"{what}all letters in the outbox", round(run.written, 2), "s", of=run.letters)
    yield Figure((f"{what}processor time of the workers for a "
                  f"game"), round(run.processor / run.games, 2), "s", of=run.games)


def _run(games: int, workers: int, database: Database) -> Run:
    with database_of(database) as url, tempfile.TemporaryDirectory(prefix="galloper-deadline-") as folder, \
            place(Path(folder), url=url) as at:
        phases = add_games(at, games)
        file_sheets(at, phases)
        rooms = [StormProcess(at, "worker", core=number) for number in range(workers)]
        try:
            for room in rooms:
                room.ready()
            before = sum(room.processor_seconds() for room in rooms)
            judged, written = _close(at, phases)
            spent = sum(room.processor_seconds() for room in rooms) - before
        finally:
            for room in rooms:
                room.kill()
        return Run(games, judged, written, spent, _checked(at, phases))


def _close(at: StormPlace, phases: list[int]) -> tuple[float, float]:
    """Seconds from the deadline until all were judged, and how long these and the writing took together."""
    jobs = DbosJobs(at.engine)
    jobs.prepare()
    clock = SystemClock()
    with at.store.begin() as session:
        session.execute(
            update(PhaseRow)
            .where(PhaseRow.id.in_(phases))
            .values(deadline=clock.now() - timedelta(seconds=1))
        )
    begun = time.monotonic()
    due_now(clock, at.store, jobs)
    _until(at, phases, PhaseState.READY)
    judged = time.monotonic() - begun
    again = time.monotonic()
    for phase in phases:  # one by one, as a coordinator approves: the workers need not wait for the last
        with at.store.begin() as session:
            jobs.enqueue(session, APPROVE, f"{APPROVE}:{phase}", {"phase": phase})
    _until(at, phases, PhaseState.SENT)
    return judged, judged + time.monotonic() - again


def _until(at: StormPlace, phases: list[int], state: PhaseState) -> None:
    def there() -> bool:
        with at.store() as session:
            return not session.scalar(select(func.count()).select_from(PhaseRow).where(
                PhaseRow.id.in_(phases), PhaseRow.state != state))

    if not wait_for(there, PATIENCE, step=0.05 if len(phases) < 50 else 0.5):
        raise StormFault(f"not every phase was {state.value} in {PATIENCE:.0f} seconds")


def _checked(at: StormPlace, phases: list[int]) -> int:
    """How many letters stand in the outbox. Raises StormFault where a phase was judged twice or a player has
    no results."""
    with at.store() as session:
        judged = (
            session.scalar(select(func.count()).select_from(EventRow).where(EventRow.what == "phase_judged"))
            or 0
        )
        letters = (
            session.scalar(select(func.count()).select_from(OutboxRow).where(OutboxRow.phase_id.in_(phases)))
            or 0
        )
        told = (
            session.scalar(
                select(func.count(func.distinct(OutboxRow.recipient))).where(OutboxRow.phase_id.in_(phases))
            )
            or 0
        )
    players = len(phases) * len(at.variant.powers)
    if judged != len(phases) or told < players:
        raise StormFault(f"{len(phases)} phases were judged {judged} times, and {told} of {players} players "
                         f"have results")
    return letters


# Sheets on file
# -----------------------------------------------------------------------------------------------------


def file_sheets(at: StormPlace, phases: list[int]) -> None:
    """A read sheet for each power of each phase: a line for each unit, which holds."""
    blobs = Blobs(Path(at.settings.data) / "blobs")
    start = at.variant.start
    lines = {power: [(f"{'Fleet' if unit.kind == 'F' else 'Army'} {unit.region} "
                      f"holds") for unit in start.units if unit.power == power]
             for power in at.variant.powers}
    for number, phase in enumerate(phases):
        with at.store.begin() as session:
            for power in at.variant.powers:
                _file(session, blobs, phase, power, address(number, power), lines[power])


def _file(session: Session, blobs: Blobs, phase: int, power: str, sender: str, lines: list[str]) -> None:
    now = SystemClock().now()
    key = hashlib.sha256(f"{phase} {power}".encode()).hexdigest()
    upright = blobs.put(_page(len(lines)))
    records.add_mail(session, key, 0, now, now)
    session.get_one(MailRow, key).state = MailState.USED
    paper = SubmissionRow(
        sha256=key, phase_id=phase, power=power, sender=sender, received_at=now - timedelta(hours=1),
        version=1,
        semantic_key=key, read_at=now, flags=[], fate="counts")
    session.add(paper)
    session.flush()
    page = PageRow(submission_id=paper.id, ordinal=0, original=upright, upright=upright, rotation=0)
    session.add(page)
    session.flush()
    for at_line, order in enumerate(lines):
        top = 100 + ROW_HEIGHT * at_line
        session.add(LineRow(
            page_id=page.id, ordinal=at_line, kind="order", text=order, order=order, confidence=0.99,
            box=[[100, top], [700, top], [700, top + 40], [100, top + 40]], status=LineState.AUTO,
            candidates=[]))


def _page(lines: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (800, 200 + ROW_HEIGHT * lines), (236, 230, 214)).save(out, "JPEG")
    return out.getvalue()
