"""How much faster sheets are read by two and by four workers than by one.

Each worker is held to a share of a core, so that four fit next to PostgreSQL on a machine of few cores. The
queue, the database and the filing of what was read are real; in place of the reader stands one that takes as
much processor time as requested. Each worker has read a few sheets before it is measured, so that its start
does not count.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import func, select

from bench.figure import Figure
from bench.scale.parts import Sizes
from bench.scale.share import held_to, processor_time
from bench.servers.postgres import Postgres
from bench.storm.child import OneOrderRecognizer
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
from service.bootstrap import open_site
from service.intake.filing import queue_reading
from service.jobs import DbosJobs
from service.store.tables import MailRow, MailState, SubmissionRow

SHEET_SECONDS = 0.5
"""Processor seconds of a sheet here: a fifth of a real one, so the queue's own time counts five times."""
WARMING = 8
"""Sheets for each worker that are read before."""
LONGEST = 3600.0
TARGETS = {2: "at least 1.9", 4: "at least 3.6"}


def measure(sizes: Sizes) -> Iterator[Figure]:
    """The figures of the part. Raises StormError if a sheet is not read."""
    alone = 0.0
    for workers in (1, 2, 4):
        seconds, spent = _read(workers, sizes)
        name = f"{sizes.sheets} sheets read by {workers} worker{'s' if workers > 1 else ''}"
        how = f"each held to {sizes.share:g} of a core; {SHEET_SECONDS:g} CPU s a sheet"
        yield Figure(name, round(seconds, 1), "s", of=sizes.sheets, how=how)
        yield Figure(f"{name}: share of a core that each got", round(spent / seconds / workers, 3), "cores",
                     of=workers)
        if workers == 1:
            alone = seconds
        else:
            yield Figure(f"{workers} workers beside one, reading", round(alone / seconds, 2), "",
                         of=sizes.sheets, target=TARGETS[workers], how=how)


def _read(workers: int, sizes: Sizes) -> tuple[float, float]:
    """Seconds by the clock until so many workers have read all sheets, and their processor seconds."""
    cluster = Postgres().start()
    try:
        with tempfile.TemporaryDirectory(prefix="galloper-workers-") as folder, \
                storm_site(Path(folder), url=cluster.url()) as place:
            _file(place, sizes.sheets + WARMING * workers)
            processes = [StormProcess(place, "reader", str(SHEET_SECONDS)) for _ in range(workers)]
            try:
                for process in processes:
                    process.ready()
                _let_read(place, WARMING * workers, sizes.sheets)
                return _measured(place, processes, sizes)
            finally:
                for process in processes:
                    process.kill()
    finally:
        cluster.stop()


def _measured(place: StormSite, processes: list[StormProcess], sizes: Sizes) -> tuple[float, float]:
    pids = [process.pid for process in processes]
    with held_to(pids, sizes.share):
        # What they used just before is over.
        time.sleep(1.0)
        before, begun = sum(map(processor_time, pids)), time.monotonic()
        _let_read(place, sizes.sheets, 0)
        seconds = time.monotonic() - begun
        return seconds, sum(map(processor_time, pids)) - before


def _let_read(place: StormSite, count: int, left: int) -> None:
    """Give so many of the sheets that are not read to the queue, and wait until only `left` are not."""
    jobs = DbosJobs(place.engine)
    with place.store.begin() as session:
        for sheet in session.scalars(select(SubmissionRow.id).where(
                SubmissionRow.read_at.is_(None)).order_by(SubmissionRow.id).limit(count)):
            queue_reading(session, jobs, sheet)
    if not wait_for(lambda: _unread(place) <= left, LONGEST, step=0.25):
        raise StormError(f"{_unread(place) - left} of {count} sheets were not read")


def _file(place: StormSite, sheets: int) -> None:
    """So many mails, each with a sheet that waits to be read."""
    powers = sorted(place.variant.powers)
    add_games(place, -(-sheets // len(powers)))
    for number in range(sheets):
        raw = order_mail(place, number // len(powers), powers[number % len(powers)], 1, photograph(number))
        (place.folder / "box" / "new" / f"{number}.workers").write_bytes(raw)
    site = open_site(place.settings, recognizer=OneOrderRecognizer())
    try:
        site.take_in()
        with place.store() as session:
            keys = list(session.scalars(select(MailRow.sha256).where(MailRow.state == MailState.STORED)))
        for key in keys:
            site.process_mail(key)
        # Each is enqueued again when it is to be read.
        site.jobs.forget(list(site.jobs.all_keys()))
    finally:
        site.engine.dispose()
    if _unread(place) != sheets:
        raise StormError(f"{_unread(place)} of {sheets} sheets wait to be read")


def _unread(place: StormSite) -> int:
    with place.store() as session:
        return session.scalar(
            select(func.count()).select_from(SubmissionRow).where(SubmissionRow.read_at.is_(None))) or 0
