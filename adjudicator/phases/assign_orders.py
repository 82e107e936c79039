"""The orders read: which one each unit carries out, whose it is, and whether it could be carried out at
all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from adjudicator.calendar import PhaseKind
from adjudicator.orders import Order, UnitOrder, meaning
from adjudicator.phases.legality import CHECKS, Check
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.ruleset import Ruleset
from adjudicator.strength import NOBODY

Crowd = dict[int, list[int]]
"""Unit number to the orders written for it by one hand."""


def assign(turn: MovementSheet) -> dict[int, int]:
    """Fill `turn.chosen` and what goes with it, and mark every order that no unit carries out. Answers with
    the orders that repeat another word for word: the repeat, and the order it repeats; they share its
    fate."""
    turn.commanders = turn.setting.rules.commanders(turn)
    own, proxied = _read(turn)
    repeats: dict[int, int] = {}
    for number, power in turn.commanders.items():
        if number in proxied or not turn.setting.rules.owner_stands_in():
            cause = turn.orders[proxied[number][0]] if number in proxied else None
            for index in own.pop(number, ()):
                turn.void(index, "overridden", "under_orders", power, turn.units[number], cause=cause)
    for crowd in (own, proxied):
        for number, indexes in crowd.items():
            _choose(turn, number, indexes, repeats)
    return repeats


def _read(turn: MovementSheet) -> tuple[Crowd, Crowd]:
    """Give each unit the only order its owner wrote. Left over is where several hold the pen: owners' orders
    that are not alone or for a unit given away, and what proxies wrote."""
    own: Crowd = {}
    proxied: Crowd = {}
    checks = _checks(turn.setting.rules)
    at, chosen, given, kinds = turn.at, turn.chosen, turn.given, turn.kind
    # Whose plain word a unit takes: its owner's, who calls it what it is. NOBODY and units given away take
    # nobody's.
    heeds = [*turn.power, None]
    for number in turn.commanders:
        heeds[number] = None
    orders: Sequence[Any] = turn.orders
    for index, order in enumerate(orders):
        check = checks.get(type(order))
        if check is None:
            if turn.outcomes[index] is None:
                turn.void(index, "illegal", "no_movement_order")
            continue
        unit = order.unit
        number = at.get(unit.region.province, NOBODY)
        if given[number] is None and order.power == heeds[number] and unit.kind == kinds[number]:
            chosen[number] = index
            given[number] = order
            wrong = check(turn, number, order)
            if wrong is not None:
                turn.void(index, "illegal", *wrong)
        else:
            _look_twice(turn, index, order, own, proxied)
    return own, proxied


def _checks(rules: Ruleset) -> Mapping[type[Order], Check | None]:
    """What tells whether an order is legal, for each kind that a rule set takes."""
    kind: Any = type(rules)  # mypy asks of a class that it hash as its objects do
    return _checks_of(kind)


@cache
def _checks_of(rules: type[Ruleset]) -> Mapping[type[Order], Check | None]:
    return {form: CHECKS.get(form) or rules.CHECKS.get(form) for form in rules.ORDERS[PhaseKind.MOVEMENT]}


def _look_twice(turn: MovementSheet, index: int, order: UnitOrder, own: Crowd, proxied: Crowd) -> None:
    """An order for no unit or a foreign one, a second order for one, or one that does not say which kind of
    unit."""
    number = turn.find(order)
    if number == NOBODY:
        turn.void(index, "no_such_unit", "no_unit", order.unit)
    elif order.power != turn.power[number]:
        if order.power == turn.commanders.get(number):
            proxied.setdefault(number, []).append(index)
        else:
            turn.void(index, "no_such_unit", "not_ones_own", turn.units[number], order.power)
    elif number in turn.commanders:
        own.setdefault(number, []).append(index)
    elif turn.chosen[number] == NOBODY:
        _give(turn, number, index)
    else:
        own.setdefault(number, [turn.chosen[number]]).append(index)


def _choose(turn: MovementSheet, number: int, indexes: list[int], repeats: dict[int, int]) -> None:
    """Of several orders by one hand: the same words twice are one order; different ones leave the unit
    holding."""
    first = indexes[0]
    different = [i for i in indexes[1:] if not _same(turn.orders[i], turn.orders[first])]
    repeats.update((i, first) for i in indexes[1:] if i not in different)
    if not different:
        _give(turn, number, first)
    elif turn.setting.rules.first_of_two_counts():
        _give(turn, number, first)
        for index in different:
            turn.void(index, "illegal", "ordered_already", turn.units[number], cause=turn.orders[first])
    else:
        turn.give(number, NOBODY)
        turn.stay(number)
        turn.torn.add(number)
        for index in (first, *different):
            other = turn.orders[different[0] if index == first else first]
            turn.void(index, "illegal", "two_orders", turn.units[number], cause=other)


def _give(turn: MovementSheet, number: int, index: int) -> None:
    """Let a unit carry out an order, unless that is what it does already."""
    if turn.chosen[number] == index:
        return
    turn.give(number, index)
    order = turn.orders[index]
    check = _checks(turn.setting.rules)[type(order)]
    wrong = check(turn, number, order) if check is not None else None
    if wrong is not None:
        turn.void(index, "illegal", *wrong)


def _same(one: Order, other: Order) -> bool:
    return isinstance(one, UnitOrder) and isinstance(other, UnitOrder) and meaning(one) == meaning(other)
