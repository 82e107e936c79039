"""Who holds what on a game's public map: as its newest Winter left it, or as it began (MAP-01, MAP-02,
MAP-03)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import Calendar, PhaseKind
from adjudicator.serialize import codec
from adjudicator.units import Unit
from maps.variant import Variant
from service.record.references import on_map, root_mark
from service.store import records
from service.store.tables import GameRow, PhaseRow

UNITS = "units_on_map"
"""The game's option: whether its maps show units besides control (MAP-03, Q-13). No, unless it is set."""


@dataclass(frozen=True, slots=True)
class Control:
    """What a map shows: the board, the game's name, the owner of each centre, and `when` in words; `units`
    where the game's option asks for them, else none; `record` the root of the game's record in words, or
    ""."""

    variant: Variant
    game: str
    centres: Mapping[str, frozenset[str]]
    when: str
    units: frozenset[Unit] = frozenset()
    record: str = ""


def control(session: Session, game_id: str, load: Callable[[str], Variant] = maps.load) -> Control | None:
    """The control that everybody may see; None for a game there is none of. A Winter counts once its results
    are sent."""
    game = session.get(GameRow, game_id)
    if game is None:
        return None
    variant = load(game.variant)
    left, when, root = variant.start, f"at the beginning of {variant.start.phase.year}", ""
    for row in records.phases(session, game_id):
        if PhaseKind(row.kind).updates_ownership and row.resolution is not None and row.sent_at is not None:
            left, when = codec.load_resolution(row.resolution).position, drawn_when(row, variant.calendar)
            root = on_map(root_mark(session, row))
    known = variant.rules.visible_position(variant.context(), left, None)
    return Control(variant, game.name, known.centres, when, shown(game, known.units), root)


def drawn_when(phase: PhaseRow, calendar: Calendar) -> str:
    """When a map is of that is drawn with the results of a phase: one that opens its year, as a Winter may
    (CAL-11), leaves the board at the beginning of that year; any other is over."""
    if (phase.season, phase.kind) == calendar.steps[0] and phase.kind == PhaseKind.ADJUSTMENT:
        return f"at the beginning of {phase.year}"
    return f"after {phase.season} {phase.year}"


def shown(game: GameRow, units: Iterable[Unit]) -> frozenset[Unit]:
    """The units that a game's maps show: none, unless its option asks for them."""
    return frozenset(units) if game.options.get(UNITS, False) else frozenset()
