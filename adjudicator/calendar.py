"""Phases and their order. No dates: deadlines are set in `service.games.deadlines`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PhaseKind(StrEnum):
    """The orders of a phase."""

    MOVEMENT = "movement"
    RETREAT = "retreat"
    ADJUSTMENT = "adjustment"
    TURN = "turn"

    @property
    def updates_ownership(self) -> bool:
        """True if its results change who owns which centre, so that the map of ownership is drawn again."""
        return self in {PhaseKind.ADJUSTMENT, PhaseKind.TURN}


@dataclass(frozen=True, slots=True, order=True)
class Phase:
    """One phase of one game year. `season` is the variant's own word ("Autumn", "April"), `year` a year of
    the game's calendar. Text form: "Autumn 1644 Retreat"."""

    year: int
    season: str
    kind: PhaseKind

    def __str__(self) -> str:
        return f"{self.season} {self.year} {self.kind.value.capitalize()}"


@dataclass(frozen=True, slots=True)
class Calendar:
    """The phases of one game year in playing order; after the last one a new year begins.

    On w3k the list begins with Winter, because Winter belongs to the new year (CAL-11).
    """

    steps: tuple[tuple[str, PhaseKind], ...]

    def phase_after(self, phase: Phase) -> Phase:
        """The phase that follows `phase`. Raises ValueError if the calendar has no such phase."""
        next_step = self.steps.index((phase.season, phase.kind)) + 1
        if next_step == len(self.steps):
            season, kind = self.steps[0]
            return Phase(phase.year + 1, season, kind)
        season, kind = self.steps[next_step]
        return Phase(phase.year, season, kind)

    @property
    def year_end(self) -> tuple[str, PhaseKind]:
        """The last step of a year that changes ownership. Its results go out by post as well (OUT-10)."""
        return next((step for step in reversed(self.steps) if step[1].updates_ownership), self.steps[-1])

    def seasons(self) -> tuple[str, ...]:
        """The names of the seasons in playing order, each once."""
        return tuple(dict.fromkeys(season for season, _ in self.steps))
