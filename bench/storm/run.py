"""`galloper bench storm`: what the service withstands, as JSON lines.

Real servers on loopback (Dovecot, a mail sink, a throw-away PostgreSQL cluster) and real processes that are
really killed; the reading of photographs is switched off. Times are wall clock: run it on a quiet machine.
The load is printed next to the figures.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TextIO

from bench.figure import Figure
from bench.storm import deadline, kill, rate, refused, soak
from bench.storm.parts import Database, StormPart, StormSizes


def run(
    parts: Sequence[StormPart], databases: Sequence[Database], sizes: StormSizes, out: TextIO,
    progress: TextIO
) -> int:
    """Measure `parts` on `databases`, all by default, and print.

    Returns 1, with a sentence on `progress`, if a part cannot be measured or a storm lost or doubled
    something; the other parts are measured nevertheless.
    """
    status = 0
    for part in parts or list(StormPart):
        for database in databases or list(Database):
            # The rate is of mail and disk; the kind of database does not show in it.
            if part is StormPart.RATE and database is not (databases or list(Database))[0]:
                continue
            load = os.getloadavg()[0]
            print(f"{part.value}, {database.value} (load {load:.1f})", file=progress, flush=True)
            try:
                for figure in _measure(part, database, sizes):
                    figure.print_to(out)
            except RuntimeError as error:
                print(f"{error}", file=progress, flush=True)
                status = 1
            load_note = f"{load:.1f} when it began, on {os.cpu_count()} processors"
            load_now = round(os.getloadavg()[0], 1)
            Figure(f"load of the machine, {part.value}", load_now, "processes", how=load_note).print_to(out)
    return status


def _measure(part: StormPart, database: Database, sizes: StormSizes) -> Iterator[Figure]:
    match part:
        case StormPart.KILL:
            return kill.measure(sizes, database)
        case StormPart.REFUSED:
            return refused.measure(sizes, database)
        case StormPart.DEADLINE:
            return deadline.measure(sizes, database)
        case StormPart.RATE:
            return rate.measure(sizes)
        case StormPart.SOAK:
            return soak.measure(sizes, database)

