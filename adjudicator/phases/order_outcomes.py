"""Outcomes of the orders of a solved movement phase. Void and unmatched orders have theirs already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adjudicator.outcome import Result, make_outcome
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.strength import FALSE, NOBODY, TRUE, PartialResolution

_SUCCEEDS, _FAILS = Result.SUCCEEDS, Result.FAILS

Failure = tuple[str, int, tuple[Any, ...]]
"""Reason, the unit whose order is the cause or NOBODY, and an `Explainer` with the sentence for it. A plain
tuple, because some hundred are made and taken apart in a full phase."""


def set_outcomes(sheet: MovementSheet, state: PartialResolution) -> None:
    """Set the outcome of every order that a unit carries out."""
    _set_moves(sheet, state)
    _set_helpers(sheet, state)
    _set_holds(sheet, state)
    if sheet.rules.OUTCOME_RULES:
        _set_others(sheet, state)


def _set_moves(sheet: MovementSheet, state: PartialResolution) -> None:
    outcomes, unit_order, order_index = sheet.outcomes, sheet.unit_order, sheet.order_index
    verdicts, explainer, place, dislodged = state.verdicts, sheet.explainer, sheet.place, sheet.dislodged
    paths, attackers = state.path_verdicts, state.attackers
    for number in sheet.moves:
        goal = sheet.goal[number]
        if verdicts[number] != TRUE:
            if paths[number] == TRUE and len(attackers[goal]) == 1:
                reason, cause, why = _held_off(sheet, state, number, goal)
            else:
                reason, cause, why = _stopped(sheet, state, number, goal)
            outcomes[order_index[number]] = make_outcome(
                unit_order[number], _FAILS, reason, unit_order[cause], why, number in dislodged
            )
            continue
        sentence = "carried" if number in sheet.crossing else "moves"
        if goal in dislodged:
            cause, why = goal, (
                explainer, sentence + "_in", place[goal], sheet.units[goal], (state, number))
        elif len(attackers[goal]) > 1 and (rival := _beaten_rival(sheet, state, number, goal)) != NOBODY:
            cause, why = NOBODY, (
                explainer, sentence + "_first", place[goal], sheet.units[rival], (state, number, rival))
        else:
            cause, why = NOBODY, (explainer, sentence, place[goal])
        outcomes[order_index[number]] = make_outcome(
            unit_order[number], _SUCCEEDS, None, unit_order[cause], why, False)


def _beaten_rival(sheet: MovementSheet, state: PartialResolution, winner: int, goal: int) -> int:
    """The strongest of the moves that a winner kept out of its goal; NOBODY if none of them got there."""
    arriving = [m for m in state.attackers[goal] if m != winner and state.prevent_strength(m)[0] > 0]
    most = max((state.prevent_strength(m)[0] for m in arriving), default=0)
    return _first(sheet, [m for m in arriving if state.prevent_strength(m)[0] == most])


def _set_helpers(sheet: MovementSheet, state: PartialResolution) -> None:
    """Supports and convoys. The cause of one that is given is the order of the unit it helps."""
    outcomes, unit_order, order_index = sheet.outcomes, sheet.unit_order, sheet.order_index
    verdicts, explainer, partners, units = state.verdicts, sheet.explainer, sheet.partner, sheet.units
    dislodged = sheet.dislodged
    for numbers, sentence, failed in (
            (sheet.supports, "support_given", _cut), (sheet.convoys, "convoy_given", _disrupted)):
        for number in numbers:
            if verdicts[number] == TRUE:
                partner = partners[number]
                outcomes[order_index[number]] = make_outcome(
                    unit_order[number], _SUCCEEDS, None, unit_order[partner],
                    (explainer, sentence, units[partner]), False)
            else:
                reason, cause, why = (
                    _dislodged(sheet, state, number) if number in dislodged else failed(sheet, state, number)
                )
                outcomes[order_index[number]] = make_outcome(
                    unit_order[number], _FAILS, reason, unit_order[cause], why, number in dislodged
                )


def _set_holds(sheet: MovementSheet, state: PartialResolution) -> None:
    outcomes, unit_order, order_index = sheet.outcomes, sheet.unit_order, sheet.order_index
    holds = (sheet.explainer, "holds")
    for number in sheet.holds:
        if number in sheet.dislodged:
            winner = state.winners[number]
            outcomes[order_index[number]] = make_outcome(
                unit_order[number], _FAILS, "dislodged", unit_order[winner],
                (sheet.explainer, "holder_dislodged", sheet.units[winner]), True)
        else:
            outcomes[order_index[number]] = make_outcome(
                unit_order[number], _SUCCEEDS, None, None, holds, False)


def _set_others(sheet: MovementSheet, state: PartialResolution) -> None:
    """Orders that only these rules know."""
    outcome_rules = sheet.rules.OUTCOME_RULES
    orders: Sequence[Any] = sheet.orders
    for index in [index for index, outcome in enumerate(sheet.outcomes) if not outcome]:
        order = orders[index]
        number = sheet.ordered_unit(order)
        if sheet.order_index[number] == index:  # otherwise it repeats another order word for word
            outcome_rules[type(order)](sheet, state, number)


def attack_on(sheet: MovementSheet, state: PartialResolution, number: int, *, own_too: bool = False) -> int:
    """The unit whose attack reaches a unit's place, or NOBODY; of several the first by the name of its place.
    Attacks by the unit's own power count only if `own_too`."""
    power = sheet.power
    return _first(sheet, [
        attacker for attacker in state.attackers.get(number, ())
        if state.path_verdict(attacker) == TRUE and (own_too or power[attacker] != power[number])
    ])


def _dislodged(sheet: MovementSheet, state: PartialResolution, number: int) -> Failure:
    winner = state.winners[number]
    return "dislodged", winner, (sheet.explainer, "dislodged", sheet.units[winner])


def _cut(sheet: MovementSheet, state: PartialResolution, number: int) -> Failure:
    attacks = state.attackers[number]
    # Of an unresolved set, which `Resolution.unresolved` lists, no unit may have cut it for certain.
    cutter = _first(
        sheet, [m for m in attacks if state.path_verdict(m) == TRUE and state.may_cut(m, number)] or attacks
    )
    return "cut", cutter, (sheet.explainer, "support_cut", sheet.units[cutter], sheet.units[number].region)


def _disrupted(sheet: MovementSheet, _: PartialResolution, number: int) -> Failure:
    """A convoy fails without its fleet being dislodged only in a paradox."""
    army = sheet.partner[number]
    return "paradox", army, (sheet.explainer, "paradox", sheet.units[army])


def _stopped(sheet: MovementSheet, state: PartialResolution, number: int, goal: int) -> Failure:
    """Obstacles to a move: no convoy, a unit that stays at the goal or comes from there, or another move."""
    if state.path_verdict(number) == FALSE:
        return _not_carried(sheet, state, number)
    rivals = state.attackers[goal]
    strength = state.max_strength[number]
    if goal < len(sheet.units):
        strength = state.attack_strength(number)[1]
        if strength <= state.opposing_strength(number)[0]:
            return _held_off(sheet, state, number, goal)
    rival = _first(sheet, [m for m in rivals if m != number and strength <= state.prevent_strength(m)[0]])
    sentence = "beaten_to" if state.verdicts[rival] == TRUE else "bounced_with"
    return "bounced", rival, (sheet.explainer, sentence, sheet.place[goal], sheet.units[rival])


def _held_off(sheet: MovementSheet, state: PartialResolution, number: int, holder: int) -> Failure:
    """Stopped by the unit that is at the goal, or that comes the other way."""
    unit = sheet.units[holder]
    # DATC 6.D.10 and 6.E.2: no power dislodges its own unit, so strengths do not matter and are not reported.
    if sheet.power[holder] == sheet.power[number]:
        return "bounced", holder, (sheet.explainer, "own_unit_stays", unit)
    # Equal strengths stand off; a stronger holder beats the move back.
    is_beaten = state.attack_strength(number)[1] < state.opposing_strength(number)[0]
    if state.head_to_head[number] == NOBODY:
        sentence = "beaten_off" if is_beaten else "bounced_off"
    else:
        sentence = "beaten_head_on" if is_beaten else "bounced_head_on"
    return "bounced", holder, (sheet.explainer, sentence, unit, (state, number))


def _not_carried(sheet: MovementSheet, state: PartialResolution, number: int) -> Failure:
    route = state.orders.routes[number]
    failed_fleet = _first(sheet, [fleet for fleet in route.links if state.verdicts[fleet] == FALSE])
    # A route that was never whole must not blame a lost fleet.
    if failed_fleet == NOBODY or not route.joins():
        return "no_convoy", NOBODY, (sheet.explainer, "no_chain", sheet.place[sheet.goal[number]])
    winner = state.winners.get(failed_fleet, NOBODY)
    if winner == NOBODY:
        return "no_convoy", failed_fleet, (sheet.explainer, "convoy_failed", sheet.units[failed_fleet])
    return "no_convoy", winner, (
        sheet.explainer, "fleet_lost", sheet.units[failed_fleet], sheet.units[winner])


def _first(sheet: MovementSheet, numbers: Iterable[int]) -> int:
    """The unit whose place comes first by name, so that a cause never depends on chance; NOBODY if there are
    none."""
    candidates = list(numbers)
    if len(candidates) == 1:
        return candidates[0]
    return min(candidates, key=sheet.place.__getitem__, default=NOBODY)
