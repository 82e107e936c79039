"""Bretwalda I: boat bunches that hug the coast and lose their boats, ports, home centres that move.

A paragraph of the printed rules that leaves something open has a named choice here; the default is the
decision taken (`docs/rulings/bretwalda.md`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence
from adjudicator.geo import COAST, Region, Terrain
from adjudicator.orders import Build, Convert, Move, MoveHome, Order, SupportHold, SupportMove
from adjudicator.outcome import Outcome, Result, outcome
from adjudicator.phases.home_centres import homes, noted
from adjudicator.phases.movement_sheet import MovementSheet
from adjudicator.phases.order_outcomes import attack_on
from adjudicator.phrases import CLASSIC
from adjudicator.position import Dislodgement, Memory
from adjudicator.ruleset import CLASSIC_ORDERS, Ruleset
from adjudicator.strength import NOBODY, PartialResolution
from adjudicator.units import Unit, moved

if TYPE_CHECKING:
    from adjudicator.phases.adjustments import Winter

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
    "chain_has_gaps": "void: no whole chain of fleets was ordered to convoy {1} to {0}",
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


def check_convert(turn: MovementSheet, number: int, order: Convert) -> Sentence | None:
    """An army on a coast builds boats (BRE-10). The unit holds either way."""
    unit = turn.units[number]
    if unit.kind != ARMY or order.to_kind not in {None, BUNCH}:
        return ("boats_by_armies", unit)
    if turn.setting.board.provinces[unit.region.province].terrain is not Terrain.COASTAL:
        return ("boats_inland", unit.region)
    return None


def label_convert(turn: MovementSheet, state: PartialResolution, number: int) -> None:
    """Boat-building fails where support would be cut: by a foreign attack that gets there (BRE-10)."""
    unit = turn.units[number]
    attack = attack_on(turn, state, number)
    if attack != NOBODY:
        turn.settle(
            number, Result.FAILS, "disrupted", ("boats_disrupted", turn.units[attack], unit.region), attack
        )
    else:
        turn.settle(number, Result.SUCCEEDS, "completed", ("boats_built", replace(unit, kind=BUNCH)))


def settle_home(winter: Winter, index: int, order: MoveHome) -> None:
    """Move one home centre between two centres its power owns; it counts from the next winter (BRE-05,
    BRE-06)."""
    wrong = _home_fault(winter, order)
    if wrong is not None:
        winter.void(index, *wrong)
        return
    assert order.origin is not None
    old, new = order.origin.province, order.to.province
    winter.memory = noted(
        winter.memory, homes(winter.setting, winter.memory) - {(order.power, old)} | {(order.power, new)})
    winter.done(index, ("home_moves", old, new))


def _home_fault(winter: Winter, order: MoveHome) -> tuple[str, Sentence] | None:
    power, new = order.power, order.to.province
    if order.origin is None:
        return "illegal", ("home_of_which", new)
    old = order.origin.province
    before = homes(winter.setting, winter.position.memory)
    owned = winter.accounts[power].centres
    after = homes(winter.setting, winter.memory)
    faults: tuple[tuple[bool, str, Sentence], ...] = (
        (
            {h for h in after if h[0] == power} != {h for h in before if h[0] == power},
            "illegal",
            ("home_moved_once", power),
        ),
        ((power, old) not in before, "not_home_centre", ("home_not_ones", old, power)),
        (new not in winter.setting.board.centres(), "not_a_centre", ("home_no_centre", new)),
        ((power, new) in before, "illegal", ("home_already", new, power)),
        (old not in owned, "not_owned", ("home_not_held", old, power)),
        (new not in owned, "not_owned", ("home_not_held", new, power)),
    )
    return next(((reason, why) for at_fault, reason, why in faults if at_fault), None)


@dataclass(frozen=True, slots=True)
class Bretwalda(Ruleset):
    """The printed rules beside the classic ones."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "failed_move": ("lost", "kept"),  # boats, where a move that leaves them fails
        "cut_support": ("lost", "kept"),  # boats, where a support inland is cut
        "own_support_unmatched": ("kept", "lost"),  # boats, where one supports inland an own move not made
        "portage": ("kept", "lost"),  # boats, between coasts that share no shore
        "retreat_inland": ("lost", "barred"),  # boats, or the retreat
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
    CHECKS: ClassVar[Mapping[type[Order], Callable[[MovementSheet, int, Any], Sentence | None]]] = {
        Convert: check_convert
    }
    LABELS: ClassVar[Mapping[type[Order], Callable[[MovementSheet, PartialResolution, int], None]]] = {
        Convert: label_convert
    }
    WINTER: ClassVar[Mapping[type[Order], Callable[[Winter, int, Any], None]]] = {MoveHome: settle_home}

    # Movement
    # --------------------------------------------------------------------------------------------------------

    def ready(self, turn: MovementSheet) -> None:
        """A move whose convoy nobody ordered is a stand (BRE-17); a bunch taken up at sea has given up its
        boats and keeps nobody out of the place it leaves (G7d)."""
        for fleet in turn.convoys:
            bunch = turn.partner[fleet]
            if (
                bunch in turn.moves
                and turn.goal[bunch] == turn.aim[fleet]
                and turn.power[fleet] == turn.power[bunch]
            ):
                turn.crossing.add(bunch)  # a convoy by an own fleet shows that it means to (DATC 4.A.3)
        for number in sorted(turn.crossing):
            if not _is_carried(turn, number):
                _stand(turn, number)
            elif _at_sea(turn.setting, turn.units[number]):
                turn.vacate(number)
        for number in [n for n in turn.moves if turn.given[n].sheds and turn.kind[n] == BUNCH]:
            if turn.setting.board.provinces[turn.given[number].to.province].is_sea:
                turn.stay(number)
                turn.void(turn.chosen[number], "illegal", "boats_needed", turn.units[number])

    def beaten(self, turn: MovementSheet, found: tuple[Dislodgement, ...]) -> tuple[Dislodgement, ...]:
        """Who lost its boats retreats on foot."""
        return tuple(self._on_foot(turn, one) for one in found)

    def _on_foot(self, turn: MovementSheet, one: Dislodgement) -> Dislodgement:
        unit = one.unit
        if unit.kind != BUNCH:
            return one
        inland = {region for region in one.may_retreat if not _floats(turn.setting, region)}
        if self._sheds(turn, turn.at[unit.region.province]):
            walk = turn.setting.chart.steps(ARMY, Region(unit.region.province))
            may = frozenset(Region(region.province) for region in one.may_retreat if region.province in walk)
            return replace(one, unit=_army(unit), may_retreat=may)
        if self.choice("retreat_inland") == "barred":
            return replace(one, may_retreat=one.may_retreat - inland)
        return one

    def after_movement(
        self, turn: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]:
        """Bunches that lost their boats are armies, those lost at sea are gone, and armies that built boats
        are bunches (BRE-10, BRE-12, BRE-16)."""
        arrived = {unit for number in turn.moves if (unit := _arrived(turn, number)) is not None}
        left: set[Unit] = set()
        come: set[Unit] = set()
        for number, unit in enumerate(turn.units):
            if isinstance(turn.given[number], Convert) and _outcome(turn, number).reason == "completed":
                left.add(unit)
                come.add(replace(unit, kind=BUNCH))
            elif unit.kind == BUNCH and self._sheds(turn, number):
                stands = _arrived(turn, number) or unit
                if number not in turn.lost:
                    left |= {stands} - (arrived if stands is unit else set())
                if _at_sea(turn.setting, stands):
                    turn.destroyed.append(unit)
                    _say(turn, number, "lost_at_sea")
                else:
                    come |= set() if number in turn.lost else {_army(stands)}
                    _say(turn, number, "boats_left")
        return (standing - left) | come, turn.position.memory

    def _sheds(self, turn: MovementSheet, number: int) -> bool:
        """Whether a bunch gives up its boats by what it was ordered to do, once all is decided (BRE-12,
        BRE-14)."""
        order = turn.given[number]
        if isinstance(order, Move) and number in turn.moves:
            return self._sheds_moving(turn, number, order)
        if isinstance(order, SupportHold | SupportMove):
            return self._sheds_helping(turn, number, order)
        return False

    def _sheds_moving(self, turn: MovementSheet, number: int, order: Move) -> bool:
        unit, to = turn.units[number], turn.to[number]
        assert to is not None
        if number in turn.crossing:
            leaves = _is_carried(turn, number)
        else:
            leaves = (
                order.sheds
                or not _floats(turn.setting, to)
                or (
                    self.choice("portage") == "lost"
                    and to.province not in turn.setting.board.near(unit.region.province, COAST)
                )
            )
        if not leaves or _outcome(turn, number).result is Result.SUCCEEDS:
            return leaves
        if _at_sea(turn.setting, unit):
            return number in turn.crossing
        return self.choice("failed_move") == "lost"

    def _sheds_helping(self, turn: MovementSheet, number: int, order: SupportHold | SupportMove) -> bool:
        place = order.to.province if isinstance(order, SupportMove) else order.target.region.province
        found = _outcome(turn, number)
        if found.result is Result.VOID or _floats(turn.setting, Region(place)):
            return False
        if found.reason == "unmatched":
            own = turn.power[turn.partner[number]] == turn.power[number]
            return not own or self.choice("own_support_unmatched") == "lost"
        return found.result is Result.SUCCEEDS or self.choice("cut_support") == "lost"

    # Retreats
    # --------------------------------------------------------------------------------------------------------

    def landed(self, setting: Context, unit: Unit) -> Unit:
        """A bunch that retreats inland leaves its boats."""
        return unit if unit.kind != BUNCH or _floats(setting, unit.region) else _army(unit)

    def after_retreats(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory

    # Winter
    # ----------------------------------------------------------------------------------------------------------

    def is_home(self, winter: Winter, power: str, province: str) -> bool:
        """By the home centres of the winter before: one moved now counts from the next on (BRE-05)."""
        return (power, province) in homes(winter.setting, winter.position.memory)

    def bars_build(self, winter: Winter, order: Build) -> tuple[str, Sentence] | None:
        """Fleets in ports only; bunches on coasts, and in the opening winter only (BRE-02)."""
        province = winter.setting.board.provinces[order.region.province]
        kind = winter.setting.kinds[order.kind]
        if kind.carries and PORT not in province.marks:
            return "illegal", ("no_port", province.id)
        if kind.letter != BUNCH:
            return None
        if winter.position.phase != winter.setting.start:
            return "illegal", ("no_more_bunches",)
        return None if province.terrain is Terrain.COASTAL else ("illegal", ("bunch_inland", province.id))

    def after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        return memory


def _stand(turn: MovementSheet, number: int) -> None:
    """Let a unit stand that nobody carries; the fleets of a chain with gaps in it carry nothing."""
    goal = turn.goal[number]
    for fleet in [f for f in turn.convoys if turn.partner[f] == number and turn.aim[f] == goal]:
        turn.convoys.remove(fleet)
        turn.settle(
            fleet, Result.FAILS, "unmatched", ("chain_has_gaps", turn.place[goal], turn.units[number]), number
        )
        turn.early.append(turn.chosen[fleet])
    turn.stay(number)
    turn.settle(number, Result.FAILS, "no_convoy", ("stands_uncarried", turn.place[goal]))
    turn.early.append(turn.chosen[number])


def _is_carried(turn: MovementSheet, number: int) -> bool:
    """Whether the fleets ordered to convoy a unit make a whole chain, whatever becomes of them."""
    goal = turn.goal[number]
    fleets = {n: turn.place[n] for n in turn.convoys if turn.partner[n] == number and turn.aim[n] == goal}
    return turn.sea.route(turn.place[number], turn.place[goal], fleets).stands()


def _at_sea(setting: Context, unit: Unit) -> bool:
    return setting.board.provinces[unit.region.province].is_sea


def _floats(setting: Context, region: Region) -> bool:
    return setting.board.provinces[region.province].terrain is not Terrain.INLAND


def _army(unit: Unit) -> Unit:
    return Unit(unit.power, ARMY, Region(unit.region.province))


def _outcome(turn: MovementSheet, number: int) -> Outcome:
    found = turn.outcomes[turn.chosen[number]]
    assert found is not None, "an order was left without an outcome"
    return found


def _arrived(turn: MovementSheet, number: int) -> Unit | None:
    """A unit where its move took it, or None if it has not moved."""
    to = turn.to[number]
    if number not in turn.moves or to is None or _outcome(turn, number).result is not Result.SUCCEEDS:
        return None
    return moved(turn.units[number], to)


def _say(turn: MovementSheet, number: int, sentence: str) -> None:
    """Add to an outcome what became of the boats."""
    found = _outcome(turn, number)
    turn.outcomes[turn.chosen[number]] = outcome(
        found.order, found.result, found.reason, found.cause,
        (turn.words, sentence, found.why, turn.units[number]), found.dislodged)


RULES = Bretwalda
