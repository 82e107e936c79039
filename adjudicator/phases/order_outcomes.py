"""Outcomes of the orders of a solved movement phase. What is void or unmatched has its outcome already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adjudicator.outcome import Result, make_outcome
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.strength import FALSE, NOBODY, TRUE, PartialResolution

_SUCCEEDS, _FAILS = Result.SUCCEEDS, Result.FAILS

Failure = tuple[str, int, tuple[Any, ...]]
"""Reason, the unit whose order is the cause or NOBODY, and the sentence behind the `Words` that says it."""


def set_outcomes(sheet: MovementSheet, state: PartialResolution) -> None:
    """Settle every order that a unit carries out."""
    _label_moves(sheet, state)
    _label_helpers(sheet, state)
    _label_holds(sheet, state)
    if sheet.rules.OUTCOME_RULES:
        _label_rest(sheet, state)


def _label_moves(sheet: MovementSheet, state: PartialResolution) -> None:
    outcomes, given, chosen, lost = sheet.outcomes, sheet.unit_order, sheet.order_index, sheet.dislodged
    known, words, crossing, place, goals = (
        state.verdicts,
        sheet.explainer,
        sheet.crossing,
        sheet.place,
        sheet.goal,
    )
    paths, toward = state.path_verdicts, state.attackers
    for number in sheet.moves:
        goal = goals[number]
        if known[number] != TRUE:
            if paths[number] == TRUE and len(toward[goal]) == 1:
                reason, cause, why = _beaten_off(sheet, state, number, goal)
            else:
                reason, cause, why = _stopped(sheet, state, number, goal)
            outcomes[chosen[number]] = make_outcome(
                given[number], _FAILS, reason, given[cause], why, number in lost
            )
            continue
        how = "carried" if number in crossing else "moves"
        if goal in lost:
            cause, why = goal, (words, how + "_in", place[goal], sheet.units[goal])
        else:
            cause, why = NOBODY, (words, how, place[goal])
        outcomes[chosen[number]] = make_outcome(given[number], _SUCCEEDS, None, given[cause], why, False)


def _label_helpers(sheet: MovementSheet, state: PartialResolution) -> None:
    """Supports and convoys. Those that are given have the order of the unit they help for a cause."""
    outcomes, given, chosen, lost = sheet.outcomes, sheet.unit_order, sheet.order_index, sheet.dislodged
    known, words, partners, units = state.verdicts, sheet.explainer, sheet.partner, sheet.units
    for numbers, sentence, failed in (
            (sheet.supports, "support_given", _cut), (sheet.convoys, "convoy_given", _disrupted)):
        for number in numbers:
            if known[number] == TRUE:
                partner = partners[number]
                outcomes[chosen[number]] = make_outcome(
                    given[number], _SUCCEEDS, None, given[partner], (words, sentence, units[partner]), False)
            else:
                reason, cause, why = (
                    _beaten(sheet, state, number) if number in lost else failed(sheet, state, number)
                )
                outcomes[chosen[number]] = make_outcome(
                    given[number], _FAILS, reason, given[cause], why, number in lost
                )


def _label_holds(sheet: MovementSheet, state: PartialResolution) -> None:
    outcomes, given, chosen, lost = sheet.outcomes, sheet.unit_order, sheet.order_index, sheet.dislodged
    held = (sheet.explainer, "holds")
    for number in sheet.holds:
        if number in lost:
            reason, cause, why = _beaten(sheet, state, number)
            outcomes[chosen[number]] = make_outcome(given[number], _FAILS, reason, given[cause], why, True)
        else:
            outcomes[chosen[number]] = make_outcome(given[number], _SUCCEEDS, None, None, held, False)


def _label_rest(sheet: MovementSheet, state: PartialResolution) -> None:
    """Orders that only these rules know."""
    special = sheet.rules.OUTCOME_RULES
    orders: Sequence[Any] = sheet.orders
    for index in [index for index, found in enumerate(sheet.outcomes) if not found]:
        order = orders[index]
        number = sheet.ordered_unit(order)
        if sheet.order_index[number] == index:  # otherwise it repeats another word for word
            special[type(order)](sheet, state, number)


def attack_on(sheet: MovementSheet, state: PartialResolution, number: int, *, own_too: bool = False) -> int:
    """A foreign attack that reaches a unit's place, or NOBODY; the first by name of the place it comes
    from."""
    power = sheet.power
    return _first(sheet, [
        m for m in state.attackers.get(number, ())
        if state.path_verdict(m) == TRUE and (own_too or power[m] != power[number])
    ])


def _beaten(sheet: MovementSheet, state: PartialResolution, number: int) -> Failure:
    winner = state.winners[number]
    return "dislodged", winner, (sheet.explainer, "dislodged", sheet.units[winner])


def _cut(sheet: MovementSheet, state: PartialResolution, number: int) -> Failure:
    attacks = state.attackers[number]
    # Of an unresolved set, which `Resolution.unresolved` lists, nobody may have cut it for certain.
    cutter = _first(
        sheet, [m for m in attacks if state.path_verdict(m) == TRUE and state.may_cut(m, number)] or attacks
    )
    return "cut", cutter, (sheet.explainer, "support_cut", sheet.units[cutter], sheet.units[number].region)


def _disrupted(sheet: MovementSheet, _: PartialResolution, number: int) -> Failure:
    army = sheet.partner[number]
    return "paradox", army, (sheet.explainer, "paradox", sheet.units[army])


def _stopped(sheet: MovementSheet, state: PartialResolution, number: int, goal: int) -> Failure:
    """What stops a move: no way over water, who stands at the goal or comes from there, or another move."""
    if state.path_verdict(number) == FALSE:
        return _stranded(sheet, state, number)
    rivals = state.attackers[goal]
    high = state.max_strength[number]
    if goal < len(sheet.units):
        high = state.attack_strength(number)[1]
        if high <= state.opposing_strength(number)[0]:
            return _beaten_off(sheet, state, number, goal)
    rival = _first(sheet, [m for m in rivals if m != number and high <= state.prevent_strength(m)[0]])
    how = "beaten_to" if state.verdicts[rival] == TRUE else "bounced_with"
    return "bounced", rival, (sheet.explainer, how, sheet.place[goal], sheet.units[rival])


def _beaten_off(sheet: MovementSheet, state: PartialResolution, number: int, holder: int) -> Failure:
    """Stopped by the unit that stands at the goal, or that comes the other way."""
    unit = sheet.units[holder]
    if sheet.power[holder] == sheet.power[number]:
        return "bounced", holder, (sheet.explainer, "own_unit_stays", unit)
    how = "bounced_off" if state.head_to_head[number] == NOBODY else "bounced_head_on"
    return "bounced", holder, (sheet.explainer, how, unit, (state, number))


def _stranded(sheet: MovementSheet, state: PartialResolution, number: int) -> Failure:
    route = state.orders.routes[number]
    broken = _first(sheet, [f for f in route.links if state.verdicts[f] == FALSE])
    if broken == NOBODY or not route.joins():
        return "no_convoy", NOBODY, (sheet.explainer, "no_chain", sheet.place[sheet.goal[number]])
    winner = state.winners.get(broken, NOBODY)
    if winner == NOBODY:
        return "no_convoy", broken, (sheet.explainer, "convoy_failed", sheet.units[broken])
    return "no_convoy", winner, (sheet.explainer, "fleet_lost", sheet.units[broken], sheet.units[winner])


def _first(sheet: MovementSheet, numbers: Iterable[int]) -> int:
    """The one whose place comes first by name, so that a cause never hangs on chance; NOBODY of none."""
    found = list(numbers)
    if len(found) == 1:
        return found[0]
    return min(found, key=sheet.place.__getitem__, default=NOBODY)

