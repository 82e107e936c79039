"""How a game ends: by the judge's verdict, or because its coordinator declares what the players agreed on.

The handbook's draw is open to those who meet its condition and agreed upon by all (DRW-01, Q-30); a
concession is agreed in the same way. The program counts no votes here: a person declares it, with a reason,
and everybody is informed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.outcome import Resolution
from maps.variant import Variant
from service.games import draw_votes
from service.games.options import options_of
from service.games.phases import resolution_of
from service.games.rulings import as_played
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState


class EndKind(StrEnum):
    """How a game ends."""

    VICTORY = "victory"
    JOINT_VICTORY = "joint victory"
    DRAW = "draw"
    CONCESSION = "concession"


DECLARED = (EndKind.DRAW, EndKind.CONCESSION)
"""Declarations of a coordinator; victories are the judge's."""


@dataclass(frozen=True, slots=True)
class GameEnd:
    """How a game ended: `powers` are the ids of those who won, share the draw, or to whom the others
    conceded; `why` is the coordinator's reason, "" for the judge's verdict."""

    kind: EndKind
    powers: tuple[str, ...]
    why: str = ""


def verdict(variant: Variant, resolution: Resolution) -> GameEnd | None:
    """The end that a judged phase brings; None if the game goes on."""
    if resolution.winner is not None:
        return GameEnd(EndKind.VICTORY, (resolution.winner,))
    if resolution.joint:
        return GameEnd(EndKind.JOINT_VICTORY, tuple(resolution.joint))
    if resolution.draw_open_to is not None and variant.rules.draw_ends_game():
        return GameEnd(EndKind.DRAW, tuple(resolution.draw_open_to))
    return None


def end_with(session: Session, phase: PhaseRow, variant: Variant, resolution: Resolution) -> GameEnd | None:
    """The end that comes with the results of a phase: the judge's verdict, or a draw that all survivors asked
    for on their sheets (`service.games.draw_votes`); None if the game goes on."""
    game = session.get_one(GameRow, phase.game_id)
    end = verdict(as_played(variant, options_of(game)), resolution)
    if end is not None:
        return end
    powers = draw_votes.agreed_draw(session, game, phase)
    return None if powers is None else GameEnd(EndKind.DRAW, powers)


def is_over(rows: Sequence[PhaseRow]) -> bool:
    """Whether a game of these phases is over: no phase waits, takes orders or is judged."""
    return all(row.state == PhaseState.SENT for row in rows)


def has_ended(session: Session, game_id: str) -> bool:
    """The same of a game, without its boards."""
    waits = session.scalar(select(PhaseRow.id).where(
        PhaseRow.game_id == game_id, PhaseRow.state != PhaseState.SENT).limit(1))
    return waits is None


def end_of(session: Session, game: GameRow, variant: Variant) -> GameEnd | None:
    """How a game ended; None while it is played."""
    rows = records.phases(session, game.id)
    if not is_over(rows):
        return None
    declared = options_of(game).ended
    if declared is not None:
        known = tuple(power for power in declared.powers if power in variant.powers)
        return GameEnd(EndKind(declared.kind), known, declared.why)
    judged = [row for row in rows if row.resolution is not None]
    if not judged:
        return None
    return end_with(session, judged[-1], variant, resolution_of(judged[-1]))
