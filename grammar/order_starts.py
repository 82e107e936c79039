"""By what a line of a game's sheet is seen to begin like an order: the letters and words of its units and the
first words of its orders.

Signs only: they say where orders begin and what may be part of one, never which.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rapidfuzz.distance import OSA

from adjudicator.units import UnitKind
from grammar.compose import Forms
from grammar.lexicon import NUMBER, Lexicon
from grammar.words import words

_FIRST = ("army", "fleet", "build", "remove", "disband", "send", "convert", "command")
_SHARED = frozenset((
    "hold", "move", "convert", "command", "retreat", "disband", "remove", "build", "builds", "to", "raise",
    "raises", "removes",
    "disbands", "send", "sends", "give", "gives", "the", "i", "my", "our", "its", "their", "his", "her"))
"""First words of orders that the forms of every game have; those that are a sign stand in `_FIRST`."""
_NOT = frozenset(("name", "names"))
"""First words of orders that headings begin with too."""
_SOME = 4
"""Letters of a word from which it may be misread by one, and beyond which by two."""


@dataclass(frozen=True)
class OrderStarts:
    """`letters` stand for units; `units` are the words for them, each with the letters that may be misread in
    it; `first` are words that an order begins with; `counted` follow the figure that an order begins with ("5
    grain")."""

    letters: tuple[str, ...]
    units: tuple[tuple[str, int], ...]
    first: tuple[str, ...] = _FIRST
    counted: tuple[str, ...] = ()

    @cached_property
    def _start(self) -> re.Pattern[str]:
        longest = max(8, *map(len, self.first))
        return re.compile(
            rf"\W*(?:\d{{1,2}}\s*[.):]\s*)?(?:{_any(self.letters)}(?:\s+[A-Z]|\.?\s*\(\s*[A-Z])"
            rf"|(?:[^\W\d_]+['’]?s\s+)?([^\W\d_]{{3,{longest}}})\b)")

    @cached_property
    def _begun(self) -> re.Pattern[str]:
        # Words in capitals begin with A and F seldom, with other letters often: these need their space.
        close = [letter for letter in self.letters if letter in {"A", "F"}]
        apart = [letter for letter in self.letters if letter not in close]
        either = [rf"{_any(some)}{gap}" for some, gap in ((close, r"\W?"), (apart, r"\W\W?")) if some]
        return re.compile(rf"^\W*(?:{'|'.join(either) or '(?!)'})[A-Z0-9]")

    def looks_like_order(self, line: str) -> bool:
        """Whether a line begins as an order does: a unit, Build, a count and so on, a word misread by a
        letter at most."""
        if self._counts(line):
            return True
        match = self._start.match(line)
        if match is None:
            return False
        word = match.group(1)
        if word is None:
            return True
        said = word.casefold()
        return any(OSA.distance(said, form) <= (1 if len(form) > _SOME else 0) for form in self.first) or (
            len(word) == _SOME and OSA.distance(said, "army") == 1)

    def begun(self, text: str) -> bool:
        """Does a text begin like a short order, run together as it may be ("A'S Kis", "FCWH")?"""
        return self._begun.match(text) is not None

    def unit_like(self, text: str) -> bool:
        """Has a text a word like army or fleet, badly read as it may be ("Fket", "Anny")?"""
        return any(
            OSA.distance(word.text, unit) <= misread
            for word in words(text)
            for unit, misread in self.units
            if abs(len(word.text) - len(unit)) < misread
        )

    def own_word(self, text: str) -> bool:
        """Has a text a word that only this game's orders begin with, or a count's ("grain")?"""
        own = {word for word in (*self.first, *self.counted) if word not in _FIRST}
        return bool(own) and any(word.text in own for word in words(text))

    def _counts(self, line: str) -> bool:
        found = _COUNT.match(line) if self.counted else None
        return found is not None and any(
            OSA.distance(found[1].casefold(), word) <= 1 for word in self.counted
        )


_COUNT = re.compile(r"\W*(?:\d{1,2}\s*[.):]\s*)?[\dOIlSsBZ|]{1,3}\s*([^\W\d_]{4,8})\b")


def _any(choices: Sequence[str]) -> str:
    """A pattern of any of these, the longest first."""
    return f"(?:{'|'.join(re.escape(one) for one in sorted(choices, key=lambda one: (-len(one), one)))})"


def kind_letter_pattern(kinds: Mapping[str, UnitKind]) -> str:
    """A pattern of the letters that stand for units in canonical text."""
    return rf"(?<!\w){_any(tuple(kinds))}(?!\w)"


def kind_word_pattern(kinds: Mapping[str, UnitKind]) -> str:
    """A pattern of a unit's word or letter, in small letters."""
    return _any([said.casefold() for letter, kind in kinds.items() for said in (letter, kind.name)])


@lru_cache(maxsize=16)
def order_starts(lexicon: Lexicon, forms: tuple[Forms, ...]) -> OrderStarts:
    """The signs of a game by its names and the order forms of some phases; made once and kept."""
    units: dict[str, int] = {}
    for kind in lexicon.kinds.values():
        for word in re.findall(r"\w+", kind.name.casefold()):
            many = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
            units |= {one: 1 + (len(one) > _SOME) for one in (word, many)}
    first = [word for word in units if word not in {"armies", "fleets"} and word not in _FIRST]
    counted: list[str] = []
    for each in forms:
        begins = each.machine.moves[0]
        first += [word for word, terminal in each.keywords.items()
                  if terminal in begins and len(word) >= _SOME and word not in {*_SHARED, *_NOT, *_FIRST}]
        after = each.machine.moves[begins[NUMBER]] if NUMBER in begins else {}
        counted += [word for word, terminal in each.keywords.items() if terminal in after]
    return OrderStarts(
        tuple(lexicon.kinds),
        tuple(units.items()),
        (*_FIRST, *dict.fromkeys(first)),
        tuple(dict.fromkeys(counted)),
    )


DEFAULT_STARTS = OrderStarts(("A", "F"), (("army", 1), ("armies", 2), ("fleet", 2), ("fleets", 2)))
"""Of games that have armies and fleets and no orders of their own."""
