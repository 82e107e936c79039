"""The orders read: which one each unit carries out, whose it is, and whether it could be carried out at
all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudicator.calendar import PhaseKind
from adjudicator.orders import Order, UnitOrder, meaning
from adjudicator.phases.legality import CHECKS
from adjudicator.phases.movement_sheet import Check, MovementRules, MovementSheet
from adjudicator.strength import NOBODY

Crowd = dict[int, list[int]]
"""Unit number to the orders written for it by one hand."""


def assign_orders(sheet: MovementSheet) -> dict[int, int]:
    """Fill `turn.chosen` and what goes with it, and mark every order that no unit carries out. Answers with
    the orders that repeat another word for word: the repeat, and the order it repeats; they share its
    fate."""
    sheet.commanders = sheet.rules.commanders(sheet)
    own, proxied = _read(sheet)
    repeats: dict[int, int] = {}
    for number, power in sheet.commanders.items():
        if number in proxied or not sheet.rules.owner_replaces_silent_commander():
            cause = sheet.orders[proxied[number][0]] if number in proxied else None
            for index in own.pop(number, ()):
                sheet.void(index, "overridden", "under_orders", power, sheet.units[number], cause=cause)
    for crowd in (own, proxied):
        for number, indexes in crowd.items():
            _choose(sheet, number, indexes, repeats)
    return repeats


def _read(sheet: MovementSheet) -> tuple[Crowd, Crowd]:
    """Give each unit the only order its owner wrote. Left over is where several hold the pen: owners' orders
    that are not alone or for a unit given away, and what proxies wrote."""
    own: Crowd = {}
    proxied: Crowd = {}
    checks = _checks(sheet.rules)
    at, chosen, given, kinds = sheet.unit_at, sheet.order_index, sheet.unit_order, sheet.kind
    # Whose plain word a unit takes: its owner's, who calls it what it is. NOBODY and units given away take
    # nobody's.
    heeds = [*sheet.power, None]
    for number in sheet.commanders:
        heeds[number] = None
    orders: Sequence[Any] = sheet.orders
    for index, order in enumerate(orders):
        check = checks.get(type(order))
        if check is None:
            if sheet.outcomes[index] is None:
                sheet.void(index, "illegal", "no_movement_order")
            continue
        unit = order.unit
        number = at.get(unit.region.province, NOBODY)
        if given[number] is None and order.power == heeds[number] and unit.kind == kinds[number]:
            chosen[number] = index
            given[number] = order
            wrong = check(sheet, number, order)
            if wrong is not None:
                sheet.void(index, "illegal", *wrong)
        else:
            _look_twice(sheet, index, order, own, proxied)
    return own, proxied


def _checks(rules: MovementRules) -> Mapping[type[Order], Check | None]:
    """What tells whether an order is legal, for each kind that a rule set takes."""
    return {form: CHECKS.get(form) or rules.CHECKS.get(form) for form in rules.ORDERS[PhaseKind.MOVEMENT]}


def _look_twice(sheet: MovementSheet, index: int, order: UnitOrder, own: Crowd, proxied: Crowd) -> None:
    """An order for no unit or a foreign one, a second order for one, or one that does not say which kind of
    unit."""
    number = sheet.ordered_unit(order)
    if number == NOBODY:
        sheet.void(index, "no_such_unit", "no_unit", order.unit)
    elif order.power != sheet.power[number]:
        if order.power == sheet.commanders.get(number):
            proxied.setdefault(number, []).append(index)
        else:
            sheet.void(index, "no_such_unit", "not_ones_own", sheet.units[number], order.power)
    elif number in sheet.commanders:
        own.setdefault(number, []).append(index)
    elif sheet.order_index[number] == NOBODY:
        _give(sheet, number, index)
    else:
        own.setdefault(number, [sheet.order_index[number]]).append(index)


def _choose(sheet: MovementSheet, number: int, indexes: list[int], repeats: dict[int, int]) -> None:
    """Of several orders by one hand: the same words twice are one order; different ones leave the unit
    holding."""
    first = indexes[0]
    different = [i for i in indexes[1:] if not _same(sheet.orders[i], sheet.orders[first])]
    repeats.update((i, first) for i in indexes[1:] if i not in different)
    if not different:
        _give(sheet, number, first)
    elif sheet.rules.first_of_two_orders_counts():
        _give(sheet, number, first)
        for index in different:
            sheet.void(index, "illegal", "ordered_already", sheet.units[number], cause=sheet.orders[first])
    else:
        sheet.assign_order(number, NOBODY)
        sheet.let_hold(number)
        sheet.contradicted.add(number)
        for index in (first, *different):
            other = sheet.orders[different[0] if index == first else first]
            sheet.void(index, "illegal", "two_orders", sheet.units[number], cause=other)


def _give(sheet: MovementSheet, number: int, index: int) -> None:
    """Let a unit carry out an order, unless that is what it does already."""
    if sheet.order_index[number] == index:
        return
    sheet.assign_order(number, index)
    order = sheet.orders[index]
    check = _checks(sheet.rules)[type(order)]
    wrong = check(sheet, number, order) if check is not None else None
    if wrong is not None:
        sheet.void(index, "illegal", *wrong)


def _same(one: Order, other: Order) -> bool:
    return isinstance(one, UnitOrder) and isinstance(other, UnitOrder) and meaning(one) == meaning(other)
