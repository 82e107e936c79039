"""Outcomes of the orders of a solved movement phase. What is void or unmatched has its outcome already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adjudicator.outcome import Result, outcome
from adjudicator.strength import FALSE, NOBODY, TRUE, State
from adjudicator.turn import Turn
from adjudicator.words import Odds

_SUCCEEDS, _FAILS = Result.SUCCEEDS, Result.FAILS

Verdict = tuple[Result, str | None, int, tuple[Any, ...]]
"""Result, reason, the unit whose order is the cause or NOBODY, and the sentence behind the `Words` that says it."""


def label(turn: Turn, state: State) -> None:
    """Settle every order that a unit carries out."""
    outcomes, given, chosen, lost = turn.outcomes, turn.given, turn.chosen, turn.lost
    for numbers, verdict in ((turn.moves, _move), (turn.supports, _support), (turn.convoys, _convoy)):
        for number in numbers:
            result, reason, cause, why = verdict(turn, state, number)
            outcomes[chosen[number]] = outcome(given[number], result, reason, given[cause], why, number in lost)
    if not all(outcomes):
        _label_rest(turn, state)


def _label_rest(turn: Turn, state: State) -> None:
    """Orders of units that hold, and those that only these rules know."""
    special = turn.setting.rules.LABELS
    orders: Sequence[Any] = turn.orders
    for index in [index for index, found in enumerate(turn.outcomes) if not found]:
        order = orders[index]
        number = turn.find(order)
        if turn.chosen[number] != index:
            continue  # it repeats another word for word
        verdict = special.get(type(order))
        if verdict is not None:
            verdict(turn, state, number)
        elif number in turn.lost:
            winner = state.winners[number]
            turn.settle(number, _FAILS, "dislodged", ("dislodged", turn.units[winner]), winner)
        else:
            turn.settle(number, _SUCCEEDS, None, ("holds",))


def attack_on(turn: Turn, state: State, number: int, *, own_too: bool = False) -> int:
    """A foreign attack that reaches a unit's place, or NOBODY; the first by name of the place it comes from."""
    power = turn.power
    return _first(turn, [
        m for m in state.toward.get(number, ())
        if state.path(m) == TRUE and (own_too or power[m] != power[number])
    ])


def _dislodged(turn: Turn, state: State, number: int) -> Verdict:
    winner = state.winners[number]
    return _FAILS, "dislodged", winner, (turn.words, "dislodged", turn.units[winner])


def _support(turn: Turn, state: State, number: int) -> Verdict:
    if state.known[number] == TRUE:
        partner = turn.partner[number]
        return _SUCCEEDS, None, partner, (turn.words, "support_given", turn.units[partner])
    if number in turn.lost:
        return _dislodged(turn, state, number)
    attacks = state.toward[number]
    # Of an unresolved set, which `Resolution.unresolved` lists, nobody may have cut it for certain.
    cutter = _first(turn, [m for m in attacks if state.path(m) == TRUE and state.may_cut(m, number)] or attacks)
    return _FAILS, "cut", cutter, (turn.words, "support_cut", turn.units[cutter], turn.units[number].region)


def _convoy(turn: Turn, state: State, number: int) -> Verdict:
    if number in turn.lost:
        return _dislodged(turn, state, number)
    army = turn.partner[number]
    if number in state.paradox:
        return _FAILS, "paradox", army, (turn.words, "paradox", turn.units[army])
    return _SUCCEEDS, None, army, (turn.words, "convoy_given", turn.units[army])


def _move(turn: Turn, state: State, number: int) -> Verdict:
    if state.known[number] == TRUE:
        return _moved(turn, number)
    if state.paths[number] != TRUE and state.path(number) == FALSE:
        return _stranded(turn, state, number)
    goal = turn.goal[number]
    rivals = state.toward[goal]
    if len(rivals) == 1:
        return _beaten_off(turn, state, number, goal)
    high = state.high[number]
    if goal < len(turn.units):
        high = state.attack(number)[1]
        if high <= state.opposition(number)[0]:
            return _beaten_off(turn, state, number, goal)
    rival = _first(turn, [m for m in rivals if m != number and high <= state.prevent(m)[0]])
    how = "beaten_to" if state.known[rival] == TRUE else "bounced_with"
    return _FAILS, "bounced", rival, (turn.words, how, turn.place[goal], turn.units[rival])


def _beaten_off(turn: Turn, state: State, number: int, holder: int) -> Verdict:
    """Stopped by the unit that stands at the goal, or that comes the other way."""
    unit = turn.units[holder]
    if turn.power[holder] == turn.power[number]:
        return _FAILS, "bounced", holder, (turn.words, "own_unit_stays", unit)
    how = "bounced_off" if state.duel[number] == NOBODY else "bounced_head_on"
    return _FAILS, "bounced", holder, (turn.words, how, unit, Odds(state, number))


def _moved(turn: Turn, number: int) -> Verdict:
    goal = turn.goal[number]
    over_water = number in turn.crossing
    to = turn.place[goal]
    if goal in turn.lost:
        how = "carried_in" if over_water else "moves_in"
        return _SUCCEEDS, None, goal, (turn.words, how, to, turn.units[goal])
    return _SUCCEEDS, None, NOBODY, (turn.words, "carried" if over_water else "moves", to)


def _stranded(turn: Turn, state: State, number: int) -> Verdict:
    route = state.puzzle.routes[number]
    broken = _first(turn, [f for f in route.links if state.known[f] == FALSE])
    if broken == NOBODY or not route.stands():
        return _FAILS, "no_convoy", NOBODY, (turn.words, "no_chain", turn.place[turn.goal[number]])
    winner = state.winners.get(broken, NOBODY)
    if winner == NOBODY:
        return _FAILS, "no_convoy", broken, (turn.words, "convoy_failed", turn.units[broken])
    return _FAILS, "no_convoy", winner, (turn.words, "fleet_lost", turn.units[broken], turn.units[winner])


def _first(turn: Turn, numbers: Iterable[int]) -> int:
    """The one whose place comes first by name, so that a cause never hangs on chance; NOBODY of none."""
    found = list(numbers)
    if len(found) == 1:
        return found[0]
    return min(found, key=turn.place.__getitem__, default=NOBODY)

