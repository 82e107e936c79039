"""Outcomes of the orders of a solved movement phase. What is void or unmatched has its outcome already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adjudicator.outcome import Result, outcome
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.strength import FALSE, NOBODY, TRUE, PartialResolution

_SUCCEEDS, _FAILS = Result.SUCCEEDS, Result.FAILS

Failure = tuple[str, int, tuple[Any, ...]]
"""Reason, the unit whose order is the cause or NOBODY, and the sentence behind the `Words` that says it."""


def label(turn: MovementSheet, state: PartialResolution) -> None:
    """Settle every order that a unit carries out."""
    _label_moves(turn, state)
    _label_helpers(turn, state)
    _label_holds(turn, state)
    if turn.setting.rules.LABELS:
        _label_rest(turn, state)


def _label_moves(turn: MovementSheet, state: PartialResolution) -> None:
    outcomes, given, chosen, lost = turn.outcomes, turn.given, turn.chosen, turn.lost
    known, words, crossing, place, goals = state.known, turn.words, turn.crossing, turn.place, turn.goal
    paths, toward = state.paths, state.toward
    for number in turn.moves:
        goal = goals[number]
        if known[number] != TRUE:
            if paths[number] == TRUE and len(toward[goal]) == 1:
                reason, cause, why = _beaten_off(turn, state, number, goal)
            else:
                reason, cause, why = _stopped(turn, state, number, goal)
            outcomes[chosen[number]] = outcome(
                given[number], _FAILS, reason, given[cause], why, number in lost
            )
            continue
        how = "carried" if number in crossing else "moves"
        if goal in lost:
            cause, why = goal, (words, how + "_in", place[goal], turn.units[goal])
        else:
            cause, why = NOBODY, (words, how, place[goal])
        outcomes[chosen[number]] = outcome(given[number], _SUCCEEDS, None, given[cause], why, False)


def _label_helpers(turn: MovementSheet, state: PartialResolution) -> None:
    """Supports and convoys. Those that are given have the order of the unit they help for a cause."""
    outcomes, given, chosen, lost = turn.outcomes, turn.given, turn.chosen, turn.lost
    known, words, partners, units = state.known, turn.words, turn.partner, turn.units
    for numbers, sentence, failed in (
            (turn.supports, "support_given", _cut), (turn.convoys, "convoy_given", _disrupted)):
        for number in numbers:
            if known[number] == TRUE:
                partner = partners[number]
                outcomes[chosen[number]] = outcome(
                    given[number], _SUCCEEDS, None, given[partner], (words, sentence, units[partner]), False)
            else:
                reason, cause, why = (
                    _beaten(turn, state, number) if number in lost else failed(turn, state, number)
                )
                outcomes[chosen[number]] = outcome(
                    given[number], _FAILS, reason, given[cause], why, number in lost
                )


def _label_holds(turn: MovementSheet, state: PartialResolution) -> None:
    outcomes, given, chosen, lost = turn.outcomes, turn.given, turn.chosen, turn.lost
    held = (turn.words, "holds")
    for number in turn.holds:
        if number in lost:
            reason, cause, why = _beaten(turn, state, number)
            outcomes[chosen[number]] = outcome(given[number], _FAILS, reason, given[cause], why, True)
        else:
            outcomes[chosen[number]] = outcome(given[number], _SUCCEEDS, None, None, held, False)


def _label_rest(turn: MovementSheet, state: PartialResolution) -> None:
    """Orders that only these rules know."""
    special = turn.setting.rules.LABELS
    orders: Sequence[Any] = turn.orders
    for index in [index for index, found in enumerate(turn.outcomes) if not found]:
        order = orders[index]
        number = turn.find(order)
        if turn.chosen[number] == index:  # otherwise it repeats another word for word
            special[type(order)](turn, state, number)


def attack_on(turn: MovementSheet, state: PartialResolution, number: int, *, own_too: bool = False) -> int:
    """A foreign attack that reaches a unit's place, or NOBODY; the first by name of the place it comes
    from."""
    power = turn.power
    return _first(turn, [
        m for m in state.toward.get(number, ())
        if state.path(m) == TRUE and (own_too or power[m] != power[number])
    ])


def _beaten(turn: MovementSheet, state: PartialResolution, number: int) -> Failure:
    winner = state.winners[number]
    return "dislodged", winner, (turn.words, "dislodged", turn.units[winner])


def _cut(turn: MovementSheet, state: PartialResolution, number: int) -> Failure:
    attacks = state.toward[number]
    # Of an unresolved set, which `Resolution.unresolved` lists, nobody may have cut it for certain.
    cutter = _first(
        turn, [m for m in attacks if state.path(m) == TRUE and state.may_cut(m, number)] or attacks
    )
    return "cut", cutter, (turn.words, "support_cut", turn.units[cutter], turn.units[number].region)


def _disrupted(turn: MovementSheet, _: PartialResolution, number: int) -> Failure:
    army = turn.partner[number]
    return "paradox", army, (turn.words, "paradox", turn.units[army])


def _stopped(turn: MovementSheet, state: PartialResolution, number: int, goal: int) -> Failure:
    """What stops a move: no way over water, who stands at the goal or comes from there, or another move."""
    if state.path(number) == FALSE:
        return _stranded(turn, state, number)
    rivals = state.toward[goal]
    high = state.high[number]
    if goal < len(turn.units):
        high = state.attack(number)[1]
        if high <= state.opposition(number)[0]:
            return _beaten_off(turn, state, number, goal)
    rival = _first(turn, [m for m in rivals if m != number and high <= state.prevent(m)[0]])
    how = "beaten_to" if state.known[rival] == TRUE else "bounced_with"
    return "bounced", rival, (turn.words, how, turn.place[goal], turn.units[rival])


def _beaten_off(turn: MovementSheet, state: PartialResolution, number: int, holder: int) -> Failure:
    """Stopped by the unit that stands at the goal, or that comes the other way."""
    unit = turn.units[holder]
    if turn.power[holder] == turn.power[number]:
        return "bounced", holder, (turn.words, "own_unit_stays", unit)
    how = "bounced_off" if state.duel[number] == NOBODY else "bounced_head_on"
    return "bounced", holder, (turn.words, how, unit, (state, number))


def _stranded(turn: MovementSheet, state: PartialResolution, number: int) -> Failure:
    route = state.puzzle.routes[number]
    broken = _first(turn, [f for f in route.links if state.known[f] == FALSE])
    if broken == NOBODY or not route.stands():
        return "no_convoy", NOBODY, (turn.words, "no_chain", turn.place[turn.goal[number]])
    winner = state.winners.get(broken, NOBODY)
    if winner == NOBODY:
        return "no_convoy", broken, (turn.words, "convoy_failed", turn.units[broken])
    return "no_convoy", winner, (turn.words, "fleet_lost", turn.units[broken], turn.units[winner])


def _first(turn: MovementSheet, numbers: Iterable[int]) -> int:
    """The one whose place comes first by name, so that a cause never hangs on chance; NOBODY of none."""
    found = list(numbers)
    if len(found) == 1:
        return found[0]
    return min(found, key=turn.place.__getitem__, default=NOBODY)

