"""A resolution in the words of letters and of the desk: by power, each order with its mark and its
sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Disband,
    Hold,
    Move,
    Order,
    Proxy,
    Remove,
    Retreat,
    SendSupply,
    SupportHold,
    SupportMove,
    UnitOrder,
    Waive,
)
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.position import Dislodgement
from adjudicator.units import Unit
from grammar.print import prose
from maps.variant import Variant
from service.games.lines import SettledLine, ranked_readings
from service.store.tables import LineState

_GIVEN: dict[type[Order], str] = {
    Hold: "holds", Move: "moves", SupportHold: "given", SupportMove: "given", Convoy: "carried",
    Convert: "converts",
    Proxy: "handed over", Retreat: "retreats", Disband: "disbanded", Build: "built", Remove: "removed",
    SendSupply: "sent", Waive: "waived",
}
_SHOWN = frozenset({"begun", "completed", "done"})
"""Marks of a success that say too little without their sentence."""


_OUTCOME = re.compile(r"^([a-z][a-z ]{0,20}): ")
"""The word that a failure's sentence begins with, as in "void: there is no Army Kent"."""


@dataclass(frozen=True, slots=True)
class ShownOrder:
    """One order as results show it. `mark` is one or two words, `why` a sentence or "", `line_id` its line of
    ink, `correction` states that a person read that line differently from the machine, or "". `unit` is the
    ordered unit in words, or ""; `rule` the paragraph that `why` ends with in parentheses, or ""."""

    text: str
    result: str
    mark: str
    why: str
    line_id: int | None
    correction: str = ""
    unit: str = ""
    dislodged: bool = False
    rule: str = ""

    @property
    def went_well(self) -> bool:
        """Whether the order did what it states and its unit is where it states."""
        return self.result == Result.SUCCEEDS and not self.dislodged

    @property
    def ending(self) -> str:
        """What a letter states after an order that went well: nothing where the order states it all, else
        ", where Army Cheshire is dislodged (2 against 1)", or ": the siege has begun"."""
        cause = self._cause
        if self.mark not in _GIVEN.values():
            # "conversion completed: now Fleet Derry" has its own colon.
            return f"{';' if ':' in cause else ':'} {cause or self.mark}"
        before, sign, rest = cause.partition(", where ")
        if not sign:
            before, sign, rest = cause.partition("; ")
        return f"{sign}{rest}" if before else ""

    @property
    def explained(self) -> bool:
        """Whether `ending` states more than that a unit is dislodged: then its rule is behind it."""
        # Without its rule a player cannot look up why the boats of a bunch are left behind.
        return bool(self.ending) and not self.ending.startswith(", where ")

    @property
    def failure(self) -> str:
        """The words of a letter about an order that did not go as written: its reason once."""
        # An order that was carried out by a unit that is dislodged all the same: its mark names both.
        if self.result == Result.SUCCEEDS:
            return self.mark
        reason = _OUTCOME.sub(r"\1, ", self._cause or self.mark)
        lost = self.dislodged and "dislodged" not in reason
        return f"{reason}, and the unit is dislodged" if lost else reason

    @property
    def _cause(self) -> str:
        """The sentence without its rule."""
        return self.why.removesuffix(f" ({self.rule})").rstrip(".")

    @property
    def outcome_text(self) -> str:
        """What a letter states after the order: its outcome once, and the cause if it did not go as
        ordered."""
        # "moves, where Army Cheshire is dislodged"; "moves; its boats are left behind". A failure's sentence
        # has the outcome in it, so its mark is left out.
        if self.result != Result.SUCCEEDS or self.mark in _SHOWN:
            return self.why.rstrip(".") or self.mark
        _, where, rest = self.why.partition(", where ")
        if not where:
            _, where, rest = self.why.partition("; ")
        return f"{self.mark}{where}{rest}".rstrip(".")


@dataclass(frozen=True, slots=True)
class ShownPower:
    """One power's part of the results. `void` are lines no one could read, each with its readings;
    `without_order` are units without an order, `dislodged` those of them that are dislodged; `sheet` states
    whether a sheet counted; `set_aside` are sentences about what was received where none counted
    (`service.games.approval.papers.set_aside`)."""

    power: str
    orders: tuple[ShownOrder, ...]
    void: tuple[tuple[int, str], ...] = ()
    without_order: tuple[str, ...] = ()
    dislodged: tuple[str, ...] = ()
    sheet: bool = True
    set_aside: tuple[str, ...] = ()


def show(
    variant: Variant, resolution: Resolution, lines: Mapping[str, Sequence[SettledLine]],
    set_aside: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> tuple[ShownPower, ...]:
    """The results of every power, in the order of the variant's powers. `lines` are those of each executed
    sheet that may be shown: an order of another sheet is shown without its ink."""
    ink = {line.id: line for power_lines in lines.values() for line in power_lines}
    return tuple(
        ShownPower(
            power=variant.powers[power].name,
            orders=tuple(_order(variant, o, ink) for o in resolution.outcomes if o.order.power == power),
            void=tuple(
                (line.id, _readings(line, holds=_some_unit_holds(resolution, power)))
                for line in lines.get(power, ()) if line.state is LineState.VOID
            ),
            without_order=tuple(sorted(unit_text(variant, u) for u in _without_order(resolution, power))),
            dislodged=tuple(
                sorted(unit_text(variant, u) for u in _without_order(resolution, power) & _beaten(resolution))
            ),
            sheet=power in lines, set_aside=set_aside.get(power, ()),
        )
        for power in variant.powers
    )


def _beaten(resolution: Resolution) -> frozenset[Unit]:
    return frozenset(dislodgement.unit for dislodgement in resolution.dislodged)


def _without_order(resolution: Resolution, power: str) -> frozenset[Unit]:
    """A power's units without an order."""
    # A dislodged unit that was given in proxy has its outcome in the line of the proxy order already.
    dislodged_proxies_provinces = {
        o.order.unit.region.province
        for o in resolution.outcomes
        if isinstance(o.order, Proxy) and o.order.power == power and o.dislodged
    }
    return frozenset(u for u in resolution.unordered
                     if u.power == power and u.region.province not in dislodged_proxies_provinces)


def redacted_for(variant: Variant, resolution: Resolution, power: str) -> tuple[Resolution, frozenset[str]]:
    """The results as the rules let a power know them, and the powers whose sheets it may not see: those that
    have units it may not see, or had orders it may not know (D66-06)."""
    # Whatever these sheets say: if a sheet without a hidden unit were shown, the sheets that are not shown
    # would mention one. A test compares two games of 1066 that differ only in the hidden fleet, byte by byte.
    redacted = variant.rules.redact_resolution(variant.context(), resolution, power)
    # Most games hide nothing, and every power is asked about.
    if redacted is resolution:
        return redacted, frozenset()
    unseen = frozenset(unit.power for unit in resolution.position.units - redacted.position.units)
    return redacted, unseen | frozenset(
        outcome.order.power for outcome in resolution.outcomes if outcome not in redacted.outcomes
    )


def show_order(variant: Variant, outcome: Outcome) -> ShownOrder:
    """One order as results show it, without its ink."""
    return _order(variant, outcome, {})


def _order(variant: Variant, outcome: Outcome, ink: Mapping[int, SettledLine]) -> ShownOrder:
    line = None if outcome.order.line is None else ink.get(outcome.order.line)
    return ShownOrder(
        text=order_text(variant, outcome.order), result=outcome.result.value, mark=mark(outcome),
        why=outcome.why, line_id=None if line is None else line.id,
        correction="" if line is None else correction(line),
        unit=_ordered_unit(variant, outcome.order), dislodged=outcome.dislodged,
        rule=_rule(variant, outcome.why),
    )


def _ordered_unit(variant: Variant, order: Order) -> str:
    """The unit that an order is for, in words; "" for an order without one."""
    if not isinstance(order, UnitOrder):
        return ""
    region = order.unit.region
    kind = variant.kinds.get(order.unit.kind or "")
    place = variant.board.region_text(region) if region.province in variant.board.provinces else str(region)
    return place if kind is None else f"{kind.name} {place}"


def _rule(variant: Variant, why: str) -> str:
    """The paragraph that a sentence cites at its end, or ""."""
    # Sentences may end with other parentheses, "(1 against 1)"; only a paragraph that the variant cites is a
    # rule.
    cited = [str(rule) for rule in variant.rules.citations.values() if why.endswith(f" ({rule})")]
    return max(cited, key=len, default="")


def correction(line: SettledLine) -> str:
    """The sentence that a person read a line differently from the machine, with the machine's reading; ""
    where both say the same, or no one decided the line."""
    # A doubtful line whose best reading a person chose is not a correction: the machine had offered it.
    ranked = ranked_readings(line.candidates)
    best = line.machine_order or next((reading["order"] for _, reading in ranked), None)
    if line.by is None or line.state is not LineState.READ or line.order == best:
        return ""
    machine_text = line.machine_text.strip()
    return ("coordinator's correction: the machine "
            + (f"read “{machine_text}”" if machine_text else "could not read it"))


def order_text(variant: Variant, order: Order) -> str:
    """An order in the handbook's prose, with every name in full."""
    names = {power.id: power.name for power in variant.powers.values()}
    return prose(order, variant.board, variant.kinds, names)


def mark(outcome: Outcome) -> str:
    """The outcome of an order in one or two words: moves, given, cut, bounced, void, dislodged ..."""
    if outcome.result is Result.VOID:
        word = "void"
    elif outcome.result is Result.FAILS:
        word = (outcome.reason or "fails").replace("_", " ")
    else:
        word = (outcome.reason or _GIVEN.get(type(outcome.order), "done")).replace("_", " ")
    return f"{word}, dislodged" if outcome.dislodged and word != "dislodged" else word


def unit_text(variant: Variant, unit: Unit) -> str:
    """A unit in full: Army Derbyshire."""
    return f"{variant.kinds[unit.kind].name} {variant.board.region_text(unit.region)}"


def dislodged_text(variant: Variant, dislodgement: Dislodgement) -> str:
    """A dislodged unit, its power, and where the attack on it came from."""
    unit, origin = dislodgement.unit, variant.board.provinces[dislodgement.attacker_from].name
    power = variant.powers[unit.power].name
    return f"{unit_text(variant, unit)} ({power}), dislodged by the attack from {origin}"


def _some_unit_holds(resolution: Resolution, power: str) -> bool:
    """Whether a unit of a power was left without an order, and holds for that."""
    # A unit without a retreat leaves the board, a build that no one can read is not a unit, and a unit may
    # have its order on another line: "void, the unit holds" was in the results of all of them.
    return bool(_without_order(resolution, power))


def _readings(line: SettledLine, *, holds: bool) -> str:
    """Both readings of a line that was left void on purpose (Q-01): those a person chose, else the machine's
    best two. `holds`: whether a unit may hold for it."""
    outcome = "void, the unit holds" if holds else "void"
    readings = line.text.split("\n")
    if len(readings) != 2:
        readings = [str(reading["text"]) for _, reading in ranked_readings(line.candidates)[:2]]
    if len(readings) == 2:
        return f"read as “{readings[0]}” or as “{readings[1]}”: {outcome}"
    return f"could not be read: {outcome}"
