"""Which order each unit carries out: whose it is, who commands it, and what two orders for one unit come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from adjudicator.calendar import PhaseKind
from adjudicator.orders import Order, UnitOrder
from adjudicator.strength import NOBODY
from adjudicator.turn import Turn, void
from adjudicator.words import sentence


def assign(turn: Turn) -> dict[int, int]:
    """Fill `turn.chosen`, and mark every order that no unit carries out. Answers with the orders that repeat another
    word for word: the repeat, and the order it repeats; they share its fate."""
    rules = turn.setting.rules
    commanders = turn.commanders = rules.commanders(turn)
    written = _sorted_by_unit(turn, commanders)
    repeats: dict[int, int] = {}
    for number, (own, proxied) in written.items():
        silent = number in commanders and not proxied and not rules.owner_stands_in()
        if proxied or silent:
            for index in own:
                turn.marks[index] = void("overridden", sentence(
                    "void: this unit is under the orders of {0}", commanders[number]))
        if not silent:
            _choose(turn, number, proxied or own, repeats)
    return repeats


def _sorted_by_unit(turn: Turn, commanders: Mapping[int, str]) -> dict[int, tuple[list[int], list[int]]]:
    written: dict[int, tuple[list[int], list[int]]] = {}
    takes = turn.setting.rules.ORDERS[PhaseKind.MOVEMENT]
    units, marks = turn.units, turn.marks
    for index, order in enumerate(turn.orders):
        if marks[index] is not None:
            continue
        if type(order) not in takes or not isinstance(order, UnitOrder):
            marks[index] = void("illegal", sentence("void: no such order is given in a movement season"))
            continue
        number = turn.find(order)
        if number == NOBODY:
            marks[index] = void("no_such_unit", sentence("void: there is no {0}", order.unit))
        elif order.power == units[number].power:
            written.setdefault(number, ([], []))[0].append(index)
        elif order.power == commanders.get(number):
            written.setdefault(number, ([], []))[1].append(index)
        else:
            marks[index] = void("no_such_unit", sentence(
                "void: {0} is neither {1}'s own nor given in proxy", units[number], order.power))
    return written


def _choose(turn: Turn, number: int, indexes: list[int], repeats: dict[int, int]) -> None:
    first = indexes[0]
    turn.chosen[number] = first
    if len(indexes) == 1:
        return
    different = [i for i in indexes[1:] if not _same(turn.orders[i], turn.orders[first])]
    repeats.update((i, first) for i in indexes[1:] if i not in different)
    if not different:
        return
    if turn.setting.rules.first_of_two_counts():
        for index in different:
            turn.marks[index] = void("illegal", sentence("void: this unit has an order already"))
        return
    turn.chosen[number] = NOBODY
    for index in (first, *different):
        turn.marks[index] = void("illegal", sentence(
            "void: two different orders were written for {0}, so it holds", turn.units[number]))


def _same(one: Order, other: Order) -> bool:
    return replace(one, line=None) == replace(other, line=None)
