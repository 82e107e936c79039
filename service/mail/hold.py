"""What a person holds back by hand, kept in the database so that a restart does not let it loose: the sending
of letters."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.store import records
from service.store.tables import OutboxRow, OutboxState, SendHoldRow

LETTERS = "letters"


def current_hold(session: Session) -> SendHoldRow | None:
    """Who holds the letters back, since when and why; None while they leave."""
    return session.get(SendHoldRow, LETTERS)


def pause(session: Session, by: str, why: str, now: datetime) -> bool:
    """Let no letter leave until `resume`; False when it is so already. Letters are still written, and keep
    their turn."""
    if not records.insert_once(session, SendHoldRow, name=LETTERS, by=by, why=why, at=now):
        return False
    records.log_event(session, now, "letters_paused", actor=by, detail={"why": why})
    return True


def resume(session: Session, by: str, now: datetime) -> int | None:
    """Let letters leave again, those that waited first; how many wait, None when nothing was held back."""
    gone = session.execute(
        delete(SendHoldRow).where(SendHoldRow.name == LETTERS).returning(SendHoldRow.name)
    ).scalar()
    if gone is None:
        return None
    # Their two days of tries begin now: the wait was ours, not the mail server's.
    waiting = session.scalars(
        update(OutboxRow)
        .where(OutboxRow.state == OutboxState.QUEUED, OutboxRow.due_at < now)
        .values(due_at=now)
        .returning(OutboxRow.id)
    ).all()
    records.log_event(session, now, "letters_resumed", actor=by, detail={"waiting": len(waiting)})
    return len(waiting)


def resendable_letters(session: Session) -> list[int]:
    """Letters that failed and can be sent again without asking anybody: those of which it is known that they
    did not arrive."""
    return list(session.scalars(
        select(OutboxRow.id).where(OutboxRow.state == OutboxState.FAILED, OutboxRow.possibly_twice.is_(False))
        .order_by(OutboxRow.id)))
