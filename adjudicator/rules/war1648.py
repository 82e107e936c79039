"""1648: frozen seas and lands, mercenaries, fleets that change into armies, Spain's choice at the start, and
the tables that lead to build months (`war1648_builds.py`).

What the printed rules leave open are named choices; the default is the decision taken
(docs/rulings/war1648.md). Marks of provinces: "frozen", "special=POWER", "fleets=POWER" and
"instead=PROVINCE".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence
from adjudicator.geo import SEA, Region, Terrain
from adjudicator.lots import Lots
from adjudicator.orders import Build, Convert, Convoy, Move, MoveHome, Order, SupportHold, SupportMove
from adjudicator.outcome import Result, outcome
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.phases.order_outcomes import attack_on
from adjudicator.phrases import CLASSIC
from adjudicator.position import Dislodgement, Memory, Position
from adjudicator.rules import war1648_builds as builds
from adjudicator.rules import war1648_loans as loans
from adjudicator.ruleset import CLASSIC_ORDERS, Centres, Ruleset
from adjudicator.strength import NOBODY, PartialResolution
from adjudicator.units import Unit

if TYPE_CHECKING:
    from adjudicator.phases.adjustments import Account, Winter

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


def check_convert(turn: MovementSheet, number: int, order: Convert) -> Sentence | None:
    """`FCA`: legal for a fleet in a coastal province (TYW-05). The unit holds either way."""
    unit = turn.units[number]
    if SEA not in turn.setting.kinds[unit.kind].moves:
        return ("change_no_fleet", unit)
    if order.to_kind not in {None, ARMY}:
        return ("change_to_army", unit)
    if turn.setting.board.provinces[unit.region.province].terrain is not Terrain.COASTAL:
        return ("change_at_sea", unit)
    return None


def label_convert(turn: MovementSheet, state: PartialResolution, number: int) -> None:
    """Done at the end of the month, unless somebody attacked (TYW-05)."""
    unit = turn.units[number]
    own_too = turn.setting.rules.choice("own_attack_disrupts") == "yes"
    attack = attack_on(turn, state, number, own_too=own_too)
    if attack == NOBODY:
        turn.settle(number, Result.SUCCEEDS, "completed", ("change_completed", _landed(unit)))
    else:
        turn.settle(
            number, Result.FAILS, "disrupted", ("change_disrupted", turn.units[attack], unit.region), attack
        )


def _landed(fleet: Unit) -> Unit:
    return Unit(fleet.power, ARMY, Region(fleet.region.province))


@dataclass(frozen=True, slots=True)
class ThirtyYears(Ruleset):
    """The game's thirteen rules beside the classic ones (rule 1)."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "wrong_unit_type": ("forgiven", "void"),
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
    CHECKS: ClassVar[Mapping[type[Order], Callable[[MovementSheet, int, Any], Sentence | None]]] = {
        Convert: check_convert
    }
    LABELS: ClassVar[Mapping[type[Order], Callable[[MovementSheet, PartialResolution, int], None]]] = {
        Convert: label_convert
    }

    def forgives_wrong_kind(self) -> bool:
        return self.choice("wrong_unit_type") == "forgiven"

    def first_of_two_counts(self) -> bool:
        return self.choice("double_orders") == "first"

    def paradox_holds(self) -> bool:
        return self.choice("convoy_paradox") == "all_hold"

    def any_coast_will_do(self) -> bool:
        return self.choice("missing_coast") == "first"

    # Movement
    # --------------------------------------------------------------------------------------------------------

    def deployed(self, setting: Context, position: Position, orders: Sequence[Order]) -> Position:
        """Spain's army where Spain wants it, in the first month (rule 11)."""
        for order in orders:
            if isinstance(order, Begin) and _start_fault(setting, position, order) is None:
                place = order.place.province
                moved = [u for u in position.units if u.region.province == _instead(setting, place)]
                if moved and all(u.region.province != place for u in position.units):
                    units = position.units.difference(moved) | {replace(moved[0], region=Region(place))}
                    position = replace(position, units=units)
        return position

    def commanders(self, turn: MovementSheet) -> Mapping[int, str]:
        """Nobody's but the owners'; what was chosen for the start is settled here."""
        for index, order in enumerate(turn.orders):
            if isinstance(order, Begin):
                wrong = _start_fault(turn.setting, turn.position, order)
                unit = turn.at.get(order.place.province, NOBODY)
                if wrong is None and (unit == NOBODY or turn.power[unit] != order.power):
                    wrong = ("no_start_there", order.power, order.place)
                if wrong is not None:
                    turn.void(index, "illegal", *wrong)
                else:
                    turn.outcomes[index] = outcome(
                        order, Result.SUCCEEDS, None, None, (turn.words, "started", order.place), False)
                    turn.early.append(index)
        return {}

    def ready(self, turn: MovementSheet) -> None:
        """Void what ice forbids (TYW-11, TYW-12) and mercenaries may not do (TYW-06)."""
        month = turn.position.phase.season
        frost = month in self.words("frost")
        hired = bool(turn.peaceful.intersection(turn.kind))
        if not (frost or hired):
            return
        for number, index in enumerate(turn.chosen):
            if index == NOBODY or turn.outcomes[index] is not None:
                continue
            wrong = self._iced(turn, number, month) if frost else None
            if wrong is None and hired:
                wrong = _hired(turn, number)
            if wrong is not None:
                turn.stay(number)
                turn.void(index, "illegal", *wrong)

    def _iced(self, turn: MovementSheet, number: int, month: str) -> Sentence | None:
        """What keeps a unit from carrying out its order in a month of frost, or None."""
        unit, order = turn.units[number], turn.order_of(number)
        place = turn.place[number]
        afloat = SEA in turn.setting.kinds[unit.kind].moves
        locked = frozen(turn.setting, place)
        ashore = locked and not turn.setting.board.provinces[place].is_sea
        match order:
            case Move():
                return self._iced_move(turn, number, order, month)
            case SupportHold() | SupportMove() if locked:
                return ("frozen_support", unit, place, month)
            case SupportHold() | SupportMove() if frozen(turn.setting, turn.place[turn.aim[number]]):
                return ("frozen_aim", unit, turn.place[turn.aim[number]], month)
            case Convoy() if locked and self.choice("convoys_in_ice") == "no":
                return ("frozen_fast", unit, place, month)
            case Convert() if ashore and afloat and self.choice("frozen_fleet_changes") == "no":
                return ("frozen_fast", unit, place, month)
        return None

    def _iced_move(self, turn: MovementSheet, number: int, order: Move, month: str) -> Sentence | None:
        setting, unit, place, goal = turn.setting, turn.units[number], turn.place[number], order.to.province
        afloat = SEA in setting.kinds[unit.kind].moves
        ashore = frozen(setting, place) and not setting.board.provinces[place].is_sea
        if ashore and afloat:
            return ("frozen_fast", unit, place, month)
        if frozen(setting, goal) and not (
            afloat and not setting.board.provinces[goal].is_sea and goal not in turn.at
            and self.choice("fleets_and_frozen_land") == "open"
        ):
            return ("frozen_goal", unit, order.to, month)
        if ashore and goal in turn.at:
            return ("frozen_attack", unit, place, month)
        return None

    def beaten(self, turn: MovementSheet, found: tuple[Dislodgement, ...]) -> tuple[Dislodgement, ...]:
        """Nobody retreats into the ice."""
        if turn.position.phase.season not in self.words("frost") or self.choice("retreats_into_ice") == "yes":
            return found
        return tuple(
            [
                replace(
                    one,
                    may_retreat=frozenset(r for r in one.may_retreat if not frozen(turn.setting, r.province)),
                )
                for one in found
            ]
        )

    def after_movement(
        self, turn: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]:
        """Fleets that changed are armies; what was known of centres stays known."""
        old = [
            turn.units[number]
            for number, index in enumerate(turn.chosen)
            if isinstance(turn.order_of(number), Convert)
            and (done := turn.outcomes[index])
            and done.reason == "completed"
        ]
        return standing.difference(old).union(map(_landed, old)), Memory(notes=turn.position.memory.notes)

    def after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    def after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    # Build months
    # ----------------------------------------------------------------------------------------------------

    def settled(
        self, setting: Context, after: Position, owners: Centres
    ) -> tuple[Centres, Memory, tuple[Sentence, ...]]:
        return loans.settled(self, setting, after, owners)

    def books(self, winter: Winter) -> None:
        builds.name_homes(winter)
        loans.enter(winter)

    def feeds(self, memory: Memory, power: str, owned: frozenset[str]) -> int:
        return len(owned) + loans.balance(memory, power)

    def upkeep(
        self, setting: Context, units: Collection[Unit], built: Collection[Unit] = (),
        removed: Collection[Unit] = ()
    ) -> int:
        """A centre for each unit, and for each two mercenaries, or one that is left over (TYW-06)."""
        hired = setting.chart.peaceful
        if not hired:
            return len(units) + len(built) - len(removed)
        few = sum(u.kind in hired for u in (*units, *built)) - sum(u.kind in hired for u in removed)
        every = self.number("mercenaries_a_centre")
        return len(units) + len(built) - len(removed) - few + -(-few // every)

    def affords(self, winter: Winter, account: Account, order: Build, due: int) -> bool:
        """The second mercenary of a pair takes no more supply than the first did (TYW-06)."""
        unit = Unit(account.power, order.kind, order.region)
        more = self.upkeep(winter.setting, account.units, [*account.built, unit], account.removed)
        return more - self.upkeep(winter.setting, account.units, account.built, account.removed) <= due

    def is_home(self, winter: Winter, power: str, province: str) -> bool:
        return builds.open_to(winter, power, province)

    def bars_build(self, winter: Winter, order: Build) -> tuple[str, Sentence] | None:
        return builds.bars(winter, order)

    def bars_removal(self, winter: Winter, account: Account, unit: Unit) -> tuple[str, Sentence] | None:
        return builds.bars_removal(winter, account, unit)

    def enforced(self, winter: Winter, account: Account, lots: Lots) -> tuple[list[Unit], Lots]:
        return builds.enforced(winter, account), lots


def frozen(setting: Context, province: str) -> bool:
    """Whether a province freezes in the months of frost."""
    return FROZEN in setting.board.provinces[province].marks


def _hired(turn: MovementSheet, number: int) -> Sentence | None:
    """Mercenaries support only who is none (TYW-06). That they do not attack is a trait of their kind."""
    order, partner = turn.order_of(number), turn.partner[number]
    if turn.kind[number] in turn.peaceful and isinstance(order, SupportHold | SupportMove) \
            and partner != NOBODY and turn.kind[partner] in turn.peaceful:
        return ("mercenary_backs", turn.units[number])
    return None


def _instead(setting: Context, place: str) -> str:
    """The province whose unit may begin in this one, or ""."""
    province = setting.board.provinces.get(place)
    marks = province.marks if province else ()
    return next((mark.removeprefix("instead=") for mark in marks if mark.startswith("instead=")), "")


def _start_fault(setting: Context, position: Position, order: Begin) -> Sentence | None:
    place = order.place.province
    if not _instead(setting, place) or setting.board.provinces[place].home != order.power:
        return ("no_start_there", order.power, order.place)
    if position.phase != setting.start:
        start = setting.start
        return ("start_is_over", "" if start is None else f"{start.season} {start.year}")
    return None


RULES = ThirtyYears
