"""A phase of a game in words and as the judge's value."""

from __future__ import annotations

from collections.abc import Callable

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.serialize import codec
from maps.variant import Variant
from service.store.tables import PhaseRow


def phase_title(phase: PhaseRow) -> str:
    """As every letter and page names it: Autumn 1644 Retreat."""
    return f"{phase.season} {phase.year} {phase.kind.capitalize()}"


def phase_of(row: PhaseRow) -> Phase:
    """The phase of a row."""
    return Phase(row.year, row.season, PhaseKind(row.kind))


def power_name(variant: str, power: str, load: Callable[[str], Variant] = maps.load) -> str:
    """A power's name on its board; the id where the board does not know it."""
    try:
        return load(variant).powers[power].name
    except (maps.MapError, KeyError):
        return power


def powers_asked(phase: PhaseRow) -> frozenset[str] | None:
    """The powers that a retreat phase waits for; None for a phase in which everybody may order."""
    if phase.kind != PhaseKind.RETREAT:
        return None
    if phase.position is None:
        return frozenset()
    return frozenset(retreat.unit.power for retreat in codec.load_position(phase.position).dislodged)
