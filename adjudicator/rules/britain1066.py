"""1066: units off the board, the Straits of Dover, the hidden fleet, builds in captured centres and homes
named anew.

Marks of provinces: "off_board" for a box beside the board; "straits" where armies wait that may be destroyed;
"hidden=SEA" where a fleet lies unseen in that sea; "builds=POWER" and "kinds=A F" where a power builds off
the board. What the printed rules leave open are named choices; the default is the decision taken
(docs/rulings/britain1066.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence
from adjudicator.geo import Province, Region
from adjudicator.lots import Lots
from adjudicator.orders import Build, Convoy, Move, MoveHome, Order, SupportHold, SupportMove, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result, make_outcome
from adjudicator.phases.adjustments import AdjustmentRule, AdjustmentSheet
from adjudicator.phases.home_centres import home_centres
from adjudicator.phases.legality import CHECKS
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.phrases import CLASSIC
from adjudicator.position import Dislodgement, Memory, Position
from adjudicator.rules.britain1066_winter import CAPTURED, captured, settle_home
from adjudicator.rules.britain1066_winter import SENTENCES as WINTER_SENTENCES
from adjudicator.ruleset import CLASSIC_ORDERS, Ruleset
from adjudicator.strength import NOBODY
from adjudicator.units import Unit

OFF, STRAITS, HIDDEN, BUILDS, KINDS = "off_board", "straits", "hidden", "builds", "kinds"
SEEN = "seen"
"""The note that a unit in a hidden box has shown itself: ("seen", box)."""

SENTENCES: Mapping[str, str] = {
    **WINTER_SENTENCES,
    "off_board_support": "void: {0} is off the board and supports nobody",
    "lies_in": "lies in {0}, unseen",
    "lies_known": "void: where the hidden fleet lies is said with the orders of the first month only",
    "lies_not_there": "void: {1} has no hidden unit in {0}",
    "declares_nobody": "void: {1} has no unit in {0}",
    "destroyed_there": "{1} destroyed in {0}",
    "nobody_there": "no army is left in {0} to destroy",
    "not_in_straits": "void: the unit in {0} is not in the Straits of Dover, and did not get there",
    "too_early": "void: armies in the Straits of Dover are safe until month {0}",
    "note_in_the_open": "{0}: {1} is hidden no longer and stands in the open",
    "note_excess": "{0}: {1} was one too many in its sea and is gone",
    "no_destroyer": "void: {0} is no fleet of another power",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Destroy(Order):
    """`Fleet X destroys armies in the Straits of Dover` (D66-04, Q-73), beside the unit's own order."""

    WORD: ClassVar[str] = "destroy"
    TERSE: ClassVar[str] = "{place} destroys armies"
    PROSE: ClassVar[str] = "The unit in {place} destroys the armies in the Straits of Dover"

    place: Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Lie(Order):
    """`Hidden Germanicus 1 lies in The Wash`: where a hidden unit begins (D66-06)."""

    WORD: ClassVar[str] = "lie"
    TERSE: ClassVar[str] = "{place} lies in {sea}"
    PROSE: ClassVar[str] = "{place} lies in {sea}"

    place: Region
    sea: Region


def mark(province: Province, name: str) -> str | None:
    """What a province's mark of that name says after "="; None where it has none."""
    return next(
        (found.partition("=")[2] for found in province.marks if found.partition("=")[0] == name), None
    )


@dataclass(frozen=True, slots=True)
class Conquest(Ruleset):
    """The printed rules beside the classic ones."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "nomination": ("at_once", "next_winter"),
        "off_board_supply": ("free", "counts"),
    }
    FIGURES: ClassVar[Mapping[str, int | tuple[str, ...]]] = {
        "destroyed_from": 3, "hidden_until": 2, "captured_homes": 3,
        "straits": ("SOD",), "build_at_will": ("Harald Hardrada", "The Norse"), "at_will": ("A/F",),
        "armies": ("A",),
    }
    ORDERS: ClassVar[Mapping[PhaseKind, frozenset[type[Order]]]] = {
        **CLASSIC_ORDERS,
        PhaseKind.MOVEMENT: CLASSIC_ORDERS[PhaseKind.MOVEMENT] | {Destroy, Lie},
        PhaseKind.ADJUSTMENT: CLASSIC_ORDERS[PhaseKind.ADJUSTMENT] | {MoveHome},
    }
    FORMS: ClassVar[Mapping[str, type[Order]]] = {"destroy": Destroy, "lie": Lie}
    EXAMPLES: ClassVar[Mapping[PhaseKind, tuple[tuple[str, str], ...]]] = {
        PhaseKind.MOVEMENT: (
            ("A/F {a} - {b}", "the army/fleet goes there, by land or by sea"),
            ("F {a} destroys armies", "the fleet destroys those who wait in the Straits of Dover"),
            ("Hidden Germanicus 1 lies in The Wash", "where a hidden unit begins, with the first orders")),
        PhaseKind.ADJUSTMENT: (
            ("Build A/F {a}", "an army/fleet is built"),
            ("Nominate {a} in place of {b}", ("the one is a home centre in place of the other, which was "
                                              "lost"))),
    }
    SENTENCES: ClassVar[Mapping[str, str]] = {**CLASSIC, **SENTENCES}
    ADJUSTMENT_RULES: ClassVar[Mapping[type[Order], AdjustmentRule]] = {MoveHome: settle_home}

    # What is known
    # ---------------------------------------------------------------------------------------------------

    def visible_position(self, context: Context, position: Position, power: str | None) -> Position:
        """Without the hidden units of other powers that have not shown themselves (D66-06, D66-14)."""
        hidden = {
            unit for unit in position.units if unit.power != power and _unseen(context, position.memory, unit)
        }
        return replace(position, units=position.units - hidden) if hidden else position

    def redact_resolution(self, context: Context, resolution: Resolution, power: str | None) -> Resolution:
        """Without the orders of hidden units of other powers that have not shown themselves, and without
        these units; a unit in the open that was ordered to help one is told to hold, as one without an order
        (D66-06, D66-14)."""
        hidden = {p.id for p in context.board.provinces.values() if mark(p, HIDDEN) is not None}
        seen = {note[1] for note in resolution.position.memory.notes if note[0] == SEEN}
        owners = {unit.power for unit in resolution.position.units if unit.region.province in hidden}
        left = {found.order.unit.region.province for found in resolution.outcomes
                if isinstance(found.order, Move) and found.result is Result.SUCCEEDS}

        def secret(found: Outcome) -> bool:
            order = found.order
            if isinstance(order, Lie):
                return order.power != power
            if order.power == power or order.power not in owners or not isinstance(order, UnitOrder):
                return False
            if (
                isinstance(order, SupportHold | SupportMove | Convoy)
                and order.target.region.province in hidden - seen - left
            ):
                return True
            return order.unit.region.province in hidden - seen - left

        outcomes = tuple(found for found in resolution.outcomes if not secret(found))
        quiet = {
            o.order.unit.region.province
            for o in resolution.outcomes
            if isinstance(o.order, UnitOrder) and secret(o)
        } - {o.order.unit.region.province for o in outcomes if isinstance(o.order, UnitOrder)}
        units = (*resolution.position.units, *(one.unit for one in resolution.dislodged))
        silent = {
            u for u in resolution.unordered if u.power == power or u.region.province not in hidden - seen
        } | {u for u in units if u.region.province in quiet - hidden and u.power != power}
        position = self.visible_position(context, resolution.position, power)
        if (
            outcomes == resolution.outcomes
            and silent == set(resolution.unordered)
            and position is resolution.position
        ):
            return resolution
        return replace(resolution, outcomes=outcomes, unordered=tuple(sorted(silent)), position=position)

    # Movement
    # --------------------------------------------------------------------------------------------------------

    def initial_deployment(self, context: Context, position: Position, orders: Sequence[Order]) -> Position:
        """Hidden units begin where their power's first sheet says (D66-06)."""
        moved = {}
        if position.phase == context.start:
            standing = {unit.region.province: unit for unit in position.units}
            for order in orders:
                unit = standing.get(order.place.province) if isinstance(order, Lie) else None
                if isinstance(order, Lie) and unit is not None and unit.power == order.power:
                    there = _box(context, order)
                    if there is not None and there not in standing:
                        moved[unit] = replace(unit, region=Region(there))
        return (
            replace(position, units=position.units - set(moved) | set(moved.values())) if moved else position
        )

    def commanders(self, sheet: MovementSheet) -> Mapping[int, str]:
        """Nobody commands another's units here; the orders that no unit carries out are settled."""
        for index, order in enumerate(sheet.orders):
            if isinstance(order, Lie):
                self._lie(sheet, index, order)
            elif isinstance(order, Destroy):
                self._declare(sheet, index, order)
        return {}

    def _lie(self, sheet: MovementSheet, index: int, order: Lie) -> None:
        there = _box(sheet.context, order)
        number = NOBODY if there is None else sheet.unit_at.get(there, NOBODY)
        if sheet.position.phase != sheet.context.start:
            sheet.void(index, "illegal", "lies_known")
        elif number == NOBODY or sheet.power[number] != order.power:
            sheet.void(index, "no_such_unit", "lies_not_there", order.place, order.power)
        else:
            _settle(sheet, index, Result.SUCCEEDS, None, ("lies_in", order.sea))

    def _declare(self, sheet: MovementSheet, index: int, order: Destroy) -> None:
        """What is wrong with a declaration before anybody moves; else it waits for the moves."""
        number = sheet.unit_at.get(order.place.province, NOBODY)
        if number == NOBODY or sheet.power[number] != order.power:
            sheet.void(index, "no_such_unit", "declares_nobody", order.place, order.power)
        elif not sheet.context.kinds[sheet.kind[number]].can_convoy or _waits_for(sheet, order.power):
            sheet.void(index, "illegal", "no_destroyer", sheet.units[number])
        elif months(sheet.context, sheet.position.phase) < self.number("destroyed_from"):
            sheet.void(index, "illegal", "too_early", self.number("destroyed_from"))
        else:
            _settle(sheet, index, Result.FAILS, "unmatched", ("not_in_straits", order.place))

    def before_resolution(self, sheet: MovementSheet) -> None:
        """Units off the board support nobody (D66-10); who orders another's hidden unit learns nothing
        (D66-14)."""
        off = {
            n
            for n, place in enumerate(sheet.place[: len(sheet.units)])
            if OFF in sheet.context.board.provinces[place].marks
        }
        for number in [n for n in sheet.supports if n in off]:
            sheet.let_hold(number)
            sheet.void(sheet.order_index[number], "illegal", "off_board_support", sheet.units[number])
        for index, order in enumerate(sheet.orders if off else ()):
            if isinstance(order, UnitOrder):
                number = sheet.unit_at.get(order.unit.region.province, NOBODY)
                if number in off and order.power != sheet.power[number] and self._is_unseen(sheet, number):
                    sheet.void(index, "no_such_unit", "no_unit", order.unit)

    def _is_unseen(self, sheet: MovementSheet, number: int) -> bool:
        return _unseen(sheet.context, sheet.position.memory, sheet.units[number])

    def dislodged_for_retreat(
        self, sheet: MovementSheet, found: tuple[Dislodgement, ...]
    ) -> tuple[Dislodgement, ...]:
        """Nobody retreats to a sea where the hidden fleet shows itself now."""
        seas = {unit.region.province for unit in self._surfacing(sheet).values()}
        return tuple(replace(one, may_retreat=frozenset(r for r in one.may_retreat if r.province not in seas))
                     for one in found) if seas else found

    def after_movement(
        self, sheet: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]:
        """Declarations are carried out, and the fleet is hidden no longer than the rules say (D66-04,
        D66-06)."""
        memory = sheet.position.memory
        shown = {(SEEN, sheet.place[n]) for n in sheet.moves if self._is_unseen(sheet, n)}
        notes = memory.notes | {note for note in shown if any(u.region.province == note[1] for u in standing)}
        for index, order in enumerate(sheet.orders):
            if isinstance(order, SupportHold | SupportMove | Convoy):
                self._hush(sheet, index, order, shown)
        surfacing = self._surfacing(sheet)
        sheet.notes += [("note_in_the_open", unit.power, unit) for unit in sorted(surfacing.values())]
        standing = standing.difference(surfacing).union(surfacing.values())
        return self._destroy(sheet, standing), replace(memory, notes=frozenset(notes))

    def _hush(
        self,
        sheet: MovementSheet,
        index: int,
        order: SupportHold | SupportMove | Convoy,
        shown: Collection[tuple[str, str]],
    ) -> None:
        """Help for a unit that did not show itself fails as if nobody were there."""
        number = sheet.unit_at.get(order.target.region.province, NOBODY)
        if number == NOBODY or order.power == sheet.power[number] or (SEEN, sheet.place[number]) in shown:
            return
        helper, found = sheet.ordered_unit(order), sheet.outcomes[index]
        if (
            helper == NOBODY
            or sheet.order_index[helper] != index
            or not self._is_unseen(sheet, number)
            or found is None
        ):
            return
        hidden = sheet.unit_at.pop(sheet.place[number])
        wrong = CHECKS[type(order)](sheet, helper, order)
        sheet.unit_at[sheet.place[number]] = hidden
        assert wrong is not None, "help for nobody is never legal"
        _settle(sheet, index, Result.VOID, "illegal", wrong, dislodged=found.dislodged)

    def _surfacing(self, sheet: MovementSheet) -> dict[Unit, Unit]:
        """At the end of the last hidden month: of those that lie in one sea still, the first, and as it
        stands there."""
        if months(sheet.context, sheet.position.phase) != self.number("hidden_until"):
            return {}
        taken = set(_occupied(sheet))
        found: dict[Unit, Unit] = {}
        for unit in sorted(sheet.units):
            sea = mark(sheet.context.board.provinces[unit.region.province], HIDDEN)
            if sea is not None and sea not in taken and unit.region.province in _occupied(sheet):
                taken.add(sea)
                found[unit] = replace(unit, region=Region(sea))
        return found

    def _destroy(self, sheet: MovementSheet, standing: frozenset[Unit]) -> frozenset[Unit]:
        waiting = sorted(
            u for u in standing if STRAITS in sheet.context.board.provinces[u.region.province].marks
        )
        straits = self.word_list("straits")[0]
        declared = False
        for index, order in enumerate(sheet.orders):
            found = sheet.outcomes[index]
            if not isinstance(order, Destroy) or found is None or found.result is Result.VOID:
                continue
            if _occupied(sheet).get(straits) != sheet.unit_at[order.place.province]:
                _settle(sheet, index, Result.VOID, "illegal", ("not_in_straits", order.place))
            elif waiting:
                declared = True
                _settle(sheet, index, Result.SUCCEEDS, None, ("destroyed_there", straits, len(waiting)))
            else:
                _settle(sheet, index, Result.FAILS, "unmatched", ("nobody_there", straits))
        if not declared:
            return standing
        sheet.destroyed += waiting
        return standing.difference(waiting)

    # Retreats and adjustments
    # ----------------------------------------------------------------------------------------

    def memory_after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    def memory_after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    def before_adjustments(self, sheet: AdjustmentSheet) -> None:
        """Who still lies hidden when that is over is in excess and goes (D66-06); captured centres are
        counted."""
        context = sheet.context
        if months(context, sheet.position.phase) >= self.number("hidden_until"):
            for _, account in sorted(sheet.accounts.items()):
                excess = sorted(
                    u
                    for u in account.units
                    if mark(context.board.provinces[u.region.province], HIDDEN) is not None
                )
                account.removed += excess
                sheet.notes += [("note_excess", unit.power, unit) for unit in excess]
        notes = set(sheet.memory.notes)
        for power in _invaders(context.board.provinces.values()):
            before = captured(sheet.memory, power)
            fresh = sorted(sheet.accounts[power].centres - before)[
                : max(0, self.number("captured_homes") - len(before))
            ]
            notes |= {(CAPTURED, power, province) for province in fresh}
        sheet.memory = replace(sheet.memory, notes=frozenset(notes))

    def is_home(self, sheet: AdjustmentSheet, power: str, province: str) -> bool:
        """A captured centre of an invader, or a home centre as it is now (D66-05, D66-07, D66-09)."""
        if power in _invaders(sheet.context.board.provinces.values()):
            return province in captured(sheet.memory, power)
        memory = sheet.memory if self.choice("nomination") == "at_once" else sheet.position.memory
        return (power, province) in home_centres(sheet.context, memory)

    def builds_off_centres(self, power: str, province: Province) -> bool:
        return mark(province, BUILDS) == power

    def build_fault(self, sheet: AdjustmentSheet, order: Build) -> tuple[str, Sentence] | None:
        """Which kinds who builds where (D66-03, D66-05, D66-07)."""
        province = sheet.context.board.provinces[order.region.province]
        kinds = mark(province, KINDS)
        if kinds is not None:
            allowed = kinds.split()
        elif order.power in _invaders(sheet.context.board.provinces.values()):
            allowed = [*self.word_list("armies")]
        else:
            own = order.power in self.word_list("build_at_will")
            allowed = [kind for kind in sheet.context.kinds if own or kind not in self.word_list("at_will")]
        return (
            None
            if order.kind in allowed
            else ("illegal", ("no_such_kind", order.power, province.id, order.kind))
        )

    def needs_no_supply(self, context: Context, unit: Unit) -> bool:
        off = OFF in context.board.provinces[unit.region.province].marks
        return off and self.choice("off_board_supply") == "free"

    def choose_removals(
        self, context: Context, units: Sequence[Unit], need: int, centres: frozenset[str], lots: Lots
    ) -> tuple[list[Unit], Lots]:
        fed = [unit for unit in units if not self.needs_no_supply(context, unit)]
        return Ruleset.choose_removals(self, context, fed, need, centres, lots)


def months(context: Context, phase: Phase) -> int:
    """Which month of the game a phase is in, the first being 1."""
    seasons = context.calendar.seasons()
    start = context.start or phase
    return (
        1
        + len(seasons) * (phase.year - start.year)
        + seasons.index(phase.season)
        - seasons.index(start.season)
    )


def _box(context: Context, order: Lie) -> str | None:
    """The box of the same number for that sea; None where the order names no hidden box or another sea."""
    here = context.board.provinces[order.place.province]
    if mark(here, HIDDEN) is None:
        return None
    number = here.name.rpartition(" ")[2]
    return next((p.id for p in context.board.provinces.values()
                 if mark(p, HIDDEN) == order.sea.province and p.name.rpartition(" ")[2] == number), None)


def _unseen(context: Context, memory: Memory, unit: Unit) -> bool:
    box = unit.region.province
    return mark(context.board.provinces[box], HIDDEN) is not None and (SEEN, box) not in memory.notes


def _invaders(provinces: Iterable[Province]) -> set[str]:
    return {power for province in provinces if (power := mark(province, BUILDS)) is not None}


def _waits_for(sheet: MovementSheet, power: str) -> bool:
    """Whether armies of that power wait in the Straits, so that it is no opponent of theirs."""
    return any(unit.power == power and STRAITS in sheet.context.board.provinces[unit.region.province].marks
               for unit in sheet.units)


def _occupied(sheet: MovementSheet) -> dict[str, int]:
    """Province to the unit that stands there once all have moved."""
    found = {}
    for number, place in enumerate(sheet.place[:len(sheet.units)]):
        to, settled = (
            sheet.end_region[number],
            sheet.outcomes[sheet.order_index[number]] if sheet.unit_order[number] is not None else None,
        )
        if isinstance(sheet.unit_order[number], Move) and to is not None and settled is not None \
                and settled.result is Result.SUCCEEDS:
            found[to.province] = number
        elif number not in sheet.dislodged:
            found[place] = number
    return found


def _settle(
    sheet: MovementSheet, index: int, result: Result, reason: str | None, why: Sentence, *,
    dislodged: bool = False
) -> Outcome:
    found = make_outcome(sheet.orders[index], result, reason, None, (sheet.explainer, *why), dislodged)
    sheet.outcomes[index] = found
    return found


RULES = Conquest
