"""A game's own clock: the handbook's calendar, or a few hours for each phase of a rehearsal. Pure.

Whether a game is a rehearsal is written in its options when it begins, and so in the first entries of its
record; no command changes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from adjudicator.calendar import Calendar, Phase
from service.games.deadlines import HANDBOOK, PhaseWindow, schedule, schedule_evenly

START, HOURS = "start", "rehearsal_hours"
"""The options of a game that make its clock; a game file cannot set them."""
PREFIX = "Rehearsal "
"""What the name of each rehearsal begins with, and so each subject of its letters; no other game's does."""
NOTICE = "REHEARSAL: nothing in it counts, and it will be removed."
"""The first line of each of its letters, and a line on its pages."""
DEFAULT_HOURS = 4.0
"""Hours for each phase of a rehearsal, unless its coordinator says otherwise."""


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
        length = {} if self.hours is None else {HOURS: self.hours}
        return {START: self.start.isoformat(), **length}


def is_rehearsal(options: Mapping[str, Any]) -> bool:
    """Whether a game with these options only tries things out, and may be removed."""
    return HOURS in options


def pace_of(options: Mapping[str, Any]) -> float:
    """How long the phases of a game are beside the handbook's movement phase: 1 for a real game."""
    return float(options[HOURS]) / (24 * (HANDBOOK.movement + 1)) if is_rehearsal(options) else 1.0


def clock_of(options: Mapping[str, Any]) -> GameClock:
    """The clock of a game with these options."""
    start = str(options[START])
    if is_rehearsal(options):
        return GameClock(datetime.fromisoformat(start), float(options[HOURS]))
    return GameClock(date.fromisoformat(start))
