"""Who was beaten out of where, where standoffs left a gap, and where the beaten may go (RET-02, DATC 6.H)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from adjudicator.context import Context
from adjudicator.geo import Region
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.position import Dislodgement
from adjudicator.strength import TRUE, PartialResolution
from adjudicator.units import Unit


def find_dislodged(
    sheet: MovementSheet, state: PartialResolution, gaps: frozenset[str]
) -> tuple[Dislodgement, ...]:
    """The dislodged units, by province, with the regions they may retreat to; `gaps` are the provinces that a
    standoff left empty. No place is free then where somebody came in or stayed."""
    beaten = sorted(sheet.dislodged, key=sheet.place.__getitem__)
    number_of, winners, goal, known = sheet.place_numbers, state.winners, sheet.goal, state.verdicts
    taken = {
        province for number in beaten for province in sheet.steps[number]
        if (there := number_of.get(province)) is not None
        and (there in winners or (there < len(goal) and (goal[there] == there or known[there] != TRUE)))
    }
    taken |= gaps
    return tuple([_beaten(sheet, number, winners[number], taken) for number in beaten])


def _beaten(sheet: MovementSheet, number: int, winner: int, taken: AbstractSet[str]) -> Dislodgement:
    unit, origin, by_convoy = sheet.units[number], sheet.place[winner], winner in sheet.crossing
    return Dislodgement(
        unit, origin, by_convoy, retreat_regions(sheet.context, unit, origin, taken, by_convoy=by_convoy)
    )


def retreat_regions(
    context: Context, unit: Unit, origin: str, taken: AbstractSet[str], *, by_convoy: bool
) -> frozenset[Region]:
    """Where a beaten unit may retreat. `taken` are provinces held by units or left empty by a standoff. The
    winner's origin is barred even where it is free now; not when the winner came by convoy (DATC 4.A.5)."""
    if not context.kinds[unit.kind].can_retreat:
        return frozenset()
    return frozenset([
        region
        for province, regions in context.tables.steps(unit.kind, unit.region).items()
        if province not in taken and (by_convoy or province != origin)
        for region in regions
    ])


def contested_provinces(sheet: MovementSheet, state: PartialResolution) -> frozenset[str]:
    """Provinces that a standoff left empty. A move that never arrived, or that lost a head-to-head fight,
    makes no standoff."""
    winners, known, goal = state.winners, state.verdicts, sheet.goal
    return frozenset([
        sheet.place[place] for place, moves in state.attackers.items()
        if len(moves) > 1
        and place not in winners
        and (place >= len(goal) or (goal[place] != place and known[place] == TRUE))
        and any(state.prevent_strength(m)[0] > 0 for m in moves)
    ])
