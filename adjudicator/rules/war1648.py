"""1648: frozen seas and lands, mercenaries, fleets that change into armies, Spain's choice at the start.
Build months are in `war1648_builds.py`, loans and control in `war1648_loans.py`.

Marks of provinces: "frozen", "special=POWER", "fleets=POWER" and "instead=PROVINCE". What the printed rules
leave open is a named choice; the default is the decision taken (docs/rulings/war1648.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence
from adjudicator.geo import SEA, Region, Terrain
from adjudicator.lots import Lots
from adjudicator.orders import Build, Convert, Convoy, Move, MoveHome, Order, SupportHold, SupportMove
from adjudicator.outcome import Result
from adjudicator.phases.adjustment_sheet import Account, AdjustmentSheet, Fault
from adjudicator.phases.movement_sheet import Check, MovementSheet, OutcomeRule
from adjudicator.phases.order_outcomes import attack_on
from adjudicator.phrases import CLASSIC
from adjudicator.position import Centres, Dislodgement, Memory, NotePart, Position
from adjudicator.rules import war1648_builds as builds, war1648_loans as loans
from adjudicator.ruleset import CLASSIC_ORDERS, Ruleset
from adjudicator.strength import NOBODY, PartialResolution
from adjudicator.units import Unit

ARMY = "A"
FROZEN = "frozen"

SENTENCES: Mapping[str, str] = {
    "started": "begins in {0}",
    "no_start_there": "void: {0} has no choice to begin in {1}",
    "start_is_over": "void: where units begin is chosen with the orders of {0} only",
    "change_completed": "changes into {0}",
    "change_disrupted": "stays a fleet: {0} attacked {1}",
    "change_no_fleet": "void: {0} is no fleet, and only fleets change",
    "change_to_army": "void: {0} can change into an army only",
    "change_at_sea": "void: {0} is at sea, and fleets change in a coastal province",
    "frozen_goal": "void: {0} cannot go to {1}, which is frozen in {2}",
    "frozen_fast": "void: {0} is fast in the ice of {1} in {2}",
    "frozen_attack": "void: {0} may leave {1}, frozen in {2}, and not attack",
    "frozen_support": "void: {0} cannot support from {1}, which is frozen in {2}",
    "frozen_aim": "void: {0} cannot support into {1}, which is frozen in {2}",
    "mercenary_backs": "void: {0} may support only units that are no mercenaries",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin(Order):
    """`Start in Leon`: where a unit that has the choice begins the game (TYW-02, rule 11)."""

    WORD: ClassVar[str] = "begin"
    TERSE: ClassVar[str] = "Start in {place}"
    PROSE: ClassVar[str] = "Start in {place}"

    place: Region


def check_convert(sheet: MovementSheet, number: int, order: Convert) -> Sentence | None:
    """`FCA` is legal for a fleet in a coastal province (TYW-05). The unit holds either way."""
    unit = sheet.units[number]
    if SEA not in sheet.context.kinds[unit.kind].moves:
        return ("change_no_fleet", unit)
    if order.to_kind not in {None, ARMY}:
        return ("change_to_army", unit)
    if sheet.context.board.provinces[unit.region.province].terrain is not Terrain.COASTAL:
        return ("change_at_sea", unit)
    return None


def convert_outcome(sheet: MovementSheet, state: PartialResolution, number: int) -> None:
    """The fleet changes at the end of the month, unless a power attacked it (TYW-05)."""
    unit = sheet.units[number]
    own_too = sheet.rules.choice("own_attack_disrupts") == "yes"
    attack = attack_on(sheet, state, number, own_too=own_too)
    if attack == NOBODY:
        sheet.set_outcome(number, Result.SUCCEEDS, "completed", ("change_completed", _as_army(unit)))
    else:
        sheet.set_outcome(
            number, Result.FAILS, "disrupted", ("change_disrupted", sheet.units[attack], unit.region), attack
        )


def _as_army(fleet: Unit) -> Unit:
    return Unit(fleet.power, ARMY, Region(fleet.region.province))


@dataclass(frozen=True, slots=True)
class ThirtyYears(Ruleset):
    """The game's thirteen rules besides the classic ones (rule 1)."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **Ruleset.CHOICES,
        "double_orders": ("hold", "first"),
        "convoy_paradox": ("szykman", "all_hold"),
        "missing_coast": ("void", "first"),
        "build_months_count": ("yes", "no"),
        "own_attack_disrupts": ("no", "yes"),
        "frozen_fleet_changes": ("no", "yes"),
        "fleets_and_frozen_land": ("closed", "open"),
        "convoys_in_ice": ("no", "yes"),
        "retreats_into_ice": ("no", "yes"),
        "odd_mercenary": ("and_a_unit", "alone"),
        "special_centres": ("homes_only", "owned"),
        "special_when_retaken": ("reverts", "stays"),
        "borrower_takes": ("no", "yes"),
        "lender_borrows": ("no", "yes"),
    }
    FIGURES: ClassVar[Mapping[str, int | tuple[str, ...]]] = {
        "frost": ("December", "January", "February"),
        "fleets_a_turn": 2,
        "turns_held": 3,
        "mercenaries_a_centre": 2,
    }
    MARKS: ClassVar[Mapping[str, str]] = {
        FROZEN: "freezes in winter",
        "special": "special centre of the {0}",
        "fleets": "fleets may be built here by {0}",
        "instead": "may be chosen at the start instead of {0}",
    }
    ORDERS: ClassVar[Mapping[PhaseKind, frozenset[type[Order]]]] = {
        **CLASSIC_ORDERS,
        PhaseKind.MOVEMENT: CLASSIC_ORDERS[PhaseKind.MOVEMENT] | {Convert, Begin},
        PhaseKind.ADJUSTMENT: CLASSIC_ORDERS[PhaseKind.ADJUSTMENT] | {MoveHome, loans.Lend, loans.TakeBack},
    }
    FORMS: ClassVar[Mapping[str, type[Order]]] = {
        "begin": Begin,
        "lend": loans.Lend,
        "take_back": loans.TakeBack,
    }
    NOTES: ClassVar[Mapping[str, tuple[NotePart, ...]]] = loans.NOTES
    EXAMPLES: ClassVar[Mapping[PhaseKind, tuple[tuple[str, str], ...]]] = {
        PhaseKind.MOVEMENT: (
            ("F {a} FCA", "the fleet changes into an army"),
            ("M {a} S A {b}", "the mercenaries support the army where it is")),
        PhaseKind.ADJUSTMENT: (
            ("Build M {a}", "mercenaries are raised"),
            ("Lend {a} to {p}", "the centre supplies {p} from now on"),
            ("Take back {a}", "the loan ends"),
            ("Designate {a} for {b}", "the one is a home centre while the other is lost")),
    }
    SENTENCES: ClassVar[Mapping[str, str]] = {**CLASSIC, **SENTENCES, **builds.SENTENCES, **loans.SENTENCES}
    CHECKS: ClassVar[Mapping[type[Order], Check]] = {Convert: check_convert}
    OUTCOME_RULES: ClassVar[Mapping[type[Order], OutcomeRule]] = {Convert: convert_outcome}

    def first_of_two_orders_counts(self) -> bool:
        return self.choice("double_orders") == "first"

    def convoy_paradox_fails_all_moves(self) -> bool:
        return self.choice("convoy_paradox") == "all_hold"

    def picks_missing_coast(self) -> bool:
        return self.choice("missing_coast") == "first"

    # Movement

    def initial_deployment(self, context: Context, position: Position, orders: Sequence[Order]) -> Position:
        """Spain's army begins where Spain states, in the first month (rule 11)."""
        for order in orders:
            if isinstance(order, Begin) and _start_fault(context, position, order) is None:
                place = order.place.province
                moved = [u for u in position.units if u.region.province == _instead(context, place)]
                if moved and all(u.region.province != place for u in position.units):
                    units = position.units.difference(moved) | {replace(moved[0], region=Region(place))}
                    position = replace(position, units=units)
        return position

    def commanders(self, sheet: MovementSheet) -> Mapping[int, str]:
        """No unit commands another's units. Settles what was chosen for the start."""
        for index, order in enumerate(sheet.orders):
            if isinstance(order, Begin):
                fault = _start_fault(sheet.context, sheet.position, order)
                unit = sheet.unit_at.get(order.place.province, NOBODY)
                if fault is None and (unit == NOBODY or sheet.power[unit] != order.power):
                    fault = ("no_start_there", order.power, order.place)
                if fault is not None:
                    sheet.void(index, "illegal", *fault)
                else:
                    sheet.settle(index, Result.SUCCEEDS, None, "started", order.place)
        return {}

    def before_resolution(self, sheet: MovementSheet) -> None:
        """Void what ice forbids (TYW-11, TYW-12) and what mercenaries may not do (TYW-06)."""
        month = sheet.position.phase.season
        is_frost = month in self.word_list("frost")
        has_mercenaries = bool(sheet.non_attackers.intersection(sheet.kind))
        if not (is_frost or has_mercenaries):
            return
        for number, index in enumerate(sheet.order_index):
            if index == NOBODY or sheet.outcomes[index] is not None:
                continue
            fault = self._ice_fault(sheet, number, month) if is_frost else None
            if fault is None and has_mercenaries:
                fault = _mercenary_fault(sheet, number)
            if fault is not None:
                sheet.let_hold(number)
                sheet.void(index, "illegal", *fault)

    def _ice_fault(self, sheet: MovementSheet, number: int, month: str) -> Sentence | None:
        """Why a unit cannot carry out its order in a month of frost, or None."""
        unit, order = sheet.units[number], sheet.order_of(number)
        place = sheet.place[number]
        is_fleet = SEA in sheet.context.kinds[unit.kind].moves
        is_frozen = frozen(sheet.context, place)
        is_land_frozen = is_frozen and not sheet.context.board.provinces[place].is_sea
        match order:
            case Move():
                return self._ice_fault_of_move(sheet, number, order, month)
            case SupportHold() | SupportMove() if is_frozen:
                return ("frozen_support", unit, place, month)
            case SupportHold() | SupportMove() if frozen(
                sheet.context, sheet.place[sheet.expected_goal[number]]
            ):
                return ("frozen_aim", unit, sheet.place[sheet.expected_goal[number]], month)
            case Convoy() if is_frozen and self.choice("convoys_in_ice") == "no":
                return ("frozen_fast", unit, place, month)
            case Convert() if is_land_frozen and is_fleet and self.choice("frozen_fleet_changes") == "no":
                return ("frozen_fast", unit, place, month)
        return None

    def _ice_fault_of_move(
        self, sheet: MovementSheet, number: int, order: Move, month: str
    ) -> Sentence | None:
        context, unit, place, goal = (
            sheet.context,
            sheet.units[number],
            sheet.place[number],
            order.to.province,
        )
        is_fleet = SEA in context.kinds[unit.kind].moves
        is_land_frozen = frozen(context, place) and not context.board.provinces[place].is_sea
        if is_land_frozen and is_fleet:
            return ("frozen_fast", unit, place, month)
        if frozen(context, goal) and not (
            is_fleet and not context.board.provinces[goal].is_sea and goal not in sheet.unit_at
            and self.choice("fleets_and_frozen_land") == "open"
        ):
            return ("frozen_goal", unit, order.to, month)
        if is_land_frozen and goal in sheet.unit_at:
            return ("frozen_attack", unit, place, month)
        return None

    def dislodged_for_retreat(
        self, sheet: MovementSheet, dislodged: tuple[Dislodgement, ...]
    ) -> tuple[Dislodgement, ...]:
        """No unit retreats into the ice."""
        is_frost = sheet.position.phase.season in self.word_list("frost")
        if not is_frost or self.choice("retreats_into_ice") == "yes":
            return dislodged
        return tuple([
            replace(d, may_retreat=frozenset(
                region for region in d.may_retreat if not frozen(sheet.context, region.province)))
            for d in dislodged
        ])

    def after_movement(
        self, sheet: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]:
        """Fleets that changed are armies. Memory of centres is stored."""
        changed = [
            sheet.units[number]
            for number, index in enumerate(sheet.order_index)
            if isinstance(sheet.order_of(number), Convert)
            and (outcome := sheet.outcomes[index]) is not None
            and outcome.reason == "completed"
        ]
        armies = map(_as_army, changed)
        return standing.difference(changed).union(armies), Memory(notes=sheet.position.memory.notes)

    def memory_after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    def memory_after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    # Build months

    def after_year(
        self, context: Context, after: Position, owners: Centres
    ) -> tuple[Centres, Memory, tuple[Sentence, ...]]:
        return loans.after_year(self, context, after, owners)

    def before_adjustments(self, sheet: AdjustmentSheet) -> None:
        builds.name_homes(sheet)
        loans.enter_loans(sheet)

    def supply_from(self, memory: Memory, power: str, owned: frozenset[str]) -> int:
        return len(owned) + loans.balance(memory, power)

    def upkeep(
        self, context: Context, units: Collection[Unit], built: Collection[Unit] = (),
        removed: Collection[Unit] = ()
    ) -> int:
        """A centre for each unit, and one for two mercenaries or for a single one left over (TYW-06)."""
        total = len(units) + len(built) - len(removed)
        hired = context.tables.non_attackers
        if not hired:
            return total
        mercenaries = sum(u.kind in hired for u in (*units, *built)) - sum(u.kind in hired for u in removed)
        per_centre = self.number("mercenaries_a_centre")
        return total - mercenaries + -(-mercenaries // per_centre)  # rounded up

    def can_afford(self, sheet: AdjustmentSheet, account: Account, order: Build, due: int) -> bool:
        """The second mercenary of a pair needs no more supply than the first did (TYW-06)."""
        unit = Unit(account.power, order.kind, order.region)
        before = self.upkeep(sheet.context, account.units, account.built, account.removed)
        after = self.upkeep(sheet.context, account.units, [*account.built, unit], account.removed)
        return after - before <= due

    def is_home(self, sheet: AdjustmentSheet, power: str, province: str) -> bool:
        return builds.open_to(sheet, power, province)

    def build_fault(self, sheet: AdjustmentSheet, order: Build) -> Fault | None:
        return builds.build_fault(sheet, order)

    def removal_fault(
        self, sheet: AdjustmentSheet, account: Account, unit: Unit
    ) -> Fault | None:
        return builds.removal_fault(sheet, account, unit)

    def enforced_removals(
        self, sheet: AdjustmentSheet, account: Account, lots: Lots
    ) -> tuple[list[Unit], Lots]:
        return builds.enforced_removals(sheet, account), lots


def frozen(context: Context, province: str) -> bool:
    """True if a province freezes in the months of frost."""
    return FROZEN in context.board.provinces[province].marks


def _mercenary_fault(sheet: MovementSheet, number: int) -> Sentence | None:
    """Mercenaries do not support mercenaries (TYW-06). That they do not attack is a trait of their kind."""
    order, partner = sheet.order_of(number), sheet.partner[number]
    if sheet.kind[number] in sheet.non_attackers and isinstance(order, SupportHold | SupportMove) \
            and partner != NOBODY and sheet.kind[partner] in sheet.non_attackers:
        return ("mercenary_backs", sheet.units[number])
    return None


def _instead(context: Context, place: str) -> str:
    """The province whose unit may begin in this one instead, or "" if none may."""
    province = context.board.provinces.get(place)
    marks = province.marks if province else ()
    return next((mark.removeprefix("instead=") for mark in marks if mark.startswith("instead=")), "")


def _start_fault(context: Context, position: Position, order: Begin) -> Sentence | None:
    place = order.place.province
    if not _instead(context, place) or context.board.provinces[place].home != order.power:
        return ("no_start_there", order.power, order.place)
    if position.phase != context.start:
        start = context.start
        return ("start_is_over", "" if start is None else f"{start.season} {start.year}")
    return None


RULES = ThirtyYears
