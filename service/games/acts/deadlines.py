"""Acts on the calendar of a running game: a deadline moved, the first day of a year moved, a pause (CAL-14,
CAL-15, Q-10, OUT-12, BEY-04)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from adjudicator.calendar import Calendar
from service.facts.events import Event
from service.games import mailbox_waits
from service.games.acts.act import Act, ActTable, LoggedEvent, ReasonedAct, perform
from service.games.asking import unasked
from service.games.deadlines import DeadlineExtension, PhaseWindow, begin_on, day_start, extend
from service.games.phases import phase_of
from service.games.refused import Refused
from service.games.turns import JUDGEABLE
from service.store import records
from service.store.columns import row_number
from service.store.tables import EventRow, PhaseRow, PhaseState

AHEAD = (PhaseState.OPEN, PhaseState.WAITING)
"""States of phases whose deadline may be moved."""
NOTICE_DAYS, MOST_AWAY = 7, 28
"""Days before a holiday on which it is announced at the latest, and of a game year on which the coordinator
may be away (Q-81)."""
MOST_PAUSED = 180
"""Days of a pause."""


@dataclass(frozen=True, slots=True)
class MoveDeadline(ReasonedAct[DeadlineExtension]):
    """Moves the deadline of an open or coming phase, and with `later` every one after it by as much. Every
    player gets a letter. A phase that closed though not everybody was asked is open again (PHA-01).

    `day` and `hour` are in GMT, as typed: 2027-03-14, 07:00; an empty hour is 07:00.
    """

    game: str
    phase: int
    day: str
    hour: str
    why: str
    later: bool = False

    def check(self, table: ActTable) -> None:
        """Refuse a phase that is closed, or a new deadline that is past, no time, or the present one."""
        phase, deadline = table.phase(self.game, self.phase), self._deadline()
        if phase.state not in AHEAD and not self._closed_unasked(table):
            raise Refused(f"{phase_of(phase)} is closed. Nothing was changed. Late orders are answered with "
                          "the next deadline.")
        # One that waits past its deadline, for the mailbox or for letters that have not left, may still be
        # given time: its sheets are sealed, and the record has the wait (docs/record.md, C10).
        waits = mailbox_waits.standing(table.session, phase.id) is not None
        if phase.state == PhaseState.OPEN and phase.deadline <= table.now and not waits:
            raise Refused(f"The deadline of {phase_of(phase)} has passed, and it closes in a moment. Nothing "
                          "was changed. Late orders are answered with the next deadline.")
        if deadline <= table.now:
            raise Refused(f"The new deadline, {deadline:%d %b %Y, %H:%M} GMT, is in the past. Nothing was "
                          "changed; choose a later time.")
        if deadline == phase.deadline:
            raise Refused(f"{phase_of(phase)} closes at that time already. Nothing was changed; choose "
                          "another time.")

    def change(self, table: ActTable) -> DeadlineExtension:
        """Refuse phases out of order, and a calendar that another person changed meanwhile."""
        session, phase = table.session, table.phase(self.game, self.phase)
        if phase.state not in AHEAD and not records.claim_phase(
                session, phase.id, PhaseState(phase.state), PhaseState.OPEN,
                closed_at=None, judged_at=None, resolution=None):
            raise Refused("Another person moved this game on meanwhile. Nothing was changed; reload the "
                          "page.")
        rows, extension = moved_calendar(session, phase, self._deadline(), self.reason, later=self.later)
        _write(session, rows, extension, table.now)
        return extension

    def event(self, table: ActTable, outcome: DeadlineExtension, letters: int) -> LoggedEvent:
        """Each old and new instant, and the reason."""
        return LoggedEvent(
            Event.DEADLINE_MOVED, self.game, {"reason": outcome.reason, "moved": _moved(outcome)})

    def letters(self, table: ActTable, outcome: DeadlineExtension) -> int:
        """One to each player."""
        return _tell(table, table.phase(self.game, self.phase), outcome)

    def _closed_unasked(self, table: ActTable) -> bool:
        """Whether the phase is closed, its results are not sent, and a power was not asked in time."""
        phase = table.phase(self.game, self.phase)
        return phase.state in JUDGEABLE and bool(
            unasked(table.session, phase, table.load(table.game(self.game).variant)))

    def _deadline(self) -> datetime:
        return deadline_typed(self.day, self.hour)


@dataclass(frozen=True, slots=True)
class MoveYear(ReasonedAct[DeadlineExtension]):
    """Moves the first day, T+0, of a game year that has not begun, and every later phase by as much (Q-10).
    `phase` is the year's first. Every player gets a letter. `day` as typed: 2027-03-14."""

    game: str
    phase: int
    day: str
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a phase within a year, a year that has begun, and a day that is past or before the end of
        the year in play."""
        phase, day = table.phase(self.game, self.phase), self._day()
        before = table.session.scalar(select(PhaseRow).where(
            PhaseRow.game_id == self.game, PhaseRow.ordinal == phase.ordinal - 1))
        if not begins_year(before, table.load(table.game(self.game).variant).calendar):
            raise Refused(f"{phase_of(phase)} is not the first phase of a year. Nothing was changed; move "
                          "its deadline instead.")
        if phase.state != PhaseState.WAITING or phase.opens_at <= table.now:
            raise Refused(f"The year of {phase_of(phase)} has begun. Nothing was changed; move a deadline "
                          "instead.")
        if day_start(day) <= table.now:
            raise Refused(f"{day:%d %b %Y} is past. Nothing was changed; choose a later day.")
        if before is not None and day_start(day) < before.deadline:
            raise Refused(
                f"{phase_of(before)} is open until {before.deadline:%d %b %Y, %H:%M} GMT, so the year cannot "
                f"begin on {day:%d %b %Y}. Nothing was changed; choose a later day.")

    def change(self, table: ActTable) -> DeadlineExtension:
        """Refuse the day on which the year begins already, and a calendar that another person changed."""
        phase = table.phase(self.game, self.phase)
        rows = [row for row in records.phases(table.session, self.game) if row.ordinal >= phase.ordinal]
        extension = begin_on(_windows(rows), self._day(), self.reason)
        _write(table.session, rows, extension, table.now)
        return extension

    def event(self, table: ActTable, outcome: DeadlineExtension, letters: int) -> LoggedEvent:
        """The first day, each old and new instant, and the reason."""
        return LoggedEvent(Event.YEAR_MOVED, self.game, {
            "reason": outcome.reason, "first_day": self._day().isoformat(), "moved": _moved(outcome)})

    def letters(self, table: ActTable, outcome: DeadlineExtension) -> int:
        """One to each player."""
        return _tell(table, table.phase(self.game, self.phase), outcome)

    def _day(self) -> date:
        try:
            return date.fromisoformat(self.day)
        except ValueError as fault:
            raise Refused("Nothing was changed: the new first day is written like 2027-03-14.") from fault


@dataclass(frozen=True, slots=True)
class Pause(ReasonedAct[PhaseRow]):
    """Pauses a game: the next deadline and every later one come `days` days later, and everybody gets a
    letter."""

    letters_first: ClassVar[bool] = True
    game: str
    days: str
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a number that is not a length of a pause, and a game without deadlines."""
        if not 1 <= row_number(self.days) <= MOST_PAUSED:
            raise Refused(f"Nothing was changed: a pause has 1 to {MOST_PAUSED} days.")
        phase = next_deadline(table.session, table.game(self.game).id, table.now)
        if phase is None:
            raise Refused("Nothing was changed: there is no deadline ahead.")
        table.must_write()

    def change(self, table: ActTable) -> PhaseRow:
        """Move the deadlines, which is entered as its own event."""
        phase = next_deadline(table.session, self.game, table.now)
        assert phase is not None
        until = phase.deadline + timedelta(days=int(self.days))
        # The letter of the pause represents that of the deadline.
        perform(MoveDeadline(self.game, phase.id, until.date().isoformat(), f"{until:%H:%M}", self.why,
                             later=True), replace(table, circulars=None))
        return phase

    def event(self, table: ActTable, outcome: PhaseRow, letters: int) -> LoggedEvent:
        """The number of days."""
        return LoggedEvent(Event.GAME_PAUSED, self.game, {"days": int(self.days)})

    def letters(self, table: ActTable, outcome: PhaseRow) -> int:
        """One to each player."""
        return table.must_write().paused(table.session, outcome, int(self.days), self.reason)


@dataclass(frozen=True, slots=True)
class GoAway(Act[PhaseRow]):
    """Announces days on which the coordinator of a game is away: each deadline from the first of them on
    comes later by their number, and everybody gets a letter (PHA-10, Q-81). `first` and `last` as typed:
    2027-03-14."""

    letters_first: ClassVar[bool] = True
    game: str
    first: str
    last: str

    def check(self, table: ActTable) -> None:
        """Refuse days that are none, too near or too many, and a game without deadlines after them."""
        first, last = self._days()
        if last < first:
            raise Refused("Nothing was changed: the last day is before the first.")
        if first < table.now.date() + timedelta(days=NOTICE_DAYS):
            raise Refused(f"Nothing was changed: a holiday is announced {NOTICE_DAYS} days before it begins, "
                          "so that all players can plan. Move a deadline instead.")
        if any(str(holiday["first"]) <= self.last and self.first <= str(holiday["last"])
               for holiday in _holidays(table.session, self.game)):
            raise Refused("Nothing was changed: a holiday with some of these days is announced already, "
                          "perhaps because this form was sent twice. Go back to its page and check the "
                          "deadlines.")
        phase = self._phase(table)
        away = self._length() + sum(
            int(holiday["days"]) for holiday in _holidays(table.session, self.game)
            if holiday["year"] == phase.year)
        if away > MOST_AWAY:
            raise Refused(f"Nothing was changed: that would be {away} days away in {phase.year}; at most "
                          f"{MOST_AWAY} are allowed in a year of the game.")
        table.must_write()

    def change(self, table: ActTable) -> PhaseRow:
        """Move the deadlines, which is entered as its own event."""
        phase, (first, last) = self._phase(table), self._days()
        until = phase.deadline + timedelta(days=self._length())
        # The letter of the holiday represents that of the deadline.
        perform(MoveDeadline(
            self.game, phase.id, until.date().isoformat(), f"{until:%H:%M}",
            f"The coordinator is away from {first:%d %b %Y} to {last:%d %b %Y}.", later=True),
            replace(table, circulars=None))
        return phase

    def event(self, table: ActTable, outcome: PhaseRow, letters: int) -> LoggedEvent:
        """The days, and the year of the game that they count for."""
        return LoggedEvent(Event.COORDINATOR_AWAY, self.game, {
            "first": self.first, "last": self.last, "days": self._length(), "year": outcome.year})

    def letters(self, table: ActTable, outcome: PhaseRow) -> int:
        """One to each player."""
        return table.must_write().coordinator_away(table.session, outcome, *self._days())

    def _days(self) -> tuple[date, date]:
        try:
            return date.fromisoformat(self.first), date.fromisoformat(self.last)
        except ValueError as fault:
            raise Refused("Nothing was changed: days are written like 2027-03-14.") from fault

    def _length(self) -> int:
        first, last = self._days()
        return (last - first).days + 1

    def _phase(self, table: ActTable) -> PhaseRow:
        """The first phase that ends after the holiday has begun."""
        phase = next_deadline(table.session, table.game(self.game).id, day_start(self._days()[0]))
        if phase is None:
            raise Refused("Nothing was changed: the holiday would move no deadline.")
        return phase


def _holidays(session: Session, game_id: str) -> Sequence[Mapping[str, Any]]:
    """The holidays that were announced in a game, as their events have them: `first`, `last`, `days` and the
    `year` of the game."""
    return session.scalars(select(EventRow.detail).where(
        EventRow.game_id == game_id, EventRow.what == Event.COORDINATOR_AWAY)).all()


def deadline_typed(day: str, hour: str) -> datetime:
    """A deadline as it is typed at the desk, in GMT: 2027-03-14 and 07:00, an empty hour is 07:00. Raises
    Refused."""
    try:
        # Players see their own zone in letters.
        return datetime.fromisoformat(f"{day}T{hour or '07:00'}").replace(tzinfo=UTC)
    except ValueError as fault:
        raise Refused("Nothing was changed: the new deadline is written as a day like 2027-03-14 and an hour "
                      "like 07:00, both in GMT.") from fault


def moved_calendar(
    session: Session, phase: PhaseRow, deadline: datetime, reason: str, *, later: bool
) -> tuple[Sequence[PhaseRow], DeadlineExtension]:
    """The open and coming phases from `phase` on, and their windows once its deadline is moved. Nothing is
    written. Raises Refused for phases out of order."""
    rows = session.scalars(select(PhaseRow).where(
        PhaseRow.game_id == phase.game_id, PhaseRow.ordinal >= phase.ordinal,
        PhaseRow.state.in_(AHEAD)).order_by(PhaseRow.ordinal)).all()
    return rows, extend(_windows(rows), phase_of(phase), deadline, reason, shift_later=later)


def next_deadline(session: Session, game_id: str, now: datetime) -> PhaseRow | None:
    """The phase whose deadline is the next that a pause moves, without its board; None where none is
    ahead."""
    return session.scalar(
        select(PhaseRow).options(defer(PhaseRow.position), defer(PhaseRow.resolution))
        .where(PhaseRow.game_id == game_id, PhaseRow.state.in_(AHEAD), PhaseRow.deadline > now)
        .order_by(PhaseRow.ordinal).limit(1))


def begins_year(before: PhaseRow | None, calendar: Calendar) -> bool:
    """Whether the phase after `before` is the first of its game year (CAL-08). `before` is None for the first
    phase of the game."""
    # Adjustments alone do not end a year: 1066 and 1648 build several times a year, and Brittania never does.
    return before is None or (before.season, before.kind) == calendar.year_end


def _windows(rows: Sequence[PhaseRow]) -> tuple[PhaseWindow, ...]:
    return tuple(PhaseWindow(phase_of(row), row.opens_at, row.deadline, None, row.moved) for row in rows)


def _moved(extension: DeadlineExtension) -> list[dict[str, str]]:
    return [{"phase": str(move.phase), "from": move.old.isoformat(), "to": move.new.isoformat()}
            for move in extension.moved]


def _tell(table: ActTable, phase: PhaseRow, extension: DeadlineExtension) -> int:
    if table.circulars is None:
        return 0
    return table.circulars.deadline_moved(table.session, phase, extension)


def _write(
    session: Session, rows: Sequence[PhaseRow], extension: DeadlineExtension, now: datetime
) -> None:
    """Each window to its row. Raises Refused if a row is no longer as it was read."""
    # The deadline is part of the claim: of two coordinators who move it at once, the second is refused. The
    # values are taken first, since the first claim expires what the others have read.
    was = [(row.id, row.state, row.deadline) for row in rows]
    for (row_id, state, deadline), window in zip(was, extension.windows, strict=True):
        changed = window.deadline != deadline
        stamped = {"moved": window.sequence, "moved_at": now} if changed else {}
        if not records.claim(
            session, PhaseRow, PhaseRow.id == row_id, PhaseRow.state == state, PhaseRow.deadline == deadline,
            opens_at=window.opens, deadline=window.deadline, **stamped,
        ):
            raise Refused("Another person moved this game on meanwhile. Nothing was changed; reload the "
                          "page.")
