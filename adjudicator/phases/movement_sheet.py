"""The work sheet of one movement phase: who stands where, which order each unit carries out, and the outcomes
so far.

Units and places are numbered for the length of one phase, as `adjudicator.strength` says: unit n stands in
place n, and the empty places that orders name come after those. Whatever belongs to a unit is a list with one
entry for each unit, so the puzzle for the solver is the turn's own lists, and nothing is copied or looked up
by name while it is solved. Names are turned into numbers once, while the orders are read, by the two tables
`at` and `number_of`.
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
"""Whether unit n may carry out an order: None where it may, else the sentence that says what is wrong."""
OutcomeRule = Callable[["MovementSheet", PartialResolution, int], None]
"""Sets the outcome of unit n's order once the phase is solved."""


class MovementRules(YearEndRules, Protocol):
    """What a rule set decides while a movement phase is judged; `Ruleset` has the defaults."""

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
    def after_movement(
        self, sheet: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]: ...


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
        chart = context.tables
        carrying, reach = chart.carrying, chart.reach
        self.context = context
        self.rules = rules
        self.position = position
        self.orders = orders
        self.explainer = Explainer(context, rules)
        self.non_attackers = chart.non_attackers
        self.units = units = [*position.units]
        count = len(units)
        self.power = [unit.power for unit in units]
        self.kind = kinds = [unit.kind for unit in units]
        self.base_defence = (
            [chart.base_defence[kind] for kind in kinds] if chart.has_other_defences else [1] * count
        )
        self.unit_at = at = {unit.region.province: number for number, unit in enumerate(units)}
        self.place = place = [*at]
        self.place_numbers = at.copy()
        self.steps = [
            reach[kind][province][unit.region.coast] for kind, province,
            unit in zip(kinds, place, units, strict=True)
        ]
        self.sea = Sea(chart, [sea for sea in chart.seas if sea in at and sea in carrying[kinds[at[sea]]]])
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
        """The number of a place, which gets one when it is named for the first time."""
        found = self.place_numbers.get(province)
        if found is None:
            found = self.place_numbers[province] = len(self.place)
            self.place.append(province)
        return found

    def let_hold(self, number: int) -> None:
        """Let a unit hold, whatever it was to do."""
        for crowd in (self.holds, self.moves, self.supports, self.convoys):
            if number in crowd:
                crowd.remove(number)
        self.goal[number] = number
        self.end_region[number] = None
        self.crossing.discard(number)

    def vacate(self, number: int) -> None:
        """Let a moving unit count as gone from its place whatever becomes of its move: who comes there meets
        nobody."""
        place = self.place[number]
        empty = self.place_numbers[place] = len(self.place)
        self.place.append(place)
        self.goal = [empty if goal == number else goal for goal in self.goal]
        self.expected_goal = [
            empty if aim == number and self.partner[unit] != number else aim for unit,
            aim in enumerate(self.expected_goal)
        ]

    def ordered_unit(self, order: UnitOrder) -> int:
        """The unit an order names, whosever it is, or NOBODY."""
        reference = order.unit
        number = self.unit_at.get(reference.region.province, NOBODY)
        kind = reference.kind
        if number == NOBODY or kind is None or kind == self.kind[number]:
            return number
        return number if self.rules.forgives_wrong_kind() else NOBODY

    def assign_order(self, number: int, index: int) -> None:
        """Let a unit carry out an order, by its place in the list, or none."""
        self.order_index[number] = index
        self.unit_order[number] = None if index == NOBODY else self.orders[index]

    def order_of(self, number: int) -> Order | None:
        """The order that a unit carries out, if it has one; none for NOBODY."""
        found: Order | None = self.unit_order[number]
        return found

    def set_outcome(
        self, number: int, result: Result, reason: str | None, why: Sentence, cause: int = NOBODY
    ) -> None:
        """The outcome of the order that a unit carries out; `cause` is the unit whose order brought it
        about."""
        index = self.order_index[number]
        self.outcomes[index] = make_outcome(
            self.orders[index], result, reason, self.unit_order[cause], (self.explainer, *why),
            number in self.dislodged)

    def void(self, index: int, reason: str, *why: *Sentence, cause: Order | None = None) -> None:
        """An order that counts for nothing, by its place in the list; `cause` is the order that did it, if
        one did."""
        self.outcomes[index] = make_outcome(
            self.orders[index], _VOID, reason, cause, (self.explainer, *why), False)
        self.settled_early.append(index)
