"""The adjustment phase, start to finish: supply sent, builds, removals, and what goes when too little is
removed (ADJ-01..07, SUP-01..05, MCY-01, DATC 6.I and 6.J)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Explainer, Sentence
from adjudicator.geo import Province, Region
from adjudicator.lots import Lots
from adjudicator.orders import Build, Order, Remove, SendSupply
from adjudicator.outcome import Outcome, Resolution, Result, make_outcome
from adjudicator.phases import year_end
from adjudicator.position import Memory, Position
from adjudicator.units import Unit


@dataclass(slots=True)
class Account:
    """One power's Winter. `supply` is what its units may number: centres, less what it sends, and what it
    gets."""

    power: str
    centres: frozenset[str]
    units: set[Unit]
    orders: list[int] = field(default_factory=list)
    received: int = 0
    sent: int = 0
    built: list[Unit] = field(default_factory=list)
    removed: list[Unit] = field(default_factory=list)


AdjustmentRule = Callable[["AdjustmentSheet", int, Any], None]
"""Settles one order that only a rule set knows, by its place in the list."""


class AdjustmentRules(year_end.YearEndRules, Protocol):
    """What a rule set decides while an adjustment phase is judged; `Ruleset` has the defaults."""

    ADJUSTMENT_RULES: ClassVar[Mapping[type[Order], AdjustmentRule]]

    def choice(self, key: str) -> str: ...
    def number(self, key: str) -> int: ...
    def word_list(self, key: str) -> tuple[str, ...]: ...
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
    def build_fault(self, sheet: AdjustmentSheet, order: Build) -> tuple[str, Sentence] | None: ...
    def can_afford(self, sheet: AdjustmentSheet, account: Account, order: Build, due: int) -> bool: ...
    def picks_missing_coast(self) -> bool: ...
    # Removals
    def builds_strike_removals(self) -> bool: ...
    def removal_fault(
        self, sheet: AdjustmentSheet, account: Account, unit: Unit
    ) -> tuple[str, Sentence] | None: ...
    def removes_by_lot(self) -> bool: ...
    def enforced_removals(
        self, sheet: AdjustmentSheet, account: Account, lots: Lots
    ) -> tuple[list[Unit], Lots]: ...


def resolve(
    context: Context, rules: AdjustmentRules, position: Position, orders: Sequence[Order], lots: Lots
) -> Resolution:
    """Judge an adjustment phase. Raises IndexError when lots must be drawn and the tape is too short."""
    sheet = AdjustmentSheet(context, rules, position, orders)
    sheet.read_orders()
    for power in sorted(sheet.accounts):
        sheet.carry_out(sheet.accounts[power])
    return _finish(sheet, lots)


class AdjustmentSheet:
    """The work sheet of one adjustment phase. Powers are independent of each other but for supply sent.
    `told` are sentences on what befell without an order."""

    def __init__(
        self, context: Context, rules: AdjustmentRules, position: Position, orders: Sequence[Order]
    ) -> None:
        self.context = context
        self.rules = rules
        self.position = position
        self.orders = orders
        self.verdicts: list[tuple[Result, str | None, Sentence] | None] = [None] * len(orders)
        powers = {*context.powers, *position.centres, *(u.power for u in position.units)}
        self.accounts = {
            power: Account(power, frozenset(position.centres.get(power, ())), set()) for power in powers
        }
        for unit in position.units:
            self.accounts[unit.power].units.add(unit)
        self.causes: dict[int, int] = {}
        self.build_order_at: dict[str, int] = {}
        self.memory = position.memory
        self.notes: list[Sentence] = []
        self.centres = _owned(position.centres)
        self.occupied = {unit.region.province for unit in position.units}

    def read_orders(self) -> None:
        """Sort the orders by power and enter what is sent: of the sender's own centres, unless the rules let
        it send on what it gets (Q-27, Q-28)."""
        sends = []
        for index, order in enumerate(self.orders):
            account = self.accounts.get(order.power)
            if account is None or not self.rules.accepts_order(order, PhaseKind.ADJUSTMENT):
                self.void(index, "illegal", ("no_adjustment_order",))
                continue
            account.orders.append(index)
            if isinstance(order, SendSupply):
                if order.to_power not in self.accounts or order.to_power == account.power or order.count < 1:
                    self.void(index, "illegal", ("send_to_another",))
                else:
                    sends.append((index, account, order))
        self._enter(sends)
        self.rules.before_adjustments(self)

    def _enter(self, sends: list[tuple[int, Account, SendSupply]]) -> None:
        """Send in the order listed what can be sent. A send that hangs on what others send waits for
        theirs."""
        waiting = sends
        while True:
            left = [send for send in waiting if not self._send(*send)]
            if len(left) == len(waiting) or not self.rules.passes_supply_on():
                break
            waiting = left
        for index, account, order in left:
            owns = _centres(len(account.centres))
            why: Sentence = ("sends_too_much", account.power, owns, order.count)
            if account.sent:
                why = ("sends_more", account.power, owns, account.sent, order.count)
            self.void(index, "no_supply", why)

    def _send(self, index: int, account: Account, order: SendSupply) -> bool:
        rules = self.rules
        purse = len(account.centres) + (account.received if rules.passes_supply_on() else 0)
        if rules.sends_surplus_only():
            purse -= len(account.units)
        if account.sent + order.count > purse:
            return False
        account.sent += order.count
        self.accounts[order.to_power].received += order.count
        self.succeed(index, ("supply_given", order.count, order.to_power))
        return True

    def builds_due(self, account: Account, sent: int) -> int:
        """Builds (+) open to a power or removals (-) demanded of it, once it has sent so much."""
        rules = self.rules
        have = rules.upkeep(self.context, account.units, account.built, account.removed)
        fed = rules.supply_from(self.memory, account.power, account.centres)
        due = rules.unit_allowance(fed, have, account.received, sent) - have
        return (
            due
            if due >= 0
            else year_end.removals_owed(self.context, rules, due, account.units.difference(account.removed))
        )

    def carry_out(self, account: Account) -> None:
        """Builds and sends in the order listed, then the removals asked for."""
        listed = [(index, self.orders[index]) for index in account.orders if self.verdicts[index] is None]
        builds = [index for index, order in listed if isinstance(order, Build)]
        self._remove(account, [index for index, order in listed if isinstance(order, Remove)], builds)
        sent = 0
        for index in account.orders:
            order = self.orders[index]
            if isinstance(order, SendSupply) and self.verdicts[index] is not None:
                sent += order.count if self._stands(index) else 0
            elif isinstance(order, Build):
                # Where only surplus is sent, a build never takes back what was sent further down the sheet
                #
                spent = account.sent if self.rules.sends_surplus_only() else sent
                self._build(account, index, order, self.builds_due(account, spent))
            elif type(order) in self.rules.ADJUSTMENT_RULES:
                self.rules.ADJUSTMENT_RULES[type(order)](self, index, order)

    def _stands(self, index: int) -> bool:
        verdict = self.verdicts[index]
        return verdict is not None and verdict[0] is Result.SUCCEEDS

    # Builds
    # ----------------------------------------------------------------------------------------------------------

    def _build(self, account: Account, index: int, order: Build, due: int) -> None:
        reason, why = self._fault(account, order)
        rules = self.rules
        if reason:
            self.void(
                index, rules.adjustment_reason(reason), why, self.build_order_at.get(order.region.province)
            )
        elif not rules.can_afford(self, account, order, due):
            self.void(index, rules.adjustment_reason("no_build"), ("nothing_to_build", account.power))
        else:
            unit = Unit(account.power, order.kind, self._site(order) or order.region)
            account.built.append(unit)
            self.occupied.add(unit.region.province)
            self.build_order_at[unit.region.province] = index
            self.succeed(index, ("built", unit))

    def _fault(self, account: Account, order: Build) -> tuple[str, Sentence]:
        """Reason and sentence of an order that cannot be carried out; "" for a good one. It uses no supply
        (ADJ-07)."""
        place = order.region.province
        province = self.context.board.provinces.get(place)
        found: tuple[str, Sentence] = ("", ("",))
        if province is None or order.kind not in self.context.kinds:
            found = "illegal", ("no_such_place", order.region)
        elif right := self._no_right(account, province):
            found = right
        elif place in self.occupied:
            found = "occupied", ("centre_occupied", place, self._standing(place))
        elif place not in self.context.tables.stands[order.kind]:
            found = "fleet_inland", ("kind_cannot_stand", place, self._kind(order))
        elif self._site(order) is None:
            found = "coast_missing", ("build_coast", place,
                                              self._kind(order))
        else:
            found = self.rules.build_fault(self, order) or found
        return found

    def _no_right(self, account: Account, province: Province) -> tuple[str, Sentence] | None:
        """Why a power may build nothing in a province, or None where it may."""
        rules, place = self.rules, province.id
        if rules.builds_off_centres(account.power, province):
            return None
        if not province.centre:
            return "not_a_centre", ("no_centre", place)
        if rules.builds_at_home_only() and not rules.is_home(self, account.power, place):
            return "not_home_centre", ("no_home_centre", place, account.power)
        return None if place in account.centres else ("not_owned", ("centre_not_owned", place, account.power))

    def _standing(self, place: str) -> Unit:
        built = (unit for account in self.accounts.values() for unit in account.built)
        return next(unit for unit in (*self.position.units, *built) if unit.region.province == place)

    def _kind(self, order: Build) -> str:
        name = self.context.kinds[order.kind].name.lower()
        return f"an {name}" if name[0] in "aeiou" else f"a {name}"

    def _site(self, order: Build) -> Region | None:
        """The region meant; None when a coast is needed and is missing or wrong (DATC 4.B.7, Q-22)."""
        there = self.context.tables.stands[order.kind][order.region.province]
        if there[0].coast is None:
            return there[0]
        wanted = order.region.coast
        if wanted is None:
            return there[0] if len(there) == 1 or self.rules.picks_missing_coast() else None
        named = self.context.board.provinces[order.region.province].coast_id(wanted)
        return next((region for region in there if region.coast == named), None)

    # Removals
    # --------------------------------------------------------------------------------------------------------

    def _remove(self, account: Account, indexes: list[int], beside: list[int]) -> None:
        """Removals asked for. Those listed beside builds are struck, except what a sender needs to cover
        (Q-26, Q-27)."""
        for index in indexes:
            order = self.orders[index]
            assert isinstance(order, Remove)
            unit = self._unit(account, order)
            needed = self.builds_due(account, account.sent) < 0
            covers_a_send = needed and len(account.removed) < account.sent
            if self.rules.builds_strike_removals() and beside and not covers_a_send:
                self.void(index, "struck", ("struck", unit or order.unit), beside[0])
            elif unit is None:
                self.void(index, "no_such_unit", self._nothing(account, order))
            elif barred := self.rules.removal_fault(self, account, unit):
                self.void(index, *barred)
            else:
                account.removed.append(unit)
                self.succeed(index, ("removed", unit))

    def _nothing(self, account: Account, order: Remove) -> Sentence:
        gone = next((u for u in account.removed if u.region.province == order.unit.region.province), None)
        return ("no_own_unit", account.power, order.unit) if gone is None else ("removed_already", gone)

    def _unit(self, account: Account, order: Remove) -> Unit | None:
        wanted = order.unit
        return next((
            u for u in account.units
            if u.region.province == wanted.region.province and u not in account.removed
            and (wanted.kind in {None, u.kind} or self.rules.forgives_wrong_kind())
        ), None)

    def void(self, index: int, reason: str, why: Sentence, cause: int | None = None) -> None:
        """Mark an order void; `cause` is the order that did it, by its place in the list, if one did."""
        if cause is not None:
            self.causes[index] = cause
        self.verdicts[index] = Result.VOID, reason, why

    def succeed(self, index: int, why: Sentence) -> None:
        """Mark an order carried out."""
        self.verdicts[index] = Result.SUCCEEDS, None, why


def _finish(sheet: AdjustmentSheet, lots: Lots) -> Resolution:
    context, rules, position = sheet.context, sheet.rules, sheet.position
    enforced: list[Unit] = []
    tape = lots
    for power in sorted(sheet.accounts):
        account = sheet.accounts[power]
        gone, tape = rules.enforced_removals(sheet, account, tape)
        account.removed += gone
        enforced += gone
    built = tuple(u for power in sorted(sheet.accounts) for u in sheet.accounts[power].built)
    removed = tuple(u for power in sorted(sheet.accounts) for u in sheet.accounts[power].removed)
    units = (position.units | set(built)) - set(removed)
    by_lot = rules.removes_by_lot()
    resolution = Resolution(
        outcomes=_outcomes(sheet),
        position=Position(context.calendar.phase_after(position.phase), units, sheet.centres,
                          memory=rules.memory_after_winter(sheet.memory, units)),
        built=built,
        removed=removed,
        removed_by_lot=tuple(enforced) if by_lot else (),
        removed_by_disorder=() if by_lot else tuple(enforced),
        lots_used=tape.used - lots.used,
        notes=tuple(Explainer(context, rules).text(one) for one in sheet.notes),
    )
    return (
        year_end.with_victory(context, rules, resolution) if rules.tests_victory_in_winter() else resolution
    )


def _outcomes(sheet: AdjustmentSheet) -> tuple[Outcome, ...]:
    words = Explainer(sheet.context, sheet.rules)
    found = []
    for index, (order, verdict) in enumerate(zip(sheet.orders, sheet.verdicts, strict=True)):
        assert verdict is not None
        result, reason, why = verdict
        cause = sheet.orders[sheet.causes[index]] if index in sheet.causes else None
        found.append(make_outcome(order, result, reason, cause, (words, *why), False))
    return tuple(found)


def _centres(number: int) -> str:
    return "1 centre" if number == 1 else f"{number} centres"


def _owned(centres: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    return {power: frozenset(owned) for power, owned in centres.items()}
