"""Copies of a game made while sheets are sealed: an archive, or a backup of the whole site.

Whoever holds one can read the sheets before the deadline, so each is entered, and all players are told
(docs/record.md, C15)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games.phases import phase_of
from service.games.refused import Refused
from service.games.seal import sealed
from service.store import records
from service.store.tables import LotContributionRow, PhaseRow, PhaseState, SubmissionRow

LEAST_REASON = 10


class Copy(StrEnum):
    """What was made."""

    ARCHIVE = "archive"
    BACKUP = "backup"
    ENCRYPTED = "encrypted backup"


def phases_with_sealed_sheets(session: Session, game_id: str) -> list[PhaseRow]:
    """The phases of a game that are sealed and have a sheet, or a word for the lots."""
    sheets = exists().where(SubmissionRow.phase_id == PhaseRow.id)
    words = exists().where(LotContributionRow.phase_id == PhaseRow.id)
    rows = session.scalars(select(PhaseRow).where(
        PhaseRow.game_id == game_id, PhaseRow.state.in_([PhaseState.WAITING, PhaseState.OPEN]),
        sheets | words).order_by(PhaseRow.ordinal))
    return [row for row in rows if sealed(row)]


def enter_archive(session: Session, game_id: str, reason: str, by: str, now: datetime) -> bool:
    """Enter that a whole archive of a game is made while sheets are sealed; False if none is. Raises
    Refused without a reason."""
    phases = phases_with_sealed_sheets(session, game_id)
    reason = " ".join(reason.split())[:500]
    if phases and len(reason) < LEAST_REASON:
        raise Refused(
            f"Nothing was written: sheets of {phase_of(phases[0])} are sealed until "
            f"{phases[0].deadline:%-d %b %Y, %H:%M} GMT, and the whole archive would show them. Wait until "
            "then, write the players' archive with --players, or give a reason with --reason: it is entered "
            "in the record, and all players read that the copy was made.")
    for phase in phases:
        enter_copy(session, phase, Copy.ARCHIVE, reason, by, now)
    return bool(phases)


def enter_copy(
    session: Session, phase: PhaseRow, how: Copy, reason: str, by: str, now: datetime
) -> None:
    """Enter that a copy of the sheets of a phase is made."""
    records.log_event(session, now, Event.OPEN_PHASE_COPIED, game_id=phase.game_id, actor=by,
                      detail={"phase_id": phase.id, "as": how.value, "why": reason})
