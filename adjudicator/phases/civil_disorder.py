"""Which units go when a power removes too few: by distance, or by lot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adjudicator.context import Context
from adjudicator.lots import Lots
from adjudicator.units import Unit


def by_distance(context: Context, units: Sequence[Unit], need: int, centres: Iterable[str]) -> list[Unit]:
    """The farthest from any owned centre first, counting steps over land and sea for every kind; then units
    that carry before the others, then by name (DATC 4.D.8 of 2023)."""
    steps = _distances(context, centres)
    farthest = len(context.board.provinces)
    provinces = context.board.provinces

    def rank(unit: Unit) -> tuple[int, bool, str]:
        place = unit.region.province
        return -steps.get(place, farthest), not context.kinds[unit.kind].can_convoy, provinces[place].name

    return sorted(units, key=rank)[:need]


def by_lot(units: Sequence[Unit], need: int, lots: Lots) -> tuple[list[Unit], Lots]:
    """Drawn one by one without replacement, each draw among those left, sorted by region name (Q-35)."""
    left = sorted(units, key=lambda unit: str(unit.region))
    gone = []
    for _ in range(need):
        index, lots = lots.draw(len(left))
        gone.append(left.pop(index))
    return gone, lots


def _distances(context: Context, centres: Iterable[str]) -> dict[str, int]:
    steps = dict.fromkeys(centres, 0)
    edge = list(steps)
    while edge:
        reached = []
        for place in edge:
            for other in context.tables.near[place]:
                if other not in steps:
                    steps[other] = steps[place] + 1
                    reached.append(other)
        edge = reached
    return steps
