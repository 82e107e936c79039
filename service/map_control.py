"""Who holds what on a game's public map: as its newest Winter left it, or as it began (MAP-01, MAP-02, MAP-03)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import PhaseKind
from maps.variant import Variant
from service.store import codec, records
from service.store.tables import GameRow


@dataclass(frozen=True, slots=True)
class Control:
    """What a map shows: the board, the game's name, the owner of each centre, and `when` in words."""

    variant: Variant
    game: str
    centres: Mapping[str, frozenset[str]]
    when: str


def control(session: Session, game_id: str, load: Callable[[str], Variant] = maps.load) -> Control | None:
    """The control that everybody may see; None for a game there is none of. A Winter counts once its results are sent."""
    game = session.get(GameRow, game_id)
    if game is None:
        return None
    variant = load(game.variant)
    centres, year = variant.start.centres, variant.start.phase.year
    for row in records.phases(session, game_id):
        if row.kind == PhaseKind.ADJUSTMENT and row.resolution is not None and row.sent_at is not None:
            centres, year = codec.load_resolution(row.resolution).position.centres, row.year
    return Control(variant, game.name, centres, f"at the beginning of {year}")
