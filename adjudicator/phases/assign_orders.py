"""Orders to units: which order each unit carries out, who may give it, and whether it is legal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudicator.calendar import PhaseKind
from adjudicator.orders import Order, UnitOrder, meaning
from adjudicator.phases.legality import CHECKS
from adjudicator.phases.movement_sheet import Check, MovementRules, MovementSheet
from adjudicator.strength import NOBODY

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
    # The power whose plain order a unit takes; one entry more for NOBODY. Units given in proxy take nobody's.
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
    elif order.power != sheet.power[number]:
        if order.power == sheet.commanders.get(number):
            by_commander.setdefault(number, []).append(index)
        else:
            # DATC 6.A.6: giving orders to somebody else's unit.
            sheet.void(index, "no_such_unit", "not_ones_own", sheet.units[number], order.power)
    elif number in sheet.commanders:
        by_owner.setdefault(number, []).append(index)
    elif sheet.order_index[number] == NOBODY:
        _assign(sheet, number, index)
    else:
        by_owner.setdefault(number, [sheet.order_index[number]]).append(index)


def _choose(sheet: MovementSheet, number: int, indexes: list[int], repeats: dict[int, int]) -> None:
    """Choose among several orders by one power: the same order twice is one order, and different orders leave
    the unit holding (Q-16)."""
    first = indexes[0]
    # A line that leaves out the unit's type, or its coast, is no second order for it.
    different = [i for i in indexes[1:] if not _same_meaning(sheet.orders[i], sheet.orders[first])]
    repeats.update((i, first) for i in indexes[1:] if i not in different)
    if not different:
        _assign(sheet, number, first)
    elif sheet.rules.first_of_two_orders_counts():
        _assign(sheet, number, first)
        for index in different:
            sheet.void(index, "illegal", "ordered_already", sheet.units[number], cause=sheet.orders[first])
    else:
        sheet.assign_order(number, NOBODY)
        sheet.let_hold(number)
        # It was ordered: the results must not say that it had no order.
        sheet.contradicted.add(number)
        for index in (first, *different):
            other = sheet.orders[different[0] if index == first else first]
            sheet.void(index, "illegal", "two_orders", sheet.units[number], cause=other)


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
