"""How the lines of a game's sheet begin when they are orders: letters and words of its units, first words.

These signs show where orders begin and what may be part of one; they never show which order it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rapidfuzz.distance import OSA

from adjudicator.units import UnitKind
from grammar.compose import Forms
from grammar.fragments.languages import STARTS
from grammar.lexicon import KIND, NUMBER, Lexicon, plural
from grammar.words import fold, words

_FIRST = ("army", "fleet", "build", "remove", "disband", "send", "convert", "command", "waive", "waives")
_SHARED = frozenset((
    "hold", "move", "convert", "command", "retreat", "disband", "remove", "build", "builds", "to",
    "raise", "raises", "removes", "disbands", "send", "sends", "give", "gives", "the", "i", "my", "our",
    "support", "its", "their", "his", "her", "building", "removing", "destroy", "destroys", "waive", "waives",
    "waived", "waiving", "pass", "passes", "please", "here", "then", "also", "bitte", "allocate",
    "allocates", "control", "conversion", "convoy", "decline", "declines", "duke", "earl", "forgo",
    "forgoes", "general", "hand", "hands", "lord", "march", "marquess", "marquis", "muster", "offer",
    "offers", "order", "orders", "prince", "proxy", "recruit", "sail", "supply", "transfer", "transfers",
    "leave", "dont", "construct", "take", "create"))
"""First words of orders in every game; those that distinguish an order from other text are in `_FIRST`."""
_SUPPLY = frozenset(("of", "unit", "units", "supply", "supplies"))
"""Words behind the figure of an order of every game ("2 units' supply to Argyll"), and of much else."""
_HEADING_WORDS = frozenset(("name", "names"))
"""First words of orders that headings begin with too."""
_MISREAD_FROM = 4
"""Letters of a word from which one of them may be misread, and beyond which two."""
_NAME = 4
"""Letters, at least, of a name that a unit's word is joined to: a kingdom is not a king."""
_COUNT = re.compile(r"\W*(?:\d{1,2}\s*[.):]\s*)?[\dOIlSsBZ|]{1,3}\s*([^\W\d_]{4,8})\b")
"""A figure of up to three digits, some of them read as letters, and the word after it."""


@dataclass(frozen=True)
class OrderStarts:
    """`letters` represent units; `units` are the words for them, each with the letters that may be misread in
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
            rf"\W*(?:\d{{1,2}}\s*[.):]\s*)?(?:{_any_of(self.letters)}(?:\s+[A-Z]|\.?\s*\(\s*[A-Z])"
            rf"|(?:[^\W\d_]+['’]?s\s+|[LlDd]['’])?([^\W\d_]{{3,{longest}}})\b)")

    @cached_property
    def _short_start(self) -> re.Pattern[str]:
        # Words in capitals rarely begin with A and F, and often with other letters: these need their space.
        close = [letter for letter in self.letters if letter in {"A", "F"}]
        apart = [letter for letter in self.letters if letter not in close]
        either = [rf"{_any_of(some)}{gap}" for some, gap in ((close, r"\W?"), (apart, r"\W\W?")) if some]
        return re.compile(rf"^\W*(?:{'|'.join(either) or '(?!)'})[A-Z0-9]")

    def looks_like_order(self, line: str) -> bool:
        """True if a line begins as an order does: a unit, Build, a count and so on, one letter of it
        misread at most."""
        if self._begins_with_count(line):
            return True
        match = self._start.match(line)
        if match is None:
            return False
        word = match.group(1)
        # The letter of a unit matched, and a place begins behind it.
        if word is None:
            return True
        folded = fold(word)
        return any(OSA.distance(folded, form) <= (1 if len(form) > _MISREAD_FROM else 0)
                   # "army" is too short for a misread letter in general, and the word that most orders begin
                   # with.
                   for form in self.first) or (len(word) == 4 and OSA.distance(folded, "army") == 1)

    def begins_short_order(self, text: str) -> bool:
        """True if a text begins like a short order, perhaps without its spaces ("A'S Kis", "FCWH")."""
        return self._short_start.match(text) is not None

    def has_unit_word(self, text: str) -> bool:
        """True if a text has a word like army or fleet, perhaps badly read ("Fket", "Anny") or without the
        space next to it ("Durhamarmy")."""
        return any(
            OSA.distance(word.text, unit) <= misread if abs(len(word.text) - len(unit)) < misread
            else len(word.text) >= len(unit) + _NAME and unit in {
                word.text[: len(unit)], word.text[-len(unit):]}
            for word in words(text)
            for unit, misread in self.units)

    def has_own_word(self, text: str) -> bool:
        """True if a text has a word that only this game's orders begin with, or a count's ("grain")."""
        own_words = {word for word in (*self.first, *self.counted) if word not in _FIRST}
        return bool(own_words) and any(word.text in own_words for word in words(text))

    def _begins_with_count(self, line: str) -> bool:
        count = _COUNT.match(line) if self.counted else None
        return count is not None and any(
            OSA.distance(count[1].casefold(), word) <= 1 for word in self.counted)


def _any_of(choices: Sequence[str]) -> str:
    """A pattern of any of these, the longest first."""
    longest_first = sorted(choices, key=lambda choice: (-len(choice), choice))
    return f"(?:{'|'.join(map(re.escape, longest_first))})"


def kind_letter_pattern(kinds: Mapping[str, UnitKind]) -> str:
    """A pattern of the letters that represent units in canonical text."""
    return rf"(?<!\w){_any_of(tuple(kinds))}(?!\w)"


def kind_word_pattern(kinds: Mapping[str, UnitKind]) -> str:
    """A pattern of a unit's word or letter, in lower case."""
    return _any_of([text.casefold() for letter, kind in kinds.items() for text in (letter, kind.name)])


@lru_cache(maxsize=16)
def order_starts(lexicon: Lexicon, forms: tuple[Forms, ...]) -> OrderStarts:
    """How orders begin in a game with these names and the order forms of some phases; cached."""
    unit_words: dict[str, None] = {}
    for kind in lexicon.kinds.values():
        for singular in re.findall(r"\w+", kind.name.casefold()):
            unit_words |= dict.fromkeys((singular, plural(singular)))
    # Those of other languages that the game has switched on ("Armee", "flotte").
    unit_words |= dict.fromkeys(
        word for name in lexicon.names if name.terminal == KIND for word in name.words
        if len(word) >= _MISREAD_FROM)
    units = {word: 1 + (len(word) > _MISREAD_FROM) for word in unit_words}
    first = [word for word in units if word not in {"armies", "fleets"} and word not in _FIRST]
    counted: list[str] = []
    for form in forms:
        begins = form.ink_machine.moves[0]
        first += [word for word, terminals in form.ink_keywords.items()
                  if any(terminal in begins and (not terminal.startswith("_") or terminal in STARTS)
                         for terminal in terminals) and len(word) >= 4
                  and word not in {*_SHARED, *_HEADING_WORDS, *_FIRST}]
        after = form.ink_machine.moves[begins[NUMBER]] if NUMBER in begins else {}
        counted += [word for word, terminals in form.ink_keywords.items()
                    if word.isalpha() and not after.keys().isdisjoint(terminals) and word not in _SUPPLY]
    return OrderStarts(
        letters=tuple(lexicon.kinds),
        units=tuple(units.items()),
        first=(*_FIRST, *dict.fromkeys(first)),
        counted=tuple(dict.fromkeys(counted)),
    )


DEFAULT_STARTS = OrderStarts(("A", "F"), (("army", 1), ("armies", 2), ("fleet", 2), ("fleets", 2)))
"""For games that have armies and fleets and no orders of their own."""
