"""Who was beaten out of where, where standoffs left a gap, and where the beaten may go (RET-02, DATC 6.H)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from adjudicator.context import Context
from adjudicator.geo import Region
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.position import Dislodgement
from adjudicator.strength import TRUE, PartialResolution
from adjudicator.units import Unit


def find(turn: MovementSheet, state: PartialResolution, gaps: frozenset[str]) -> tuple[Dislodgement, ...]:
    """The dislodged units, by province, with the regions they may retreat to; `gaps` are the provinces that a
    standoff left empty. No place is free then where somebody came in or stayed."""
    beaten = sorted(turn.lost, key=turn.place.__getitem__)
    number_of, winners, goal, known = turn.number_of, state.winners, turn.goal, state.known
    taken = {
        province for number in beaten for province in turn.steps[number]
        if (there := number_of.get(province)) is not None
        and (there in winners or (there < len(goal) and (goal[there] == there or known[there] != TRUE)))
    }
    taken |= gaps
    return tuple([_beaten(turn, number, winners[number], taken) for number in beaten])


def _beaten(turn: MovementSheet, number: int, winner: int, taken: AbstractSet[str]) -> Dislodgement:
    unit, origin, by_convoy = turn.units[number], turn.place[winner], winner in turn.crossing
    return Dislodgement(
        unit, origin, by_convoy, open_to(turn.setting, unit, origin, taken, by_convoy=by_convoy)
    )


def open_to(
    setting: Context, unit: Unit, origin: str, taken: AbstractSet[str], *, by_convoy: bool
) -> frozenset[Region]:
    """Where a beaten unit may retreat. `taken` are provinces held by units or left empty by a standoff. The
    winner's origin is barred even where it is free now; not when the winner came by convoy (DATC 4.A.5)."""
    if not setting.kinds[unit.kind].retreats:
        return frozenset()
    return frozenset([
        region
        for province, regions in setting.chart.steps(unit.kind, unit.region).items()
        if province not in taken and (by_convoy or province != origin)
        for region in regions
    ])


def contested(turn: MovementSheet, state: PartialResolution) -> frozenset[str]:
    """Provinces that a standoff left empty. A move that never arrived, or that lost a head-to-head fight,
    makes no standoff."""
    winners, known, goal = state.winners, state.known, turn.goal
    return frozenset([
        turn.place[place] for place, moves in state.toward.items()
        if len(moves) > 1
        and place not in winners
        and (place >= len(goal) or (goal[place] != place and known[place] == TRUE))
        and any(state.prevent(m)[0] > 0 for m in moves)
    ])
