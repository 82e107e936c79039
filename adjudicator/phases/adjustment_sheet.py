"""The worksheet of an adjustment phase: each power's account, and the builds and removals that its orders ask
for (ADJ-01..07, DATC 6.I and 6.J)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence, note_misnamed
from adjudicator.geo import Province, Region
from adjudicator.lots import Lots
from adjudicator.orders import Build, Order, Remove, SendSupply, Waive
from adjudicator.outcome import Result
from adjudicator.phases import year_end
from adjudicator.position import Memory, Position
from adjudicator.units import Unit

AdjustmentRule = Callable[["AdjustmentSheet", int, Any], None]
"""Settles one order of a kind that only its rule set has, by its place in the list."""

Send = tuple[int, "Account", SendSupply]
"""A send by its place in the list, with the account of its sender."""

Fault = tuple[str, Sentence]
"""Why an order is void: the contract's reason, and the sentence."""


class AdjustmentRules(year_end.YearEndRules, Protocol):
    """The decisions of a rule set while an adjustment phase is judged; `Ruleset` has the defaults
    and states more."""

    ADJUSTMENT_RULES: ClassVar[Mapping[type[Order], AdjustmentRule]]

    def choice(self, key: str) -> str: ...
    def number(self, key: str) -> int: ...
    def word_list(self, key: str) -> tuple[str, ...]: ...
    # How orders are read
    def accepts_order(self, order: Order, phase: PhaseKind) -> bool: ...
    def forgives_wrong_kind(self) -> bool: ...
    def before_adjustments(self, sheet: AdjustmentSheet) -> None: ...
    def adjustment_reason(self, reason: str) -> str: ...
    def memory_after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory: ...
    # Supply sent
    def sends_surplus_only(self) -> bool: ...
    def passes_supply_on(self) -> bool: ...
    # Builds
    def is_home(self, sheet: AdjustmentSheet, power: str, province: str) -> bool: ...
    def builds_at_home_only(self) -> bool: ...
    def builds_off_centres(self, power: str, province: Province) -> bool: ...
    def build_fault(self, sheet: AdjustmentSheet, order: Build) -> Fault | None: ...
    def can_afford(self, sheet: AdjustmentSheet, account: Account, order: Build, due: int) -> bool: ...
    def picks_missing_coast(self) -> bool: ...
    # Removals
    def builds_strike_removals(self) -> bool: ...
    def removal_fault(self, sheet: AdjustmentSheet, account: Account, unit: Unit) -> Fault | None: ...
    def removes_by_lot(self) -> bool: ...
    def enforced_removals(
        self, sheet: AdjustmentSheet, account: Account, lots: Lots
    ) -> tuple[list[Unit], Lots]: ...


@dataclass(slots=True)
class Account:
    """One power in an adjustment phase: what it owns and has, what it received and sent, and what it built
    and removed so far. `orders` are its orders by their place in the list. `removals_for_sends`: how many of
    its removals gave the supply for what it sent."""

    power: str
    centres: frozenset[str]
    units: set[Unit]
    orders: list[int] = field(default_factory=list)
    received: int = 0
    sent: int = 0
    removals_for_sends: int = 0
    built: list[Unit] = field(default_factory=list)
    removed: list[Unit] = field(default_factory=list)


class _Verdict(NamedTuple):
    """The outcome of one order, before it is put into words."""

    result: Result
    reason: str | None
    sentence: Sentence


class AdjustmentSheet:
    """The worksheet of one adjustment phase. Powers do not depend on each other, except for supply sent.

    `verdicts` and `causes` are by the order's place in the list, `build_order_at` has the order that built in
    a province. `memory` and `centres` are those after the phase, and `notes` sentences on what happened
    without an order; rule sets change all three.
    """

    def __init__(
        self, context: Context, rules: AdjustmentRules, position: Position, orders: Sequence[Order]
    ) -> None:
        self.context = context
        self.rules = rules
        self.position = position
        self.orders = orders
        self.verdicts: list[_Verdict | None] = [None] * len(orders)
        # A void order names the order that displaced it, so that it is void for a power's doing.
        self.causes: dict[int, int] = {}
        powers = {*context.powers, *position.centres, *(u.power for u in position.units)}
        self.accounts = {
            power: Account(power, frozenset(position.centres.get(power, ())), set()) for power in powers
        }
        for unit in position.units:
            self.accounts[unit.power].units.add(unit)
        self.build_order_at: dict[str, int] = {}
        self.occupied = {unit.region.province for unit in position.units}
        self.memory = position.memory
        self.centres = {power: frozenset(owned) for power, owned in position.centres.items()}
        self.notes: list[Sentence] = []

    # Supply

    def read_orders(self) -> list[Send]:
        """Sort the orders by power; the sends that may be carried out, in the order listed."""
        sends: list[Send] = []
        for index, order in enumerate(self.orders):
            account = self.accounts.get(order.power)
            # A power that neither owns nor has anything has no account, and nothing that it could order.
            if account is None or not self.rules.accepts_order(order, PhaseKind.ADJUSTMENT):
                self.void(index, "illegal", ("no_adjustment_order",))
                continue
            account.orders.append(index)
            if isinstance(order, SendSupply):
                if order.to_power not in self.accounts or order.to_power == account.power or order.count < 1:
                    self.void(index, "illegal", ("send_to_another",))
                else:
                    sends.append((index, account, order))
        return sends

    def builds_due(self, account: Account, sent: int) -> int:
        """Builds open to a power (+), or removals it owes (-), once it has sent so much."""
        rules = self.rules
        needed = rules.upkeep(self.context, account.units, account.built, account.removed)
        supply = rules.supply_from(self.memory, account.power, account.centres)
        due = rules.unit_allowance(supply, needed, account.received, sent) - needed
        if due >= 0:
            return due
        return year_end.removals_owed(self.context, rules, due, account.units.difference(account.removed))

    def carry_out(self, account: Account) -> None:
        """Carry out a power's orders: first its removals, which make room, then builds in the order
        listed."""
        listed = [(index, self.orders[index]) for index in account.orders if self.verdicts[index] is None]
        builds = [index for index, order in listed if isinstance(order, Build)]
        self._remove(account, [index for index, order in listed if isinstance(order, Remove)], builds)
        sent_so_far = 0
        # In list order with builds: sending counts as using supply (SUP-05, ADJ-04).
        for index in account.orders:
            order, verdict = self.orders[index], self.verdicts[index]
            if isinstance(order, SendSupply) and verdict is not None:
                sent_so_far += order.count if verdict.result is Result.SUCCEEDS else 0
            elif isinstance(order, Build):
                # Where only surplus is sent, a send further down has left this build its supply, and no
                # build takes back what was sent.
                sent = account.sent if self.rules.sends_surplus_only() else sent_so_far
                self._build(account, index, order, self.builds_due(account, sent))
            elif isinstance(order, Waive):
                self.succeed(index, ("waived",))
            elif type(order) in self.rules.ADJUSTMENT_RULES:
                self.rules.ADJUSTMENT_RULES[type(order)](self, index, order)

    # Builds

    def _build(self, account: Account, index: int, order: Build, due: int) -> None:
        fault = self.build_fault(account, order)
        rules, province = self.rules, order.region.province
        if fault is not None:
            reason, sentence = fault
            self.void(index, rules.adjustment_reason(reason), sentence, self.build_order_at.get(province))
        elif not rules.can_afford(self, account, order, due):
            self.void(index, rules.adjustment_reason("no_build"), ("nothing_to_build", account.power))
        else:
            unit = Unit(account.power, order.kind, self._build_region(order) or order.region)
            account.built.append(unit)
            self.occupied.add(province)
            self.build_order_at[province] = index
            self.succeed(index, ("built", unit))

    def build_fault(self, account: Account, order: Build) -> Fault | None:
        """Why a build cannot be carried out, or None. A build that fails uses no supply (ADJ-07)."""
        place = order.region.province
        province = self.context.board.provinces.get(place)
        if province is None or order.kind not in self.context.kinds:
            fault: Fault | None = "illegal", ("no_such_place", order.region)
        elif no_right := self._no_right(account, province):
            fault = no_right
        # Also by a unit built a line above: two builds in one centre make one unit (DATC 6.I.7).
        elif place in self.occupied:
            fault = "occupied", ("centre_occupied", place, self._occupant(place))
        # DATC 6.I.2: a fleet inland.
        elif place not in self.context.tables.stands[order.kind]:
            fault = "fleet_inland", ("kind_cannot_stand", place, self._kind_name(order))
        elif self._build_region(order) is None:
            fault = "coast_missing", ("build_coast", place, self._kind_name(order))
        else:
            fault = self.rules.build_fault(self, order)
        return fault

    def _no_right(self, account: Account, province: Province) -> Fault | None:
        """Why a power may build nothing in a province, or None if it may."""
        rules, place = self.rules, province.id
        if rules.builds_off_centres(account.power, province):
            return None
        if not province.centre:
            return "not_a_centre", ("no_centre", place)
        if rules.builds_at_home_only() and not rules.is_home(self, account.power, place):
            return "not_home_centre", ("no_home_centre", place, account.power)
        return None if place in account.centres else ("not_owned", ("centre_not_owned", place, account.power))

    def _occupant(self, place: str) -> Unit:
        built = (unit for account in self.accounts.values() for unit in account.built)
        return next(unit for unit in (*self.position.units, *built) if unit.region.province == place)

    def _kind_name(self, order: Build) -> str:
        name = self.context.kinds[order.kind].name.lower()
        return f"an {name}" if name[0] in "aeiou" else f"a {name}"

    def _build_region(self, order: Build) -> Region | None:
        """The region meant; None if a coast is needed and is missing or wrong (DATC 4.B.7, Q-22)."""
        regions = self.context.tables.stands[order.kind][order.region.province]
        if regions[0].coast is None:
            return regions[0]
        ordered_coast = order.region.coast
        if ordered_coast is None:
            return regions[0] if len(regions) == 1 or self.rules.picks_missing_coast() else None
        coast = self.context.board.provinces[order.region.province].coast_id(ordered_coast)
        return next((region for region in regions if region.coast == coast), None)

    # Removals

    def _remove(self, account: Account, indexes: list[int], builds: list[int]) -> None:
        """Carry out removals. Those listed next to builds are struck, except what a sender needs to cover
        what it sends (Q-26, Q-27)."""
        for index in indexes:
            order = self.orders[index]
            assert isinstance(order, Remove)
            unit = self.unit_to_remove(account, order)
            is_owed = self.owes_removal(account)
            # A removal counts as far as a send needs it; what was owed before goes by lot, as for everybody
            #
            covers_a_send = is_owed and len(account.removed) < account.sent
            if self.rules.builds_strike_removals() and builds and not covers_a_send:
                self.void(index, "struck", ("struck", unit or order.unit), builds[0])
            elif unit is None:
                self.void(index, "no_such_unit", self._no_unit(account, order))
            elif fault := self.rules.removal_fault(self, account, unit):
                self.void(index, *fault)
            else:
                account.removed.append(unit)
                note_misnamed(self.notes, order.unit, unit)
                self.succeed(index, ("removed", unit))

    def owes_removal(self, account: Account) -> bool:
        """True if a power has a unit to remove: it has more than it may have, or sent the supply of one."""
        return (self.builds_due(account, account.sent) < 0
                or len(account.removed) < account.removals_for_sends)

    def _no_unit(self, account: Account, order: Remove) -> Sentence:
        province = order.unit.region.province
        removed = next((u for u in account.removed if u.region.province == province), None)
        if removed is None:
            return ("no_own_unit", account.power, order.unit)
        return ("removed_already", removed)

    def unit_to_remove(self, account: Account, order: Remove) -> Unit | None:
        """The power's own unit that a removal names; None if there is none, or it is removed already."""
        unit_ref = order.unit
        return next((
            u for u in account.units
            if u.region.province == unit_ref.region.province and u not in account.removed
            and (unit_ref.kind in {None, u.kind} or self.rules.forgives_wrong_kind())
        ), None)

    # Verdicts

    def void(self, index: int, reason: str, sentence: Sentence, cause: int | None = None) -> None:
        """Void an order, by its place in the list; `cause` is the place of the order that made it void,
        if one did."""
        if cause is not None:
            self.causes[index] = cause
        self.verdicts[index] = _Verdict(Result.VOID, reason, sentence)

    def succeed(self, index: int, sentence: Sentence) -> None:
        """Mark an order as carried out."""
        self.verdicts[index] = _Verdict(Result.SUCCEEDS, None, sentence)
