"""Who was beaten out of where, where standoffs left a gap, and where the beaten may go (RET-02, DATC 6.H)."""

from __future__ import annotations

from collections.abc import Mapping

from adjudicator.position import Dislodgement
from adjudicator.strength import FALSE, State
from adjudicator.turn import Turn
from adjudicator.units import Unit


def find(turn: Turn, state: State, after: Mapping[int, Unit]) -> tuple[Dislodgement, ...]:
    """The dislodged units, by province, with the regions they may retreat to."""
    if len(after) == len(turn.units):
        return ()
    taken = {unit.region.province for unit in after.values()} | contested(turn, state, frozenset(after.values()))
    found = []
    for number, unit in enumerate(turn.units):
        if number not in after:
            winner = state.winner(unit.region.province)
            found.append(_beaten(turn, unit, winner, frozenset(taken)))
    return tuple(sorted(found, key=lambda d: d.unit.region.province))


def _beaten(turn: Turn, unit: Unit, winner: int, taken: frozenset[str]) -> Dislodgement:
    origin = turn.units[winner].region.province
    by_convoy = winner in turn.crossing
    steps = turn.setting.chart.steps(unit.kind, unit.region)
    may = turn.setting.kinds[unit.kind].retreats
    # The winner's origin is barred even where another unit has left it free; not when it came by convoy (DATC 4.A.5).
    return Dislodgement(unit, origin, by_convoy, frozenset(
        region
        for province, regions in steps.items()
        if may and province not in taken and (by_convoy or province != origin)
        for region in regions
    ))


def contested(turn: Turn, state: State, after: frozenset[Unit]) -> frozenset[str]:
    """Provinces that a standoff left empty. A move that never arrived, or that lost a head-to-head fight, makes no
    standoff."""
    taken = {unit.region.province for unit in after}
    return frozenset(
        str(place)
        for place, moves in state.toward.items()
        if place not in taken
        and any(state.known[m] == FALSE and state.prevent(m)[0] > 0 for m in moves)
    )


