"""What a site grows by, in bytes and in processor time: for each game, each mail and each phase of ten
powers.

Each is measured twice, a few and then twice as many more, in one process on SQLite; the slope leaves out what
is paid once. Two costs are not in it: reading the ink (`galloper bench ingest`) and a mail's way over the
network.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TextIO

from sqlalchemy import func, select, text, update

from bench.figure import Figure
from bench.letters import AUTUMN, SUMMER
from bench.process import processor_seconds
from bench.storm.deadline import file_sheets
from bench.storm.site import StormSite, add_games, order_mail, photograph, storm_site
from demo.story import DEFAULT_FOLDER, read_story
from service.bootstrap import Site, open_site
from service.clock import SystemClock
from service.facts.sheets import REFUSED
from service.store.tables import MailRow, MailState, OutboxRow, PhaseRow

PHOTO_BYTES = 2_000_000  # of a telephone's photograph


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many games (each with a phase of ten sheets) and mails the first, smaller half has."""

    games: int = 2
    mails: int = 10


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds of this process and its children, bytes of the database, bytes of the folder next to
    it."""

    seconds: float
    database: int
    blobs: int

    def since(self, before: Cost) -> Cost:
        """What was added since."""
        return Cost(self.seconds - before.seconds, self.database - before.database, self.blobs - before.blobs)


def run(sizes: Sizes, out: TextIO, progress: TextIO) -> int:
    """Print a JSON line for each figure; 0."""
    with tempfile.TemporaryDirectory(prefix="galloper-growth-") as folder, storm_site(Path(folder)) as place:
        site = open_site(place.settings)
        for figure in _figures(place, site, sizes):
            figure.print_to(out)
            print(f"{figure.name}: {figure.value} {figure.unit}", file=progress, flush=True)
        site.engine.dispose()
    return 0


def _figures(place: StormSite, site: Site, sizes: Sizes) -> Iterator[Figure]:
    # 1. Games.
    phases: list[int] = []

    def more_games(count: int) -> None:
        phases.extend(add_games(place, count, first=len(phases)))

    cost = _slope(place, more_games, sizes.games)
    yield from _figures_of("game of ten powers", sizes.games, cost, "its calendar, seats and record")
    # 2. Mails to the first game.
    cost = _slope(place, _MoreMails(place, site), sizes.mails)
    yield from _figures_of(f"mail with a photograph of {PHOTO_BYTES // 1_000_000} MB", sizes.mails, cost,
                           "taken in, opened in the child, filed, its receipt written; not read")
    # 3. Phases: every game gets its sheets and its deadline.
    ready = phases[:]
    # Real sheets: blank paper once hid that each letter had a copy of every picture.
    file_sheets(place, ready, _photographs())
    past = SystemClock().now() - timedelta(seconds=1)
    with place.store.begin() as session:
        session.execute(update(PhaseRow).where(PhaseRow.id.in_(ready)).values(deadline=past))

    def more_phases(count: int) -> None:
        for _ in range(count):
            phase = ready.pop()
            site.close_phase(phase)
            site.approve_phase(phase, "growth")

    cost = _slope(place, more_phases, sizes.games)
    yield from _figures_of("phase of ten powers", sizes.games, cost,
                           "closed, judged, its results drawn and written for ten players")
    # 4. Letters, all that the phases wrote.
    before, letters = _cost(place), _count_letters(place)
    site.send_letters()
    milliseconds = _cost(place).since(before).seconds / letters * 1000
    yield Figure("letter sent into a folder: processor", round(milliseconds, 1), "ms", of=letters)


def _photographs() -> list[bytes]:
    """The demo's photographs of sheets, each once."""
    story = read_story()
    names = dict.fromkeys(
        name for title in (SUMMER, AUTUMN) for mail in story.mails_of(title)
        if mail.fate == "accepted" for name in mail.files)
    return [data for name in names if (data := (DEFAULT_FOLDER / name).read_bytes()).startswith(b"\xff\xd8")]


def _slope(place: StormSite, grow: Callable[[int], None], few: int) -> Cost:
    """What one more costs: the mean of twice `few`, after `few` were paid."""
    grow(few)
    before = _cost(place)
    grow(2 * few)
    spent = _cost(place).since(before)
    return Cost(spent.seconds / (2 * few), spent.database // (2 * few), spent.blobs // (2 * few))


def _figures_of(subject: str, few: int, cost: Cost, method: str) -> Iterator[Figure]:
    yield Figure(f"{subject}: processor", round(cost.seconds, 3), "s", of=2 * few, how=method)
    yield Figure(f"{subject}: database", round(cost.database / 1000, 1), "kB", of=2 * few)
    yield Figure(f"{subject}: files", round(cost.blobs / 1000, 1), "kB", of=2 * few)


def _cost(place: StormSite) -> Cost:
    # Pages that are still in the write-ahead log would be counted at another moment.
    with place.engine.connect() as connection:
        connection.execute(text("pragma wal_checkpoint(truncate)"))
    blobs = (path for path in (Path(place.settings.data) / "blobs").rglob("*") if path.is_file())
    database = Path(str(place.engine.url.database)).stat().st_size
    return Cost(processor_seconds(), database, sum(path.stat().st_size for path in blobs))


def _count_letters(place: StormSite) -> int:
    with place.store() as session:
        # Never 0: the figure is a mean of these letters.
        return session.scalar(select(func.count()).select_from(OutboxRow)) or 1


class _MoreMails:
    """Takes in and judges mails of one game's players; each sheet is a new version."""

    def __init__(self, place: StormSite, site: Site) -> None:
        self._place, self._site, self._count = place, site, 0

    def __call__(self, count: int) -> None:
        powers = list(self._place.variant.powers)
        for number in range(self._count, self._count + count):
            power, version = powers[number % len(powers)], 1 + number // len(powers)
            raw = order_mail(self._place, 0, power, version, photograph(number, PHOTO_BYTES))
            (self._place.folder / "box" / "new" / f"{number}.growth").write_bytes(raw)
        self._count += count
        self._site.take_in()
        with self._place.store() as session:
            keys = list(session.scalars(select(MailRow.sha256).where(MailRow.state == MailState.STORED)))
        for key in keys:
            self._site.process_mail(key)
        # The phase closes only when its sheets are read; these never are.
        with self._place.store.begin() as session:
            session.execute(text("update submissions set read_at = received_at, fate = 'held', "
                                 "flags = :flags").bindparams(flags=f'["{REFUSED}nobody reads it here"]'))
