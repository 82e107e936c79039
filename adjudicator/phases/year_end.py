"""What follows a judged phase: the next phase, and at the end of a year who owns what and who has won."""

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
    """The decisions of a rule set about ownership, supply and victory; `Ruleset` has the defaults
    and states more."""

    def after_year(
        self, context: Context, after: Position, owners: Centres
    ) -> tuple[Centres, Memory, tuple[Sentence, ...]]: ...
    # Supply
    def supply_from(self, memory: Memory, power: str, owned: frozenset[str]) -> int: ...
    def upkeep(
        self, context: Context, units: Collection[Unit], built: Collection[Unit] = (),
        removed: Collection[Unit] = ()
    ) -> int: ...
    def unit_allowance(self, centres: int, units: int, received: int = 0, sent: int = 0) -> int: ...
    def needs_no_supply(self, context: Context, unit: Unit) -> bool: ...
    # Victory
    def tests_victory_in_winter(self) -> bool: ...
    def winner(self, context: Context, centres: Centres) -> str | None: ...
    def draw_open_to(
        self, context: Context, centres: Centres, units: frozenset[Unit]
    ) -> tuple[str, ...] | None: ...


def close_phase(context: Context, rules: YearEndRules, resolution: Resolution) -> Resolution:
    """The resolution of a movement or retreat phase, with the end of the year if an adjustment phase is next:
    centres change hands, and victory and draw are tested (OWN-01, OWN-02, VIC-02, Q-29)."""
    position = resolution.position
    if position.phase.kind is not _ADJUSTMENT:
        return resolution
    centres, memory, notes = rules.after_year(context, position, owners_after(context, position))
    explainer = Explainer(context, rules)
    closed = replace(
        resolution, position=replace(position, centres=centres, memory=memory),
        adjust=builds_due(context, rules, centres, position.units, memory),
        notes=(*resolution.notes, *[explainer.text(sentence) for sentence in notes]))
    return closed if rules.tests_victory_in_winter() else with_victory(context, rules, closed)


def with_victory(context: Context, rules: YearEndRules, resolution: Resolution) -> Resolution:
    """The resolution with who has won and who may agree on a draw (VIC-02, DRW-01)."""
    units, centres = resolution.position.units, resolution.position.centres
    return replace(
        resolution,
        winner=rules.winner(context, centres),
        draw_open_to=rules.draw_open_to(context, centres, units),
    )


def next_phase(context: Context, phase: Phase, dislodged: Sequence[Dislodgement] = ()) -> Phase:
    """The phase that follows; a retreat phase is skipped if no unit has to retreat."""
    following = context.calendar.phase_after(phase)
    if not dislodged and following.kind is _RETREAT:
        return context.calendar.phase_after(following)
    return following


def owners_after(context: Context, after: Position) -> dict[str, frozenset[str]]:
    """Each owner with its centres once the year's last retreats are over. A unit in a centre takes it, and an
    empty centre keeps its owner, no matter who passed through it (OWN-01, OWN-02)."""
    occupant = {unit.region.province: unit.power for unit in after.units}
    owner = {centre: power for power, centres in after.centres.items() for centre in centres}
    owned: dict[str, set[str]] = {}
    for centre in context.board.centres():
        # Only now: who passed through in Spring or Summer took nothing (OWN-01).
        power = occupant.get(centre) or owner.get(centre)
        if power is not None:
            owned.setdefault(power, set()).add(centre)
    return {power: frozenset(owned[power]) for power in sorted(owned)}


def removals_owed(context: Context, rules: YearEndRules, due: int, units: Iterable[Unit]) -> int:
    """Removals owed, as 0 or a negative number, where `due` is what a power is short of. Units that need no
    supply are not counted."""
    # A unit off the board counts against builds, and is never removed for want of centres.
    return min(0, due + sum(rules.needs_no_supply(context, unit) for unit in units))


def builds_due(
    context: Context, rules: YearEndRules, centres: Centres, units: frozenset[Unit], memory: Memory
) -> dict[str, int]:
    """Builds allowed (+) or removals owed (-) by power; powers with neither are left out."""
    due_of = {}
    for power in context.powers:
        power_units = [unit for unit in units if unit.power == power]
        needed = rules.upkeep(context, power_units)
        supply = rules.supply_from(memory, power, centres.get(power, _NONE))
        due = rules.unit_allowance(supply, needed) - needed
        if due < 0:
            due = removals_owed(context, rules, due, power_units)
        if due:
            due_of[power] = due
    return due_of
