"""What follows a judged movement or retreat phase: the next phase, and at the year's end who owns what and
who won."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.context import Context
from adjudicator.explain import Explainer
from adjudicator.outcome import Resolution
from adjudicator.position import Dislodgement, Memory, Position
from adjudicator.units import Unit

_RETREAT, _ADJUSTMENT = PhaseKind.RETREAT, PhaseKind.ADJUSTMENT

Centres = Mapping[str, frozenset[str]]
_NONE: frozenset[str] = frozenset()


def close(setting: Context, resolution: Resolution) -> Resolution:
    """The same resolution of a movement or retreat phase, and what the year's end brings if it is over for
    the board, that is when an adjustment phase comes next: centres change hands, victory and draw are looked
    at (OWN-01, OWN-02, VIC-02, Q-29)."""
    position = resolution.position
    if position.phase.kind is not _ADJUSTMENT:
        return resolution
    centres, memory, told = setting.rules.settled(setting, position, owners_after(setting, position))
    words = Explainer(setting)
    closed = replace(
        resolution, position=replace(position, centres=centres, memory=memory),
        adjust=dues(setting, centres, position.units, memory),
        notes=(*resolution.notes, *[words.say(sentence) for sentence in told]))
    return closed if setting.rules.wins_in_winter() else ended(setting, closed)


def ended(setting: Context, resolution: Resolution) -> Resolution:
    """The resolution of the year's last phase, with who has won and who may draw (VIC-02, DRW-01)."""
    units, centres = resolution.position.units, resolution.position.centres
    return replace(
        resolution,
        winner=setting.rules.winner(setting, centres),
        draw_open_to=setting.rules.draw_open_to(setting, centres, units),
    )


def following(setting: Context, phase: Phase, dislodged: Sequence[Dislodgement] = ()) -> Phase:
    """The phase after one; a retreat phase without anybody to retreat is passed over."""
    found = setting.calendar.following(phase)
    if not dislodged and found.kind is _RETREAT:
        return setting.calendar.following(found)
    return found


def owners_after(setting: Context, after: Position) -> dict[str, frozenset[str]]:
    """Owner to centres once the year's last retreats are over: who stands in a centre has it, and an empty
    one stays with its owner, whoever passed before (OWN-01, OWN-02)."""
    holder = {unit.region.province: unit.power for unit in after.units}
    owner = {centre: power for power, centres in after.centres.items() for centre in centres}
    owned: dict[str, set[str]] = {}
    for centre in setting.board.centres():
        power = holder.get(centre) or owner.get(centre)
        if power is not None:
            owned.setdefault(power, set()).add(centre)
    return {power: frozenset(owned[power]) for power in sorted(owned)}


def demanded(setting: Context, due: int, units: Iterable[Unit]) -> int:
    """Removals (-) once the units that need no supply are left out."""
    return min(0, due + sum(setting.rules.needs_no_supply(setting, unit) for unit in units))


def dues(setting: Context, centres: Centres, units: frozenset[Unit], memory: Memory) -> dict[str, int]:
    """Power to builds offered (+) or removals demanded (-); powers that owe and may build nothing are left
    out."""
    rules, found = setting.rules, {}
    for power in setting.powers:
        own = [unit for unit in units if unit.power == power]
        have = rules.upkeep(setting, own)
        due = rules.allowance(rules.feeds(memory, power, centres.get(power, _NONE)), have) - have
        if due < 0:
            due = demanded(setting, due, own)
        if due:
            found[power] = due
    return found
