"""Moving a deadline of a running game: recorded, with a reason, told to everybody (CAL-14, CAL-15, OUT-12)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.context import phase_of
from service.deadlines import DAY_ENDS, DeadlineError, Extension, PhaseWindow, extend
from service.store import records
from service.store.tables import PhaseRow, PhaseState

AHEAD = (PhaseState.OPEN, PhaseState.WAITING)
"""States whose deadline lies ahead and may be moved."""


def days_later(deadline: datetime, days: int) -> datetime:
    """The same hour `days` calendar days later; an extension keeps 07:00 GMT whatever clocks do in between."""
    return datetime.combine((deadline.astimezone(UTC) + timedelta(days=days)).date(), DAY_ENDS)


def move_deadline(
    session: Session, phase_id: int, deadline: datetime, reason: str, *, shift_later: bool, by: str, now: datetime
) -> Extension:
    """Move the deadline of an open or coming phase and write the log; what changed is returned for the letters.

    Raises DeadlineError with a sentence where it cannot be moved so: no reason, a new time that is past or would put
    the phases out of order, a deadline that has passed, or a calendar that somebody else changed meanwhile.
    """
    phase = session.get_one(PhaseRow, phase_id)
    if phase.state not in AHEAD or phase.deadline <= now:
        raise DeadlineError(
            f"The deadline of {phase_of(phase)} has passed; it stands, and nothing was changed. Late orders are "
            "answered with the next deadline.")
    if deadline.tzinfo is not None and deadline <= now:
        raise DeadlineError(
            f"The new deadline, {deadline.astimezone(UTC):%d %b %Y, %H:%M} GMT, lies in the past. Nothing was changed; "
            "choose a time ahead.")
    rows = session.scalars(select(PhaseRow).where(
        PhaseRow.game_id == phase.game_id, PhaseRow.ordinal >= phase.ordinal, PhaseRow.state.in_(AHEAD),
    ).order_by(PhaseRow.ordinal)).all()
    windows = tuple(PhaseWindow(phase_of(r), r.opens_at, r.deadline, None, r.moved) for r in rows)
    extension = extend(windows, phase_of(phase), deadline, reason, shift_later=shift_later)
    _write(session, [(r.id, r.state, r.deadline) for r in rows], extension, now)
    records.log_event(
        session, now, "deadline_moved", game_id=phase.game_id, actor=by,
        detail={"reason": extension.reason, "moved": [
            {"phase": str(m.phase), "from": m.old.isoformat(), "to": m.new.isoformat()} for m in extension.moved]})
    return extension


def _write(
    session: Session, was: Sequence[tuple[int, str, datetime]], extension: Extension, now: datetime
) -> None:
    """Each window to its row, as long as the row is still as it was read."""
    for (row_id, state, deadline), window in zip(was, extension.windows, strict=True):
        changed = window.deadline != deadline
        stamped = {"moved": window.sequence, "moved_at": now} if changed else {}
        if not records.claim(
            session, PhaseRow, PhaseRow.id == row_id, PhaseRow.state == state, PhaseRow.deadline == deadline,
            opens_at=window.opens, deadline=window.deadline, **stamped,
        ):
            raise DeadlineError("Somebody else moved this game on meanwhile. Nothing was changed; look again.")
