"""Moving a deadline of a running game: recorded with a reason that everybody reads (CAL-14, CAL-15,
OUT-12)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import Calendar
from service.facts.events import Event
from service.games.deadlines import (
    DAY_ENDS,
    DeadlineError,
    DeadlineExtension,
    PhaseWindow,
    begin_on,
    day_start,
    extend,
)
from service.games.phases import phase_of
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState

AHEAD = (PhaseState.OPEN, PhaseState.WAITING)
"""States of phases whose deadline may be moved."""


def days_later(deadline: datetime, days: int) -> datetime:
    """The end of the day `days` calendar days later: 07:00 GMT."""
    # Dates are added, not hours: the deadline keeps its hour whatever clocks do in between.
    return datetime.combine((deadline.astimezone(UTC) + timedelta(days=days)).date(), DAY_ENDS)


def move_deadline(
    session: Session, phase_id: int, deadline: datetime, reason: str, *, shift_later: bool, by: str,
    now: datetime
) -> DeadlineExtension:
    """Move the deadline of an open or coming phase and write the log; what changed is returned for the
    letters.

    Raises DeadlineError for a missing reason, a new time that is past or would put the phases out of order, a
    deadline that has passed, or a calendar that somebody else changed meanwhile.
    """
    phase = session.get_one(PhaseRow, phase_id)
    if phase.state not in AHEAD or phase.deadline <= now:
        raise DeadlineError(
            f"The deadline of {phase_of(phase)} has passed. Nothing was changed. Late orders are answered "
            "with the next deadline.")
    if deadline.tzinfo is not None and deadline <= now:
        raise DeadlineError(
            f"The new deadline, {deadline.astimezone(UTC):%d %b %Y, %H:%M} GMT, is in the past. Nothing was "
            "changed; choose a later time.")
    rows = session.scalars(select(PhaseRow).where(
        PhaseRow.game_id == phase.game_id, PhaseRow.ordinal >= phase.ordinal, PhaseRow.state.in_(AHEAD),
    ).order_by(PhaseRow.ordinal)).all()
    windows = tuple(PhaseWindow(phase_of(r), r.opens_at, r.deadline, None, r.moved) for r in rows)
    extension = extend(windows, phase_of(phase), deadline, reason, shift_later=shift_later)
    _write(session, [(r.id, r.state, r.deadline) for r in rows], extension, now)
    records.log_event(
        session,
        now,
        Event.DEADLINE_MOVED,
        game_id=phase.game_id,
        actor=by,
        detail={
            "reason": extension.reason,
            "moved": [
                {"phase": str(m.phase), "from": m.old.isoformat(), "to": m.new.isoformat()}
                for m in extension.moved
            ],
        },
    )
    return extension


def begins_year(before: PhaseRow | None, calendar: Calendar) -> bool:
    """Whether the phase after `before` is the first of its game year (CAL-08). `before` is None for the first
    phase of the game."""
    # Adjustments alone do not end a year: 1066 and 1648 build several times a year, and Brittania never does.
    return before is None or (before.season, before.kind) == calendar.year_end


def move_year(
    session: Session, phase_id: int, day: date, reason: str, *, by: str, now: datetime
) -> DeadlineExtension:
    """Move the first day, T+0, of a game year that has not begun, and every later phase by as much (Q-10).
    `phase_id` is the year's first phase. What changed is returned for the letters.

    Raises DeadlineError for a phase within a year, a year that has begun, and a day that is past or before
    the end of the year in play.
    """
    phase = session.get_one(PhaseRow, phase_id)
    rows = records.phases(session, phase.game_id)
    before = next((row for row in rows if row.ordinal == phase.ordinal - 1), None)
    if not begins_year(before, maps.load(session.get_one(GameRow, phase.game_id).variant).calendar):
        raise DeadlineError(f"{phase_of(phase)} is not the first phase of a year. Nothing was changed; move "
                            f"its deadline instead.")
    if phase.state != PhaseState.WAITING or phase.opens_at <= now:
        raise DeadlineError(f"The year of {phase_of(phase)} has begun. Nothing was changed; move a deadline "
                            f"instead.")
    if day_start(day) <= now:
        raise DeadlineError(f"{day:%d %b %Y} is past. Nothing was changed; choose a later day.")
    if before is not None and day_start(day) < before.deadline:
        raise DeadlineError(
            f"{phase_of(before)} is open until {before.deadline:%d %b %Y, %H:%M} GMT, so the year cannot "
            f"begin on {day:%d %b %Y}. Nothing was changed; choose a later day.")
    year_rows = [row for row in rows if row.ordinal >= phase.ordinal]
    extension = begin_on(
        [PhaseWindow(phase_of(r), r.opens_at, r.deadline, None, r.moved) for r in year_rows], day, reason
    )
    _write(session, [(r.id, r.state, r.deadline) for r in year_rows], extension, now)
    records.log_event(
        session,
        now,
        Event.YEAR_MOVED,
        game_id=phase.game_id,
        actor=by,
        detail={
            "reason": extension.reason,
            "first_day": day.isoformat(),
            "moved": [
                {"phase": str(m.phase), "from": m.old.isoformat(), "to": m.new.isoformat()}
                for m in extension.moved
            ],
        },
    )
    return extension


def _write(
    session: Session, was: Sequence[tuple[int, str, datetime]], extension: DeadlineExtension, now: datetime
) -> None:
    """Each window to its row. Raises DeadlineError if a row is no longer as it was read."""
    # The deadline is part of the claim: of two coordinators who move it at once, the second is refused.
    for (row_id, state, deadline), window in zip(was, extension.windows, strict=True):
        changed = window.deadline != deadline
        stamped = {"moved": window.sequence, "moved_at": now} if changed else {}
        if not records.claim(
            session, PhaseRow, PhaseRow.id == row_id, PhaseRow.state == state, PhaseRow.deadline == deadline,
            opens_at=window.opens, deadline=window.deadline, **stamped,
        ):
            raise DeadlineError("Somebody else moved this game on meanwhile. Nothing was changed; look "
                                "again.")
