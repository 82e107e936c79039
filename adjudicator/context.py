"""What the judge must know of a game besides the position and the rules: the board, the units, the
calendar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudicator.calendar import Calendar, Phase
from adjudicator.geo import Board
from adjudicator.reach_tables import ReachTables, build_reach_tables
from adjudicator.units import UnitKind


@dataclass(frozen=True, slots=True)
class Context:
    """One variant as the judge sees it. Build it once and keep it: its `tables` are computed when it is made.

    `powers` are the ids of all powers. `capitals` maps a kingdom
    to its capitals (province ids) and `victory` is the number of centres that wins; 0 where nobody wins by
    centres; `victories` are those of powers that need another. `power_names` are powers as sentences print
    them; an id that it lacks is printed as it is. `start` is the phase that a game begins with, where
    anything hangs on it.
    """

    board: Board
    kinds: Mapping[str, UnitKind]
    calendar: Calendar
    powers: tuple[str, ...]
    capitals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    victory: int = 0
    power_names: Mapping[str, str] = field(default_factory=dict)
    start: Phase | None = None
    victories: Mapping[str, int] = field(default_factory=dict)
    tables: ReachTables = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", build_reach_tables(self.board, self.kinds))
