"""The movement phase from start to finish."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence, note_misnamed
from adjudicator.orders import Order, UnitOrder, meaning
from adjudicator.outcome import Outcome, Resolution, Result, make_outcome, repeat_outcome
from adjudicator.phases import dislodgements, order_outcomes, year_end
from adjudicator.phases.legality import CHECKS, pick_coast
from adjudicator.phases.movement_sheet import Check, MovementRules, MovementSheet
from adjudicator.position import Position
from adjudicator.solver import solve
from adjudicator.strength import NOBODY, MovementOrders, PartialResolution
from adjudicator.units import Unit, unit_in

_CHECKS: dict[type[MovementRules], dict[type[Order], Check | None]] = {}

IndexesByUnit = dict[int, list[int]]
"""Unit number to the orders that one power wrote for it, by their place in the list."""


def assign_orders(sheet: MovementSheet) -> dict[int, int]:
    """Fill in the sheet what units are ordered, and void every order that no unit carries out.

    Returns the orders that repeat another one, each with the order it repeats: they share its outcome.
    """
    sheet.commanders = sheet.rules.commanders(sheet)
    # The orders that need a second look. Of one unit's orders those by its owner and by its commander are
    # kept apart: the commander's replace the owner's, and each may repeat or contradict itself.
    by_owner, by_commander = _read(sheet)
    repeats: dict[int, int] = {}
    for number, power in sheet.commanders.items():
        if number in by_commander or not sheet.rules.owner_replaces_silent_commander():
            cause = sheet.orders[by_commander[number][0]] if number in by_commander else None
            for index in by_owner.pop(number, ()):
                sheet.void(index, "overridden", "under_orders", power, sheet.units[number], cause=cause)
    for indexes_by_unit in (by_owner, by_commander):
        for number, indexes in indexes_by_unit.items():
            _choose(sheet, number, indexes, repeats)
    return repeats


def _read(sheet: MovementSheet) -> tuple[IndexesByUnit, IndexesByUnit]:
    """Give each unit its owner's order where that is the only one, which is nearly always. Returns the others
    that may count: owners' orders for a unit with several or given in proxy, and those of commanders."""
    by_owner: IndexesByUnit = {}
    by_commander: IndexesByUnit = {}
    checks = _checks(type(sheet.rules))
    unit_at, order_index, unit_order, kinds = sheet.unit_at, sheet.order_index, sheet.unit_order, sheet.kind
    # The power whose plain order a unit takes; one entry more for NOBODY. Units given in proxy take no
    # unit's.
    obeys = [*sheet.power, None]
    for number in sheet.commanders:
        obeys[number] = None
    orders: Sequence[Any] = sheet.orders
    for index, order in enumerate(orders):
        check = checks.get(type(order))
        if check is None:
            if sheet.outcomes[index] is None:
                sheet.void(index, "illegal", "no_movement_order")
            continue
        unit = order.unit
        number = unit_at.get(unit.region.province, NOBODY)
        # Nearly every order is plain and is taken here without a further call.
        if unit_order[number] is None and order.power == obeys[number] and unit.kind == kinds[number]:
            order_index[number] = index
            unit_order[number] = order
            fault = check(sheet, number, order)
            if fault is not None:
                sheet.void(index, "illegal", *fault)
        else:
            _read_unusual(sheet, index, order, by_owner, by_commander)
    return by_owner, by_commander


def _checks(rules: type[MovementRules]) -> dict[type[Order], Check | None]:
    """The legality check of each class of order that the rules take. Both tables belong to the class of the
    rules, so they are joined once."""
    if rules not in _CHECKS:
        _CHECKS[rules] = {
            order_class: CHECKS.get(order_class) or rules.CHECKS.get(order_class)
            for order_class in rules.ORDERS[PhaseKind.MOVEMENT]
        }
    return _CHECKS[rules]


def _read_unusual(
    sheet: MovementSheet, index: int, order: UnitOrder, by_owner: IndexesByUnit, by_commander: IndexesByUnit
) -> None:
    """Read an order for no unit or a foreign one, a second one for a unit, or one without the
    kind of unit."""
    number = sheet.ordered_unit(order)
    if number == NOBODY:
        sheet.void(index, "no_such_unit", "no_unit", order.unit)
        return
    if order.power in (sheet.power[number], sheet.commanders.get(number)):
        note_misnamed(sheet.notes, order.unit, sheet.units[number])
    if order.power != sheet.power[number]:
        if order.power == sheet.commanders.get(number):
            by_commander.setdefault(number, []).append(index)
        else:
            # DATC 6.A.6: giving orders to another power's unit.
            sheet.void(index, "no_such_unit", "not_ones_own", sheet.units[number], order.power)
    elif number in sheet.commanders:
        by_owner.setdefault(number, []).append(index)
    elif sheet.order_index[number] == NOBODY:
        _assign(sheet, number, index)
    else:
        by_owner.setdefault(number, [sheet.order_index[number]]).append(index)


def _choose(sheet: MovementSheet, number: int, indexes: Sequence[int], repeats: dict[int, int]) -> None:
    """Choose among several orders by one power: the same order twice is one order, an impossible one is
    passed over where another is possible (Q-77, DATC 4.E.1), and different ones leave the unit holding
    (Q-16)."""
    first = indexes[0]
    # A line that leaves out the unit's type, or its coast, is not a second order for it.
    different = [i for i in indexes[1:] if not _same_meaning(sheet.orders[i], sheet.orders[first])]
    faults = _faults(sheet, number, indexes) if different else {}
    possible = [i for i in indexes if i not in faults]
    if faults and possible:
        for index, fault in faults.items():
            sheet.void(index, "illegal", *fault)
        _choose(sheet, number, possible, repeats)
        return
    repeats.update((i, first) for i in indexes[1:] if i not in different)
    if not different:
        _assign(sheet, number, first)
    elif sheet.rules.first_of_two_orders_counts():
        _assign(sheet, number, first)
        for index in different:
            sheet.void(index, "illegal", "ordered_already", sheet.units[number], cause=sheet.orders[first])
    else:
        # It was ordered: the results must not state that it had no order.
        sheet.contradicted.add(number)
        for index in (first, *different):
            other = sheet.orders[different[0] if index == first else first]
            sheet.void(index, "illegal", "two_orders", sheet.units[number], cause=other)


def _faults(sheet: MovementSheet, number: int, indexes: Iterable[int]) -> dict[int, Sentence]:
    """The fault of each impossible order of a unit, by the order's place in the list.
    The unit is left holding, without an order."""
    checks = _checks(type(sheet.rules))
    faults: dict[int, Sentence] = {}
    for index in indexes:
        # A check enters on the sheet what the solver needs, which the next one must not find.
        sheet.let_hold(number)
        sheet.assign_order(number, index)
        check = checks[type(sheet.orders[index])]
        fault = check(sheet, number, sheet.orders[index]) if check is not None else None
        if fault is not None:
            faults[index] = fault
    sheet.let_hold(number)
    sheet.assign_order(number, NOBODY)
    return faults


def _assign(sheet: MovementSheet, number: int, index: int) -> None:
    """Make a unit carry out an order, unless it does so already."""
    if sheet.order_index[number] == index:
        return
    sheet.assign_order(number, index)
    order = sheet.orders[index]
    check = _checks(type(sheet.rules))[type(order)]
    fault = check(sheet, number, order) if check is not None else None
    if fault is not None:
        sheet.void(index, "illegal", *fault)


def _same_meaning(order: Order, other: Order) -> bool:
    return isinstance(order, UnitOrder) and isinstance(other, UnitOrder) and meaning(order) == meaning(other)


_FAILS = Result.FAILS


def resolve(
    context: Context, rules: MovementRules, position: Position, orders: Sequence[Order]
) -> Resolution:
    """Judge a movement phase. The next phase is the retreats if a dislodged unit has a place to go,
    else what follows them.

    1. Deploy, where rules let orders show how units begin. 2. Read the orders. 3. Match supports and convoys
    with moves. 4. Solve. 5. Word the outcomes. 6. The board afterwards, and the end of the year if it is one.
    Raises KeyError for a unit of a kind that the context does not have, which is our own fault.
    """
    sheet = MovementSheet(context, rules, rules.initial_deployment(context, position, orders), orders)
    repeats = assign_orders(sheet)
    # The last moment at which a rule set can change an order: after it the sheet's lists go to the solver.
    rules.before_resolution(sheet)
    matched = _matched_orders(sheet)
    state = solve(matched)
    # Failed moves may open a further paradox, so the rest is solved again.
    while state.paradox_convoys and rules.convoy_paradox_fails_all_moves():
        _fail_paradox_moves(sheet, matched, state)
        state = solve(matched)
    sheet.dislodged = frozenset(state.dislodged_units())
    order_outcomes.set_outcomes(sheet, state)
    for repeat, first in repeats.items():
        outcome: Any = sheet.outcomes[first]
        sheet.outcomes[repeat] = repeat_outcome(outcome, sheet.orders[repeat], dislodged=outcome.dislodged)
    return _finish(sheet, state)


def _matched_orders(sheet: MovementSheet) -> MovementOrders:
    """The input of the solver: the moves, and the supports and convoys that match one. All others hold."""
    place, goal, partner, expected_goal = sheet.place, sheet.goal, sheet.partner, sheet.expected_goal
    end_region = sheet.end_region
    sheet.supports = [
        number for number in sheet.supports
        if (goal[partner[number]] == expected_goal[number] and end_region[number] is None)
        or _support_matches(sheet, number)
    ]
    fleets: dict[int, dict[int, str]] = {}
    for number in sheet.convoys:
        army = partner[number]
        if goal[army] == expected_goal[number]:
            fleets.setdefault(army, {})[number] = place[number]
        else:
            # An unmatched convoy leaves its fleet holding, which may be supported (DATC 6.D.27).
            _leave_unmatched(sheet, number, "not_convoyed_there")
    sheet.convoys = [
        number for army, carrying in fleets.items() if _goes_by_convoy(sheet, army, carrying)
        for number in carrying
    ]
    routes = {
        army: sheet.sea.route(place[army], place[goal[army]], fleets.get(army, {}))
        for army in sheet.crossing
    }
    return MovementOrders(
        sheet.moves, sheet.supports, sheet.convoys, sheet.power, goal, partner, expected_goal,
        sheet.base_defence, routes
    )


def _support_matches(sheet: MovementSheet, number: int) -> bool:
    """True if a support is for what its partner does. One without a coast was matched already if it is."""
    partner, expected_goal = sheet.partner[number], sheet.expected_goal[number]
    if sheet.goal[partner] == expected_goal:
        if _coast_fits(sheet, number, partner):
            return True
    elif partner == expected_goal and _follows(sheet, number, partner):
        return True
    _leave_unmatched(sheet, number, "moves_away" if partner == expected_goal else "not_supported_there")
    return False


def _goes_by_convoy(sheet: MovementSheet, army: int, carrying: Iterable[int]) -> bool:
    """True if an army that fleets convoy goes by sea. A convoy by a fleet of its own power shows that it
    means to (DATC 4.A.3); a foreign one does not, and is then not matched."""
    if army in sheet.crossing:
        return True
    # Foreign fleets cannot force a neighbour's army to sea (DATC 6.G.2); its own fleet shows that it means to
    # go (6.G.1, 6.G.6), but only from a route that serves (6.G.7, 6.G.19: legality has voided the others).
    if any(sheet.power[fleet] == sheet.power[army] for fleet in carrying):
        sheet.crossing.add(army)
        return True
    for fleet in carrying:
        _leave_unmatched(sheet, fleet, "goes_over_land")
    return False


def _coast_fits(sheet: MovementSheet, number: int, partner: int) -> bool:
    """A support may leave the coast out, but a coast that is named must be the one gone to (DATC 4.B.4)."""
    named, end = sheet.end_region[number], sheet.end_region[partner]
    return named is None or end is None or end.coast is None or pick_coast(sheet, (end,), named) == end


def _follows(sheet: MovementSheet, number: int, partner: int) -> bool:
    """True if a support in place of a unit that moves backs its move, which the rules must allow (Q-15)."""
    goal = sheet.goal[partner]
    if not sheet.rules.support_follows_mover() or sheet.place[goal] not in sheet.steps[number]:
        return False
    sheet.expected_goal[number] = goal
    return True


def _fail_paradox_moves(sheet: MovementSheet, orders: MovementOrders, state: PartialResolution) -> None:
    """Make every move of a convoy paradox fail (Q-18): the armies convoyed, and what attacks the
    fleets."""
    for fleet in state.paradox_convoys:
        for number in {sheet.partner[fleet], *state.attackers.get(fleet, ())}:
            if sheet.goal[number] != number:
                sheet.let_hold(number)
                orders.routes.pop(number, None)
                sheet.set_outcome(number, _FAILS, "bounced", ("paradox_holds", sheet.units[fleet]), fleet)
                sheet.settled_early.append(sheet.order_index[number])


def _leave_unmatched(sheet: MovementSheet, number: int, sentence: str) -> None:
    partner, named = sheet.partner[number], sheet.end_region[number]
    goal = named or sheet.place[sheet.expected_goal[number]]
    index = sheet.order_index[number]
    sheet.outcomes[index] = make_outcome(
        sheet.orders[index], _FAILS, "unmatched", sheet.unit_order[partner],
        (sheet.explainer, sentence, sheet.units[partner], goal), False)
    sheet.settled_early.append(index)


def _finish(sheet: MovementSheet, state: PartialResolution) -> Resolution:
    context, rules = sheet.context, sheet.rules
    contested = dislodgements.contested_provinces(sheet, state)
    dislodged = rules.dislodged_for_retreat(
        sheet, dislodgements.find_dislodged(sheet, state, contested)) if sheet.dislodged else ()
    units, memory = rules.after_movement(sheet, _standing_units(sheet, state))
    # A unit without a place to go is disbanded, whatever is ordered (RET-03), so a retreat phase is useless.
    has_refuge = any(d.may_retreat for d in dislodged) or rules.asks_units_without_refuge()
    retreating = dislodged if has_refuge else ()
    lost = () if has_refuge else tuple(d.unit for d in dislodged)
    next_phase = year_end.next_phase(context, sheet.position.phase, retreating)
    after = Position(next_phase, units, sheet.position.centres, retreating, contested, memory)
    # A unit with two orders that contradict each other was ordered, though it carries out none.
    unordered = [
        sheet.units[number] for number, index in enumerate(sheet.order_index)
        if index == NOBODY and number not in sheet.contradicted
    ] if NOBODY in sheet.order_index else ()
    unresolved = [
        sheet.orders[sheet.order_index[number]] for number in sorted(state.unresolved)
    ] if state.unresolved else ()
    return year_end.close_phase(context, rules, Resolution(
        _outcomes(sheet), after, dislodged, contested, tuple(sorted(unordered)),
        disbanded=tuple(sorted((*sheet.destroyed, *lost))), unresolved=tuple(unresolved),
        notes=tuple(map(sheet.explainer.text, dict.fromkeys(sheet.notes))) if sheet.notes else ()))


def _standing_units(sheet: MovementSheet, state: PartialResolution) -> frozenset[Unit]:
    """The units where they are afterwards, without the dislodged."""
    units = sheet.units
    end_region: Sequence[Any] = sheet.end_region
    moved = state.winners.values()
    if not moved:
        return sheet.position.units
    # Worked out from sets, once: the units that hold are the position's own.
    left = [units[number] for number in (*moved, *sheet.dislodged)]
    arrived = [unit_in(units[number], end_region[number]) for number in moved]
    return sheet.position.units.difference(left).union(arrived)


def _outcomes(sheet: MovementSheet) -> tuple[Outcome, ...]:
    """One for each order, as given. Orders of dislodged units say so, also where they counted for nothing."""
    outcomes: list[Any] = sheet.outcomes
    assert all(outcomes), "an order was left without an outcome"
    for index in sheet.settled_early if sheet.dislodged else ():
        order = sheet.orders[index]
        if (isinstance(order, UnitOrder) and sheet.unit_at.get(order.unit.region.province) in sheet.dislodged
                and outcomes[index].reason != "no_such_unit" and sheet.ordered_unit(order) != NOBODY):
            outcomes[index] = repeat_outcome(outcomes[index], order, dislodged=True)
    return tuple(outcomes)
