"""Sentences for players, with names spelt in full. A sentence is kept as its name and its parts until it is
read."""

from __future__ import annotations

from dataclasses import dataclass

from adjudicator.context import Context
from adjudicator.geo import Board, Region
from adjudicator.strength import PartialResolution
from adjudicator.units import Unit, UnitRef

Odds = tuple[PartialResolution, int]
"""The strength of a move, by number, against what stopped it at its goal, as a part of a sentence: "1 against
2"."""
Part = Unit | UnitRef | Region | Odds | str | int
Sentence = tuple[str, *tuple[Part, ...]]
"""A sentence to be said later: its name in the rule set's `SENTENCES`, then a part for each field of the
pattern."""


@dataclass(frozen=True, slots=True)
class Explainer:
    """Says sentences with the names of one board: "Army Cheshire", "Fleet Spain (North Coast)"."""

    setting: Context

    def say(self, what: Sentence, reason: str | None = None) -> str:
        """The sentence as a player reads it, with the rule it rests on in parentheses where the variant names
        one. Raises KeyError for a sentence the rule set does not have: our own fault."""
        name, *parts = what
        rules = self.setting.rules
        said = rules.SENTENCES[name].format(*map(self.name, parts))
        cited = rules.citation(name, reason)
        return f"{said} ({cited})" if cited else said

    def name(self, part: Part) -> str:
        """A unit, a region, a province or a power by its full name; anything else as it is."""
        match part:
            case Unit() | UnitRef():
                return self._unit(part.kind, part.region)
            case Region():
                return self._region(part)
            case (state, number):
                return f"{state.attack(number)[1]} against {state.opposition(number)[0]}"
            case str():
                province = self.setting.board.provinces.get(part)
                return self.setting.power_names.get(part, part) if province is None else province.name
            case _:
                return str(part)

    def _unit(self, letter: str | None, region: Region) -> str:
        kind = None if letter is None else self.setting.kinds.get(letter)
        return f"{'unit in' if kind is None else kind.name} {self._region(region)}"

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
