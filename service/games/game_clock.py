"""A game's own clock: the handbook's calendar, or a few hours for each phase of a rehearsal. Pure.

Whether a game is a rehearsal is written in its options when it begins, and so in the first entries of its
record; no command changes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from adjudicator.calendar import Calendar, Phase
from service.facts.options import StoredOptions
from service.games.deadlines import HANDBOOK, PhaseWindow, schedule, schedule_evenly

PREFIX = "Rehearsal "
"""What the name of each rehearsal begins with, and so each subject of its letters; no other game's does."""
NOTICE = "REHEARSAL: nothing in it counts, and it will be removed."
"""The first line of each of its letters, and a line on its pages."""


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
    """How long the phases of a game are beside the handbook's movement phase: 1 for a real game."""
    hours = options.rehearsal_hours
    return 1.0 if hours is None else hours / (24 * (HANDBOOK.movement + 1))


def clock_of(options: StoredOptions) -> GameClock:
    """The clock of a game with these options."""
    if options.rehearsal_hours is not None:
        return GameClock(datetime.fromisoformat(options.start), options.rehearsal_hours)
    return GameClock(date.fromisoformat(options.start))
