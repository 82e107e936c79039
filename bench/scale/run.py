"""`galloper bench scale`: the parts in turn, and a table at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TextIO

from bench.figure import Figure
from bench.scale import closing, costs, jobs, season, workers
from bench.scale.parts import ScalePart, Sizes
from bench.servers.postgres import binaries


def run(parts: tuple[ScalePart, ...], sizes: Sizes, out: TextIO, progress: TextIO) -> int:
    """Print a JSON line for each figure of `parts`, all by default; 1 if there is no PostgreSQL."""
    if binaries() is None:
        print("PostgreSQL's server is not installed; install the package postgresql", file=progress)
        return 1
    for part in parts or tuple(ScalePart):
        load = os.getloadavg()[0]
        for figure in _figures(part, sizes):
            figure.print_to(out)
            print(f"{figure.name}: {figure.value} {figure.unit}", file=progress, flush=True)
        Figure(f"load of the machine, {part.value}", round(os.getloadavg()[0], 1), "processes",
               how=f"{load:.1f} when it began, on {os.cpu_count()} processors").print_to(out)
    return 0


def _figures(part: ScalePart, sizes: Sizes) -> Iterator[Figure]:
    match part:
        case ScalePart.CLOSING:
            yield from closing.measure(sizes)
        case ScalePart.WORKERS:
            yield from workers.measure(sizes)
        case ScalePart.JOBS:
            yield from jobs.measure(sizes)
        case ScalePart.SEASON:
            yield from _season(sizes)


def _season(sizes: Sizes) -> Iterator[Figure]:
    every: list[costs.Costs] = []
    # What a process pays once would count against the first site alone, and the others would look cheap.
    for _ in costs.measure(sizes, sizes.games[0], []):
        pass
    for games in sizes.games:
        yield from costs.measure(sizes, games, every)
    few, many = every[0], every[-1]
    for subject, at_few, at_many in (
        ("a mail", few.mail, many.mail), ("a game: closed, judged, results written",
                                          few.close + few.results, many.close + many.results)):
        yield Figure(f"{subject}, cost at {many.games} games beside {few.games}", round(at_many / at_few, 2),
                     "", target="at most 1.3")
    for cost in every:
        yield from season.figures(cost, sizes)
