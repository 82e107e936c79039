"""When phases open and close: the handbook's calendar as pure functions over instants in UTC (CAL-01 to
CAL-17), or a few hours for each phase of a rehearsal.

A calendar day ends at 07:00 GMT on the following day, all year round. Days are counted from T+0, the day on
which the first season of a game year begins. Whether a game is a rehearsal is written in its options when it
begins, and so in the first entries of its record; no command changes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from adjudicator.calendar import Calendar, Phase, PhaseKind
from service.facts.options import StoredOptions
from service.games.refused import Refused

DAY_ENDS = time(7, 0, tzinfo=UTC)
"""GMT, and never British summer time: 08:00 on a clock in London in summer."""

REHEARSAL_PREFIX = "Rehearsal "
"""What the name of each rehearsal begins with, and so each subject of its letters; no other game's does."""
REHEARSAL_NOTICE = "REHEARSAL: nothing in it counts, and it will be removed."
"""The first line of each of its letters, and a line on its pages."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """The pace of a game, in days.

    `movement` and `retreat`: the day of a season on which those orders close. `results`: the day on which its
    final results are sent. `season`: from one season's first day to the next one's. `adjustment`: the day of
    a Winter on which it closes; `winter`: from a Winter's first day to the next season's. Source: CAL-03 to
    CAL-09.
    """

    movement: int = 12
    retreat: int = 14
    results: int = 15
    season: int = 15
    adjustment: int = 2
    # Two days longer than the handbook's list of Winter days, so that a year is seven weeks.
    winter: int = 4


HANDBOOK = Rhythm()


@dataclass(frozen=True, slots=True)
class PhaseWindow:
    """When one phase is open. All instants in UTC.

    `opens`: from here on its orders are taken. `deadline`: the last instant in time (Q-34). `results_by`: the
    end of the day on which the final results are promised (CAL-05), None where they follow at once.
    `sequence`: how often it was moved, for the calendar feed (CAL-15).
    """

    phase: Phase
    opens: datetime
    deadline: datetime
    results_by: datetime | None = None
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class Moved:
    """A deadline that was moved, for the letter to everybody (OUT-12)."""

    phase: Phase
    old: datetime
    new: datetime


@dataclass(frozen=True, slots=True)
class DeadlineExtension:
    """The calendar after a deadline was moved, every window whose deadline changed, and the recorded
    reason."""

    windows: tuple[PhaseWindow, ...]
    moved: tuple[Moved, ...]
    reason: str


def day_end(day: date) -> datetime:
    """The instant at which a calendar day ends: 07:00 GMT on the day after it."""
    return datetime.combine(day + timedelta(days=1), DAY_ENDS)


def day_start(day: date) -> datetime:
    """The instant at which a calendar day begins: the end of the day before it."""
    return datetime.combine(day, DAY_ENDS)


def in_time(received_at: datetime, deadline: datetime) -> bool:
    """Whether a mail stamped `received_at` counts: at the deadline itself it does (Q-34)."""
    return received_at <= deadline


def schedule(
    start: date, calendar: Calendar, first: Phase, phases: int, rhythm: Rhythm = HANDBOOK
) -> tuple[PhaseWindow, ...]:
    """The windows of `phases` phases in playing order, from `first` on; `start` is its T+0."""
    # A short first year needs no rule of its own: it begins at `first`, and the Winter follows the Autumn
    # (CAL-09). The dates hold whether or not a phase has orders to wait for (CAL-14, CAL-17, NON-04).
    windows: list[PhaseWindow] = []
    for window in _windows(start, calendar, first, rhythm):
        if len(windows) >= phases:
            break
        windows.append(window)
    return tuple(windows)


def schedule_evenly(
    begins: datetime, span: timedelta, calendar: Calendar, first: Phase, phases: int
) -> tuple[PhaseWindow, ...]:
    """The windows of `phases` phases in playing order, from `first` on: each is open for `span`, from the
    instant at which the one before closes. Not the handbook's calendar; for rehearsals."""
    windows: list[PhaseWindow] = []
    opens, phase = begins, first
    for _ in range(phases):
        windows.append(PhaseWindow(phase, opens, opens + span))
        opens, phase = opens + span, calendar.phase_after(phase)
    return tuple(windows)


def _windows(start: date, calendar: Calendar, first: Phase, rhythm: Rhythm) -> Iterator[PhaseWindow]:
    day, phase = start, first
    while True:
        yield _window(day, phase, rhythm)
        following = calendar.phase_after(phase)
        if not _one_season(phase, following):
            length = rhythm.winter if phase.kind is PhaseKind.ADJUSTMENT else rhythm.season
            day += timedelta(days=length)
        phase = following


def _one_season(phase: Phase, following: Phase) -> bool:
    """Whether the two are the movement and the retreats of the same season."""
    return following.kind is PhaseKind.RETREAT and phase.season == following.season


def _window(day: date, phase: Phase, rhythm: Rhythm) -> PhaseWindow:
    """One phase of the season that begins on `day`."""
    moved = day_end(day + timedelta(days=rhythm.movement))
    match phase.kind:
        case PhaseKind.RETREAT:
            closes = day_end(day + timedelta(days=rhythm.retreat))
            return PhaseWindow(phase, moved, closes, day_end(day + timedelta(days=rhythm.results)))
        case PhaseKind.ADJUSTMENT:
            closes = day_end(day + timedelta(days=rhythm.adjustment))
            return PhaseWindow(phase, day_start(day), closes)
        case _:
            return PhaseWindow(phase, day_start(day), moved)


def extend(
    windows: Sequence[PhaseWindow], phase: Phase, deadline: datetime, reason: str, *, shift_later: bool
) -> DeadlineExtension:
    """Move the deadline of `phase` to `deadline` (UTC), for a `reason` that everybody reads (CAL-14,
    CAL-15).

    With `shift_later` every later phase moves by as much; without it they stay. Raises Refused for a
    missing reason, an instant without a zone, an unknown phase, or a deadline that puts the phases out of
    order.
    """
    if not reason.strip():
        raise Refused("Nothing was changed: moving a deadline needs a reason for the record; write a "
                      "sentence.")
    if deadline.tzinfo is None:
        raise Refused("Nothing was changed: the new deadline needs a time zone; give it in GMT.")
    index = next((number for number, window in enumerate(windows) if window.phase == phase), None)
    if index is None:
        raise Refused(f"Nothing was changed: {phase} is not in this calendar.")
    new = deadline.astimezone(UTC)
    shift = new - windows[index].deadline
    changed = [*windows[:index], _shifted(windows[index], shift, opens=False)]
    later = windows[index + 1 :]
    changed += [_shifted(window, shift, opens=True) for window in later] if shift_later else later
    # Retreats open when their movement closes, also where their own deadline is not moved.
    if not shift_later and index + 1 < len(changed) and _one_season(phase, changed[index + 1].phase):
        changed[index + 1] = replace(changed[index + 1], opens=new)
    _check(changed, index)
    moved = tuple(
        Moved(was.phase, was.deadline, now.deadline)
        for was, now in zip(windows, changed, strict=True)
        if was.deadline != now.deadline
    )
    return DeadlineExtension(tuple(changed), moved, reason.strip())


def begin_on(windows: Sequence[PhaseWindow], day: date, reason: str) -> DeadlineExtension:
    """Move T+0 of a game year to `day`: `windows` from its first phase on, all of them by as much, opening
    and deadline (Q-10). Raises Refused for a missing reason, no windows, or the day on which the year
    begins already."""
    if not reason.strip():
        raise Refused("Nothing was changed: moving the first day of a year needs a reason for the record; "
                      "write a sentence.")
    if not windows:
        raise Refused("Nothing was changed: this calendar has no such year.")
    shift = day_start(day) - windows[0].opens
    if not shift:
        raise Refused(f"Nothing was changed: the year begins on {day:%d %b %Y} already.")
    changed = tuple(_shifted(window, shift, opens=True) for window in windows)
    moved = tuple(
        Moved(was.phase, was.deadline, now.deadline) for was, now in zip(windows, changed, strict=True)
    )
    return DeadlineExtension(changed, moved, reason.strip())


def _shifted(window: PhaseWindow, shift: timedelta, *, opens: bool) -> PhaseWindow:
    return replace(
        window,
        opens=window.opens + shift if opens else window.opens,
        deadline=window.deadline + shift,
        results_by=None if window.results_by is None else window.results_by + shift,
        # RFC 5545, 3.8.7.4: calendar programs take a changed entry only if its SEQUENCE has grown (CAL-15).
        sequence=window.sequence + (1 if shift else 0),
    )


def _check(windows: Sequence[PhaseWindow], index: int) -> None:
    moved = windows[index]
    if moved.deadline <= moved.opens:
        raise Refused(
            f"Nothing was changed: {moved.phase} would close before it opens, on "
            f"{moved.opens:%d %b %Y, %H:%M} GMT."
        )
    if index + 1 < len(windows) and windows[index + 1].deadline <= moved.deadline:
        follower = windows[index + 1]
        raise Refused(
            f"Nothing was changed: {follower.phase} closes on {follower.deadline:%d %b %Y, %H:%M} GMT: move "
            f"the later phases too, or choose an earlier time."
        )


@dataclass(frozen=True, slots=True)
class GameClock:
    """When the phases of a game are open. `start`: the day T+0, of a rehearsal the instant (UTC) at which it
    begins. `hours`: how long each of its phases is open, None for the handbook's calendar."""

    start: date
    hours: float | None = None

    def windows(self, calendar: Calendar, first: Phase, phases: int) -> tuple[PhaseWindow, ...]:
        """The windows of `phases` phases in playing order, from `first` on."""
        if self.hours is not None and isinstance(self.start, datetime):
            return schedule_evenly(self.start, timedelta(hours=self.hours), calendar, first, phases)
        return schedule(self.start, calendar, first, phases)

    def as_options(self) -> dict[str, Any]:
        """The clock as options of a game; `clock_of` reads them."""
        length = {} if self.hours is None else {"rehearsal_hours": self.hours}
        return {"start": self.start.isoformat(), **length}


def pace_of(options: StoredOptions) -> float:
    """How long the phases of a game are next to the handbook's movement phase: 1 for a real game."""
    hours = options.rehearsal_hours
    return 1.0 if hours is None else hours / (24 * (HANDBOOK.movement + 1))


def span_of(options: StoredOptions, phase: Phase) -> timedelta:
    """The time that the calendar of a game gives for the orders of a phase."""
    if options.rehearsal_hours is not None:
        return timedelta(hours=options.rehearsal_hours)
    # The same on whatever day its season begins.
    window = _window(date(2027, 3, 1), phase, HANDBOOK)
    return window.deadline - window.opens


def clock_of(options: StoredOptions) -> GameClock:
    """The clock of a game with these options."""
    if options.rehearsal_hours is not None:
        return GameClock(datetime.fromisoformat(options.start), options.rehearsal_hours)
    return GameClock(date.fromisoformat(options.start))
