"""Verdicts and reasons for the orders of a solved movement phase. What is void or unmatched is marked already."""

from __future__ import annotations

from collections.abc import Iterable

from adjudicator.outcome import Result
from adjudicator.strength import CONVOY, FALSE, HOLD, MOVE, NOBODY, SUPPORT, TRUE, State
from adjudicator.turn import Mark, Turn
from adjudicator.words import sentence


def label(turn: Turn, state: State) -> None:
    """Mark every order that a unit carries out."""
    labels = {HOLD: _hold, MOVE: _move, SUPPORT: _support, CONVOY: _convoy}
    extra = turn.setting.rules.LABELS
    for number, index in enumerate(turn.chosen):
        if index != NOBODY and turn.marks[index] is None:
            special = extra.get(type(turn.orders[index]))
            turn.marks[index] = (special or labels[turn.role[number]])(turn, state, number)


def dislodged(turn: Turn, state: State, number: int) -> Mark | None:
    """The mark of an order whose unit is beaten where it stands, or None."""
    winner = state.winner(turn.units[number].region.province)
    if winner == NOBODY:
        return None
    return Mark(Result.FAILS, "dislodged", sentence("dislodged by {0} from {1}", *_attacker(turn, winner)), winner)


def attack_on(turn: Turn, state: State, number: int, *, own_too: bool = False) -> int:
    """A foreign attack that reaches a unit's place, or NOBODY; the first by name of the place it comes from."""
    unit = turn.units[number]
    return _first(turn, (
        m for m in state.toward.get(unit.region.province, [])
        if state.path(m) == TRUE and (own_too or turn.units[m].power != unit.power)
    ))


def _attacker(turn: Turn, number: int) -> tuple[str, str]:
    unit = turn.units[number]
    return turn.setting.kinds[unit.kind].name, unit.region.province


def _hold(turn: Turn, state: State, number: int) -> Mark:
    return dislodged(turn, state, number) or Mark(Result.SUCCEEDS, None, sentence("holds"))


def _support(turn: Turn, state: State, number: int) -> Mark:
    if state.known[number] == TRUE:
        return Mark(Result.SUCCEEDS, None, sentence("support given to {0}", turn.units[turn.partner[number]]),
                    turn.partner[number])
    beaten = dislodged(turn, state, number)
    if beaten is not None:
        return beaten
    cutter = _first(turn, (
        m for m in state.toward.get(turn.units[number].region.province, [])
        if state.path(m) == TRUE and state.may_cut(m, number)
    ))
    return Mark(Result.FAILS, "cut", sentence(
        "support cut by {0}'s attack on {1}", turn.units[cutter], turn.units[number].region), cutter)


def _convoy(turn: Turn, state: State, number: int) -> Mark:
    beaten = dislodged(turn, state, number)
    if beaten is not None:
        return beaten
    army = turn.partner[number]
    if number in state.paradox:
        return Mark(Result.FAILS, "paradox", sentence(
            "convoy of {0} fails: it would decide the fight it depends on", turn.units[army]), army)
    return Mark(Result.SUCCEEDS, None, sentence("convoy given to {0}", turn.units[army]), army)


def _move(turn: Turn, state: State, number: int) -> Mark:
    if state.known[number] == TRUE:
        return _moved(turn, state, number)
    to = turn.goal[number] or ""
    if state.path(number) == FALSE:
        return _stranded(turn, state, number)
    opponent = state.duel[number]
    high = state.attack(number)[1]
    if opponent != NOBODY and high <= state.helped(opponent)[0]:
        return Mark(Result.FAILS, "bounced", sentence("bounced off {0}, which came the other way",
                                                      turn.units[opponent]), opponent)
    if opponent == NOBODY and high <= state.hold(to)[0]:
        return _bounced_off_holder(turn, state, number)
    rival = _first(turn, (
        m for m in state.toward[to] if m != number and high <= state.prevent(m)[0]
    ))
    verb = "beaten to {0} by {1}" if state.known[rival] == TRUE else "bounced at {0} with {1}"
    return Mark(Result.FAILS, "bounced", sentence(verb, to, turn.units[rival]), rival)


def _bounced_off_holder(turn: Turn, state: State, number: int) -> Mark:
    to = turn.goal[number] or ""
    holder = state.holder[to]
    unit = turn.units[holder]
    if unit.power == turn.units[number].power:
        why = sentence("bounced: {0} is of the same power and stays", unit)
    else:
        why = sentence("bounced off {0}: {1} against {2}", unit, state.attack(number)[1], state.hold(to)[0])
    return Mark(Result.FAILS, "bounced", why, holder)


def _moved(turn: Turn, state: State, number: int) -> Mark:
    to = turn.goal[number] or ""
    there = state.holder.get(to, NOBODY)
    stays = there != NOBODY and not (turn.role[there] == MOVE and state.known[there] == TRUE)
    arrives = "carried to {0}" if number in turn.crossing else "moves to {0}"
    if stays:
        return Mark(Result.SUCCEEDS, None, sentence(arrives + ", where {1} is dislodged", to, turn.units[there]), there)
    return Mark(Result.SUCCEEDS, None, sentence(arrives, to))


def _stranded(turn: Turn, state: State, number: int) -> Mark:
    fleets = state.puzzle.routes[number].links
    broken = _first(turn, (f for f in fleets if state.known[f] == FALSE))
    if broken == NOBODY:
        return Mark(Result.FAILS, "no_convoy", sentence("not carried: no whole chain of fleets was ordered to convoy"))
    winner = state.winner(turn.units[broken].region.province)
    if winner == NOBODY:
        return Mark(Result.FAILS, "no_convoy", sentence("not carried: the convoy of {0} fails", turn.units[broken]), broken)
    return Mark(Result.FAILS, "no_convoy", sentence(
        "not carried: {0} was dislodged by {1} from {2}", turn.units[broken], *_attacker(turn, winner)), winner)


def _first(turn: Turn, numbers: Iterable[int]) -> int:
    """The one whose place comes first by name, so that a cause never hangs on chance; NOBODY of none."""
    return min(numbers, key=lambda n: turn.units[n].region.province, default=NOBODY)
