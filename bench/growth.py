"""What a site grows by, in bytes and in processor time: for each game, each mail and each phase of ten
powers.

Each is measured twice, few and then three times as many on top, in one process on SQLite; the slope leaves
out what is paid once. Reading the ink is not in it (`galloper bench ingest` tells that), nor is a mail's way
over the network.
"""

from __future__ import annotations

import json
import resource
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import TextIO

from sqlalchemy import func, select, text, update

from bench.figure import Figure
from bench.storm.deadline import file_sheets
from bench.storm.site import StormPlace, add_games, orders, photograph, place
from service.bootstrap import Site, open_site
from service.clock import SystemClock
from service.store.tables import MailRow, MailState, OutboxRow, PhaseRow

PHOTOGRAPH = 2_000_000
"""Bytes of a telephone's photograph."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many games (each with a phase of ten sheets) and mails the first, smaller half has."""

    games: int = 2
    mails: int = 10


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds of this process and its children, bytes of the database and bytes of the folder
    beside it."""

    seconds: float
    database: int
    blobs: int

    def since(self, before: Cost) -> Cost:
        """What came since."""
        return Cost(self.seconds - before.seconds, self.database - before.database, self.blobs - before.blobs)


def run(sizes: Sizes, out: TextIO, progress: TextIO) -> int:
    """Print a JSON line for each figure; 0."""
    with tempfile.TemporaryDirectory(prefix="galloper-growth-") as folder, place(Path(folder)) as at:
        site = open_site(at.settings)
        for figure in _figures(at, site, sizes):
            told = {key: value for key, value in asdict(figure).items() if value is not None}
            print(json.dumps(told, ensure_ascii=False), file=out, flush=True)
            print(f"{figure.what}: {figure.value} {figure.unit}", file=progress, flush=True)
        site.engine.dispose()
    return 0


def _figures(at: StormPlace, site: Site, sizes: Sizes) -> Iterator[Figure]:
    phases: list[int] = []

    def more_games(count: int) -> None:
        phases.extend(add_games(at, count, first=len(phases)))

    yield from _told(
        "game of ten powers",
        sizes.games,
        _slope(at, more_games, sizes.games),
        "its calendar, seats and record",
    )
    yield from _told(f"mail with a photograph of {PHOTOGRAPH // 1_000_000} MB", sizes.mails,
                     _slope(at, _Mails(at, site), sizes.mails),
                     "taken in, opened in the child, filed, its receipt written; not read")
    ready = phases[:]
    file_sheets(at, ready)
    with at.store.begin() as session:
        session.execute(
            update(PhaseRow)
            .where(PhaseRow.id.in_(ready))
            .values(deadline=SystemClock().now() - timedelta(seconds=1))
        )

    def more_phases(count: int) -> None:
        for _ in range(count):
            phase = ready.pop()
            site.close_phase(phase)
            site.approve_phase(phase, "growth")

    yield from _told("phase of ten powers", sizes.games, _slope(at, more_phases, sizes.games),
                     "closed, judged, its results drawn and written for ten players")
    before, letters = _cost(at), _waiting(at)
    site.send_letters()
    spent = _cost(at).since(before)
    yield Figure(("letter sent into a folder: "
                  "processor"), round(spent.seconds / letters * 1000, 1), "ms", of=letters)


def _slope(at: StormPlace, grow: Callable[[int], None], few: int) -> Cost:
    """What one more costs: of twice `few`, after `few` were paid."""
    grow(few)
    before = _cost(at)
    grow(2 * few)
    spent = _cost(at).since(before)
    return Cost(spent.seconds / (2 * few), spent.database // (2 * few), spent.blobs // (2 * few))


def _told(what: str, few: int, cost: Cost, how: str) -> Iterator[Figure]:
    yield Figure(f"{what}: processor", round(cost.seconds, 3), "s", of=2 * few, how=how)
    yield Figure(f"{what}: database", round(cost.database / 1000, 1), "kB", of=2 * few)
    yield Figure(f"{what}: files", round(cost.blobs / 1000, 1), "kB", of=2 * few)


def _cost(at: StormPlace) -> Cost:
    with at.engine.connect() as connection:
        connection.execute(text("pragma wal_checkpoint(truncate)"))
    database = Path(str(at.engine.url.database))
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Cost(
        sum(one.ru_utime + one.ru_stime for one in spent),
        database.stat().st_size,
        sum(path.stat().st_size for path in (Path(at.settings.data) / "blobs").rglob("*") if path.is_file()),
    )


def _waiting(at: StormPlace) -> int:
    with at.store() as session:
        return session.scalar(select(func.count()).select_from(OutboxRow)) or 1


class _Mails:
    """Mails of one game's players, each sheet a new version, taken in and worked on."""

    def __init__(self, at: StormPlace, site: Site) -> None:
        self._at, self._site, self._made = at, site, 0

    def __call__(self, count: int) -> None:
        powers = list(self._at.variant.powers)
        for _ in range(count):
            raw = orders(self._at, 0, powers[self._made % len(powers)], 1 + self._made // len(powers),
                         photograph(self._made, PHOTOGRAPH))
            (self._at.folder / "box" / "new" / f"{self._made}.growth").write_bytes(raw)
            self._made += 1
        self._site.take_in()
        with self._at.store() as session:
            keys = list(session.scalars(select(MailRow.sha256).where(MailRow.state == MailState.STORED)))
        for key in keys:
            self._site.process_mail(key)
        # Those that are read no more hold no deadline up.
        with self._at.store.begin() as session:
            session.execute(text("update submissions set read_at = received_at, fate = 'held'"))
