"""Which order each unit carries out: whose it is, who commands it, and what two orders for one unit come to."""

from __future__ import annotations

from adjudicator.calendar import PhaseKind
from adjudicator.orders import Order, UnitOrder, meaning
from adjudicator.strength import NOBODY
from adjudicator.turn import Turn

Crowd = dict[int, list[int]]
"""Unit number to the orders written for it by one hand."""


def assign(turn: Turn) -> dict[int, int]:
    """Fill `turn.chosen`, and mark every order that no unit carries out. Answers with the orders that repeat another
    word for word: the repeat, and the order it repeats; they share its fate."""
    turn.commanders = turn.setting.rules.commanders(turn)
    own, proxied = _read(turn)
    repeats: dict[int, int] = {}
    for number, power in turn.commanders.items():
        if number in proxied or not turn.setting.rules.owner_stands_in():
            for index in own.pop(number, ()):
                turn.void(index, "overridden", "under_orders", power, turn.units[number])
    for crowd in (own, proxied):
        for number, indexes in crowd.items():
            _choose(turn, number, indexes, repeats)
    return repeats


def _read(turn: Turn) -> tuple[Crowd, Crowd]:
    """Give each unit the only order its owner wrote. Left over is where several hold the pen: owners' orders that are
    not alone or for a unit given away, and what proxies wrote."""
    own: Crowd = {}
    proxied: Crowd = {}
    takes = turn.setting.rules.ORDERS[PhaseKind.MOVEMENT]
    units, outcomes, chosen, commanders = turn.units, turn.outcomes, turn.chosen, turn.commanders
    for index, order in enumerate(turn.orders):
        if outcomes[index] is not None:
            continue
        if type(order) not in takes or not isinstance(order, UnitOrder):
            turn.void(index, "illegal", "no_movement_order")
            continue
        number = turn.find(order)
        if number == NOBODY:
            turn.void(index, "no_such_unit", "no_unit", order.unit)
        elif order.power != units[number].power:
            _foreign(turn, number, index, proxied)
        elif number in commanders:
            own.setdefault(number, []).append(index)
        elif chosen[number] == NOBODY:
            chosen[number] = index
        else:
            own.setdefault(number, [chosen[number]]).append(index)
    return own, proxied


def _foreign(turn: Turn, number: int, index: int, proxied: Crowd) -> None:
    power = turn.orders[index].power
    if power == turn.commanders.get(number):
        proxied.setdefault(number, []).append(index)
    else:
        turn.void(index, "no_such_unit", "not_ones_own", turn.units[number], power)


def _choose(turn: Turn, number: int, indexes: list[int], repeats: dict[int, int]) -> None:
    """Of several orders by one hand: the same words twice are one order; different ones leave the unit holding."""
    first = indexes[0]
    turn.chosen[number] = first
    different = [i for i in indexes[1:] if not _same(turn.orders[i], turn.orders[first])]
    repeats.update((i, first) for i in indexes[1:] if i not in different)
    if not different:
        return
    if turn.setting.rules.first_of_two_counts():
        for index in different:
            turn.void(index, "illegal", "ordered_already", turn.units[number])
        return
    turn.chosen[number] = NOBODY
    for index in (first, *different):
        turn.void(index, "illegal", "two_orders", turn.units[number])


def _same(one: Order, other: Order) -> bool:
    return isinstance(one, UnitOrder) and isinstance(other, UnitOrder) and meaning(one) == meaning(other)
