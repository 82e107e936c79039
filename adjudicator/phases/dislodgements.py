"""Who was dislodged, which provinces a standoff left empty, and where the dislodged may go
(RET-02, DATC 6.H)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from adjudicator.context import Context
from adjudicator.geo import Region
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.position import Dislodgement
from adjudicator.strength import TRUE, PartialResolution
from adjudicator.units import Unit


def find_dislodged(
    sheet: MovementSheet, state: PartialResolution, contested: frozenset[str]
) -> tuple[Dislodgement, ...]:
    """The dislodged units, sorted by province, with the regions they may retreat to. Provinces that a unit
    entered or stayed in, and `contested` ones, are not open to them."""
    dislodged = sorted(sheet.dislodged, key=sheet.place.__getitem__)
    place_numbers, winners, goal, verdicts = sheet.place_numbers, state.winners, sheet.goal, state.verdicts
    taken = {
        province for number in dislodged for province in sheet.steps[number]
        if (place := place_numbers.get(province)) is not None
        and (place in winners or (place < len(goal) and (goal[place] == place or verdicts[place] != TRUE)))
    }
    # Occupied and contested places stay barred after a convoyed dislodgement too: `diplomacy` offers them
    # (trap T6 of tests/data/datc/engine_traps.json).
    taken |= contested
    return tuple([_dislodgement(sheet, number, winners[number], taken) for number in dislodged])


def _dislodgement(
    sheet: MovementSheet, number: int, attacker: int, taken: AbstractSet[str]
) -> Dislodgement:
    unit, origin, by_convoy = sheet.units[number], sheet.place[attacker], attacker in sheet.crossing
    may_retreat = retreat_regions(sheet.context, unit, origin, taken, by_convoy=by_convoy)
    return Dislodgement(unit, origin, by_convoy, may_retreat)


def retreat_regions(
    context: Context, unit: Unit, origin: str, taken: AbstractSet[str], *, by_convoy: bool
) -> frozenset[Region]:
    """The regions a dislodged unit may retreat to; empty for a kind of unit that cannot retreat.

    `origin`: the province its attacker came from. It is barred, even where it is free now, unless
    the attacker came by convoy (DATC 4.A.5). `taken`: provinces that are occupied, or were left
    empty by a standoff.
    """
    if not context.kinds[unit.kind].can_retreat:
        return frozenset()
    return frozenset([
        region
        for province, regions in context.tables.steps(unit.kind, unit.region).items()
        # By province: the other coast of the attacker's origin is barred too (DATC 6.H.15), as is one of a
        # contested province (6.H.16).
        if province not in taken and (by_convoy or province != origin)
        for region in regions
    ])


def contested_provinces(sheet: MovementSheet, state: PartialResolution) -> frozenset[str]:
    """Provinces that a standoff left empty. A move that never arrived, or that lost a head-to-head fight,
    makes no standoff."""
    winners, verdicts, goal = state.winners, state.verdicts, sheet.goal
    return frozenset([
        sheet.place[place] for place, moves in state.attackers.items()
        if len(moves) > 1
        and place not in winners
        and (place >= len(goal) or (goal[place] != place and verdicts[place] == TRUE))
        # A broken convoy leaves the landing open to retreats (DATC 6.F.7), and so does a beaten head-on loser
        # (6.H.9).
        and any(state.prevent_strength(move)[0] > 0 for move in moves)
    ])
