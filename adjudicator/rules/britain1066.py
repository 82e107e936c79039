"""1066: units off the board, the Straits of Dover, the hidden fleet, builds in captured centres and homes
named anew.

Marks of provinces: "off_board" for a box beside the board; "straits" where armies wait that may be destroyed;
"hidden=SEA" where a fleet lies unseen in that sea; "builds=POWER" and "kinds=A F" where a power builds off
the board. What the printed rules leave open are named choices; the default is the decision taken
(docs/rulings/britain1066.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence
from adjudicator.geo import Province, Region
from adjudicator.lots import Lots
from adjudicator.orders import Build, Convoy, Move, MoveHome, Order, SupportHold, SupportMove, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result, outcome
from adjudicator.phases.home_centres import homes
from adjudicator.phases.legality import CHECKS
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.phrases import CLASSIC
from adjudicator.position import Dislodgement, Memory, Position
from adjudicator.rules.britain1066_winter import CAPTURED, captured, settle_home
from adjudicator.rules.britain1066_winter import SENTENCES as WINTER_SENTENCES
from adjudicator.ruleset import CLASSIC_ORDERS, Ruleset
from adjudicator.strength import NOBODY
from adjudicator.units import Unit

if TYPE_CHECKING:
    from adjudicator.phases.adjustments import Winter

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
    WINTER: ClassVar[Mapping[type[Order], Callable[[Winter, int, Any], None]]] = {MoveHome: settle_home}

    # What is known
    # ---------------------------------------------------------------------------------------------------

    def sight(self, setting: Context, position: Position, power: str | None) -> Position:
        """Without the hidden units of other powers that have not shown themselves (D66-06, D66-14)."""
        hidden = {
            unit for unit in position.units if unit.power != power and _unseen(setting, position.memory, unit)
        }
        return replace(position, units=position.units - hidden) if hidden else position

    def told(self, setting: Context, resolution: Resolution, power: str | None) -> Resolution:
        """Without the orders of hidden units of other powers that have not shown themselves, and without
        these units; a unit in the open that was ordered to help one is told to hold, as one without an order
        (D66-06, D66-14)."""
        hidden = {p.id for p in setting.board.provinces.values() if mark(p, HIDDEN) is not None}
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
        position = self.sight(setting, resolution.position, power)
        if (
            outcomes == resolution.outcomes
            and silent == set(resolution.unordered)
            and position is resolution.position
        ):
            return resolution
        return replace(resolution, outcomes=outcomes, unordered=tuple(sorted(silent)), position=position)

    # Movement
    # --------------------------------------------------------------------------------------------------------

    def deployed(self, setting: Context, position: Position, orders: Sequence[Order]) -> Position:
        """Hidden units begin where their power's first sheet says (D66-06)."""
        moved = {}
        if position.phase == setting.start:
            standing = {unit.region.province: unit for unit in position.units}
            for order in orders:
                unit = standing.get(order.place.province) if isinstance(order, Lie) else None
                if isinstance(order, Lie) and unit is not None and unit.power == order.power:
                    there = _box(setting, order)
                    if there is not None and there not in standing:
                        moved[unit] = replace(unit, region=Region(there))
        return (
            replace(position, units=position.units - set(moved) | set(moved.values())) if moved else position
        )

    def commanders(self, turn: MovementSheet) -> Mapping[int, str]:
        """Nobody commands another's units here; the orders that no unit carries out are settled."""
        for index, order in enumerate(turn.orders):
            if isinstance(order, Lie):
                self._lie(turn, index, order)
            elif isinstance(order, Destroy):
                self._declare(turn, index, order)
        return {}

    def _lie(self, turn: MovementSheet, index: int, order: Lie) -> None:
        there = _box(turn.setting, order)
        number = NOBODY if there is None else turn.at.get(there, NOBODY)
        if turn.position.phase != turn.setting.start:
            turn.void(index, "illegal", "lies_known")
        elif number == NOBODY or turn.power[number] != order.power:
            turn.void(index, "no_such_unit", "lies_not_there", order.place, order.power)
        else:
            _settle(turn, index, Result.SUCCEEDS, None, ("lies_in", order.sea))

    def _declare(self, turn: MovementSheet, index: int, order: Destroy) -> None:
        """What is wrong with a declaration before anybody moves; else it waits for the moves."""
        number = turn.at.get(order.place.province, NOBODY)
        if number == NOBODY or turn.power[number] != order.power:
            turn.void(index, "no_such_unit", "declares_nobody", order.place, order.power)
        elif not turn.setting.kinds[turn.kind[number]].carries or _waits_for(turn, order.power):
            turn.void(index, "illegal", "no_destroyer", turn.units[number])
        elif months(turn.setting, turn.position.phase) < self.number("destroyed_from"):
            turn.void(index, "illegal", "too_early", self.number("destroyed_from"))
        else:
            _settle(turn, index, Result.FAILS, "unmatched", ("not_in_straits", order.place))

    def ready(self, turn: MovementSheet) -> None:
        """Units off the board support nobody (D66-10); who orders another's hidden unit learns nothing
        (D66-14)."""
        off = {
            n
            for n, place in enumerate(turn.place[: len(turn.units)])
            if OFF in turn.setting.board.provinces[place].marks
        }
        for number in [n for n in turn.supports if n in off]:
            turn.stay(number)
            turn.void(turn.chosen[number], "illegal", "off_board_support", turn.units[number])
        for index, order in enumerate(turn.orders if off else ()):
            if isinstance(order, UnitOrder):
                number = turn.at.get(order.unit.region.province, NOBODY)
                if number in off and order.power != turn.power[number] and self._is_unseen(turn, number):
                    turn.void(index, "no_such_unit", "no_unit", order.unit)

    def _is_unseen(self, turn: MovementSheet, number: int) -> bool:
        return _unseen(turn.setting, turn.position.memory, turn.units[number])

    def beaten(self, turn: MovementSheet, found: tuple[Dislodgement, ...]) -> tuple[Dislodgement, ...]:
        """Nobody retreats to a sea where the hidden fleet shows itself now."""
        seas = {unit.region.province for unit in self._surfacing(turn).values()}
        return tuple(replace(one, may_retreat=frozenset(r for r in one.may_retreat if r.province not in seas))
                     for one in found) if seas else found

    def after_movement(
        self, turn: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]:
        """Declarations are carried out, and the fleet is hidden no longer than the rules say (D66-04,
        D66-06)."""
        memory = turn.position.memory
        shown = {(SEEN, turn.place[n]) for n in turn.moves if self._is_unseen(turn, n)}
        notes = memory.notes | {note for note in shown if any(u.region.province == note[1] for u in standing)}
        for index, order in enumerate(turn.orders):
            if isinstance(order, SupportHold | SupportMove | Convoy):
                self._hush(turn, index, order, shown)
        surfacing = self._surfacing(turn)
        turn.told += [("note_in_the_open", unit.power, unit) for unit in sorted(surfacing.values())]
        standing = standing.difference(surfacing).union(surfacing.values())
        return self._destroy(turn, standing), replace(memory, notes=frozenset(notes))

    def _hush(
        self,
        turn: MovementSheet,
        index: int,
        order: SupportHold | SupportMove | Convoy,
        shown: Collection[tuple[str, str]],
    ) -> None:
        """Help for a unit that did not show itself fails as if nobody were there."""
        number = turn.at.get(order.target.region.province, NOBODY)
        if number == NOBODY or order.power == turn.power[number] or (SEEN, turn.place[number]) in shown:
            return
        helper, found = turn.find(order), turn.outcomes[index]
        if (
            helper == NOBODY
            or turn.chosen[helper] != index
            or not self._is_unseen(turn, number)
            or found is None
        ):
            return
        hidden = turn.at.pop(turn.place[number])
        wrong = CHECKS[type(order)](turn, helper, order)
        turn.at[turn.place[number]] = hidden
        assert wrong is not None, "help for nobody is never legal"
        _settle(turn, index, Result.VOID, "illegal", wrong, dislodged=found.dislodged)

    def _surfacing(self, turn: MovementSheet) -> dict[Unit, Unit]:
        """At the end of the last hidden month: of those that lie in one sea still, the first, and as it
        stands there."""
        if months(turn.setting, turn.position.phase) != self.number("hidden_until"):
            return {}
        taken = set(_occupied(turn))
        found: dict[Unit, Unit] = {}
        for unit in sorted(turn.units):
            sea = mark(turn.setting.board.provinces[unit.region.province], HIDDEN)
            if sea is not None and sea not in taken and unit.region.province in _occupied(turn):
                taken.add(sea)
                found[unit] = replace(unit, region=Region(sea))
        return found

    def _destroy(self, turn: MovementSheet, standing: frozenset[Unit]) -> frozenset[Unit]:
        waiting = sorted(
            u for u in standing if STRAITS in turn.setting.board.provinces[u.region.province].marks
        )
        straits = self.words("straits")[0]
        declared = False
        for index, order in enumerate(turn.orders):
            found = turn.outcomes[index]
            if not isinstance(order, Destroy) or found is None or found.result is Result.VOID:
                continue
            if _occupied(turn).get(straits) != turn.at[order.place.province]:
                _settle(turn, index, Result.VOID, "illegal", ("not_in_straits", order.place))
            elif waiting:
                declared = True
                _settle(turn, index, Result.SUCCEEDS, None, ("destroyed_there", straits, len(waiting)))
            else:
                _settle(turn, index, Result.FAILS, "unmatched", ("nobody_there", straits))
        if not declared:
            return standing
        turn.destroyed += waiting
        return standing.difference(waiting)

    # Retreats and adjustments
    # ----------------------------------------------------------------------------------------

    def after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    def after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    def books(self, winter: Winter) -> None:
        """Who still lies hidden when that is over is in excess and goes (D66-06); captured centres are
        counted."""
        setting = winter.setting
        if months(setting, winter.position.phase) >= self.number("hidden_until"):
            for _, account in sorted(winter.accounts.items()):
                excess = sorted(
                    u
                    for u in account.units
                    if mark(setting.board.provinces[u.region.province], HIDDEN) is not None
                )
                account.removed += excess
                winter.told += [("note_excess", unit.power, unit) for unit in excess]
        notes = set(winter.memory.notes)
        for power in _invaders(setting.board.provinces.values()):
            before = captured(winter.memory, power)
            fresh = sorted(winter.accounts[power].centres - before)[
                : max(0, self.number("captured_homes") - len(before))
            ]
            notes |= {(CAPTURED, power, province) for province in fresh}
        winter.memory = replace(winter.memory, notes=frozenset(notes))

    def is_home(self, winter: Winter, power: str, province: str) -> bool:
        """A captured centre of an invader, or a home centre as it is now (D66-05, D66-07, D66-09)."""
        if power in _invaders(winter.setting.board.provinces.values()):
            return province in captured(winter.memory, power)
        memory = winter.memory if self.choice("nomination") == "at_once" else winter.position.memory
        return (power, province) in homes(winter.setting, memory)

    def builds_off_centres(self, power: str, province: Province) -> bool:
        return mark(province, BUILDS) == power

    def bars_build(self, winter: Winter, order: Build) -> tuple[str, Sentence] | None:
        """Which kinds who builds where (D66-03, D66-05, D66-07)."""
        province = winter.setting.board.provinces[order.region.province]
        kinds = mark(province, KINDS)
        if kinds is not None:
            allowed = kinds.split()
        elif order.power in _invaders(winter.setting.board.provinces.values()):
            allowed = [*self.words("armies")]
        else:
            own = order.power in self.words("build_at_will")
            allowed = [kind for kind in winter.setting.kinds if own or kind not in self.words("at_will")]
        return (
            None
            if order.kind in allowed
            else ("illegal", ("no_such_kind", order.power, province.id, order.kind))
        )

    def needs_no_supply(self, setting: Context, unit: Unit) -> bool:
        off = OFF in setting.board.provinces[unit.region.province].marks
        return off and self.choice("off_board_supply") == "free"

    def enforce(
        self, setting: Context, units: Sequence[Unit], need: int, centres: frozenset[str], lots: Lots
    ) -> tuple[list[Unit], Lots]:
        fed = [unit for unit in units if not self.needs_no_supply(setting, unit)]
        return Ruleset.enforce(self, setting, fed, need, centres, lots)


def months(setting: Context, phase: Phase) -> int:
    """Which month of the game a phase is in, the first being 1."""
    seasons = setting.calendar.seasons()
    start = setting.start or phase
    return (
        1
        + len(seasons) * (phase.year - start.year)
        + seasons.index(phase.season)
        - seasons.index(start.season)
    )


def _box(setting: Context, order: Lie) -> str | None:
    """The box of the same number for that sea; None where the order names no hidden box or another sea."""
    here = setting.board.provinces[order.place.province]
    if mark(here, HIDDEN) is None:
        return None
    number = here.name.rpartition(" ")[2]
    return next((p.id for p in setting.board.provinces.values()
                 if mark(p, HIDDEN) == order.sea.province and p.name.rpartition(" ")[2] == number), None)


def _unseen(setting: Context, memory: Memory, unit: Unit) -> bool:
    box = unit.region.province
    return mark(setting.board.provinces[box], HIDDEN) is not None and (SEEN, box) not in memory.notes


def _invaders(provinces: Iterable[Province]) -> set[str]:
    return {power for province in provinces if (power := mark(province, BUILDS)) is not None}


def _waits_for(turn: MovementSheet, power: str) -> bool:
    """Whether armies of that power wait in the Straits, so that it is no opponent of theirs."""
    return any(unit.power == power and STRAITS in turn.setting.board.provinces[unit.region.province].marks
               for unit in turn.units)


def _occupied(turn: MovementSheet) -> dict[str, int]:
    """Province to the unit that stands there once all have moved."""
    found = {}
    for number, place in enumerate(turn.place[:len(turn.units)]):
        to, settled = (
            turn.to[number],
            turn.outcomes[turn.chosen[number]] if turn.given[number] is not None else None,
        )
        if isinstance(turn.given[number], Move) and to is not None and settled is not None \
                and settled.result is Result.SUCCEEDS:
            found[to.province] = number
        elif number not in turn.lost:
            found[place] = number
    return found


def _settle(
    turn: MovementSheet, index: int, result: Result, reason: str | None, why: Sentence, *,
    dislodged: bool = False
) -> Outcome:
    found = outcome(turn.orders[index], result, reason, None, (turn.words, *why), dislodged)
    turn.outcomes[index] = found
    return found


RULES = Conquest
