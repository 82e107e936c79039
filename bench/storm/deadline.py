"""Many games of ten powers close in the same second: how long until all are judged and all letters written.

Every power has a sheet on file whose lines hold its units, read and accepted. Closing and judging are the
workers' jobs; approving, which a coordinator does at the desk, is put into the queue as soon as all are
judged. Letters are counted in the outbox and not sent.

Each worker has one core, like a separate machine. Drawing releases the interpreter's lock, so a worker
alone on two cores would use part of the second one, and a second worker would seem to bring less than it
does. The figures are wall clock: two workers need two free cores, and the database shares them. Processor
time changes little on a busy machine.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from PIL import Image, ImageDraw
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from bench.figure import Figure
from bench.storm.child import APPROVE
from bench.storm.kill import database_of
from bench.storm.parts import Database, StormSizes
from bench.storm.site import StormError, StormProcess, StormSite, add_games, address, storm_site, wait_for
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

TIMEOUT_SECONDS = 7200.0
ROW_HEIGHT = 60  # pixels of a filed sheet


@dataclass(frozen=True, slots=True)
class Run:
    """How long `games` games took, in seconds: until all were `judged`, and until all letters were `written`;
    `processor` is what the workers spent meanwhile."""

    games: int
    judged: float
    written: float
    processor: float
    letters: int


def measure(sizes: StormSizes, database: Database) -> Iterator[Figure]:
    """The figures of the part. Raises StormError, also if a phase is judged twice or a letter is missing."""
    few = _run(sizes.few_games, 1, database)
    many = _run(sizes.games, 1, database)
    for run in (few, many):
        yield from _figures(run, 1, database)
    ratio = (many.written / many.games) / (few.written / few.games)
    yield Figure("time per game of many beside few, judged and written", round(ratio, 2), "",
                 target="at most 2", how=f"{many.games} games beside {few.games}")
    # SQLite has one writer, so a second worker on it would only wait.
    if database is Database.POSTGRES:
        two = _run(sizes.games, 2, database)
        yield from _figures(two, 2, database)
        method = (f"{sizes.games} games, judged and written; each worker on one core of {os.cpu_count()}, "
                  "shared with the database")
        yield Figure("two workers beside one", round(many.written / two.written, 2), "",
                     target="at least 1.7", how=method)


def _figures(run: Run, workers: int, database: Database) -> Iterator[Figure]:
    prefix = (f"{run.games} games close in one second, {workers} worker{'s' if workers > 1 else ''}, "
              f"{database.value}: ")
    yield Figure(f"{prefix}all judged", round(run.judged, 2), "s", of=run.games, how="each phase judged once")
    yield Figure(f"{prefix}all letters in the outbox", round(run.written, 2), "s", of=run.letters)
    per_game = round(run.processor / run.games, 2)
    yield Figure(f"{prefix}processor time of the workers for a game", per_game, "s", of=run.games)


def _run(games: int, workers: int, database: Database) -> Run:
    with database_of(database) as url, tempfile.TemporaryDirectory(prefix="galloper-deadline-") as folder, \
            storm_site(Path(folder), url=url) as place:
        phases = add_games(place, games)
        file_sheets(place, phases)
        processes = [StormProcess(place, "worker", core=number) for number in range(workers)]
        try:
            for process in processes:
                process.ready()
            before = sum(process.processor_seconds() for process in processes)
            judged, written = _close(place, phases)
            spent = sum(process.processor_seconds() for process in processes) - before
        finally:
            for process in processes:
                process.kill()
        return Run(games, judged, written, spent, _count_letters(place, phases))


def _close(place: StormSite, phases: list[int]) -> tuple[float, float]:
    """Seconds from the deadline until all phases were judged, and until all letters were written."""
    jobs = DbosJobs(place.engine)
    jobs.prepare()
    clock = SystemClock()
    with place.store.begin() as session:
        session.execute(
            update(PhaseRow)
            .where(PhaseRow.id.in_(phases))
            .values(deadline=clock.now() - timedelta(seconds=1))
        )
    begun = time.monotonic()
    due_now(clock, place.store, jobs)
    _wait_until(place, phases, PhaseState.READY)
    judged = time.monotonic() - begun
    # One transaction each, as a coordinator approves: the workers need not wait for the last.
    for phase in phases:
        with place.store.begin() as session:
            jobs.enqueue(session, APPROVE, f"{APPROVE}:{phase}", {"phase": phase})
    _wait_until(place, phases, PhaseState.SENT)
    return judged, time.monotonic() - begun


def _wait_until(place: StormSite, phases: list[int], state: PhaseState) -> None:
    def all_there() -> bool:
        with place.store() as session:
            return not session.scalar(select(func.count()).select_from(PhaseRow).where(
                PhaseRow.id.in_(phases), PhaseRow.state != state))

    # Asking takes time from the database that is measured: less often where there is more to do.
    if not wait_for(all_there, TIMEOUT_SECONDS, step=0.05 if len(phases) < 50 else 0.5):
        raise StormError(f"not every phase was {state.value} in {TIMEOUT_SECONDS:.0f} seconds")


def _count_letters(place: StormSite, phases: list[int]) -> int:
    """The number of letters in the outbox. Raises StormError if a phase was judged twice or a player has no
    results."""
    with place.store() as session:
        judged = (
            session.scalar(select(func.count()).select_from(EventRow).where(EventRow.what == "phase_judged"))
            or 0
        )
        letters = (
            session.scalar(select(func.count()).select_from(OutboxRow).where(OutboxRow.phase_id.in_(phases)))
            or 0
        )
        informed = (
            session.scalar(
                select(func.count(func.distinct(OutboxRow.recipient))).where(OutboxRow.phase_id.in_(phases))
            )
            or 0
        )
    players = len(phases) * len(place.variant.powers)
    if judged != len(phases) or informed < players:
        raise StormError(f"{len(phases)} phases were judged {judged} times, and {informed} of {players} "
                         "players have results")
    return letters


# Sheets on file
# -----------------------------------------------------------------------------------------------------


def file_sheets(place: StormSite, phases: list[int], photographs: Sequence[bytes] = ()) -> None:
    """File a read sheet for each power of each phase, with a line for each unit, which holds. The sheets are
    blank paper, or `photographs` in turn, each with its own mark, so that no two copies are the same."""
    blobs = Blobs(Path(place.settings.data) / "blobs")
    start = place.variant.start
    lines = {
        power: [f"{'Fleet' if unit.kind == 'F' else 'Army'} {unit.region} holds"
                for unit in start.units if unit.power == power]
        for power in place.variant.powers
    }
    for number, phase in enumerate(phases):
        with place.store.begin() as session:
            for index, power in enumerate(place.variant.powers):
                picture = _page(len(lines[power]))
                if photographs:
                    picture = _marked(photographs[index % len(photographs)], f"{phase} {power}")
                _file(session, blobs, phase, power, address(number, power), lines[power], picture)


def _file(
    session: Session, blobs: Blobs, phase: int, power: str, sender: str, lines: list[str], picture: bytes
) -> None:
    now = SystemClock().now()
    key = hashlib.sha256(f"{phase} {power}".encode()).hexdigest()
    upright = blobs.put(picture)
    with Image.open(io.BytesIO(picture)) as opened:
        width, height = opened.size
    step = (height - 100) / (len(lines) + 1)
    records.add_mail(session, key, 0, now, now)
    session.get_one(MailRow, key).state = MailState.USED
    submission = SubmissionRow(
        sha256=key, phase_id=phase, power=power, sender=sender, received_at=now - timedelta(hours=1),
        version=1,
        semantic_key=key, read_at=now, flags=[], fate="counts")
    session.add(submission)
    session.flush()
    page = PageRow(submission_id=submission.id, ordinal=0, original=upright, upright=upright, rotation=0)
    session.add(page)
    session.flush()
    for ordinal, order in enumerate(lines):
        top, bottom = 100 + step * ordinal, 100 + step * (ordinal + 0.7)
        session.add(LineRow(
            page_id=page.id, ordinal=ordinal, kind="order", text=order, order=order, confidence=0.99,
            box=[[100, top], [width - 100, top], [width - 100, bottom], [100, bottom]], status=LineState.AUTO,
            candidates=[]))


def _marked(photograph: bytes, mark: str) -> bytes:
    out = io.BytesIO()
    with Image.open(io.BytesIO(photograph)) as opened:
        picture = opened.convert("RGB")
    ImageDraw.Draw(picture).text((picture.width // 2, picture.height // 2), mark, fill="black")
    picture.save(out, "JPEG", quality=85)
    return out.getvalue()


def _page(lines: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (800, 200 + ROW_HEIGHT * lines), (236, 230, 214)).save(out, "JPEG")
    return out.getvalue()
