"""A phase whose deadline has passed waits for the mailbox: it is not closed before every mail in time is
here, or before a coordinator decides to judge without those that are not.

Every function takes the caller's session and never commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, load_only

from service.facts.events import Event
from service.games.phases import phase_of
from service.store import phase_looks, records
from service.store.tables import MailboxWaitRow, PhaseRow, PhaseState

EVENTS = (Event.DEADLINE_WAITS_FOR_MAILBOX, Event.MAILBOX_EMPTIED, Event.JUDGED_WITHOUT_MAILBOX)
"""Events of a game: the wait began, the mailbox was emptied, a coordinator decided not to wait."""


def standing(session: Session, phase_id: int) -> MailboxWaitRow | None:
    """The wait of a phase; None if it does not wait, or does not wait any more."""
    row = session.get(MailboxWaitRow, phase_id)
    phase = session.get(PhaseRow, phase_id)
    # A deadline that was moved on meanwhile ends its wait.
    if row is None or phase is None or row.ended_at is not None or row.since < phase.deadline:
        return None
    return row if phase.state == PhaseState.OPEN else None


def all_standing(session: Session) -> list[tuple[PhaseRow, MailboxWaitRow]]:
    """Every phase that waits, oldest deadline first, without its board."""
    rows = session.execute(
        select(PhaseRow, MailboxWaitRow).join(MailboxWaitRow, MailboxWaitRow.phase_id == PhaseRow.id)
        .options(load_only(PhaseRow.game_id, PhaseRow.year, PhaseRow.season, PhaseRow.kind,
                           PhaseRow.deadline))
        .where(MailboxWaitRow.ended_at.is_(None), PhaseRow.state == PhaseState.OPEN,
               MailboxWaitRow.since >= PhaseRow.deadline)
        .order_by(PhaseRow.deadline, PhaseRow.id))
    return [(phase, row) for phase, row in rows]


def standing_among(session: Session, phase_ids: Sequence[int]) -> set[int]:
    """Those of some open phases that wait."""
    return set(session.scalars(
        select(PhaseRow.id).join(MailboxWaitRow, MailboxWaitRow.phase_id == PhaseRow.id)
        .where(PhaseRow.id.in_(phase_ids), MailboxWaitRow.ended_at.is_(None),
               MailboxWaitRow.since >= PhaseRow.deadline)))


def waits(session: Session, phase: PhaseRow, why: str, now: datetime) -> bool:
    """Note that a phase waits, and why at present; whether the wait began just now."""
    row = standing(session, phase.id)
    if row is not None:
        row.why = why
        return False
    old = session.get(MailboxWaitRow, phase.id)
    if old is None:
        if not records.insert_once(session, MailboxWaitRow, phase_id=phase.id, since=now, why=why):
            return False
    else:
        old.since, old.why, old.ended_at = now, why, None
        old.waived_at = old.waived_by = old.waived_why = None
    phase_looks.forget(session, phase.id)  # It is looked at every minute now.
    records.log_event(session, now, Event.DEADLINE_WAITS_FOR_MAILBOX, game_id=phase.game_id,
                      detail={"phase": str(phase_of(phase))})
    return True


def end(session: Session, phase: PhaseRow, now: datetime) -> None:
    """The mailbox was emptied, or a coordinator decided: the phase does not wait any more."""
    row = standing(session, phase.id)
    if row is None:
        return
    row.ended_at = now
    if row.waived_at is None:
        records.log_event(session, now, Event.MAILBOX_EMPTIED, game_id=phase.game_id,
                          detail={"phase": str(phase_of(phase))})
