"""`galloper bench desk`: the desk's figures, taken in a real Chromium at a real `galloper serve`, as JSON
lines.

Each line has `what`, `value`, `unit`, and where they apply `of`, `target` (the desk plan's) and `how`. Times
are wall clock, since that is what a person waits: run it on a quiet machine. The load is printed next to the
figures.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from sqlalchemy import select

from bench.desk import paint, reading, safety
from bench.desk.browser import NoBrowser, Tab, chromium, exit_on_sigterm
from bench.desk.parts import DeskPart
from bench.desk.sample import DeskSample, NoSample, load_sample
from bench.desk.site import NotServed, Server, SheetLocation, make, serving
from bench.figure import Figure
from service.site_folder import opened
from service.store.tables import ReviewRow

Tell = Callable[[str], None]


def run(parts: list[DeskPart], out: TextIO, progress: TextIO) -> int:
    """Measure `parts`, all by default, and print. Returns 0, or 1 with a sentence on `progress` if it
    cannot."""
    def tell(text: str) -> None:
        print(text, file=progress, flush=True)

    exit_on_sigterm()
    try:
        sample = load_sample()
        with chromium() as browser:
            for part in parts or list(DeskPart):
                # Times are wall clock: a reader of the figures must know how busy the machine was.
                before = os.getloadavg()[0]
                tell(f"{part.value} (load {before:.1f})")
                for figure in _MEASURES[part](browser, sample, tell):
                    figure.print_to(out)
                after = os.getloadavg()[0]
                method = (f"mean of the last minute, on {os.cpu_count()} processors: {before:.1f} when it "
                          f"began, {after:.1f} when it ended")
                label = f"load of the machine while measuring {part.value}"
                Figure(label, round(after, 1), "processes", how=method).print_to(out)
    except (NoBrowser, NoSample, NotServed) as error:
        tell(f"{error}.")
        return 1
    return 0


def _reading(browser: Any, sample: DeskSample, tell: Tell) -> Iterator[Figure]:
    with served(sample) as (place, server):
        tab = _tab(browser, place, server)
        result = reading.walk(tab, place.truth)
        wrong = reading.wrong(decided(place), place.truth)
        for line, (on_file, written) in wrong.items():
            tell(f"line {line} is on file as {on_file}, written was {written}")
        tab.close()
    yield from reading.figures(result, len(place.truth) - len(wrong), len(place.truth))


def _kills(browser: Any, sample: DeskSample, tell: Tell) -> Iterator[Figure]:
    with served(sample) as (place, server):
        tab = _tab(browser, place, server)
        yield from safety.kills(tab, server, lambda: decided(place), tell)
        tab.close()


def _undo(browser: Any, sample: DeskSample, tell: Tell) -> Iterator[Figure]:
    with served(sample) as (place, server):
        tab = _tab(browser, place, server)
        yield from safety.undo_walk(tab, tell)
        tab.close()


def _paint(browser: Any, sample: DeskSample, tell: Tell) -> Iterator[Figure]:
    times_by_years = {}
    for years in paint.YEARS:
        tell(f"making {paint.GAMES} games with {years} years of history")
        with served(sample, partial(paint.fill, years=years)) as (place, server):
            times_by_years[years] = paint.measure(browser, place, server.address)
    yield from paint.figures(times_by_years)


_MEASURES: dict[DeskPart, Callable[[Any, DeskSample, Tell], Iterator[Figure]]] = {
    DeskPart.READING: _reading, DeskPart.KILLS: _kills, DeskPart.UNDO: _undo, DeskPart.PAINT: _paint}


@contextmanager
def served(
    sample: DeskSample, prepare: Callable[[SheetLocation], None] = lambda _place: None
) -> Iterator[tuple[SheetLocation, Server]]:
    """A temporary site with the sample, changed by `prepare` before it is served; killed and removed at the
    end."""
    with tempfile.TemporaryDirectory(prefix="galloper-bench-", ignore_cleanup_errors=True) as folder:
        place = make(Path(folder), sample)
        prepare(place)
        server = serving(place)
        server.start()
        try:
            yield place, server
        finally:
            server.kill()


def _tab(browser: Any, place: SheetLocation, server: Server) -> Tab:
    tab = Tab(browser, server.address, f"{server.address}/desk/{place.phase}", place.token)
    tab.open()
    return tab


def decided(place: SheetLocation) -> dict[int, tuple[str, str | None]]:
    """State and order of every line by its newest decision that was not undone, from the site's database."""
    with opened(place.settings) as store, store() as session:
        rows = session.scalars(select(ReviewRow).where(ReviewRow.undone_at.is_(None)).order_by(ReviewRow.id))
        return {row.line_id: (row.decision, row.order) for row in rows}
