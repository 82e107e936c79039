"""1066: units off the board, the Straits of Dover, the hidden fleet (`britain1066_hidden.py`), builds in
captured centres, and home centres named in place of lost ones (`britain1066_winter.py`).

Marks of provinces: "off_board" for a box next to the board; "straits" where armies wait that may be
destroyed; "hidden=SEA" for a box whose unit is unseen in that sea; "builds=POWER" and "kinds=A F" where a
power builds off the board. What the printed rules leave open is a named choice; the default is the
decision taken (docs/rulings/britain1066.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.context import Context
from adjudicator.geo import Province, Region
from adjudicator.lots import Lots
from adjudicator.orders import Build, Convoy, Move, MoveHome, Order, SupportHold, SupportMove, UnitOrder
from adjudicator.outcome import Resolution, Result, make_outcome
from adjudicator.phases.adjustment_sheet import AdjustmentRule, AdjustmentSheet, Fault
from adjudicator.phases.home_centres import HOME, home_centres
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.phrases import CLASSIC
from adjudicator.position import Dislodgement, Memory, NotePart, Position
from adjudicator.rules import britain1066_hidden as hidden_fleet
from adjudicator.rules.britain1066_hidden import HIDDEN, SEEN, Lie, box_for, is_unseen
from adjudicator.rules.britain1066_winter import (
    CAPTURED,
    SENTENCES as WINTER_SENTENCES,
    captured,
    settle_home,
)
from adjudicator.ruleset import CLASSIC_ORDERS, Ruleset
from adjudicator.strength import NOBODY
from adjudicator.units import Unit

OFF, STRAITS, BUILDS, KINDS = "off_board", "straits", "builds", "kinds"

SENTENCES: Mapping[str, str] = {
    **WINTER_SENTENCES,
    "off_board_support": "void: {0} is off the board and supports nobody",
    "lies_in": "nobody else sees it",
    "lies_known": "void: where the hidden fleet lies is said with the orders of the first month only",
    "lies_not_there": "void: there is no hidden unit of {1} in {0}",
    "declares_nobody": "void: there is no unit of {1} in {0}",
    "destroyed_in_straits": "destroyed in the Straits of Dover by {0}",
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
    """`Fleet X destroys armies in the Straits of Dover` (D66-04, Q-73), besides the unit's own order."""

    WORD: ClassVar[str] = "destroy"
    TERSE: ClassVar[str] = "{place} destroys armies"
    PROSE: ClassVar[str] = "The unit in {place} destroys the armies in the Straits of Dover"

    place: Region


@dataclass(frozen=True, slots=True)
class Conquest(Ruleset):
    """The printed rules besides the classic ones."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **Ruleset.CHOICES,
        "nomination": ("at_once", "next_winter"),
        "off_board_supply": ("free", "counts"),
    }
    FIGURES: ClassVar[Mapping[str, int | tuple[str, ...]]] = {
        "destroyed_from": 3,  # the first month in which armies in the Straits may be destroyed
        "hidden_until": 2,  # the last month of hiding
        "captured_homes": 3,  # captured centres that an invader may build in
        "straits": ("SOD",),
        "build_at_will": ("Harald Hardrada", "The Norse"),  # powers that build the kinds of the next line
        "at_will": ("A/F",),
        "armies": ("A",),  # what an invader builds in captured centres
    }
    ORDERS: ClassVar[Mapping[PhaseKind, frozenset[type[Order]]]] = {
        **CLASSIC_ORDERS,
        PhaseKind.MOVEMENT: CLASSIC_ORDERS[PhaseKind.MOVEMENT] | {Destroy, Lie},
        PhaseKind.ADJUSTMENT: CLASSIC_ORDERS[PhaseKind.ADJUSTMENT] | {MoveHome},
    }
    FORMS: ClassVar[Mapping[str, type[Order]]] = {"destroy": Destroy, "lie": Lie}
    NOTES: ClassVar[Mapping[str, tuple[NotePart, ...]]] = {
        SEEN: (NotePart.PROVINCE,),
        CAPTURED: (NotePart.POWER, NotePart.PROVINCE),
        HOME: (NotePart.POWER, NotePart.PROVINCE),
    }
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

    def visible_position(self, context: Context, position: Position, power: str | None) -> Position:
        return hidden_fleet.visible_position(context, position, power)

    def redact_resolution(self, context: Context, resolution: Resolution, power: str | None) -> Resolution:
        return hidden_fleet.redact(context, resolution, power)

    # Movement

    def initial_deployment(
        self, context: Context, position: Position, orders: Sequence[Order]
    ) -> Position:
        """Hidden units begin where their power's first sheet states (D66-06)."""
        if position.phase != context.start:
            return position
        moved = {}
        occupant = {unit.region.province: unit for unit in position.units}
        for order in orders:
            unit = occupant.get(order.place.province) if isinstance(order, Lie) else None
            if isinstance(order, Lie) and unit is not None and unit.power == order.power:
                box = box_for(context, order)
                if box is not None and box not in occupant:
                    moved[unit] = replace(unit, region=Region(box))
        if not moved:
            return position
        return replace(position, units=position.units - set(moved) | set(moved.values()))

    def commanders(self, sheet: MovementSheet) -> Mapping[int, str]:
        """No unit commands another's units here. Settles the orders that no unit carries out."""
        for index, order in enumerate(sheet.orders):
            if isinstance(order, Lie):
                self._lie(sheet, index, order)
            elif isinstance(order, Destroy):
                self._declare(sheet, index, order)
        return {}

    def _lie(self, sheet: MovementSheet, index: int, order: Lie) -> None:
        box = box_for(sheet.context, order)
        number = NOBODY if box is None else sheet.unit_at.get(box, NOBODY)
        if sheet.position.phase != sheet.context.start:
            sheet.void(index, "illegal", "lies_known")
        elif number == NOBODY or sheet.power[number] != order.power:
            sheet.void(index, "no_such_unit", "lies_not_there", order.place, order.power)
        else:
            sheet.settle(index, Result.SUCCEEDS, None, "lies_in", order.sea)

    def _declare(self, sheet: MovementSheet, index: int, order: Destroy) -> None:
        """Void a declaration that is wrong before anybody moves. A good one fails for now, and is settled
        after the moves (`_destroy`)."""
        number = sheet.unit_at.get(order.place.province, NOBODY)
        if number == NOBODY or sheet.power[number] != order.power:
            sheet.void(index, "no_such_unit", "declares_nobody", order.place, order.power)
        elif not sheet.context.kinds[sheet.kind[number]].can_convoy or _waits(sheet, order.power):
            sheet.void(index, "illegal", "no_destroyer", sheet.units[number])
        elif months(sheet.context, sheet.position.phase) < self.number("destroyed_from"):
            sheet.void(index, "illegal", "too_early", self.number("destroyed_from"))
        else:
            sheet.settle(index, Result.FAILS, "unmatched", "not_in_straits", order.place)

    def before_resolution(self, sheet: MovementSheet) -> None:
        """Units off the board support no unit (D66-10). An order to another's hidden unit has nothing
        about it (D66-14)."""
        off_board = {
            number
            for number, place in enumerate(sheet.place[: len(sheet.units)])
            if OFF in sheet.context.board.provinces[place].marks
        }
        for number in [n for n in sheet.supports if n in off_board]:
            sheet.let_hold(number)
            sheet.void(sheet.order_index[number], "illegal", "off_board_support", sheet.units[number])
        for index, order in enumerate(sheet.orders if off_board else ()):
            if isinstance(order, UnitOrder):
                number = sheet.unit_at.get(order.unit.region.province, NOBODY)
                is_foreign = number in off_board and order.power != sheet.power[number]
                if is_foreign and self._is_unseen(sheet, number):
                    sheet.void(index, "no_such_unit", "no_unit", order.unit)

    def _is_unseen(self, sheet: MovementSheet, number: int) -> bool:
        return is_unseen(sheet.context, sheet.position.memory, sheet.units[number])

    def asks_units_without_refuge(self) -> bool:
        """Which place is barred may show where a hidden unit is, and so would a phase that is left out."""
        return True

    def dislodged_for_retreat(
        self, sheet: MovementSheet, dislodged: tuple[Dislodgement, ...]
    ) -> tuple[Dislodgement, ...]:
        """No unit retreats to a sea where the hidden fleet surfaces now."""
        seas = {unit.region.province for unit in self._surfacing(sheet).values()}
        if not seas:
            return dislodged
        return tuple(
            replace(d, may_retreat=frozenset(r for r in d.may_retreat if r.province not in seas))
            for d in dislodged)

    def after_movement(
        self, sheet: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]:
        """Hidden units that tried to act are noted, and the fleet surfaces in its last month of hiding
        (D66-06). Declarations are carried out (D66-04)."""
        memory = sheet.position.memory
        seen_notes = {(SEEN, sheet.place[number]) for number in sheet.moves if self._is_unseen(sheet, number)}
        occupied = {unit.region.province for unit in standing}
        notes = memory.notes | {note for note in seen_notes if note[1] in occupied}
        for index, order in enumerate(sheet.orders):
            if isinstance(order, SupportHold | SupportMove | Convoy):
                hidden_fleet.hide_help(sheet, index, order, seen_notes)
        surfacing = self._surfacing(sheet)
        sheet.notes += [("note_in_the_open", unit.power, unit) for unit in sorted(surfacing.values())]
        standing = standing.difference(surfacing).union(surfacing.values())
        return self._destroy(sheet, standing), replace(memory, notes=frozenset(notes))

    def _surfacing(self, sheet: MovementSheet) -> dict[Unit, Unit]:
        """The units that surface at the end of the last hidden month, each with the unit it is then: in each
        sea the first that still lies there, unless the sea is taken."""
        if months(sheet.context, sheet.position.phase) != self.number("hidden_until"):
            return {}
        occupied, sea_of = _occupied(sheet), sheet.context.board.marked(HIDDEN)
        taken = set(occupied)
        surfacing: dict[Unit, Unit] = {}
        for unit in sorted(sheet.units):
            sea = sea_of.get(unit.region.province)
            if sea is not None and sea not in taken and unit.region.province in occupied:
                taken.add(sea)
                surfacing[unit] = replace(unit, region=Region(sea))
        return surfacing

    def _destroy(self, sheet: MovementSheet, standing: frozenset[Unit]) -> frozenset[Unit]:
        """The units left when fleets in the Straits have destroyed the armies that wait there."""
        waiting = sorted(
            u for u in standing if STRAITS in sheet.context.board.provinces[u.region.province].marks
        )
        straits = self.word_list("straits")[0]
        declared = NOBODY
        for index, order in enumerate(sheet.orders):
            outcome = sheet.outcomes[index]
            if not isinstance(order, Destroy) or outcome is None or outcome.result is Result.VOID:
                continue
            if _occupied(sheet).get(straits) != sheet.unit_at[order.place.province]:
                sheet.settle(index, Result.VOID, "illegal", "not_in_straits", order.place)
            elif waiting:
                declared = index if declared == NOBODY else declared
                sheet.settle(index, Result.SUCCEEDS, None, "destroyed_there", straits, len(waiting))
            else:
                sheet.settle(index, Result.FAILS, "unmatched", "nobody_there", straits)
        if declared == NOBODY:
            return standing
        sheet.destroyed += waiting
        self._tell_destroyed(sheet, waiting, declared)
        return standing.difference(waiting)

    def _tell_destroyed(self, sheet: MovementSheet, destroyed: Sequence[Unit], declared: int) -> None:
        """An army that was destroyed did not hold; an order of it that failed keeps its own reason."""
        declaration = sheet.orders[declared]
        assert isinstance(declaration, Destroy)
        destroyer = sheet.units[sheet.unit_at[declaration.place.province]]
        for unit in destroyed:
            index = sheet.order_index[sheet.unit_at[unit.region.province]]
            outcome = None if index == NOBODY else sheet.outcomes[index]
            if outcome is not None and outcome.result is Result.SUCCEEDS:
                sheet.outcomes[index] = make_outcome(
                    outcome.order, Result.FAILS, "destroyed", declaration,
                    (sheet.explainer, "destroyed_in_straits", destroyer), False)

    # Retreats and adjustments

    def memory_after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    def memory_after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    def before_adjustments(self, sheet: AdjustmentSheet) -> None:
        """Units that are still hidden when that is over are in excess and go (D66-06). Centres that invaders
        captured are noted, up to the number they may build in (D66-05)."""
        context = sheet.context
        if months(context, sheet.position.phase) >= self.number("hidden_until"):
            boxes = context.board.marked(HIDDEN)
            for _, account in sorted(sheet.accounts.items()):
                excess = sorted(unit for unit in account.units if unit.region.province in boxes)
                account.removed += excess
                sheet.notes += [("note_excess", unit.power, unit) for unit in excess]
        notes = set(sheet.memory.notes)
        for power in _invaders(context):
            before = captured(sheet.memory, power)
            more = max(0, self.number("captured_homes") - len(before))
            fresh = sorted(sheet.accounts[power].centres - before)[:more]
            notes |= {(CAPTURED, power, province) for province in fresh}
        sheet.memory = replace(sheet.memory, notes=frozenset(notes))

    def is_home(self, sheet: AdjustmentSheet, power: str, province: str) -> bool:
        """An invader's captured centre, or a home centre as it is now (D66-05, D66-07, D66-09)."""
        if power in _invaders(sheet.context):
            return province in captured(sheet.memory, power)
        memory = sheet.memory if self.choice("nomination") == "at_once" else sheet.position.memory
        return (power, province) in home_centres(sheet.context, memory)

    def builds_off_centres(self, power: str, province: Province) -> bool:
        return f"{BUILDS}={power}" in province.marks

    def build_fault(self, sheet: AdjustmentSheet, order: Build) -> Fault | None:
        """Which kinds each power builds, and where (D66-03, D66-05, D66-07)."""
        place = order.region.province
        kinds = sheet.context.board.marked(KINDS).get(place)
        if kinds is not None:
            allowed = kinds.split()
        elif order.power in _invaders(sheet.context):
            allowed = [*self.word_list("armies")]
        elif order.power in self.word_list("build_at_will"):
            allowed = [*sheet.context.kinds]
        else:
            allowed = [kind for kind in sheet.context.kinds if kind not in self.word_list("at_will")]
        if order.kind in allowed:
            return None
        name = sheet.context.kinds[order.kind].name.lower()
        return "illegal", ("no_such_kind", order.power, place, order.kind, name)

    def needs_no_supply(self, context: Context, unit: Unit) -> bool:
        is_off_board = OFF in context.board.provinces[unit.region.province].marks
        return is_off_board and self.choice("off_board_supply") == "free"

    def choose_removals(
        self, context: Context, units: Sequence[Unit], count: int, centres: frozenset[str], lots: Lots
    ) -> tuple[list[Unit], Lots]:
        supplied = [unit for unit in units if not self.needs_no_supply(context, unit)]
        return Ruleset.choose_removals(self, context, supplied, count, centres, lots)


def months(context: Context, phase: Phase) -> int:
    """The month of the game that a phase is in; the first is 1."""
    seasons = context.calendar.seasons()
    start = context.start or phase
    years = phase.year - start.year
    return 1 + len(seasons) * years + seasons.index(phase.season) - seasons.index(start.season)


def _invaders(context: Context) -> Collection[str]:
    """The powers that build off the board."""
    return context.board.marked(BUILDS).values()


def _waits(sheet: MovementSheet, power: str) -> bool:
    """True if armies of that power wait in the Straits, so that it is no opponent of theirs."""
    return any(unit.power == power and STRAITS in sheet.context.board.provinces[unit.region.province].marks
               for unit in sheet.units)


def _occupied(sheet: MovementSheet) -> dict[str, int]:
    """Each province with the unit in it once all have moved."""
    occupied = {}
    for number, place in enumerate(sheet.place[:len(sheet.units)]):
        order, to = sheet.unit_order[number], sheet.end_region[number]
        outcome = sheet.outcomes[sheet.order_index[number]] if order is not None else None
        has_moved = isinstance(order, Move) and outcome is not None and outcome.result is Result.SUCCEEDS
        if has_moved and to is not None:
            occupied[to.province] = number
        elif number not in sheet.dislodged:
            occupied[place] = number
    return occupied


RULES = Conquest
