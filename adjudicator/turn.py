"""The work sheet of one movement phase: who stands where, which order each unit carries out, and the outcomes so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudicator.chart import NO_COASTS, NOWHERE
from adjudicator.convoys import Sea
from adjudicator.geo import Region
from adjudicator.orders import Order, UnitOrder
from adjudicator.outcome import Outcome, Result, outcome
from adjudicator.position import Position
from adjudicator.setting import Setting
from adjudicator.strength import HOLD, NOBODY
from adjudicator.words import Sentence, Words


class Turn:
    """Units are numbered from 0; `at` finds a unit's number by its province, `place` is that province, and `steps`
    what the unit reaches.

    `outcomes[i]` is the outcome of order i as given, None while it is open. `chosen[n]` is the order that unit n
    carries out, by its place in the list, or NOBODY. The rest is what legality found out for unit n: its `role`; its
    `goal`, the province it goes to or supports into, or ""; `to`, the region a move ends in or a support names;
    `partner`, the unit it supports or carries; `crossing`, the units that go over water. `commanders`: units given in
    proxy, and to whom. `lost` are the units that were dislodged, known once the puzzle is solved, and `early` the
    outcomes from before.
    """

    __slots__ = (
        "at", "chosen", "commanders", "crossing", "early", "goal", "lost", "orders", "outcomes", "partner", "place", "position", "role",
        "sea", "setting", "steps", "to", "units", "words",
    )

    def __init__(self, setting: Setting, position: Position, orders: Sequence[Order]) -> None:
        chart = setting.chart
        carrying, reach = chart.carrying, chart.reach
        self.setting = setting
        self.position = position
        self.orders = orders
        self.words = Words(setting)
        self.units = units = list(position.units)
        self.place = place = [unit.region.province for unit in units]
        self.at = {province: number for number, province in enumerate(place)}
        self.steps = [
            reach[unit.kind].get(p, NO_COASTS).get(unit.region.coast, NOWHERE)
            for p, unit in zip(place, units, strict=True)
        ]
        self.sea = Sea(chart, frozenset(
            [p for p, unit in zip(place, units, strict=True) if p in carrying[unit.kind]]))
        count = len(units)
        self.outcomes: list[Outcome | None] = [None] * len(orders)
        self.chosen = [NOBODY] * count
        self.role = [HOLD] * count
        self.goal = [""] * count
        self.to: list[Region | None] = [None] * count
        self.partner = [NOBODY] * count
        self.crossing: set[int] = set()
        self.commanders: Mapping[int, str] = {}
        self.lost: frozenset[int] = frozenset()
        self.early: list[int] = []

    def find(self, order: UnitOrder) -> int:
        """The unit an order names, whosever it is, or NOBODY."""
        reference = order.unit
        number = self.at.get(reference.region.province, NOBODY)
        kind = reference.kind
        if number == NOBODY or kind is None or kind == self.units[number].kind:
            return number
        return number if self.setting.rules.forgives_wrong_kind() else NOBODY

    def order_of(self, number: int) -> Order | None:
        """The order that a unit carries out, if it has one."""
        index = self.chosen[number] if number != NOBODY else NOBODY
        return None if index == NOBODY else self.orders[index]

    def settle(
        self, number: int, result: Result, reason: str | None, why: Sentence, cause: int = NOBODY
    ) -> None:
        """The outcome of the order that a unit carries out; `cause` is the unit whose order brought it about."""
        index = self.chosen[number]
        orders = self.orders
        by = self.chosen[cause] if cause != NOBODY else NOBODY
        self.outcomes[index] = outcome(
            orders[index], result, reason, orders[by] if by != NOBODY else None, (self.words, *why),
            number in self.lost)

    def void(self, index: int, reason: str, *why: *Sentence) -> None:
        """An order that counts for nothing, by its place in the list."""
        self.outcomes[index] = outcome(
            self.orders[index], Result.VOID, reason, None, (self.words, *why), False)
        self.early.append(index)
