"""Order words of other languages than English, which a game may switch on (WRD-07).

The order of words is in `sentences.lark`, for all these languages together, and what one of them alone states
in its own fragment (`german.lark`). Its words, in all their forms, are data next to it (`german.py`). Names
of places in these languages are rows of a board's `short_forms.csv`. """

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from grammar.fragments.french import FRENCH
from grammar.fragments.german import GERMAN
from grammar.fragments.language import Language
from grammar.words import DOUBT_WORDS

__all__ = ["LANGUAGES", "STARTS", "Language", "doubt_words", "languages_named", "order_words"]

LANGUAGES: Mapping[str, Language] = {language.name: language for language in (GERMAN, FRENCH)}
"""The languages there are, by name."""

STARTS = frozenset((
    "_BUILDS", "_BUILD_NOUN", "_BUILT", "_NEW", "_REMOVES", "_REMOVE_NOUN", "_REMOVED", "_RETREAT_NOUN",
    "_DISBANDS", "_DISBAND_NOUN", "_WAIVES", "_NONE", "_NOTHING"))
"""Terminals whose words show that an order begins in a row on paper. Other words that may begin a sentence go
on with the row above as well: "Armee London geht", and below it "nach Surrey"; and "falle" is a letter from
"falls"."""


def doubt_words(languages: Sequence[Language]) -> frozenset[str]:
    """The words that make a line a condition, a choice or a denial: in English and in these languages."""
    return DOUBT_WORDS.union(*(language.doubts for language in languages))


def order_words(languages: Sequence[Language]) -> dict[str, set[str]]:
    """The terminals that each order word of these languages represents; infinitives of a terminal's words
    represent a terminal of their own too, which ends in `_LAST`."""
    terminals: dict[str, set[str]] = defaultdict(set)
    for language in languages:
        for terminal, words in language.order_words.items():
            for word in words:
                terminals[word].add(terminal)
                if word.endswith(language.infinitive):
                    terminals[word].add(f"{terminal}_LAST")
    return terminals


def languages_named(names: Sequence[str]) -> tuple[Language, ...]:
    """The languages of these names. Raises KeyError for another one, our own fault: options are checked when
    they are set."""
    return tuple(LANGUAGES[name] for name in names)
