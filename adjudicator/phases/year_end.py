"""What follows a judged movement or retreat phase: the next phase, and at the year's end who owns what and
who won."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Explainer, Phrases, Sentence
from adjudicator.outcome import Resolution
from adjudicator.position import Centres, Dislodgement, Memory, Position
from adjudicator.units import Unit

_RETREAT, _ADJUSTMENT = PhaseKind.RETREAT, PhaseKind.ADJUSTMENT

_NONE: frozenset[str] = frozenset()


class YearEndRules(Phrases, Protocol):
    """What a rule set decides about ownership, supply and victory."""

    def after_year(
        self, context: Context, after: Position, owners: Centres
    ) -> tuple[Centres, Memory, tuple[Sentence, ...]]: ...
    def supply_from(self, memory: Memory, power: str, owned: frozenset[str]) -> int: ...
    def upkeep(
        self, context: Context, units: Collection[Unit], built: Collection[Unit] = (),
        removed: Collection[Unit] = ()
    ) -> int: ...
    def unit_allowance(self, centres: int, units: int, received: int = 0, sent: int = 0) -> int: ...
    def needs_no_supply(self, context: Context, unit: Unit) -> bool: ...
    def tests_victory_in_winter(self) -> bool: ...
    def winner(self, context: Context, centres: Centres) -> str | None: ...
    def draw_open_to(
        self, context: Context, centres: Centres, units: frozenset[Unit]
    ) -> tuple[str, ...] | None: ...


def close_phase(context: Context, rules: YearEndRules, resolution: Resolution) -> Resolution:
    """The same resolution of a movement or retreat phase, and what the year's end brings if it is over for
    the board, that is when an adjustment phase comes next: centres change hands, victory and draw are looked
    at (OWN-01, OWN-02, VIC-02, Q-29)."""
    position = resolution.position
    if position.phase.kind is not _ADJUSTMENT:
        return resolution
    centres, memory, told = rules.after_year(context, position, owners_after(context, position))
    words = Explainer(context, rules)
    closed = replace(
        resolution, position=replace(position, centres=centres, memory=memory),
        adjust=builds_due(context, rules, centres, position.units, memory),
        notes=(*resolution.notes, *[words.text(sentence) for sentence in told]))
    return closed if rules.tests_victory_in_winter() else with_victory(context, rules, closed)


def with_victory(context: Context, rules: YearEndRules, resolution: Resolution) -> Resolution:
    """The resolution of the year's last phase, with who has won and who may draw (VIC-02, DRW-01)."""
    units, centres = resolution.position.units, resolution.position.centres
    return replace(
        resolution,
        winner=rules.winner(context, centres),
        draw_open_to=rules.draw_open_to(context, centres, units),
    )


def next_phase(context: Context, phase: Phase, dislodged: Sequence[Dislodgement] = ()) -> Phase:
    """The phase after one; a retreat phase without anybody to retreat is passed over."""
    found = context.calendar.phase_after(phase)
    if not dislodged and found.kind is _RETREAT:
        return context.calendar.phase_after(found)
    return found


def owners_after(context: Context, after: Position) -> dict[str, frozenset[str]]:
    """Owner to centres once the year's last retreats are over: who stands in a centre has it, and an empty
    one stays with its owner, whoever passed before (OWN-01, OWN-02)."""
    holder = {unit.region.province: unit.power for unit in after.units}
    owner = {centre: power for power, centres in after.centres.items() for centre in centres}
    owned: dict[str, set[str]] = {}
    for centre in context.board.centres():
        power = holder.get(centre) or owner.get(centre)
        if power is not None:
            owned.setdefault(power, set()).add(centre)
    return {power: frozenset(owned[power]) for power in sorted(owned)}


def removals_owed(context: Context, rules: YearEndRules, due: int, units: Iterable[Unit]) -> int:
    """Removals (-) once the units that need no supply are left out."""
    return min(0, due + sum(rules.needs_no_supply(context, unit) for unit in units))


def builds_due(
    context: Context, rules: YearEndRules, centres: Centres, units: frozenset[Unit], memory: Memory
) -> dict[str, int]:
    """Power to builds offered (+) or removals demanded (-); powers that owe and may build nothing are left
    out."""
    found = {}
    for power in context.powers:
        own = [unit for unit in units if unit.power == power]
        have = rules.upkeep(context, own)
        due = rules.unit_allowance(rules.supply_from(memory, power, centres.get(power, _NONE)), have) - have
        if due < 0:
            due = removals_owed(context, rules, due, own)
        if due:
            found[power] = due
    return found
