"""Outcomes of the orders of a solved movement phase. What is void or unmatched has its outcome already."""

from __future__ import annotations

from collections.abc import Iterable

from adjudicator.outcome import Result
from adjudicator.strength import CONVOY, FALSE, HOLD, MOVE, NOBODY, SUPPORT, TRUE, State
from adjudicator.turn import Turn
from adjudicator.words import Odds, Sentence

_SUCCEEDS, _FAILS = Result.SUCCEEDS, Result.FAILS


def label(turn: Turn, state: State) -> None:
    """Settle every order that a unit carries out."""
    extra = turn.setting.rules.LABELS
    outcomes, role, orders = turn.outcomes, turn.role, turn.orders
    for number, index in enumerate(turn.chosen):
        if index != NOBODY and outcomes[index] is None:
            special = extra.get(type(orders[index])) if extra else None
            (special or _LABELS[role[number]])(turn, state, number)


def dislodged(turn: Turn, state: State, number: int) -> bool:
    """Settle the order of a unit that is beaten where it stands; whether it was."""
    winner = state.winners.get(turn.place[number], NOBODY)
    if winner == NOBODY:
        return False
    turn.settle(number, _FAILS, "dislodged", ("dislodged by {0}", turn.units[winner]), winner)
    return True


def attack_on(turn: Turn, state: State, number: int, *, own_too: bool = False) -> int:
    """A foreign attack that reaches a unit's place, or NOBODY; the first by name of the place it comes from."""
    power = turn.units[number].power
    return _first(turn, (
        m for m in state.toward.get(turn.place[number], ())
        if state.path(m) == TRUE and (own_too or turn.units[m].power != power)
    ))


def _hold(turn: Turn, state: State, number: int) -> None:
    if turn.place[number] not in state.winners or not dislodged(turn, state, number):
        turn.settle(number, _SUCCEEDS, None, ("holds",))


def _support(turn: Turn, state: State, number: int) -> None:
    if state.known[number] == TRUE:
        partner = turn.partner[number]
        turn.settle(number, _SUCCEEDS, None, ("support given to {0}", turn.units[partner]), partner)
    elif not dislodged(turn, state, number):
        cutter = _first(turn, (
            m for m in state.toward[turn.place[number]] if state.path(m) == TRUE and state.may_cut(m, number)
        ))
        turn.settle(number, _FAILS, "cut", (
            "support cut by {0}'s attack on {1}", turn.units[cutter], turn.units[number].region), cutter)


def _convoy(turn: Turn, state: State, number: int) -> None:
    if dislodged(turn, state, number):
        return
    army = turn.partner[number]
    if number in state.paradox:
        turn.settle(number, _FAILS, "paradox", (
            "convoy of {0} fails: it would decide the fight it depends on", turn.units[army]), army)
    else:
        turn.settle(number, _SUCCEEDS, None, ("convoy given to {0}", turn.units[army]), army)


def _move(turn: Turn, state: State, number: int) -> None:
    to = turn.goal[number]
    if state.known[number] == TRUE:
        _moved(turn, state, number)
    elif state.path(number) == FALSE:
        _stranded(turn, state, number)
    elif len(state.toward[to]) == 1 or state.attack(number)[1] <= state.opposition(number)[0]:
        _beaten_off(turn, state, number)
    else:
        high = state.attack(number)[1]
        rival = _first(turn, (m for m in state.toward[to] if m != number and high <= state.prevent(m)[0]))
        pattern = "beaten to {0} by {1}" if state.known[rival] == TRUE else "bounced at {0} with {1}"
        turn.settle(number, _FAILS, "bounced", (pattern, to, turn.units[rival]), rival)


def _beaten_off(turn: Turn, state: State, number: int) -> None:
    """Stopped by the unit that stands at the goal, or that comes the other way."""
    holder = state.holder[turn.goal[number]]
    unit = turn.units[holder]
    if unit.power == turn.units[number].power:
        why: Sentence = ("bounced: {0} is of the same power and stays", unit)
    elif state.duel[number] == NOBODY:
        why = ("bounced off {0}: {1}", unit, Odds(state, number))
    else:
        why = ("bounced off {0} coming the other way: {1}", unit, Odds(state, number))
    turn.settle(number, _FAILS, "bounced", why, holder)


def _moved(turn: Turn, state: State, number: int) -> None:
    to = turn.goal[number]
    there = state.holder.get(to, NOBODY)
    arrives = "carried to {0}" if number in turn.crossing else "moves to {0}"
    if there == NOBODY or there in state.movers:
        turn.settle(number, _SUCCEEDS, None, (arrives, to))
    else:
        turn.settle(number, _SUCCEEDS, None, (arrives + ", where {1} is dislodged", to, turn.units[there]), there)


def _stranded(turn: Turn, state: State, number: int) -> None:
    fleets = state.puzzle.routes[number].links
    broken = _first(turn, (f for f in fleets if state.known[f] == FALSE))
    if broken == NOBODY:
        turn.settle(number, _FAILS, "no_convoy", ("not carried: no whole chain of fleets was ordered to convoy",))
        return
    winner = state.winners.get(turn.place[broken], NOBODY)
    if winner == NOBODY:
        turn.settle(number, _FAILS, "no_convoy", ("not carried: the convoy of {0} fails", turn.units[broken]), broken)
    else:
        turn.settle(number, _FAILS, "no_convoy", (
            "not carried: {0} was dislodged by {1}", turn.units[broken], turn.units[winner]), winner)


def _first(turn: Turn, numbers: Iterable[int]) -> int:
    """The one whose place comes first by name, so that a cause never hangs on chance; NOBODY of none."""
    found = list(numbers)
    if len(found) == 1:
        return found[0]
    return min(found, key=turn.place.__getitem__, default=NOBODY)


_LABELS = {HOLD: _hold, MOVE: _move, SUPPORT: _support, CONVOY: _convoy}
