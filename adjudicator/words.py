"""Sentences for players, with names spelt in full. A sentence is kept as a pattern and its parts until it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from adjudicator.geo import Board, Region
from adjudicator.setting import Setting
from adjudicator.strength import State
from adjudicator.units import Unit, UnitRef


class Odds(NamedTuple):
    """The strength of a move against what stopped it at its goal, as a part of a sentence: "1 against 2"."""

    state: State
    number: int


Part = Unit | UnitRef | Region | Odds | str | int
Sentence = tuple[str, tuple[Part, ...]]


def sentence(pattern: str, *parts: Part) -> Sentence:
    """A sentence to be said later. `pattern` is for `str.format`, one field for each part."""
    return pattern, parts


class Said(tuple[Any, ...]):
    """A sentence with the words to say it in, put together when it is read; a judge makes many that nobody reads."""

    __slots__ = ()

    def __str__(self) -> str:
        words, pattern, parts = self
        return str(words.say((pattern, parts)))


def said(words: Words, pattern: str, parts: tuple[Part, ...]) -> str:
    """A sentence for `Outcome.why`, which puts it into words when it is asked for."""
    kept: Any = Said((words, pattern, parts)) if parts else pattern
    return kept  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Words:
    """Says sentences with the names of one board: "Army Cheshire", "Fleet Spain (North Coast)"."""

    setting: Setting

    def say(self, what: Sentence) -> str:
        """The sentence as a player reads it."""
        pattern, parts = what
        return pattern.format(*map(self.name, parts)) if parts else pattern

    def name(self, part: Part) -> str:
        """A unit, a region or a province by its full name; anything else as it is."""
        match part:
            case Unit() | UnitRef():
                return self._unit(part.kind, part.region)
            case Region():
                return self._region(part)
            case Odds(state, number):
                return f"{state.attack(number)[1]} against {state.opposition(number)[0]}"
            case str():
                province = self.setting.board.provinces.get(part)
                return part if province is None else province.name
            case _:
                return str(part)

    def _unit(self, letter: str | None, region: Region) -> str:
        kind = None if letter is None else self.setting.kinds.get(letter)
        return f"{'the unit in' if kind is None else kind.name} {self._region(region)}"

    def _region(self, region: Region) -> str:
        return region_name(self.setting.board, region)


def region_name(board: Board, region: Region) -> str:
    """A region by its full name, "Spain (North Coast)"; an unknown province or coast as it was written."""
    province = board.provinces.get(region.province)
    if province is None:
        return str(region)
    if region.coast is None:
        return province.name
    coast = next((c.name for c in province.coasts if c.id == region.coast), region.coast)
    return f"{province.name} ({coast})"
