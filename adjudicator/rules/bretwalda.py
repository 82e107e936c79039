"""Bretwalda I: boat bunches that follow the coast and may lose their boats, ports, home centres that move.

What the printed rules leave open is a named choice; the default is the decision taken
(docs/rulings/bretwalda.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence
from adjudicator.geo import COAST, Region, Terrain
from adjudicator.orders import Build, Convert, Move, MoveHome, Order, SupportHold, SupportMove
from adjudicator.outcome import Outcome, Result, make_outcome
from adjudicator.phases.adjustment_sheet import AdjustmentRule, AdjustmentSheet, Fault
from adjudicator.phases.home_centres import HOME, home_centres, with_home_centres
from adjudicator.phases.movement_sheet import Check, MovementSheet, OutcomeRule
from adjudicator.phases.order_outcomes import attack_on
from adjudicator.phrases import CLASSIC
from adjudicator.position import Dislodgement, Memory, NotePart
from adjudicator.ruleset import CLASSIC_ORDERS, Ruleset
from adjudicator.strength import NOBODY, PartialResolution
from adjudicator.units import Unit, unit_in

ARMY, BUNCH = "A", "B"
PORT = "port"
"""The mark of a province where fleets are built (BRE-07, BRE-08)."""

SENTENCES: Mapping[str, str] = {
    "boats_built": "boats built: now {0}",
    "boats_disrupted": "no boats built, because {0} attacked {1}",
    "boats_by_armies": "void: only an army builds boats, and {0} is none",
    "boats_inland": "void: {0} is not on the coast, and boats are built on it",
    "boats_needed": "void: {0} cannot go to sea and leave its boats behind",
    "stands_uncarried": "stands: no whole chain of fleets was ordered to convoy to {0}, so nothing is lost",
    "chain_has_gaps": "unmatched: no whole chain of fleets was ordered to convoy {1} to {0}",
    "boats_left": "{0}; its boats are left behind",
    "lost_at_sea": "{0}; without its boats {1} is destroyed",
    "no_port": "void: {0} is no port, and fleets are built in ports only",
    "no_more_bunches": ("void: boat bunches are built in the opening winter only; later an army builds its "
                        "boats"),
    "bunch_inland": "void: {0} is not on the coast, and a boat bunch is built on it",
    "home_moves": "from the next winter on the home centre is {1} instead of {0}",
    "home_of_which": "void: the order does not say which home centre is moved to {0}",
    "home_not_ones": "void: {0} is no home centre of {1}",
    "home_not_held": "void: {1} does not own {0}, and must own both centres to move a home",
    "home_no_centre": "void: {0} is no supply centre",
    "home_already": "void: {0} is a home centre of {1} already",
    "home_moved_once": "void: {0} has moved a home centre this winter, and moves one only",
}


def check_convert(sheet: MovementSheet, number: int, order: Convert) -> Sentence | None:
    """An army on a coast builds boats (BRE-10). The unit holds either way."""
    unit = sheet.units[number]
    if unit.kind != ARMY or order.to_kind not in {None, BUNCH}:
        return ("boats_by_armies", unit)
    if sheet.context.board.provinces[unit.region.province].terrain is not Terrain.COASTAL:
        return ("boats_inland", unit.region)
    return None


def convert_outcome(sheet: MovementSheet, state: PartialResolution, number: int) -> None:
    """Building boats fails where a support would be cut: by a foreign attack that arrives (BRE-10)."""
    unit = sheet.units[number]
    attack = attack_on(sheet, state, number)
    if attack != NOBODY:
        sheet.set_outcome(
            number, Result.FAILS, "disrupted", ("boats_disrupted", sheet.units[attack], unit.region), attack
        )
    else:
        sheet.set_outcome(number, Result.SUCCEEDS, "completed", ("boats_built", replace(unit, kind=BUNCH)))


def settle_home(sheet: AdjustmentSheet, index: int, order: MoveHome) -> None:
    """Move a home centre between two centres its power owns; it counts from the next winter (BRE-05,
    BRE-06)."""
    fault = _home_fault(sheet, order)
    if fault is not None:
        sheet.void(index, *fault)
        return
    assert order.origin is not None
    power, old, new = order.power, order.origin.province, order.to.province
    homes = home_centres(sheet.context, sheet.memory) - {(power, old)} | {(power, new)}
    sheet.memory = with_home_centres(sheet.memory, homes)
    sheet.succeed(index, ("home_moves", old, new))


def _home_fault(sheet: AdjustmentSheet, order: MoveHome) -> Fault | None:
    """The first thing that is wrong with moving a home centre, or None."""
    power, new = order.power, order.to.province
    if order.origin is None:
        return "illegal", ("home_of_which", new)
    old = order.origin.province
    # Homes before this phase, and as this phase's orders have left them so far.
    before = home_centres(sheet.context, sheet.position.memory)
    now = home_centres(sheet.context, sheet.memory)
    has_moved = {home for home in now if home[0] == power} != {home for home in before if home[0] == power}
    owned = sheet.accounts[power].centres
    faults: tuple[tuple[bool, Fault], ...] = (
        (has_moved, ("illegal", ("home_moved_once", power))),
        ((power, old) not in before, ("not_home_centre", ("home_not_ones", old, power))),
        (new not in sheet.context.board.centres(), ("not_a_centre", ("home_no_centre", new))),
        ((power, new) in before, ("illegal", ("home_already", new, power))),
        (old not in owned, ("not_owned", ("home_not_held", old, power))),
        (new not in owned, ("not_owned", ("home_not_held", new, power))),
    )
    return next((fault for applies, fault in faults if applies), None)


@dataclass(frozen=True, slots=True)
class Bretwalda(Ruleset):
    """The printed rules besides the classic ones."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **Ruleset.CHOICES,
        "failed_move": ("lost", "kept"),  # the boats, if a move that leaves them behind fails
        "cut_support": ("lost", "kept"),  # the boats, if a support inland is cut
        "own_support_unmatched": ("kept", "lost"),  # the boats, if an own move supported inland is not made
        "portage": ("kept", "lost"),  # the boats, on a move between coasts that share no shore
        "retreat_inland": ("lost", "barred"),  # the boats are lost, or the retreat is barred
    }
    ORDERS: ClassVar[Mapping[PhaseKind, frozenset[type[Order]]]] = {
        **CLASSIC_ORDERS,
        PhaseKind.MOVEMENT: CLASSIC_ORDERS[PhaseKind.MOVEMENT] | {Convert},
        PhaseKind.ADJUSTMENT: CLASSIC_ORDERS[PhaseKind.ADJUSTMENT] | {MoveHome},
    }
    EXAMPLES: ClassVar[Mapping[PhaseKind, tuple[tuple[str, str], ...]]] = {
        PhaseKind.MOVEMENT: (
            ("A ({a}) = B", "the army builds boats and is a boat bunch"),
            ("B ({a}) - {b} (db)", "the boat bunch goes there and leaves its boats behind")),
        PhaseKind.ADJUSTMENT: (
            ("Build B {a}", "a boat bunch is built, in the first winter only"),
            ("Home {a} - {b}", "the right to build moves from one centre to the other")),
    }
    SENTENCES: ClassVar[Mapping[str, str]] = {**CLASSIC, **SENTENCES}
    NOTES: ClassVar[Mapping[str, tuple[NotePart, ...]]] = {HOME: (NotePart.POWER, NotePart.PROVINCE)}
    SHEDDING: ClassVar[frozenset[str]] = frozenset({BUNCH})
    CHECKS: ClassVar[Mapping[type[Order], Check]] = {Convert: check_convert}
    OUTCOME_RULES: ClassVar[Mapping[type[Order], OutcomeRule]] = {Convert: convert_outcome}
    ADJUSTMENT_RULES: ClassVar[Mapping[type[Order], AdjustmentRule]] = {MoveHome: settle_home}

    # Movement

    def before_resolution(self, sheet: MovementSheet) -> None:
        """A move whose convoy no unit ordered is no move (BRE-17). A bunch that is convoyed from a sea has
        given up its boats and keeps no unit out of the place it leaves (G7d)."""
        for fleet in sheet.convoys:
            bunch = sheet.partner[fleet]
            if (
                bunch in sheet.moves
                and sheet.goal[bunch] == sheet.expected_goal[fleet]
                and sheet.power[fleet] == sheet.power[bunch]
            ):
                sheet.crossing.add(bunch)  # a convoy by an own fleet shows that it means to (DATC 4.A.3)
        for number in sorted(sheet.crossing):
            if not _is_carried(sheet, number):
                _hold_uncarried(sheet, number)
            elif _at_sea(sheet.context, sheet.units[number]):
                sheet.vacate(number)
        for number in [n for n in sheet.moves if sheet.unit_order[n].sheds and sheet.kind[n] == BUNCH]:
            if sheet.context.board.provinces[sheet.unit_order[number].to.province].is_sea:
                sheet.let_hold(number)
                sheet.void(sheet.order_index[number], "illegal", "boats_needed", sheet.units[number])

    def dislodged_for_retreat(
        self, sheet: MovementSheet, dislodged: tuple[Dislodgement, ...]
    ) -> tuple[Dislodgement, ...]:
        """A bunch that lost its boats retreats as an army."""
        return tuple(self._retreating(sheet, dislodgement) for dislodgement in dislodged)

    def _retreating(self, sheet: MovementSheet, dislodgement: Dislodgement) -> Dislodgement:
        unit = dislodgement.unit
        if unit.kind != BUNCH:
            return dislodgement
        inland = {region for region in dislodgement.may_retreat if not _floats(sheet.context, region)}
        if self._sheds(sheet, sheet.unit_at[unit.region.province]):
            walk = sheet.context.tables.steps(ARMY, Region(unit.region.province))
            may_retreat = frozenset(
                Region(region.province) for region in dislodgement.may_retreat if region.province in walk)
            return replace(dislodgement, unit=_army(unit), may_retreat=may_retreat)
        if self.choice("retreat_inland") == "barred":
            return replace(dislodgement, may_retreat=dislodgement.may_retreat - inland)
        return dislodgement

    def after_movement(
        self, sheet: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]:
        """Bunches that lost their boats become armies, or are destroyed at sea; armies that built boats
        become bunches (BRE-10, BRE-12, BRE-16)."""
        arrived = {unit for number in sheet.moves if (unit := _arrived(sheet, number)) is not None}
        old: set[Unit] = set()
        new: set[Unit] = set()
        for number, unit in enumerate(sheet.units):
            if (
                isinstance(sheet.unit_order[number], Convert)
                and _outcome(sheet, number).reason == "completed"
            ):
                old.add(unit)
                new.add(replace(unit, kind=BUNCH))
            elif unit.kind == BUNCH and self._sheds(sheet, number):
                bunch = _arrived(sheet, number) or unit
                if number not in sheet.dislodged:
                    # Another bunch of its power may have come to the place that it counted as gone from
                    # (`vacate`). The two are equal values, and the one that arrived stays.
                    old |= {bunch} - (arrived if bunch is unit else set())
                if _at_sea(sheet.context, bunch):
                    sheet.destroyed.append(unit)
                    _add_to_outcome(sheet, number, "lost_at_sea")
                else:
                    new |= set() if number in sheet.dislodged else {_army(bunch)}
                    _add_to_outcome(sheet, number, "boats_left")
        return (standing - old) | new, sheet.position.memory

    def _sheds(self, sheet: MovementSheet, number: int) -> bool:
        """True if a bunch gives up its boats by what it was ordered to do, once all is decided (BRE-12,
        BRE-14)."""
        order = sheet.unit_order[number]
        if isinstance(order, Move) and number in sheet.moves:
            return self._sheds_moving(sheet, number, order)
        if isinstance(order, SupportHold | SupportMove):
            return self._sheds_helping(sheet, number, order)
        return False

    def _sheds_moving(self, sheet: MovementSheet, number: int, order: Move) -> bool:
        unit, to = sheet.units[number], sheet.end_region[number]
        assert to is not None
        if number in sheet.crossing:
            leaves = _is_carried(sheet, number)
        else:
            leaves = (
                order.sheds
                or not _floats(sheet.context, to)
                or (
                    self.choice("portage") == "lost"
                    and to.province not in sheet.context.board.near(unit.region.province, COAST)
                )
            )
        if not leaves or _outcome(sheet, number).result is Result.SUCCEEDS:
            return leaves
        if _at_sea(sheet.context, unit):
            return number in sheet.crossing
        return self.choice("failed_move") == "lost"

    def _sheds_helping(self, sheet: MovementSheet, number: int, order: SupportHold | SupportMove) -> bool:
        place = order.to.province if isinstance(order, SupportMove) else order.target.region.province
        outcome = _outcome(sheet, number)
        if outcome.result is Result.VOID or _floats(sheet.context, Region(place)):
            return False
        if outcome.reason == "unmatched":
            is_own_move = sheet.power[sheet.partner[number]] == sheet.power[number]
            return not is_own_move or self.choice("own_support_unmatched") == "lost"
        return outcome.result is Result.SUCCEEDS or self.choice("cut_support") == "lost"

    # Retreats

    def after_retreat(self, context: Context, unit: Unit) -> Unit:
        """A bunch that retreats inland leaves its boats."""
        return unit if unit.kind != BUNCH or _floats(context, unit.region) else _army(unit)

    def memory_after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    # Winter

    def is_home(self, sheet: AdjustmentSheet, power: str, province: str) -> bool:
        """By the homes before this winter: one moved now counts from the next winter on (BRE-05)."""
        return (power, province) in home_centres(sheet.context, sheet.position.memory)

    def build_fault(self, sheet: AdjustmentSheet, order: Build) -> Fault | None:
        """Fleets are built in ports; bunches on coasts, and in the opening winter only (BRE-02)."""
        province = sheet.context.board.provinces[order.region.province]
        kind = sheet.context.kinds[order.kind]
        if kind.can_convoy and PORT not in province.marks:
            return "illegal", ("no_port", province.id)
        if kind.letter != BUNCH:
            return None
        if sheet.position.phase != sheet.context.start:
            return "illegal", ("no_more_bunches",)
        return None if province.terrain is Terrain.COASTAL else ("illegal", ("bunch_inland", province.id))

    def memory_after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory


def _hold_uncarried(sheet: MovementSheet, number: int) -> None:
    """Make a unit hold that no whole chain carries; the fleets of a chain with gaps carry nothing."""
    goal = sheet.goal[number]
    for fleet in _carrying_fleets(sheet, number):
        sheet.convoys.remove(fleet)
        sheet.set_outcome(
            fleet, Result.FAILS, "unmatched", ("chain_has_gaps", sheet.place[goal], sheet.units[number]),
            number
        )
        sheet.settled_early.append(sheet.order_index[fleet])
    sheet.let_hold(number)
    sheet.set_outcome(number, Result.FAILS, "no_convoy", ("stands_uncarried", sheet.place[goal]))
    sheet.settled_early.append(sheet.order_index[number])


def _carrying_fleets(sheet: MovementSheet, number: int) -> list[int]:
    goal = sheet.goal[number]
    return [
        fleet for fleet in sheet.convoys
        if sheet.partner[fleet] == number and sheet.expected_goal[fleet] == goal
    ]


def _is_carried(sheet: MovementSheet, number: int) -> bool:
    """True if the fleets ordered to convoy a unit make a whole chain, whatever becomes of them."""
    fleets = {fleet: sheet.place[fleet] for fleet in _carrying_fleets(sheet, number)}
    return sheet.sea.route(sheet.place[number], sheet.place[sheet.goal[number]], fleets).joins()


def _at_sea(context: Context, unit: Unit) -> bool:
    return context.board.provinces[unit.region.province].is_sea


def _floats(context: Context, region: Region) -> bool:
    return context.board.provinces[region.province].terrain is not Terrain.INLAND


def _army(unit: Unit) -> Unit:
    return Unit(unit.power, ARMY, Region(unit.region.province))


def _outcome(sheet: MovementSheet, number: int) -> Outcome:
    outcome = sheet.outcomes[sheet.order_index[number]]
    assert outcome is not None, "an order was left without an outcome"
    return outcome


def _arrived(sheet: MovementSheet, number: int) -> Unit | None:
    """A unit in the region that its move took it to, or None if it has not moved."""
    to = sheet.end_region[number]
    if number not in sheet.moves or to is None or _outcome(sheet, number).result is not Result.SUCCEEDS:
        return None
    return unit_in(sheet.units[number], to)


def _add_to_outcome(sheet: MovementSheet, number: int, sentence: str) -> None:
    """Add to a unit's outcome what became of its boats."""
    outcome = _outcome(sheet, number)
    why = (sheet.explainer, sentence, outcome.why, sheet.units[number])
    sheet.outcomes[sheet.order_index[number]] = make_outcome(
        outcome.order, outcome.result, outcome.reason, outcome.cause, why, outcome.dislodged)


RULES = Bretwalda
