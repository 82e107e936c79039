"""The worksheet of one movement phase: where units are, which order each carries out, and the
outcomes so far.

Units and places have numbers for the length of one phase, as in `adjudicator.strength`: unit n is in
place n, and the empty places that orders name come after those. What belongs to a unit is a list with one
entry for each unit, so that the solver works on the sheet's own lists: nothing is copied, and no name is
looked up while it solves. The tables `unit_at` and `place_numbers` turn names into numbers once, while
the orders are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Explainer, Sentence
from adjudicator.geo import Region
from adjudicator.orders import Order, UnitOrder
from adjudicator.outcome import Outcome, Result, make_outcome
from adjudicator.phases.convoys import Sea
from adjudicator.phases.year_end import YearEndRules
from adjudicator.position import Dislodgement, Memory, Position
from adjudicator.strength import NOBODY, PartialResolution
from adjudicator.units import Unit

_VOID = Result.VOID

Check = Callable[["MovementSheet", int, Any], Sentence | None]
"""Whether a unit (by number) may carry out an order: None if it may, else the sentence that shows why not."""
OutcomeRule = Callable[["MovementSheet", PartialResolution, int], None]
"""Sets the outcome of a unit's order once the phase is solved."""


class MovementRules(YearEndRules, Protocol):
    """The decisions of a rule set while a movement phase is judged; `Ruleset` has the defaults and states
    more."""

    ORDERS: ClassVar[Mapping[PhaseKind, frozenset[type[Order]]]]
    CHECKS: ClassVar[Mapping[type[Order], Check]]
    OUTCOME_RULES: ClassVar[Mapping[type[Order], OutcomeRule]]

    def choice(self, key: str) -> str: ...
    # How orders are read
    def forgives_wrong_kind(self) -> bool: ...
    def first_of_two_orders_counts(self) -> bool: ...
    def commanders(self, sheet: MovementSheet) -> Mapping[int, str]: ...
    def owner_replaces_silent_commander(self) -> bool: ...
    def crossing_needs_fleets(self) -> bool: ...
    def support_follows_mover(self) -> bool: ...
    def picks_missing_coast(self) -> bool: ...
    # What happens on the board
    def initial_deployment(
        self, context: Context, position: Position, orders: Sequence[Order]
    ) -> Position: ...
    def before_resolution(self, sheet: MovementSheet) -> None: ...
    def convoy_paradox_fails_all_moves(self) -> bool: ...
    def dislodged_for_retreat(
        self, sheet: MovementSheet, dislodged: tuple[Dislodgement, ...]
    ) -> tuple[Dislodgement, ...]: ...
    def asks_units_without_refuge(self) -> bool: ...
    def after_movement(
        self, sheet: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]: ...


class MovementSheet:
    """Facts about each unit n and each order i.

    Where it is: `power`, `kind`, the province `place[n]`, and `steps[n]`, the provinces it reaches. `unit_at`
    finds a unit's number by its province, `place_numbers` the number of any place named so far; `place` is
    the inverse of both. `sea` answers questions about convoys.

    Its order: `order_index[n]` is the place of its order in `orders`, or NOBODY, and `unit_order[n]` that
    order. `unit_order` has one entry more than there are units, so that `unit_order[NOBODY]` is None.
    `holds`, `moves`, `supports` and `convoys` are units by what they do. `commanders`: units given in proxy,
    and to whom. `contradicted`: units that hold because two different orders were written for them.

    What legality found: `goal[n]`, the place where it needs to end; `end_region[n]`, the region a move ends
    in, or that a support names with its coast; `partner[n]`, the unit it supports or convoys, and
    `expected_goal[n]`, where to; `crossing`, the units that go by convoy; `non_attackers`, the kinds of units
    that may not attack.

    Results: `outcomes[i]`, None while open; `settled_early`, the orders decided before the phase was solved;
    `dislodged`, known once it is solved; `destroyed`, units that rules take off the board at once; `notes`,
    sentences on what happened without an order.
    """

    __slots__ = (
        "base_defence",
        "commanders",
        "context",
        "contradicted",
        "convoys",
        "crossing",
        "destroyed",
        "dislodged",
        "end_region",
        "expected_goal",
        "explainer",
        "goal",
        "holds",
        "kind",
        "moves",
        "non_attackers",
        "notes",
        "order_index",
        "orders",
        "outcomes",
        "partner",
        "place",
        "place_numbers",
        "position",
        "power",
        "rules",
        "sea",
        "settled_early",
        "steps",
        "supports",
        "unit_at",
        "unit_order",
        "units",
    )

    def __init__(
        self, context: Context, rules: MovementRules, position: Position, orders: Sequence[Order]
    ) -> None:
        tables = context.tables
        carrying, reach = tables.carrying, tables.reach
        self.context = context
        self.rules = rules
        self.position = position
        self.orders = orders
        self.explainer = Explainer(context, rules)
        self.non_attackers = tables.non_attackers
        self.units = units = [*position.units]
        count = len(units)
        self.power = [unit.power for unit in units]
        self.kind = kinds = [unit.kind for unit in units]
        self.base_defence = (
            [tables.base_defence[kind] for kind in kinds] if tables.has_other_defences else [1] * count)
        self.unit_at = unit_at = {unit.region.province: number for number, unit in enumerate(units)}
        self.place = place = [*unit_at]
        self.place_numbers = unit_at.copy()
        self.steps = [
            reach[kind][province][unit.region.coast]
            for kind, province, unit in zip(kinds, place, units, strict=True)
        ]
        self.sea = Sea(
            tables, [sea for sea in tables.seas if sea in unit_at and sea in carrying[kinds[unit_at[sea]]]])
        self.outcomes: list[Outcome | None] = [None] * len(orders)
        self.order_index = [NOBODY] * count
        self.unit_order: list[Any] = [None] * (count + 1)
        self.holds: list[int] = []
        self.moves: list[int] = []
        self.supports: list[int] = []
        self.convoys: list[int] = []
        self.goal = list(range(count))
        self.end_region: list[Region | None] = [None] * count
        self.partner = [NOBODY] * count
        self.expected_goal = [NOBODY] * count
        self.crossing: set[int] = set()
        self.commanders: Mapping[int, str] = {}
        self.dislodged: frozenset[int] = frozenset()
        self.settled_early: list[int] = []
        self.contradicted: set[int] = set()
        self.destroyed: list[Unit] = []
        self.notes: list[Sentence] = []

    def place_number(self, province: str) -> int:
        """The number of a place, which gets one when it is first named."""
        number = self.place_numbers.get(province)
        if number is None:
            number = self.place_numbers[province] = len(self.place)
            self.place.append(province)
        return number

    def let_hold(self, number: int) -> None:
        """Make a unit hold, whatever its order was."""
        for units in (self.holds, self.moves, self.supports, self.convoys):
            if number in units:
                units.remove(number)
        self.goal[number] = number
        self.end_region[number] = None
        self.crossing.discard(number)

    def vacate(self, number: int) -> None:
        """Count a moving unit as gone from its place whatever becomes of its move: who comes
        there meets no unit.

        Its province gets a second number, an empty place, and all who go there go to that one.
        """
        province = self.place[number]
        empty = self.place_numbers[province] = len(self.place)
        self.place.append(province)
        self.goal = [empty if goal == number else goal for goal in self.goal]
        self.expected_goal = [
            # A support in place of the unit that left is still its own: what is stated about it names the
            # unit's place.
            empty if goal == number and self.partner[unit] != number else goal
            for unit, goal in enumerate(self.expected_goal)
        ]

    def ordered_unit(self, order: UnitOrder) -> int:
        """The number of the unit that an order names, no matter who owns it, or NOBODY."""
        reference = order.unit
        number = self.unit_at.get(reference.region.province, NOBODY)
        kind = reference.kind
        if number == NOBODY or kind is None or kind == self.kind[number]:
            return number
        return number if self.rules.forgives_wrong_kind() else NOBODY

    def assign_order(self, number: int, index: int) -> None:
        """Make a unit carry out an order, by the order's place in the list, or none for NOBODY."""
        self.order_index[number] = index
        self.unit_order[number] = None if index == NOBODY else self.orders[index]

    def order_of(self, number: int) -> Order | None:
        """The order that a unit carries out, if any; None for NOBODY."""
        order: Order | None = self.unit_order[number]
        return order

    def set_outcome(
        self, number: int, result: Result, reason: str | None, sentence: Sentence, cause: int = NOBODY
    ) -> None:
        """Set the outcome of a unit's order; `cause` is the unit whose order brought it about."""
        index = self.order_index[number]
        self.outcomes[index] = make_outcome(
            self.orders[index], result, reason, self.unit_order[cause], (self.explainer, *sentence),
            number in self.dislodged)

    def settle(self, index: int, result: Result, reason: str | None, *sentence: *Sentence) -> None:
        """Set the outcome of an order that no unit carries out, by its place in the list."""
        self.outcomes[index] = make_outcome(
            self.orders[index], result, reason, None, (self.explainer, *sentence), False)
        self.settled_early.append(index)

    def void(self, index: int, reason: str, *sentence: *Sentence, cause: Order | None = None) -> None:
        """Void an order, by its place in the list; `cause` is the order that made it void, if one did."""
        self.outcomes[index] = make_outcome(
            self.orders[index], _VOID, reason, cause, (self.explainer, *sentence), False)
        self.settled_early.append(index)
