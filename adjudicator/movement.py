"""The movement phase, start to finish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudicator import dislodgements, labels, years
from adjudicator.assignment import assign
from adjudicator.legality import pick_coast
from adjudicator.orders import Order, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.position import Position
from adjudicator.setting import Setting
from adjudicator.solver import solve
from adjudicator.strength import NOBODY, Puzzle, State
from adjudicator.turn import Turn
from adjudicator.units import Unit, moved


def resolve(setting: Setting, position: Position, orders: Sequence[Order]) -> Resolution:
    """Judge a movement phase. The next position's phase is the retreats when somebody is dislodged, else what follows
    them. Raises KeyError when a unit is of a kind the setting does not have: our own fault."""
    turn = Turn(setting, position, orders)
    repeats = assign(turn)
    puzzle = _puzzle(turn)
    state = solve(puzzle)
    while state.paradox and setting.rules.paradox_holds():
        _stand_still(turn, puzzle, state)
        state = solve(puzzle)
    turn.lost = frozenset(state.beaten())
    labels.label(turn, state)
    for repeat, first in repeats.items():
        outcome = turn.outcomes[first]
        turn.outcomes[repeat] = None if outcome is None else replace(outcome, order=turn.orders[repeat])
    return _finish(turn, state)


def _puzzle(turn: Turn) -> Puzzle:
    """What the solver sees: matched supports and convoys beside the moves; all else holds."""
    fleets: dict[int, list[int]] = {}
    goal, aim, partner, to = turn.goal, turn.aim, turn.partner, turn.to
    for number in turn.convoys[:]:
        if goal[partner[number]] == aim[number]:
            fleets.setdefault(partner[number], []).append(number)
        else:
            _unmatched(turn, number, "not_convoyed_there")
    for number in turn.supports[:]:
        backed = partner[number]
        if goal[backed] != aim[number]:
            if aim[number] != backed:
                _unmatched(turn, number, "not_supported_there")
            elif not _follows(turn, number, backed):
                _unmatched(turn, number, "moves_away")
        elif to[number] is not None and not _coast_fits(turn, number, backed):
            _unmatched(turn, number, "not_supported_there")
    for army, carrying in fleets.items():
        _set_sail(turn, army, carrying)
    place = turn.place
    routes = {
        army: turn.sea.route(place[army], place[goal[army]], {fleet: place[fleet] for fleet in fleets.get(army, ())})
        for army in turn.crossing
    }
    return Puzzle(turn.moves, turn.supports, turn.convoys, turn.power, goal, partner, aim, turn.alone, routes)


def _set_sail(turn: Turn, army: int, carrying: Sequence[int]) -> None:
    """A convoy by an own fleet shows that an army means to go over water (DATC 4.A.3); a foreign one alone does not,
    and is then not matched."""
    if army in turn.crossing:
        return
    if any(turn.power[fleet] == turn.power[army] for fleet in carrying):
        turn.crossing.add(army)
        return
    for fleet in carrying:
        _unmatched(turn, fleet, "goes_over_land")


def _coast_fits(turn: Turn, number: int, partner: int) -> bool:
    """A support may leave the coast out, but one that is named must be the one gone to (DATC 4.B.4)."""
    named, ends = turn.to[number], turn.to[partner]
    return named is None or ends is None or ends.coast is None or pick_coast(turn, (ends,), named) == ends


def _follows(turn: Turn, number: int, partner: int) -> bool:
    """Whether a support in place of a unit that moves backs its move: not unless the rules say so (Q-15)."""
    goal = turn.goal[partner]
    if not turn.setting.rules.support_follows() or turn.place[goal] not in turn.steps[number]:
        return False
    turn.aim[number] = goal
    return True


def _stand_still(turn: Turn, puzzle: Puzzle, state: State) -> None:
    """Where a paradox makes all its moves fail (Q-18): the carried armies and whoever attacks their fleets hold."""
    for fleet in state.paradox:
        for number in {turn.partner[fleet], *state.toward.get(fleet, ())}:
            if turn.goal[number] != number:
                turn.stay(number)
                puzzle.routes.pop(number, None)
                turn.settle(number, Result.FAILS, "bounced", ("paradox_holds", turn.units[fleet]), fleet)
                turn.early.append(turn.chosen[number])


def _unmatched(turn: Turn, number: int, sentence: str) -> None:
    partner, named = turn.partner[number], turn.to[number]
    turn.settle(number, Result.FAILS, "unmatched", (
        sentence, turn.units[partner], named or turn.place[turn.aim[number]]), partner)
    turn.stay(number)
    turn.early.append(turn.chosen[number])


def _finish(turn: Turn, state: State) -> Resolution:
    gaps = dislodgements.contested(turn, state)
    beaten = dislodgements.find(turn, state, gaps) if turn.lost else ()
    units, memory = turn.setting.rules.after_movement(turn, _standing(turn, state))
    after = years.Aftermath(units, turn.position.centres, beaten, gaps, memory)
    silent = [
        turn.units[n] for n, index in enumerate(turn.chosen) if index == NOBODY and n not in turn.torn
    ] if NOBODY in turn.chosen else ()
    return years.close(
        turn.setting, turn.position.phase, after, outcomes=_outcomes(turn), unordered=tuple(sorted(silent)),
        unresolved=tuple(turn.orders[turn.chosen[n]] for n in sorted(state.unresolved)))


def _standing(turn: Turn, state: State) -> frozenset[Unit]:
    """The units as they stand afterwards; the dislodged are not among them."""
    units, to = turn.units, turn.to
    gone = [units[number] for number in turn.lost]
    come = []
    for number in state.winners.values():
        unit, region = units[number], to[number]
        assert region is not None, "a move leads somewhere"
        gone.append(unit)
        come.append(moved(unit, region))
    return turn.position.units.difference(gone).union(come) if gone else turn.position.units


def _outcomes(turn: Turn) -> tuple[Outcome, ...]:
    """One for each order, as given; those of the dislodged say so, also where the order counted for nothing."""
    found: list[Any] = turn.outcomes
    assert all(found), "an order was left without an outcome"
    for index in turn.early if turn.lost else ():
        outcome = found[index]
        order = outcome.order
        if isinstance(order, UnitOrder) and outcome.reason != "no_such_unit" and turn.find(order) in turn.lost:
            found[index] = replace(outcome, dislodged=True)
    return tuple(found)
