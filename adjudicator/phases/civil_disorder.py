"""The units that go when a power removes too few: by distance, or by lot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set as AbstractSet

from adjudicator.context import Context
from adjudicator.lots import Lots
from adjudicator.units import Unit


def by_distance(context: Context, units: Sequence[Unit], count: int, centres: Iterable[str]) -> list[Unit]:
    """The first `count` units to go: the farthest from any owned centre first, then units that convoy,
    then by name of the province (DATC 4.D.8 of 2023). Steps over land and sea count alike for every
    kind of unit."""
    if not count:
        return []
    # From any owned centre, not only home centres (DATC 6.J.11), and by sea for armies too (6.J.10).
    steps = _steps_from(context, centres, {unit.region.province for unit in units})
    provinces = context.board.provinces
    unreachable = len(provinces)  # more steps than any way has

    def rank(unit: Unit) -> tuple[int, bool, str]:
        province = unit.region.province
        return (
            # Of equals a fleet goes before an army (DATC 6.J.7), then the first by name (6.J.4, 6.J.6).
            -steps.get(province, unreachable), not context.kinds[unit.kind].can_convoy,
            provinces[province].name,
        )

    return sorted(units, key=rank)[:count]


def by_lot(units: Sequence[Unit], count: int, lots: Lots) -> tuple[list[Unit], Lots]:
    """The units drawn, one by one and each once, from those left, sorted by region name (Q-35); and the tape
    of lots after it."""
    left = sorted(units, key=lambda unit: str(unit.region))
    drawn_units = []
    for _ in range(count):
        index, lots = lots.draw(len(left))
        drawn_units.append(left.pop(index))
    return drawn_units, lots


def _steps_from(context: Context, centres: Iterable[str], goals: AbstractSet[str]) -> dict[str, int]:
    """Each goal that can be reached, and what is nearer, with its steps from the nearest of the centres
    (breadth first)."""
    steps = dict.fromkeys(centres, 0)
    edge = list(steps)
    while edge and not goals <= steps.keys():
        reached = []
        for province in edge:
            for other in context.tables.neighbours[province]:
                if other not in steps:
                    steps[other] = steps[province] + 1
                    reached.append(other)
        edge = reached
    return steps
