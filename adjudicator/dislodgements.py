"""Who was beaten out of where, where standoffs left a gap, and where the beaten may go (RET-02, DATC 6.H)."""

from __future__ import annotations

from adjudicator.geo import Region
from adjudicator.position import Dislodgement
from adjudicator.setting import Setting
from adjudicator.strength import State
from adjudicator.turn import Turn
from adjudicator.units import Unit


def find(
    turn: Turn, state: State, after: frozenset[Unit], gaps: frozenset[str]
) -> tuple[Dislodgement, ...]:
    """The dislodged units, by province, with the regions they may retreat to. `after` are the units that stand,
    `gaps` the provinces that a standoff left empty."""
    if not turn.lost:
        return ()
    taken = gaps.union(unit.region.province for unit in after)
    found = [_beaten(turn, turn.units[n], state.winners[turn.place[n]], taken) for n in turn.lost]
    return tuple(sorted(found, key=lambda d: d.unit.region.province))


def _beaten(turn: Turn, unit: Unit, winner: int, taken: frozenset[str]) -> Dislodgement:
    origin = turn.units[winner].region.province
    by_convoy = winner in turn.crossing
    return Dislodgement(unit, origin, by_convoy, open_to(turn.setting, unit, origin, taken, by_convoy=by_convoy))


def open_to(
    setting: Setting, unit: Unit, origin: str, taken: frozenset[str], *, by_convoy: bool
) -> frozenset[Region]:
    """Where a beaten unit may retreat. `taken` are provinces held by units or left empty by a standoff. The winner's
    origin is barred even where it is free now; not when the winner came by convoy (DATC 4.A.5)."""
    if not setting.kinds[unit.kind].retreats:
        return frozenset()
    return frozenset(
        region
        for province, regions in setting.chart.steps(unit.kind, unit.region).items()
        if province not in taken and (by_convoy or province != origin)
        for region in regions
    )


def contested(state: State) -> frozenset[str]:
    """Provinces that a standoff left empty. A move that never arrived, or that lost a head-to-head fight, makes no
    standoff."""
    winners, holder, movers = state.winners, state.holder, state.movers
    return frozenset([
        place for place, moves in state.toward.items()
        if len(moves) > 1
        and place not in winners
        and (place not in holder or holder[place] in movers)
        and any(state.prevent(m)[0] > 0 for m in moves)
    ])
