"""The movement phase, start to finish."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adjudicator.context import Context
from adjudicator.orders import Order, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result, make_outcome, repeat_outcome
from adjudicator.phases import dislodgements, order_outcomes, year_end
from adjudicator.phases.assign_orders import assign_orders
from adjudicator.phases.legality import pick_coast
from adjudicator.phases.movement_sheet import MovementRules, MovementSheet
from adjudicator.position import Position
from adjudicator.solver import solve
from adjudicator.strength import NOBODY, MovementOrders, PartialResolution
from adjudicator.units import Unit, unit_in

_FAILS = Result.FAILS

def resolve(
    context: Context, rules: MovementRules, position: Position, orders: Sequence[Order]
) -> Resolution:
    """Judge a movement phase. The next position's phase is the retreats when somebody is dislodged, else what
    follows them. Raises KeyError when a unit is of a kind the setting does not have: our own fault."""
    sheet = MovementSheet(context, rules, rules.initial_deployment(context, position, orders), orders)
    repeats = assign_orders(sheet)
    rules.before_resolution(sheet)
    puzzle = _puzzle(sheet)
    state = solve(puzzle)
    while state.paradox_convoys and rules.convoy_paradox_fails_all_moves():
        _stand_still(sheet, puzzle, state)
        state = solve(puzzle)
    sheet.dislodged = frozenset(state.dislodged_units())
    order_outcomes.set_outcomes(sheet, state)
    for repeat, first in repeats.items():
        found: Any = sheet.outcomes[first]
        sheet.outcomes[repeat] = repeat_outcome(found, sheet.orders[repeat], dislodged=found.dislodged)
    return _finish(sheet, state)


def _puzzle(sheet: MovementSheet) -> MovementOrders:
    """What the solver sees: matched supports and convoys beside the moves; all else holds."""
    place, goal, partner, aim, to = (
        sheet.place,
        sheet.goal,
        sheet.partner,
        sheet.expected_goal,
        sheet.end_region,
    )
    sheet.supports = [
        number for number in sheet.supports
        if (goal[partner[number]] == aim[number] and to[number] is None) or _backs(sheet, number)
    ]
    fleets: dict[int, dict[int, str]] = {}
    for number in sheet.convoys:
        army = partner[number]
        if goal[army] == aim[number]:
            fleets.setdefault(army, {})[number] = place[number]
        else:
            _unmatched(sheet, number, "not_convoyed_there")
    sheet.convoys = [
        number for army, carrying in fleets.items() if _sails(sheet, army, carrying) for number in carrying
    ]
    routes = {
        army: sheet.sea.route(place[army], place[goal[army]], fleets.get(army, {})) for army in sheet.crossing
    }
    return MovementOrders(
        sheet.moves, sheet.supports, sheet.convoys, sheet.power, goal, partner, aim, sheet.base_defence,
        routes
    )


def _backs(sheet: MovementSheet, number: int) -> bool:
    """Whether a support is for what its partner does; one without a coast for its goal has been seen to
    be."""
    partner, aim = sheet.partner[number], sheet.expected_goal[number]
    if sheet.goal[partner] == aim:
        if _coast_fits(sheet, number, partner):
            return True
    elif partner == aim and _follows(sheet, number, partner):
        return True
    _unmatched(sheet, number, "moves_away" if partner == aim else "not_supported_there")
    return False


def _sails(sheet: MovementSheet, army: int, carrying: Iterable[int]) -> bool:
    """Whether an army goes over water, now that fleets convoy it. A convoy by an own fleet shows that it
    means to (DATC 4.A.3); a foreign one alone does not, and is then not matched."""
    if army in sheet.crossing:
        return True
    if any(sheet.power[fleet] == sheet.power[army] for fleet in carrying):
        sheet.crossing.add(army)
        return True
    for fleet in carrying:
        _unmatched(sheet, fleet, "goes_over_land")
    return False


def _coast_fits(sheet: MovementSheet, number: int, partner: int) -> bool:
    """A support may leave the coast out, but one that is named must be the one gone to (DATC 4.B.4)."""
    named, ends = sheet.end_region[number], sheet.end_region[partner]
    return named is None or ends is None or ends.coast is None or pick_coast(sheet, (ends,), named) == ends


def _follows(sheet: MovementSheet, number: int, partner: int) -> bool:
    """Whether a support in place of a unit that moves backs its move: not unless the rules say so (Q-15)."""
    goal = sheet.goal[partner]
    if not sheet.rules.support_follows_mover() or sheet.place[goal] not in sheet.steps[number]:
        return False
    sheet.expected_goal[number] = goal
    return True


def _stand_still(sheet: MovementSheet, orders: MovementOrders, state: PartialResolution) -> None:
    """Where a paradox makes all its moves fail (Q-18): the carried armies and whoever attacks their fleets
    hold."""
    for fleet in state.paradox_convoys:
        for number in {sheet.partner[fleet], *state.attackers.get(fleet, ())}:
            if sheet.goal[number] != number:
                sheet.let_hold(number)
                orders.routes.pop(number, None)
                sheet.set_outcome(number, _FAILS, "bounced", ("paradox_holds", sheet.units[fleet]), fleet)
                sheet.settled_early.append(sheet.order_index[number])


def _unmatched(sheet: MovementSheet, number: int, sentence: str) -> None:
    partner, named = sheet.partner[number], sheet.end_region[number]
    index = sheet.order_index[number]
    sheet.outcomes[index] = make_outcome(
        sheet.orders[index],
        _FAILS,
        "unmatched",
        sheet.unit_order[partner],
        (sheet.explainer, sentence, sheet.units[partner], named or sheet.place[sheet.expected_goal[number]]),
        False,
    )
    sheet.settled_early.append(index)


def _finish(sheet: MovementSheet, state: PartialResolution) -> Resolution:
    gaps = dislodgements.contested_provinces(sheet, state)
    beaten = (
        sheet.rules.dislodged_for_retreat(sheet, dislodgements.find_dislodged(sheet, state, gaps))
        if sheet.dislodged
        else ()
    )
    units, memory = sheet.rules.after_movement(sheet, _standing(sheet, state))
    following = year_end.next_phase(sheet.context, sheet.position.phase, beaten)
    after = Position(following, units, sheet.position.centres, beaten, gaps, memory)
    silent = [
        sheet.units[n] for n,
        index in enumerate(sheet.order_index) if index == NOBODY and n not in sheet.contradicted
    ] if NOBODY in sheet.order_index else ()
    undecided = (
        [sheet.orders[sheet.order_index[n]] for n in sorted(state.unresolved)] if state.unresolved else ()
    )
    return year_end.close_phase(sheet.context, sheet.rules, Resolution(
        _outcomes(sheet), after, beaten, gaps, tuple(sorted(silent)),
        disbanded=tuple(sorted(sheet.destroyed)),
        unresolved=tuple(undecided),
        notes=tuple(sheet.explainer.text(one) for one in sheet.notes) if sheet.notes else ()))


def _standing(sheet: MovementSheet, state: PartialResolution) -> frozenset[Unit]:
    """The units as they stand afterwards; the dislodged are not among them."""
    units = sheet.units
    to: Sequence[Any] = sheet.end_region
    left = state.winners.values()
    if not left:
        return sheet.position.units
    gone = [units[number] for number in (*left, *sheet.dislodged)]
    return sheet.position.units.difference(gone).union(
        [unit_in(units[number], to[number]) for number in left]
    )


def _outcomes(sheet: MovementSheet) -> tuple[Outcome, ...]:
    """One for each order, as given; those of the dislodged say so, also where the order counted for
    nothing."""
    found: list[Any] = sheet.outcomes
    assert all(found), "an order was left without an outcome"
    for index in sheet.settled_early if sheet.dislodged else ():
        order = sheet.orders[index]
        if (isinstance(order, UnitOrder) and sheet.unit_at.get(order.unit.region.province) in sheet.dislodged
                and found[index].reason != "no_such_unit" and sheet.ordered_unit(order) != NOBODY):
            found[index] = repeat_outcome(found[index], order, dislodged=True)
    return tuple(found)
