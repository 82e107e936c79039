"""Sentences for players, with names spelt in full. A sentence stays a name with its parts until
it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from adjudicator.context import Context
from adjudicator.geo import Region
from adjudicator.strength import PartialResolution
from adjudicator.units import Unit, UnitRef

Odds = tuple[PartialResolution, int] | tuple[PartialResolution, int, int]
"""The strength of a move (by unit number) against what is at its goal, or against a rival that needs to
go there too, as a part of a sentence: "1 against 2"."""
Part = Unit | UnitRef | Region | Odds | str | int
Sentence = tuple[str, *tuple[Part, ...]]
"""A sentence not yet in words: its name in the rule set's `SENTENCES`, then one part for each blank."""


class Phrases(Protocol):
    """The sentences of a rule set, and the paragraphs of the printed rules that they rest on."""

    SENTENCES: ClassVar[Mapping[str, str]]

    def citation(self, sentence: str, reason: str | None) -> str: ...


def note_misnamed(notes: list[Sentence], written: UnitRef, unit: Unit) -> None:
    """Note that an order for a unit has the word of another kind (DATC 4.C.2), if it has."""
    if written.kind is not None and written.kind != unit.kind:
        notes.append(("misnamed", written, unit))


@dataclass(frozen=True, slots=True)
class Explainer:
    """Words for sentences, with the names of one board: "Army Cheshire", "Fleet Spain (North Coast)"."""

    context: Context
    rules: Phrases

    def text(self, sentence: Sentence, reason: str | None = None) -> str:
        """The sentence as a player reads it, with the paragraph it rests on in parentheses where the variant
        names one. Raises KeyError for a sentence that the rule set lacks, which is our own fault."""
        name, *parts = sentence
        words = self.rules.SENTENCES[name]
        if parts:
            words = words.format(*map(self.name, parts))
        paragraph = self.rules.citation(name, reason)
        return f"{words} ({paragraph})" if paragraph else words

    def name(self, part: Part) -> str:
        """A unit, region, province or power by its full name; anything else as it is."""
        # Texts and units are nearly all that there is, and every order has a sentence: no pattern here.
        if type(part) is str:
            return self.context.names.get(part, part)
        if type(part) is Unit or type(part) is UnitRef:
            return self._unit(part.kind, part.region)
        match part:
            case Region():
                return self._region(part)
            case (state, number):
                return f"{state.attack_strength(number)[1]} against {state.opposing_strength(number)[0]}"
            case (state, number, rival):
                return f"{state.attack_strength(number)[1]} against {state.prevent_strength(rival)[0]}"
            case _:
                return str(part)

    def _unit(self, letter: str | None, region: Region) -> str:
        kind = None if letter is None else self.context.kinds.get(letter)
        return f"{'unit in' if kind is None else kind.name} {self._region(region)}"

    def _region(self, region: Region) -> str:
        if region.coast is None:
            return self.context.names.get(region.province, region.province)
        province = self.context.board.provinces.get(region.province)
        if province is None:
            return str(region)
        # A coast that its province does not have stays as it was ordered. Sentences are stored with a judged
        # phase and compared when its archive is verified, so archives of older versions fix this form.
        if all(coast.id != region.coast for coast in province.coasts):
            return f"{province.name} ({region.coast})"
        return self.context.board.region_text(region, "{} ({})")
