"""The phases of a game that take orders or wait for results, as its page shows them: who is asked, who has
sent something, and what comes next. Nothing of what is on a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from service.games.phases import powers_asked
from service.store import records
from service.store.tables import PhaseRow, PhaseState, SeatRow

IN_PLAY = (PhaseState.OPEN, PhaseState.CLOSED, PhaseState.READY)
# A board is most of a phase's row, and only a retreat phase is asked for its own.
_WITHOUT_BOARD = (defer(PhaseRow.position), defer(PhaseRow.resolution))


@dataclass(frozen=True, slots=True)
class PhaseInPlay:
    """One phase: `sent` and `silent` are the ids of the powers that are asked for orders, by whether
    something came of them in time. `is_asked`: somebody is asked already; a later phase of a year asks
    nobody before the results of the one before it are sent."""

    row: PhaseRow
    sent: tuple[str, ...]
    silent: tuple[str, ...]
    is_asked: bool


def phases_in_play(session: Session, game_id: str) -> list[PhaseInPlay]:
    """The phases in play of a game, in order."""
    powers = sorted(session.scalars(select(SeatRow.power).where(SeatRow.game_id == game_id)))
    rows = session.execute(
        select(PhaseRow, PhaseRow.position.is_not(None)).options(*_WITHOUT_BOARD)
        .where(PhaseRow.game_id == game_id, PhaseRow.state.in_(IN_PLAY))
        .order_by(PhaseRow.ordinal)).all()
    return [_in_play(session, row, powers, is_asked=has_board or index == 0)
            for index, (row, has_board) in enumerate(rows)]


def next_phase(session: Session, game_id: str, now: datetime) -> PhaseRow | None:
    """The phase that opens next, or None if the calendar has no more."""
    return session.scalars(
        select(PhaseRow).options(*_WITHOUT_BOARD)
        .where(PhaseRow.game_id == game_id, PhaseRow.state == PhaseState.WAITING, PhaseRow.deadline > now)
        .order_by(PhaseRow.ordinal).limit(1)).first()


def _in_play(session: Session, row: PhaseRow, powers: Sequence[str], *, is_asked: bool) -> PhaseInPlay:
    asked = powers_asked(row)
    named = [power for power in powers if is_asked and (asked is None or power in asked)]
    came = {sheet.power for sheet in records.submissions(session, row.id)
            if sheet.received_at <= row.deadline} | records.posted(session, row.id)
    return PhaseInPlay(row, tuple(power for power in named if power in came),
                       tuple(power for power in named if power not in came), is_asked)
