"""The work sheet of one movement phase: who stands where, which order each unit carries out, and the marks so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from adjudicator.convoys import Sea
from adjudicator.geo import Region
from adjudicator.orders import Order, UnitOrder
from adjudicator.outcome import Result
from adjudicator.position import Position
from adjudicator.setting import Setting
from adjudicator.strength import HOLD, NOBODY
from adjudicator.words import Sentence


class Mark(NamedTuple):
    """What becomes of an order: verdict, the contract's word, the sentence, and the unit whose order caused it."""

    result: Result
    reason: str | None
    why: Sentence
    cause: int = NOBODY


def void(reason: str, why: Sentence) -> Mark:
    """An order that counts for nothing."""
    return Mark(Result.VOID, reason, why)


class Turn:
    """Units are numbered from 0; `at` finds a unit's number by its province.

    `marks[i]` is the mark of order i as given, None while it is open. `chosen[n]` is the order that unit n carries
    out, by its place in the list, or NOBODY. The rest is what legality found out for unit n: its `role`; its `goal`,
    the province it goes to or supports into; `to`, the region a move ends in or a support names; `partner`, the unit
    it supports or carries; `crossing`, the units that go over water. `commanders`: units given in proxy, and to whom.
    """

    __slots__ = (
        "at", "chosen", "commanders", "crossing", "goal", "marks", "orders", "partner", "position", "role", "sea", "setting",
        "to", "units",
    )

    def __init__(self, setting: Setting, position: Position, orders: Sequence[Order]) -> None:
        kinds, provinces = setting.kinds, setting.board.provinces
        self.setting = setting
        self.position = position
        self.orders = orders
        self.units = list(position.units)
        count = len(self.units)
        self.at = {unit.region.province: number for number, unit in enumerate(self.units)}
        self.sea = Sea(setting.chart, frozenset(
            u.region.province for u in self.units
            if kinds[u.kind].carries and provinces[u.region.province].is_sea
        ))
        self.marks: list[Mark | None] = [None] * len(orders)
        self.chosen = [NOBODY] * count
        self.role = [HOLD] * count
        self.goal: list[str | None] = [None] * count
        self.to: list[Region | None] = [None] * count
        self.partner = [NOBODY] * count
        self.crossing: set[int] = set()
        self.commanders: Mapping[int, str] = {}

    def find(self, order: UnitOrder) -> int:
        """The unit an order names, whosever it is, or NOBODY."""
        number = self.at.get(order.unit.region.province, NOBODY)
        kind = order.unit.kind
        if number == NOBODY or kind is None or kind == self.units[number].kind:
            return number
        return number if self.setting.rules.forgives_wrong_kind() else NOBODY

    def order_of(self, number: int) -> Order | None:
        """The order that a unit carries out, if it has one."""
        index = self.chosen[number] if number != NOBODY else NOBODY
        return None if index == NOBODY else self.orders[index]

    def mark(self, number: int, mark: Mark) -> None:
        """Mark the order that a unit carries out."""
        self.marks[self.chosen[number]] = mark
