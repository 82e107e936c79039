"""The movement phase, start to finish."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adjudicator.context import Context
from adjudicator.orders import Order, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result, outcome, shared
from adjudicator.phases import dislodgements, order_outcomes, year_end
from adjudicator.phases.assign_orders import assign
from adjudicator.phases.legality import pick_coast
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.position import Position
from adjudicator.solver import solve
from adjudicator.strength import NOBODY, MovementOrders, PartialResolution
from adjudicator.units import Unit, moved

_FAILS = Result.FAILS

def resolve(setting: Context, position: Position, orders: Sequence[Order]) -> Resolution:
    """Judge a movement phase. The next position's phase is the retreats when somebody is dislodged, else what
    follows them. Raises KeyError when a unit is of a kind the setting does not have: our own fault."""
    turn = MovementSheet(setting, setting.rules.deployed(setting, position, orders), orders)
    repeats = assign(turn)
    setting.rules.ready(turn)
    puzzle = _puzzle(turn)
    state = solve(puzzle)
    while state.paradox and setting.rules.paradox_holds():
        _stand_still(turn, puzzle, state)
        state = solve(puzzle)
    turn.lost = frozenset(state.beaten())
    order_outcomes.label(turn, state)
    for repeat, first in repeats.items():
        found: Any = turn.outcomes[first]
        turn.outcomes[repeat] = shared(found, turn.orders[repeat], dislodged=found.dislodged)
    return _finish(turn, state)


def _puzzle(turn: MovementSheet) -> MovementOrders:
    """What the solver sees: matched supports and convoys beside the moves; all else holds."""
    place, goal, partner, aim, to = turn.place, turn.goal, turn.partner, turn.aim, turn.to
    turn.supports = [
        number for number in turn.supports
        if (goal[partner[number]] == aim[number] and to[number] is None) or _backs(turn, number)
    ]
    fleets: dict[int, dict[int, str]] = {}
    for number in turn.convoys:
        army = partner[number]
        if goal[army] == aim[number]:
            fleets.setdefault(army, {})[number] = place[number]
        else:
            _unmatched(turn, number, "not_convoyed_there")
    turn.convoys = [
        number for army, carrying in fleets.items() if _sails(turn, army, carrying) for number in carrying
    ]
    routes = {
        army: turn.sea.route(place[army], place[goal[army]], fleets.get(army, {})) for army in turn.crossing
    }
    return MovementOrders(
        turn.moves, turn.supports, turn.convoys, turn.power, goal, partner, aim, turn.alone, routes
    )


def _backs(turn: MovementSheet, number: int) -> bool:
    """Whether a support is for what its partner does; one without a coast for its goal has been seen to
    be."""
    partner, aim = turn.partner[number], turn.aim[number]
    if turn.goal[partner] == aim:
        if _coast_fits(turn, number, partner):
            return True
    elif partner == aim and _follows(turn, number, partner):
        return True
    _unmatched(turn, number, "moves_away" if partner == aim else "not_supported_there")
    return False


def _sails(turn: MovementSheet, army: int, carrying: Iterable[int]) -> bool:
    """Whether an army goes over water, now that fleets convoy it. A convoy by an own fleet shows that it
    means to (DATC 4.A.3); a foreign one alone does not, and is then not matched."""
    if army in turn.crossing:
        return True
    if any(turn.power[fleet] == turn.power[army] for fleet in carrying):
        turn.crossing.add(army)
        return True
    for fleet in carrying:
        _unmatched(turn, fleet, "goes_over_land")
    return False


def _coast_fits(turn: MovementSheet, number: int, partner: int) -> bool:
    """A support may leave the coast out, but one that is named must be the one gone to (DATC 4.B.4)."""
    named, ends = turn.to[number], turn.to[partner]
    return named is None or ends is None or ends.coast is None or pick_coast(turn, (ends,), named) == ends


def _follows(turn: MovementSheet, number: int, partner: int) -> bool:
    """Whether a support in place of a unit that moves backs its move: not unless the rules say so (Q-15)."""
    goal = turn.goal[partner]
    if not turn.setting.rules.support_follows() or turn.place[goal] not in turn.steps[number]:
        return False
    turn.aim[number] = goal
    return True


def _stand_still(turn: MovementSheet, puzzle: MovementOrders, state: PartialResolution) -> None:
    """Where a paradox makes all its moves fail (Q-18): the carried armies and whoever attacks their fleets
    hold."""
    for fleet in state.paradox:
        for number in {turn.partner[fleet], *state.toward.get(fleet, ())}:
            if turn.goal[number] != number:
                turn.stay(number)
                puzzle.routes.pop(number, None)
                turn.settle(number, _FAILS, "bounced", ("paradox_holds", turn.units[fleet]), fleet)
                turn.early.append(turn.chosen[number])


def _unmatched(turn: MovementSheet, number: int, sentence: str) -> None:
    partner, named = turn.partner[number], turn.to[number]
    index = turn.chosen[number]
    turn.outcomes[index] = outcome(turn.orders[index], _FAILS, "unmatched", turn.given[partner], (
        turn.words, sentence, turn.units[partner], named or turn.place[turn.aim[number]]), False)
    turn.early.append(index)


def _finish(turn: MovementSheet, state: PartialResolution) -> Resolution:
    gaps = dislodgements.contested(turn, state)
    beaten = turn.setting.rules.beaten(turn, dislodgements.find(turn, state, gaps)) if turn.lost else ()
    units, memory = turn.setting.rules.after_movement(turn, _standing(turn, state))
    following = year_end.following(turn.setting, turn.position.phase, beaten)
    after = Position(following, units, turn.position.centres, beaten, gaps, memory)
    silent = [
        turn.units[n] for n, index in enumerate(turn.chosen) if index == NOBODY and n not in turn.torn
    ] if NOBODY in turn.chosen else ()
    undecided = [turn.orders[turn.chosen[n]] for n in sorted(state.unresolved)] if state.unresolved else ()
    return year_end.close(turn.setting, Resolution(
        _outcomes(turn), after, beaten, gaps, tuple(sorted(silent)), disbanded=tuple(sorted(turn.destroyed)),
        unresolved=tuple(undecided),
        notes=tuple(turn.words.say(one) for one in turn.told) if turn.told else ()))


def _standing(turn: MovementSheet, state: PartialResolution) -> frozenset[Unit]:
    """The units as they stand afterwards; the dislodged are not among them."""
    units = turn.units
    to: Sequence[Any] = turn.to
    left = state.winners.values()
    if not left:
        return turn.position.units
    gone = [units[number] for number in (*left, *turn.lost)]
    return turn.position.units.difference(gone).union([moved(units[number], to[number]) for number in left])


def _outcomes(turn: MovementSheet) -> tuple[Outcome, ...]:
    """One for each order, as given; those of the dislodged say so, also where the order counted for
    nothing."""
    found: list[Any] = turn.outcomes
    assert all(found), "an order was left without an outcome"
    for index in turn.early if turn.lost else ():
        order = turn.orders[index]
        if (isinstance(order, UnitOrder) and turn.at.get(order.unit.region.province) in turn.lost
                and found[index].reason != "no_such_unit" and turn.find(order) != NOBODY):
            found[index] = shared(found[index], order, dislodged=True)
    return tuple(found)
