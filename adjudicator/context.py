"""The judge's facts of a game besides position and rules: board, unit kinds, calendar, powers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudicator.calendar import Calendar, Phase
from adjudicator.geo import Board
from adjudicator.reach_tables import ReachTables, build_reach_tables
from adjudicator.units import UnitKind


@dataclass(frozen=True, slots=True)
class Context:
    """One variant as the judge sees it. Make it once and keep it: `tables` are computed when it is made.

    `kinds` are unit kinds by letter, `powers` the ids of all powers, and `power_names` their names in
    sentences; an id without a name is printed as it is. `capitals` maps a kingdom to its capitals (province
    ids). `victory` is the number of centres that wins, 0 where centres do not win; `victories` has the powers
    that need another number. `start` is the first phase of a game, where rules depend on it.
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
    names: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """The name of a power or a province in sentences, by its id."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", build_reach_tables(self.board, self.kinds))
        provinces = {province.id: province.name for province in self.board.provinces.values()}
        object.__setattr__(self, "names", {**self.power_names, **provinces})
