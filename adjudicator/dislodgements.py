"""Who was beaten out of where, where standoffs left a gap, and where the beaten may go (RET-02, DATC 6.H)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from adjudicator.geo import Region
from adjudicator.position import Dislodgement
from adjudicator.setting import Setting
from adjudicator.strength import TRUE, State
from adjudicator.turn import Turn
from adjudicator.units import Unit


def find(turn: Turn, state: State, gaps: frozenset[str]) -> tuple[Dislodgement, ...]:
    """The dislodged units, by province, with the regions they may retreat to; `gaps` are the provinces that a standoff
    left empty. No place is free then where somebody came in or stayed."""
    return tuple([_beaten(turn, state, number, gaps) for number in sorted(turn.lost, key=turn.place.__getitem__)])


def _beaten(turn: Turn, state: State, number: int, gaps: frozenset[str]) -> Dislodgement:
    winner = state.winners[number]
    unit, origin, by_convoy = turn.units[number], turn.place[winner], winner in turn.crossing
    taken = {p for p in turn.steps[number] if p in gaps or _is_taken(turn, state, p)}
    return Dislodgement(unit, origin, by_convoy, open_to(turn.setting, unit, origin, taken, by_convoy=by_convoy))


def _is_taken(turn: Turn, state: State, province: str) -> bool:
    """Whether somebody stands in a province afterwards: who stayed there, or who came in."""
    place = turn.number_of.get(province)
    if place is None:
        return False
    stays = place < len(turn.units) and (turn.goal[place] == place or state.known[place] != TRUE)
    return stays or place in state.winners


def open_to(
    setting: Setting, unit: Unit, origin: str, taken: AbstractSet[str], *, by_convoy: bool
) -> frozenset[Region]:
    """Where a beaten unit may retreat. `taken` are provinces held by units or left empty by a standoff. The winner's
    origin is barred even where it is free now; not when the winner came by convoy (DATC 4.A.5)."""
    if not setting.kinds[unit.kind].retreats:
        return frozenset()
    return frozenset([
        region
        for province, regions in setting.chart.steps(unit.kind, unit.region).items()
        if province not in taken and (by_convoy or province != origin)
        for region in regions
    ])


def contested(turn: Turn, state: State) -> frozenset[str]:
    """Provinces that a standoff left empty. A move that never arrived, or that lost a head-to-head fight, makes no
    standoff."""
    winners, known, goal = state.winners, state.known, turn.goal
    return frozenset([
        turn.place[place] for place, moves in state.toward.items()
        if len(moves) > 1
        and place not in winners
        and (place >= len(goal) or (goal[place] != place and known[place] == TRUE))
        and any(state.prevent(m)[0] > 0 for m in moves)
    ])
