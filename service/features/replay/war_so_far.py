"""Which phases of a game may be shown again as plates, and as what (BEY-01).

Players keep their own maps (MAP-03, NON-02): a board with units is shown of years that have ended, where the
game's option allows units on maps, and of everything once the game is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.serialize import codec
from maps.variant import Variant
from service.games.options import options_of
from service.games.phases import phase_title
from service.games.results import redacted_for
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState


@dataclass(frozen=True, slots=True)
class FoughtPhase:
    """A phase whose results were sent: its number and title, the board before it, and what became of its
    orders, as its reader may know them."""

    number: int
    title: str
    year: int
    before: Position
    resolution: Resolution


def is_over(session: Session, game_id: str) -> bool:
    """Whether the results of every phase of a game were sent."""
    return all(row.state == PhaseState.SENT for row in records.phases(session, game_id))


def rows_shown(session: Session, game: GameRow) -> list[PhaseRow]:
    """The phases that may be shown, in order."""
    rows = records.phases(session, game.id)
    sent = [row for row in rows if row.state == PhaseState.SENT and row.resolution is not None
            and row.position is not None]
    if all(row.state == PhaseState.SENT for row in rows):
        return sent
    if not options_of(game).units_on_map:
        return []
    ended = [row.ordinal for row in sent if PhaseKind(row.kind).updates_ownership]
    return [row for row in sent if row.ordinal <= max(ended, default=0)]


def fought(row: PhaseRow, variant: Variant, seats: Sequence[str], *, over: bool) -> FoughtPhase:
    """A phase as a player with these seats may know it; `over`: the game is, and nothing is hidden any
    more."""
    assert row.position is not None
    assert row.resolution is not None
    position, resolution = codec.load_position(row.position), codec.load_resolution(row.resolution)
    if not over:
        # Each seat may see its own; a player of two seats sees those of both.
        context = variant.context()
        resolution = max((redacted_for(variant, resolution, seat)[0] for seat in seats),
                         key=lambda view: len(view.outcomes))
        position = max((variant.rules.visible_position(context, position, seat) for seat in seats),
                       key=lambda view: len(view.units))
    return FoughtPhase(row.ordinal, phase_title(row), row.year, position, resolution)
