"""Whether an order could be carried out at all, by the board and the units on it, whatever anybody else
orders.

Each function answers None for a legal order, having noted on the turn what the solver needs, or says what is
wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from adjudicator.explain import Sentence
from adjudicator.geo import Region
from adjudicator.orders import Convoy, Hold, Move, Order, SupportHold, SupportMove
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.strength import NOBODY
from adjudicator.units import Unit, UnitRef

Check = Callable[[MovementSheet, int, Any], Sentence | None]


def _hold(turn: MovementSheet, number: int, _: Hold) -> None:
    turn.holds.append(number)


def _move(turn: MovementSheet, number: int, order: Move) -> Sentence | None:
    wanted = order.to
    to = wanted.province
    there = turn.steps[number].get(to)
    if turn.peaceful and turn.kind[number] in turn.peaceful and to in turn.at:
        return ("may_not_attack", turn.units[number])
    if there is None or order.via_convoy:
        if not (may_cross(turn, number, to) or _names_a_crossing(turn, number, to)):
            return _out_of_reach(turn, number, order)
        turn.crossing.add(number)
        region: Region | None = turn.setting.chart.stands[turn.kind[number]][to][0]
    else:
        region = there[0]
        if region.coast is not None:
            region = pick_coast(turn, there, wanted)
            if region is None:
                return _which_coast(turn.units[number], wanted)
    goal = turn.number_of.get(to)
    turn.moves.append(number)
    turn.goal[number] = turn.number(to) if goal is None else goal
    turn.to[number] = region
    return None


def may_cross(turn: MovementSheet, number: int, to: str, without: str | None = None) -> bool:
    """Whether a unit could be carried to a province by fleets as they now stand; `without` leaves one fleet
    out."""
    chart, kind, start = turn.setting.chart, turn.kind[number], turn.place[number]
    return (
        to in chart.landings[kind] and start in chart.boardings[kind] and turn.sea.joins(start, to, without)
    )


def _names_a_crossing(turn: MovementSheet, number: int, to: str) -> bool:
    """Whether rules take an order to go overseas for a move, though no fleets stand there that could carry
    (Q-17)."""
    place, kind = turn.place[number], turn.units[number].kind
    return (
        not turn.setting.rules.crossing_needs_fleets()
        and turn.setting.kinds[kind].carried
        and to != place
        and to in turn.setting.chart.basin.get(place, ())
        and to in turn.setting.chart.stands[kind]
    )


def pick_coast(turn: MovementSheet, there: tuple[Region, ...], wanted: Region) -> Region | None:
    """The region meant among those within reach: the only one where none is named (DATC 4.B.2), none where a
    coast is wrong (4.B.3) or missing (4.B.1). A coast that means nothing to the unit is passed over
    (4.B.6)."""
    if there[0].coast is None:
        return there[0]
    if wanted.coast is None:
        return there[0] if len(there) == 1 else None
    named = turn.setting.board.provinces[wanted.province].coast_id(wanted.coast)
    return next((region for region in there if region.coast == named), None)


def _out_of_reach(turn: MovementSheet, number: int, order: Move) -> Sentence:
    unit = turn.units[number]
    if order.to.province == unit.region.province:
        return ("there_already", unit)
    if order.to.province not in turn.setting.chart.stands[unit.kind]:
        return ("not_enterable", unit, order.to)
    overseas = turn.setting.kinds[unit.kind].carried and turn.setting.chart.shores.issuperset(
        (unit.region.province, order.to.province))
    return (
        ("no_fleets", unit.region, order.to)
        if order.via_convoy or overseas
        else ("out_of_reach", unit, order.to)
    )


def _which_coast(unit: Unit, wanted: Region) -> Sentence:
    if wanted.coast is None:
        return ("which_coast", wanted)
    return ("wrong_coast", wanted, unit)


def _support_hold(turn: MovementSheet, number: int, order: SupportHold) -> Sentence | None:
    target = order.target.region.province
    partner = turn.at.get(target, NOBODY)
    if partner == NOBODY or target not in turn.steps[number]:
        return _cannot_support(turn, number, order.target, target)
    turn.supports.append(number)
    turn.partner[number] = turn.aim[number] = partner
    return None


def _support_move(turn: MovementSheet, number: int, order: SupportMove) -> Sentence | None:
    to = order.to.province
    partner = turn.at.get(order.target.region.province, NOBODY)
    if partner in (NOBODY, number) or to not in turn.steps[number]:
        return _cannot_support(turn, number, order.target, to)
    there = turn.steps[partner].get(to)
    coast = order.to.coast
    if there is None:
        # A fleet cannot both support an army and be the one that carries it (DATC 6.D.31).
        if not (may_cross(turn, partner, to, turn.place[number]) or _names_a_crossing(turn, partner, to)):
            return ("target_cannot_go", turn.units[partner], order.to)
    elif coast is not None and pick_coast(turn, there, order.to) is None:
        return ("target_cannot_go", turn.units[partner], order.to)
    goal = turn.number_of.get(to)
    turn.supports.append(number)
    turn.partner[number] = partner
    turn.aim[number] = turn.number(to) if goal is None else goal
    if coast is not None:
        turn.to[number] = order.to
    return None


def _cannot_support(turn: MovementSheet, number: int, target: UnitRef, into: str) -> Sentence:
    partner = turn.at.get(target.region.province, NOBODY)
    if partner == NOBODY:
        return ("nobody_to_support", target.region)
    if partner == number:
        return ("supports_itself", turn.units[number])
    if into == turn.place[number]:
        return ("supports_own_attacker", turn.units[number])
    return ("support_out_of_reach", turn.units[number], into)


def _convoy(turn: MovementSheet, number: int, order: Convoy) -> Sentence | None:
    unit = turn.units[number]
    start, to = order.target.region.province, order.to.province
    partner = turn.at.get(start, NOBODY)
    if not turn.sea.carries(turn.place[number]):
        return ("no_carrier", unit)
    if partner == NOBODY:
        return ("nobody_to_convoy", order.target.region)
    if not may_cross(turn, partner, to):
        return ("cannot_be_convoyed", turn.units[partner], order.to)
    if not turn.sea.useful(unit.region.province, start, to):
        return ("off_the_way", unit, order.target.region, order.to)
    turn.convoys.append(number)
    turn.aim[number], turn.partner[number] = turn.number(to), partner
    return None


CHECKS: Mapping[type[Order], Check] = {
    Hold: _hold,
    Move: _move,
    SupportHold: _support_hold,
    SupportMove: _support_move,
    Convoy: _convoy,
}
