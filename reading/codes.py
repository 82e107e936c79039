"""Places by their codes, and what a code is worth next to a unit that is written out.

A writer of codes writes codes. One who writes "Army" and "moves to" mostly writes names.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from adjudicator.geo import Region
from grammar.lexicon import Lexicon, Rank

LONGEST_CODE = 4
"""Letters of a code at most."""

LONE_CODE = 2.0
"""Nats by which a reading with a code next to a written-out unit is less likely than its ink states: odds of
one to 7. By hand: "Army Portsmouth to Mar" waited for the Isle of Man, whose code is "Man"."""

_WORD = re.compile(r"[^\W\d_]+")


def lone_code_cost(text: str, order: str, lexicon: Lexicon) -> float:
    """Nats, 0 or more, that a reading costs for codes next to a unit written out. `order`: its canonical
    text."""
    return LONE_CODE if has_written_unit(text, lexicon) and codes_in(text, order, lexicon) else 0.0


def codes_in(text: str, order: str, lexicon: Lexicon) -> set[str]:
    """The codes of the order's places that its text holds, folded. `order`: canonical text."""
    # "Isle of Man": a word of a name that the order has in full is not a code.
    full, names = {word.casefold() for word in _WORD.findall(order)}, _places_by_code(lexicon)
    written = {word.casefold() for word in _WORD.findall(text)} - full
    # "stands fast": the code of Fastnet, which the order does not name.
    return {word for word in written if any(name in order for name in names.get(word, ()))}


def has_article_before_code(text: str, order: str, lexicon: Lexicon) -> bool:
    """True if an article is before a place's code, as no one writes it."""
    # "moves to Trieste", a place of no list, was "the Ste", for The Stewartry: the code fits without loss.
    pairs = pairwise(_WORD.findall(text.casefold()))
    before = {second for first, second in pairs if first == "the"}
    return not before.isdisjoint(codes_in(text, order, lexicon))


def has_written_unit(text: str, lexicon: Lexicon) -> bool:
    """True if a text names a kind of unit by its whole word."""
    return not _kind_words(lexicon).isdisjoint(word.casefold() for word in _WORD.findall(text))


@lru_cache(maxsize=8)
def _kind_words(lexicon: Lexicon) -> frozenset[str]:
    return frozenset(kind.name.casefold() for kind in lexicon.kinds.values())


@lru_cache(maxsize=8)
def _places_by_code(lexicon: Lexicon) -> dict[str, tuple[str, ...]]:
    """By each code of one word, folded, the names of the places that it represents."""
    places: dict[str, tuple[str, ...]] = {}
    for name in lexicon.names:
        is_code = (name.rank is Rank.ABBREVIATION or name.is_short_form) and len(name.words) == 1
        if is_code and isinstance(name.value, Region) and len(name.text) <= LONGEST_CODE:
            province = lexicon.board.provinces[name.value.province]
            places[name.text] = (*places.get(name.text, ()), province.name)
    return places
