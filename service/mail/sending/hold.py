"""The switch by which a person stops all letters. It is in the database, so a restart does not release
them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.store import records
from service.store.tables import OutboxRow, OutboxState, SendHoldRow

LETTERS = "letters"


def current_hold(session: Session) -> SendHoldRow | None:
    """Who stopped the letters, when and why; None while they are sent."""
    return session.get(SendHoldRow, LETTERS)


def pause(session: Session, by: str, why: str, now: datetime) -> bool:
    """Stop sending until `resume`; False if it is stopped already. Letters are still written and keep their
    order."""
    if not records.insert_once(session, SendHoldRow, name=LETTERS, by=by, why=why, at=now):
        return False
    records.log_event(session, now, Event.LETTERS_PAUSED, actor=by, detail={"why": why})
    return True


def resume(session: Session, by: str, now: datetime) -> int | None:
    """Send letters again, the waiting ones first. The number that waits; None if nothing was stopped."""
    released = session.execute(
        delete(SendHoldRow).where(SendHoldRow.name == LETTERS).returning(SendHoldRow.name)
    ).scalar()
    if released is None:
        return None
    # Their two days of tries begin now, because we waited and not the mail server.
    waiting = session.scalars(
        update(OutboxRow)
        .where(OutboxRow.state == OutboxState.QUEUED, OutboxRow.due_at < now)
        .values(due_at=now)
        .returning(OutboxRow.id)
    ).all()
    records.log_event(session, now, Event.LETTERS_RESUMED, actor=by, detail={"waiting": len(waiting)})
    return len(waiting)


def resendable_letters(session: Session) -> list[int]:
    """Failed letters that may be sent again without asking anybody, because they certainly did not arrive."""
    return list(session.scalars(
        select(OutboxRow.id).where(OutboxRow.state == OutboxState.FAILED, OutboxRow.possibly_twice.is_(False))
        .order_by(OutboxRow.id)))
