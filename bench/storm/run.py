"""`galloper bench storm`: what the service holds out, as JSON lines.

Real servers on loopback (Dovecot, a mail sink, a throw-away PostgreSQL cluster) and real processes that are
really killed; the reading of photographs is switched off. Times are wall clock: run it on a quiet machine;
the load is told beside the figures.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator, Sequence
from typing import TextIO

from bench.figure import Figure
from bench.storm import deadline, kill, rate, soak
from bench.storm.parts import Database, StormPart, StormSizes
from bench.storm.site import StormFault


def run(
    parts: Sequence[StormPart], databases: Sequence[Database], sizes: StormSizes, out: TextIO,
    progress: TextIO
) -> int:
    """Measure `parts` on `databases`, all where none is named, and print. 1 with a sentence on `progress`
    where one cannot be done, and where a storm lost or doubled something; the others are measured all the
    same."""
    status = 0
    for part in parts or list(StormPart):
        for database in databases or list(Database):
            if part is StormPart.RATE and database is not (databases or list(Database))[0]:
                continue
            load = os.getloadavg()[0]
            print(f"{part.value}, {database.value} (load {load:.1f})", file=progress, flush=True)
            try:
                for figure in _measured(part, database, sizes):
                    _say(figure, out)
            except (StormFault, RuntimeError) as error:
                print(f"{error}", file=progress, flush=True)
                status = 1
            _say(Figure(f"load of the machine, {part.value}", round(os.getloadavg()[0], 1), "processes",
                        how=f"{load:.1f} when it began, on {os.cpu_count()} processors"), out)
    return status


def _measured(part: StormPart, database: Database, sizes: StormSizes) -> Iterator[Figure]:
    match part:
        case StormPart.KILL:
            return kill.measure(sizes, database)
        case StormPart.DEADLINE:
            return deadline.measure(sizes, database)
        case StormPart.RATE:
            return rate.measure(sizes)
        case StormPart.SOAK:
            return soak.measure(sizes, database)


def _say(figure: Figure, out: TextIO) -> None:
    values = dataclasses.asdict(figure)
    print(
        json.dumps(
            {key: value for key, value in values.items() if value is not None or key == "value"},
            ensure_ascii=False,
        ),
        file=out,
        flush=True,
    )
