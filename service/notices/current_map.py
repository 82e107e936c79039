"""Who owns what on a game's public map: as its newest Winter left it, or as the game began (MAP-01, MAP-02,
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
from service.games.options import options_of
from service.letters.language import Sentence
from service.record.references import on_map, root_mark
from service.store import records
from service.store.tables import GameRow, PhaseRow


@dataclass(frozen=True, slots=True)
class Control:
    """The contents of a map: the board, the game's name, each power's centres, and `when` in words. `units`
    is empty unless the game's option requests them; `record` is the root of the game's record in words, or
    ""."""

    variant: Variant
    game: str
    centres: Mapping[str, frozenset[str]]
    when: str
    units: frozenset[Unit] = frozenset()
    record: str = ""

    @property
    def drawn_as(self) -> tuple[object, ...]:
        """All that a picture of it depends on."""
        centres = tuple(sorted((power, tuple(sorted(regions))) for power, regions in self.centres.items()))
        units = tuple(sorted(map(repr, self.units)))
        return (self.variant.slug, self.game, self.when, centres, units, self.record)


def control(session: Session, game_id: str, load: Callable[[str], Variant] = maps.load) -> Control | None:
    """The control that everybody may see; None if there is no such game. A Winter counts once its results are
    sent."""
    game = session.get(GameRow, game_id)
    if game is None:
        return None
    variant = load(game.variant)
    position, when, root = variant.start, f"at the beginning of {variant.start.phase.year}", ""
    for row in records.phases(session, game_id):
        # A judged Winter that no one has approved yet is not public.
        if PhaseKind(row.kind).updates_ownership and row.resolution is not None and row.sent_at is not None:
            position, when = codec.load_resolution(row.resolution).position, map_date(row, variant.calendar)
            root = on_map(session, game_id, root_mark(session, row))
    # None is a person who commands no power: what anybody may see.
    visible = variant.rules.visible_position(variant.context(), position, None)
    return Control(variant, game.name, visible.centres, when, shown(game, visible.units), root)


def map_date(phase: PhaseRow, calendar: Calendar) -> str:
    """The date, in words, of the map that goes with the results of a phase."""
    # A Winter may open its year (CAL-11): it then leaves the board as at the beginning of that year.
    if (phase.season, phase.kind) == calendar.steps[0] and phase.kind == PhaseKind.ADJUSTMENT:
        return Sentence("at the beginning of %(year)s", year=phase.year)
    return Sentence("after %(season)s %(year)s", season=phase.season, year=phase.year)


def shown(game: GameRow, units: Iterable[Unit]) -> frozenset[Unit]:
    """The units that a game's maps show: none unless its option requests them."""
    return frozenset(units) if options_of(game).units_on_map else frozenset()
