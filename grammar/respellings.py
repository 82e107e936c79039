"""Texts that a badly read line may have been, spelled as the automaton spells them.

The likeness of letters proposes what a search along the ink has lost sight of.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from rapidfuzz import fuzz

from grammar.candidates import fuzzy_paths
from grammar.compose import Forms
from grammar.lattice import Edge
from grammar.lexicon import KIND, KindWord, Lexicon
from grammar.order_starts import DEFAULT_STARTS, OrderStarts
from grammar.words import body_start

_ORDER_WORD = re.compile(
    r"\b(?:army|armies|fleets?|holds?|stands?|moves?|supports?|convoys?|attacks?|enters?|retreats?\s+to"
    r"|converts?|builds?|removes?|disbands?|sends?|command)\b", re.IGNORECASE)
_TERSE = re.compile(r"^\W*[AFaf]\b|[-–—→>]")
_PREPOSITIONS = frozenset(("at", "in", "of", "on"))
"""Words that may follow a unit's kind and are rarely written: more often such a word is a piece of the kind's
own word."""


def has_order_word(text: str, starts: OrderStarts = DEFAULT_STARTS) -> bool:
    """True if a text holds a word that no heading has: a line above the orders may then be one itself."""
    return _ORDER_WORD.search(text) is not None or starts.has_own_word(text)


def looks_like_order(text: str, starts: OrderStarts = DEFAULT_STARTS) -> bool:
    """True if a text as read is worth comparing with orders: it has a word of one, or a sign of the short
    style."""
    return (has_order_word(text, starts) or _TERSE.search(text) is not None
            or starts.looks_like_order(text))


def respellings(text: str, *, lexicon: Lexicon, forms: Sequence[Forms], keep: int = 8) -> tuple[str, ...]:
    """Up to `keep` orders of each phase's forms that are spelled most like a text as it was read.

    They are in lower case with one space between words; none for a text too long to be one order.
    """
    texts: dict[str, None] = {}
    for form in forms:
        flat, paths = fuzzy_paths(text[body_start(text):], form, lexicon, keep)
        for path in paths:
            pieces = [_spelled(edge, flat, lexicon) for edge in path.edges if edge.terminal is not None]
            texts[" ".join(pieces)] = None
    return tuple(texts)


def _spelled(edge: Edge, flat: str, lexicon: Lexicon) -> str:
    """The meaning of an edge, in the one of its spellings that is most like the piece it was read from."""
    piece = flat[edge.start:edge.end]
    known = _spellings(lexicon).get((str(edge.terminal), edge.value))
    if known is None:
        return str(edge.value)
    return max(known, key=lambda spelling: (fuzz.ratio(spelling, piece), spelling))


@lru_cache(maxsize=8)
def _spellings(lexicon: Lexicon) -> Mapping[tuple[str, object], Sequence[str]]:
    texts: dict[tuple[str, object], list[str]] = defaultdict(list)
    for name in lexicon.names:
        texts[name.terminal, name.value].append(name.text)
    return texts


def with_other_kinds(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    """A text of the automaton with the kind of one unit replaced by another, in each spelling of that kind.

    The letters that distinguish kinds  are the ones most often misread: "A at Essex holds" may have been
    "Fleet Essex holds". """
    line, kind_words = text.split(" "), _kind_words(lexicon)
    texts: dict[str, None] = {}
    for index, word in enumerate(line):
        kind, after = kind_words.get(word), line[index + 1:]
        if kind is None:
            continue
        for other, meaning in kind_words.items():
            # "Armies" for "Fleet" would be two misreadings in one word.
            if meaning.plural != kind.plural or meaning.letter == kind.letter:
                continue
            texts[" ".join([*line[:index], other, *after])] = None
            if after and after[0] in _PREPOSITIONS:
                texts[" ".join([*line[:index], other, *after[1:]])] = None
    return tuple(texts)


@lru_cache(maxsize=8)
def _kind_words(lexicon: Lexicon) -> Mapping[str, KindWord]:
    """The words for units of one word each, as the automaton spells them."""
    return {name.text.lower(): name.value for name in lexicon.names
            if name.terminal == KIND and len(name.words) == 1 and isinstance(name.value, KindWord)}
