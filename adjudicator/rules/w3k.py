"""Wars of the Three Kingdoms: proxies, conversion, supply sent, builds in any owned centre, mercy, and the
capitals of three kingdoms.

Questions that the handbook leaves open (Q-16 and so on, docs/rulings/w3k.md) are named choices; the default
is the decision taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from adjudicator.calendar import PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Sentence
from adjudicator.geo import Region, Terrain
from adjudicator.orders import Convert, Order, Proxy, SendSupply
from adjudicator.outcome import Result
from adjudicator.phases.movement_sheet import Check, MovementSheet, OutcomeRule
from adjudicator.phases.order_outcomes import attack_on
from adjudicator.phrases import CLASSIC
from adjudicator.position import Centres, Memory
from adjudicator.ruleset import CLASSIC_ORDERS, Ruleset
from adjudicator.strength import NOBODY, PartialResolution
from adjudicator.units import Unit

SENTENCES: Mapping[str, str] = {
    "conversion_begun": "conversion begun (1 of 2)",
    "conversion_completed": "conversion completed: now {0}",
    "conversion_disrupted": "conversion disrupted by {0}'s attack on {1}",
    "convert_no_centre": "void: {0} is no supply centre, and units convert in one",
    "convert_inland": "void: {0} is not on the coast, and units convert on it",
    "convert_not_owned": "void: {0} does not own {1} yet, and units convert in a centre of their own",
    "convert_same_kind": "void: {0} can only become a unit of the other kind",
    "convert_coast": "void: {0} has more than one coast, and none of them is named for the new fleet",
    "handed_over": "given: {0} is under the orders of {1} this season",
    "given_to_oneself": "void: {0} can be put under the orders of another power only",
    "given_twice": "void: {0} is given to more than one power, so to none",
    "given_on": "void: {0} is under the orders of {1}, who cannot pass it on",
    "not_ones_to_give": "void: {0} does not belong to {1}, who cannot give it away",
}


def check_convert(sheet: MovementSheet, number: int, order: Convert) -> Sentence | None:
    """Legal in a coastal supply centre that the unit's power owns (CVT-01), with a coast if the new fleet
    needs one (CVT-06). The unit holds either way (CVT-03)."""
    unit = sheet.units[number]
    province = sheet.context.board.provinces[unit.region.province]
    if not province.centre:
        return ("convert_no_centre", province.id)
    if province.terrain is not Terrain.COASTAL:
        return ("convert_inland", province.id)
    owned = sheet.position.centres.get(unit.power, ())
    # A power without centres lives by mercy (MCY-01), and its last unit may be allowed to convert.
    by_mercy = not owned and sheet.rules.choice("mercy_converts") == "yes"
    if province.id not in owned and not by_mercy:
        return ("convert_not_owned", unit.power, province.id)
    kind = _new_kind(sheet, unit, order)
    if kind is None:
        return ("convert_same_kind", unit)
    region = _new_region(sheet, province.id, kind, order.coast)
    if region is None:
        return ("convert_coast", province.id)
    sheet.end_region[number] = region
    return None


def _new_kind(sheet: MovementSheet, unit: Unit, order: Convert) -> str | None:
    others = [k for k in sheet.context.kinds if k != unit.kind
              and unit.region.province in sheet.context.tables.stands[k]]
    if order.to_kind is None:
        return others[0] if len(others) == 1 else None
    return order.to_kind if order.to_kind in others else None


def _new_region(sheet: MovementSheet, province: str, kind: str, coast: str | None) -> Region | None:
    regions = sheet.context.tables.stands[kind][province]
    if regions[0].coast is None:
        return regions[0]
    if coast is None:
        return regions[0] if sheet.rules.picks_missing_coast() else None
    # "Devon/South Coast" names its province as well, which is the unit's own.
    coast_id = sheet.context.board.provinces[province].coast_id(coast.rpartition("/")[2])
    return next((region for region in regions if coast_id is not None and region.coast == coast_id), None)


def _converted(sheet: MovementSheet, number: int, unit: Unit) -> Unit:
    """What a legal conversion makes of a unit."""
    order = sheet.order_of(number)
    kind = _new_kind(sheet, unit, order) if isinstance(order, Convert) else None
    return Unit(unit.power, kind or unit.kind, sheet.end_region[number] or unit.region)


def convert_outcome(sheet: MovementSheet, state: PartialResolution, number: int) -> None:
    """A conversion is disrupted by any foreign attack that arrives, supported or not (CVT-04, Q-21).
    Otherwise it is begun, or completed if it was begun in the season before (CVT-02)."""
    unit = sheet.units[number]
    own_too = sheet.rules.choice("own_attack_disrupts") == "yes"
    attack = attack_on(sheet, state, number, own_too=own_too)
    if attack != NOBODY:
        sheet.set_outcome(number, Result.FAILS, "disrupted", (
            "conversion_disrupted", sheet.units[attack], unit.region), attack)
    elif unit in sheet.position.memory.converting:
        sheet.set_outcome(
            number, Result.SUCCEEDS, "completed", ("conversion_completed", _converted(sheet, number, unit))
        )
    else:
        sheet.set_outcome(number, Result.SUCCEEDS, "begun", ("conversion_begun",))


@dataclass(frozen=True, slots=True)
class ThreeKingdoms(Ruleset):
    """The handbook's rules besides the classic ones."""

    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **Ruleset.CHOICES,
        "support_of_mover": ("unmatched", "follows"),
        "double_orders": ("hold", "first"),
        "impossible_move": ("by_map", "by_fleets"),
        "convoy_paradox": ("szykman", "all_hold"),
        "conversion_over_winter": ("goes_on", "begins_again"),
        "own_attack_disrupts": ("no", "yes"),
        "missing_coast": ("void", "first"),
        "proxy_silent": ("owner", "hold"),
        "proxy_of_proxy": ("void", "allowed"),
        "proxy_retreats": ("owner_first", "owner_only"),
        "removals_beside_builds": ("struck", "count"),
        "supply_sent": ("surplus", "any_owned"),
        "supply_sent_on": ("no", "yes"),
        "victory_tested": ("autumn", "winter"),
        "draw": ("on_request", "at_once"),
        "mercy_converts": ("no", "yes"),
        "mercy_supply": ("greater", "added"),
    }
    ORDERS: ClassVar[Mapping[PhaseKind, frozenset[type[Order]]]] = {
        **CLASSIC_ORDERS,
        PhaseKind.MOVEMENT: CLASSIC_ORDERS[PhaseKind.MOVEMENT] | {Convert, Proxy},
        PhaseKind.ADJUSTMENT: CLASSIC_ORDERS[PhaseKind.ADJUSTMENT] | {SendSupply},
    }
    EXAMPLES: ClassVar[Mapping[PhaseKind, tuple[tuple[str, str], ...]]] = {
        PhaseKind.MOVEMENT: (
            ("A {a} converts to F", "the army becomes a fleet"),
            ("A {a} proxy {p}", "{p} commands it this turn")),
        PhaseKind.ADJUSTMENT: (("Send 1 supply to {p}", "supply is sent"),),
    }
    SENTENCES: ClassVar[Mapping[str, str]] = {**CLASSIC, **SENTENCES}
    CHECKS: ClassVar[Mapping[type[Order], Check]] = {Convert: check_convert}
    OUTCOME_RULES: ClassVar[Mapping[type[Order], OutcomeRule]] = {Convert: convert_outcome}

    def crossing_needs_fleets(self) -> bool:
        """By default an order for a move that the map allows is a move, and fails without fleets (Q-17)."""
        return self.choice("impossible_move") == "by_fleets"

    def support_follows_mover(self) -> bool:
        return self.choice("support_of_mover") == "follows"

    def convoy_paradox_fails_all_moves(self) -> bool:
        return self.choice("convoy_paradox") == "all_hold"

    def first_of_two_orders_counts(self) -> bool:
        return self.choice("double_orders") == "first"

    def keeps_memory(self) -> bool:
        return True

    # Proxies

    def commanders(self, sheet: MovementSheet) -> Mapping[int, str]:
        """Who orders whose unit this season: what the owner's own sheet states, once (PRX-01..08)."""
        offers: dict[int, list[int]] = {}
        passed_on: list[_PassedOn] = []
        for index, order in enumerate(sheet.orders):
            if isinstance(order, Proxy):
                number = sheet.ordered_unit(order)
                if number == NOBODY:
                    sheet.void(index, "no_such_unit", "no_unit", order.unit)
                elif order.power != sheet.units[number].power:
                    passed_on.append(_PassedOn(index, number, order.power))
                elif order.to_power not in sheet.context.powers or order.to_power == order.power:
                    sheet.void(index, "illegal", "given_to_oneself", sheet.units[number])
                else:
                    offers.setdefault(number, []).append(index)
        commanders = {
            number: power for number, indexes in offers.items() if (power := _agreed(sheet, number, indexes))
        }
        if self.choice("proxy_of_proxy") == "allowed":
            passed_on = _pass_on(sheet, commanders, passed_on)
        for line in passed_on:
            _void_passed_on(sheet, line, was_given=commanders.get(line.unit) == line.power)
        return commanders

    def owner_replaces_silent_commander(self) -> bool:
        return self.choice("proxy_silent") == "owner"

    # After the phases

    def after_movement(
        self, sheet: MovementSheet, standing: frozenset[Unit]
    ) -> tuple[frozenset[Unit], Memory]:
        """Completed conversions replace their units. Memory keeps those that were begun, and who may order
        the retreat of a unit given in proxy."""
        begun, old, new = set(), [], []
        for number, index in enumerate(sheet.order_index):
            outcome = sheet.outcomes[index] if isinstance(sheet.order_of(number), Convert) else None
            if outcome is not None:
                unit = sheet.units[number]
                if outcome.reason == "begun":
                    begun.add(unit)
                elif outcome.reason == "completed":
                    old.append(unit)
                    new.append(_converted(sheet, number, unit))
        proxies = frozenset(
            (sheet.place[number], power)
            for number, power in sheet.commanders.items()
            if number in sheet.dislodged and self.choice("proxy_retreats") == "owner_first"
        )
        return standing.difference(old).union(new), Memory(frozenset(begun), proxies)

    # Adjustments and the year

    def unit_allowance(self, centres: int, units: int, received: int = 0, sent: int = 0) -> int:
        """Centres, less supply sent, plus supply received. A power without a centre keeps one unit by mercy,
        and does not replace it (MCY-01, Q-39)."""
        if not centres:
            return min(units, 1 + received if self.choice("mercy_supply") == "added" else max(1, received))
        return centres - sent + received

    def builds_at_home_only(self) -> bool:
        return False

    def builds_strike_removals(self) -> bool:
        return self.choice("removals_beside_builds") == "struck"

    def sends_surplus_only(self) -> bool:
        return self.choice("supply_sent") == "surplus"

    def passes_supply_on(self) -> bool:
        return self.choice("supply_sent_on") == "yes"

    def picks_missing_coast(self) -> bool:
        return self.choice("missing_coast") == "first"

    def memory_after_winter(self, memory: Memory, units: frozenset[Unit]) -> Memory:
        if self.choice("conversion_over_winter") == "begins_again":
            return Memory()
        return Memory(memory.converting & units)

    def tests_victory_in_winter(self) -> bool:
        return self.choice("victory_tested") == "winter"

    def draw_ends_game(self) -> bool:
        return self.choice("draw") == "at_once"

    def adjustment_reason(self, reason: str) -> str:
        """The contract has only two words for a fault in a Winter of this game."""
        return "no_supply" if reason == "no_build" else "illegal"

    def removes_by_lot(self) -> bool:
        return True

    def winner(self, context: Context, centres: Centres) -> str | None:
        """Enough centres, and a capital of each kingdom (VIC-01). Two powers cannot fulfil this at once on a
        board with fewer than twice as many centres (Q-30)."""
        for power in sorted(centres):
            owned = centres[power]
            if len(owned) >= context.victory and all(owned & set(pair) for pair in context.capitals.values()):
                return power
        return None

    def draw_open_to(
        self, context: Context, centres: Centres, units: frozenset[Unit]
    ) -> tuple[str, ...] | None:
        """All survivors, if each of them holds every capital of some kingdom (DRW-01). A survivor has a
        centre or a unit."""
        survivors = {unit.power for unit in units} | {power for power, owned in centres.items() if owned}
        kingdoms = [set(pair) for pair in context.capitals.values()]
        if len(survivors) < 2 or not all(
            any(pair <= centres.get(power, frozenset()) for pair in kingdoms) for power in survivors
        ):
            return None
        return tuple(sorted(survivors))


def _agreed(sheet: MovementSheet, number: int, indexes: list[int]) -> str | None:
    """The power a unit is given to, or None: given to two at once, it is given to no unit (Q-16)."""
    powers = {order.to_power for i in indexes if isinstance(order := sheet.orders[i], Proxy)}
    if len(powers) > 1:
        for index in indexes:
            sheet.void(index, "illegal", "given_twice", sheet.units[number])
        return None
    power = powers.pop()
    for index in indexes:
        sheet.settle(index, Result.SUCCEEDS, None, "handed_over", sheet.units[number], power)
    return power


class _PassedOn(NamedTuple):
    """An order by which a power gives away a unit that is not its own."""

    order_index: int
    unit: int
    power: str


def _pass_on(
    sheet: MovementSheet, commanders: dict[int, str], lines: list[_PassedOn]
) -> list[_PassedOn]:
    """Let the commander of a unit pass it on, each power once (Q-24). Returns the lines without that
    right."""
    # Once each, or two powers could pass a unit back and forth for ever.
    had = {(number, sheet.units[number].power) for number in commanders}
    left = lines
    while True:
        for line in left:
            order = sheet.orders[line.order_index]
            if (
                isinstance(order, Proxy)
                and commanders.get(line.unit) == line.power
                and order.to_power in sheet.context.powers
                and order.to_power != line.power
                and (line.unit, line.power) not in had
            ):
                had.add((line.unit, line.power))
                commanders[line.unit] = order.to_power
                sheet.settle(
                    line.order_index, Result.SUCCEEDS, None, "handed_over", sheet.units[line.unit],
                    order.to_power)
                left = [other for other in left if other != line]
                break  # a line that had no right before may have it now
        else:
            return left


def _void_passed_on(sheet: MovementSheet, line: _PassedOn, *, was_given: bool) -> None:
    unit = sheet.units[line.unit]
    if was_given:
        sheet.void(line.order_index, "illegal", "given_on", unit, line.power)
    else:
        sheet.void(line.order_index, "no_such_unit", "not_ones_to_give", unit, line.power)


RULES = ThreeKingdoms
