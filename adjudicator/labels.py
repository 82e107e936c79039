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
    turn.settle(number, _FAILS, "dislodged", ("dislodged", turn.units[winner]), winner)
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
        turn.settle(number, _SUCCEEDS, None, ("support_given", turn.units[partner]), partner)
    elif not dislodged(turn, state, number):
        cutter = _first(turn, (
            m for m in state.toward[turn.place[number]] if state.path(m) == TRUE and state.may_cut(m, number)
        ))
        turn.settle(number, _FAILS, "cut", (
            "support_cut", turn.units[cutter], turn.units[number].region), cutter)


def _convoy(turn: Turn, state: State, number: int) -> None:
    if dislodged(turn, state, number):
        return
    army = turn.partner[number]
    if number in state.paradox:
        turn.settle(number, _FAILS, "paradox", (
            "paradox", turn.units[army]), army)
    else:
        turn.settle(number, _SUCCEEDS, None, ("convoy_given", turn.units[army]), army)


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
        how = "beaten_to" if state.known[rival] == TRUE else "bounced_with"
        turn.settle(number, _FAILS, "bounced", (how, to, turn.units[rival]), rival)


def _beaten_off(turn: Turn, state: State, number: int) -> None:
    """Stopped by the unit that stands at the goal, or that comes the other way."""
    holder = state.holder[turn.goal[number]]
    unit = turn.units[holder]
    if unit.power == turn.units[number].power:
        why: Sentence = ("own_unit_stays", unit)
    elif state.duel[number] == NOBODY:
        why = ("bounced_off", unit, Odds(state, number))
    else:
        why = ("bounced_head_on", unit, Odds(state, number))
    turn.settle(number, _FAILS, "bounced", why, holder)


def _moved(turn: Turn, state: State, number: int) -> None:
    to = turn.goal[number]
    there = state.holder.get(to, NOBODY)
    over_water = number in turn.crossing
    if there == NOBODY or there in state.movers:
        turn.settle(number, _SUCCEEDS, None, ("carried" if over_water else "moves", to))
    else:
        how = "carried_in" if over_water else "moves_in"
        turn.settle(number, _SUCCEEDS, None, (how, to, turn.units[there]), there)


def _stranded(turn: Turn, state: State, number: int) -> None:
    route = state.puzzle.routes[number]
    broken = _first(turn, (f for f in route.links if state.known[f] == FALSE))
    if broken == NOBODY or not route.stands(frozenset(route.links)):
        turn.settle(number, _FAILS, "no_convoy", ("no_chain", turn.goal[number]))
        return
    winner = state.winners.get(turn.place[broken], NOBODY)
    if winner == NOBODY:
        turn.settle(number, _FAILS, "no_convoy", ("convoy_failed", turn.units[broken]), broken)
    else:
        turn.settle(number, _FAILS, "no_convoy", (
            "fleet_lost", turn.units[broken], turn.units[winner]), winner)


def _first(turn: Turn, numbers: Iterable[int]) -> int:
    """The one whose place comes first by name, so that a cause never hangs on chance; NOBODY of none."""
    found = list(numbers)
    if len(found) == 1:
        return found[0]
    return min(found, key=turn.place.__getitem__, default=NOBODY)


_LABELS = {HOLD: _hold, MOVE: _move, SUPPORT: _support, CONVOY: _convoy}
