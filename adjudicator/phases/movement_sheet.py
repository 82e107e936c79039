"""The work sheet of one movement phase: who stands where, which order each unit carries out, and the outcomes
so far.

Units and places are numbered for the length of one phase, as `adjudicator.strength` says: unit n stands in
place n, and the empty places that orders name come after those. Whatever belongs to a unit is a list with one
entry for each unit, so the puzzle for the solver is the turn's own lists, and nothing is copied or looked up
by name while it is solved. Names are turned into numbers once, while the orders are read, by the two tables
`at` and `number_of`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjudicator.context import Context
from adjudicator.explain import Explainer, Sentence
from adjudicator.geo import Region
from adjudicator.orders import Order, UnitOrder
from adjudicator.outcome import Outcome, Result, outcome
from adjudicator.phases.convoys import Sea
from adjudicator.position import Position
from adjudicator.strength import NOBODY
from adjudicator.units import Unit

_VOID = Result.VOID

class MovementSheet:
    """What is known of each unit n: `power`, `kind`, the province `place[n]` it stands in and `steps[n]`,
    what it reaches. `at` finds a unit's number by its province, `number_of` the number of any place named so
    far, and `place` is the province of either.

    `outcomes[i]` is the outcome of order i as given, None while it is open. `chosen[n]` is the order that
    unit n carries out, by its place in the list, or NOBODY, and `given[n]` that order itself; it has an entry
    more, so that `given[NOBODY]` is None. `holds`, `moves`, `supports` and `convoys` are the units by what
    they are to do.

    The rest is what legality found out for unit n: its `goal`, the place where it wants to be in the end;
    `to`, the region a move ends in or a support names with its coast; `partner`, the unit it supports or
    carries, and `aim`, the place it supports or carries it to; `crossing`, the units that go over water.
    `commanders`: units given in proxy, and to whom. `lost` are the units that were dislodged, known once the
    puzzle is solved, and `early` the outcomes from before. `torn` are units that hold because two different
    orders were written for them. `destroyed` are units that rules take off the board in this phase without a
    retreat, and `told` sentences on what befell without an order.
    """

    __slots__ = (
        "aim", "alone", "at", "chosen", "commanders", "convoys", "crossing", "destroyed", "early", "given",
        "goal", "holds", "kind", "lost", "moves",
        "number_of", "orders", "outcomes", "partner", "peaceful", "place", "position", "power", "sea",
        "setting", "steps", "supports",
        "to", "told", "torn", "units", "words",
    )

    def __init__(self, setting: Context, position: Position, orders: Sequence[Order]) -> None:
        chart = setting.chart
        carrying, reach = chart.carrying, chart.reach
        self.setting = setting
        self.position = position
        self.orders = orders
        self.words = Explainer(setting)
        self.peaceful = chart.peaceful
        self.units = units = [*position.units]
        count = len(units)
        self.power = [unit.power for unit in units]
        self.kind = kinds = [unit.kind for unit in units]
        self.alone = [chart.alone[kind] for kind in kinds] if chart.uneven else [1] * count
        self.at = at = {unit.region.province: number for number, unit in enumerate(units)}
        self.place = place = [*at]
        self.number_of = at.copy()
        self.steps = [
            reach[kind][province][unit.region.coast] for kind, province,
            unit in zip(kinds, place, units, strict=True)
        ]
        self.sea = Sea(chart, [sea for sea in chart.seas if sea in at and sea in carrying[kinds[at[sea]]]])
        self.outcomes: list[Outcome | None] = [None] * len(orders)
        self.chosen = [NOBODY] * count
        self.given: list[Any] = [None] * (count + 1)
        self.holds: list[int] = []
        self.moves: list[int] = []
        self.supports: list[int] = []
        self.convoys: list[int] = []
        self.goal = list(range(count))
        self.to: list[Region | None] = [None] * count
        self.partner = [NOBODY] * count
        self.aim = [NOBODY] * count
        self.crossing: set[int] = set()
        self.commanders: Mapping[int, str] = {}
        self.lost: frozenset[int] = frozenset()
        self.early: list[int] = []
        self.torn: set[int] = set()
        self.destroyed: list[Unit] = []
        self.told: list[Sentence] = []

    def number(self, province: str) -> int:
        """The number of a place, which gets one when it is named for the first time."""
        found = self.number_of.get(province)
        if found is None:
            found = self.number_of[province] = len(self.place)
            self.place.append(province)
        return found

    def stay(self, number: int) -> None:
        """Let a unit hold, whatever it was to do."""
        for crowd in (self.holds, self.moves, self.supports, self.convoys):
            if number in crowd:
                crowd.remove(number)
        self.goal[number] = number
        self.to[number] = None
        self.crossing.discard(number)

    def vacate(self, number: int) -> None:
        """Let a moving unit count as gone from its place whatever becomes of its move: who comes there meets
        nobody."""
        place = self.place[number]
        empty = self.number_of[place] = len(self.place)
        self.place.append(place)
        self.goal = [empty if goal == number else goal for goal in self.goal]
        self.aim = [
            empty if aim == number and self.partner[unit] != number else aim for unit,
            aim in enumerate(self.aim)
        ]

    def find(self, order: UnitOrder) -> int:
        """The unit an order names, whosever it is, or NOBODY."""
        reference = order.unit
        number = self.at.get(reference.region.province, NOBODY)
        kind = reference.kind
        if number == NOBODY or kind is None or kind == self.kind[number]:
            return number
        return number if self.setting.rules.forgives_wrong_kind() else NOBODY

    def give(self, number: int, index: int) -> None:
        """Let a unit carry out an order, by its place in the list, or none."""
        self.chosen[number] = index
        self.given[number] = None if index == NOBODY else self.orders[index]

    def order_of(self, number: int) -> Order | None:
        """The order that a unit carries out, if it has one; none for NOBODY."""
        found: Order | None = self.given[number]
        return found

    def settle(
        self, number: int, result: Result, reason: str | None, why: Sentence, cause: int = NOBODY
    ) -> None:
        """The outcome of the order that a unit carries out; `cause` is the unit whose order brought it
        about."""
        index = self.chosen[number]
        self.outcomes[index] = outcome(
            self.orders[index], result, reason, self.given[cause], (self.words, *why), number in self.lost)

    def void(self, index: int, reason: str, *why: *Sentence, cause: Order | None = None) -> None:
        """An order that counts for nothing, by its place in the list; `cause` is the order that did it, if
        one did."""
        self.outcomes[index] = outcome(
            self.orders[index], _VOID, reason, cause, (self.words, *why), False)
        self.early.append(index)
