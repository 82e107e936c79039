"""The facts of a gazette."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from adjudicator.calendar import Phase
from service.letters.language import ENGLISH


class SourcePart(StrEnum):
    """The part of a resolution from which a statement was made."""

    OUTCOME = "outcome"
    DISBANDED = "disbanded"
    BUILT = "built"
    REMOVED = "removed"
    CENTRES = "centres"
    NOTE = "note"
    ENDING = "ending"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a statement comes from: the number of the phase in its game, the part of its resolution, and
    which entry there, counted from 0 (for `BUILT`, `REMOVED` and `CENTRES` the power's id)."""

    phase: int
    part: SourcePart
    entry: int | str


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that happened: its kind, a key of the phrases; the values of their blanks, each in words; how
    much it matters; and its source."""

    kind: str
    values: Mapping[str, str]
    weight: int
    source: Source


@dataclass(frozen=True, slots=True)
class Holdings:
    """A power's centres over a year: at its beginning and end, by number; those that it won and lost, by
    name."""

    power: str
    before: int
    after: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class YearFacts:
    """The contents of the gazette of a year, in no language yet.

    `number` counts the game's years from 1; `phases` are its phases by their number in the game, `seasons`
    the first and the last; `statements` are in playing order. `holdings` has every power; `chart` its centres
    at the beginning of the game and at the end of each year so far, in the order of `years`. `seed`: the
    chance that chooses phrases. `has_omens`: whether weather and omens are printed. `plurals`: the
    names of powers that are grammatically plural; `articled`: of those that a sentence names with an article;
    `fleets`: the words that the names of fleets begin with.
    """

    game: str
    number: int
    phases: Mapping[int, Phase]
    statements: tuple[Statement, ...]
    holdings: tuple[Holdings, ...]
    years: tuple[str, ...]
    chart: Mapping[str, tuple[int, ...]]
    seed: str
    has_omens: bool = True
    plurals: frozenset[str] = frozenset()
    articled: frozenset[str] = frozenset()
    fleets: tuple[str, ...] = ()

    @property
    def seasons(self) -> tuple[Phase, Phase]:
        """The first phase and the last."""
        phases = list(self.phases.values())
        return phases[0], phases[-1]


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A statement in words."""

    words: str
    statement: Statement


@dataclass(frozen=True, slots=True)
class Section:
    """The dispatches of one season: what it is headed, and its weather, or ""."""

    heading: str
    dispatches: tuple[Dispatch, ...]
    weather: str = ""


@dataclass(frozen=True, slots=True)
class Gazette:
    """A year in words. `lead` is the weightiest dispatch, which no section repeats; None for a year in which
    nothing happened. `omen` is "" where the game prints none. `code`: of its language."""

    title: str
    number: str
    motto: str
    headline: str
    lead: Dispatch | None
    sections: tuple[Section, ...]
    facts: YearFacts
    omen: str = ""
    words: Mapping[str, str] = field(default_factory=dict)
    code: str = ENGLISH
