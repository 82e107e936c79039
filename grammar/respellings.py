"""Texts that a badly read line may have been, spelled as the automaton spells them: the letters' own likeness
proposes what a search along the ink has lost sight of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from rapidfuzz import fuzz

from grammar import fuzzy_edges
from grammar.candidates import MAX_FUZZY_LENGTH
from grammar.compose import Forms
from grammar.edit_costs import flatten
from grammar.lattice import Edge, search
from grammar.lexicon import KIND, KindWord, Lexicon
from grammar.order_starts import DEFAULT_STARTS, OrderStarts
from grammar.words import body_start

_ORDER_WORD = re.compile(
    r"\b(?:army|armies|fleets?|holds?|stands?|moves?|supports?|convoys?|attacks?|enters?|retreats?\s+to|converts?"
    r"|builds?|removes?|disbands?|sends?|command)\b",
    re.IGNORECASE,
)
_TERSE = re.compile(r"^\W*[AFaf]\b|[-–—→>]")


def has_order_word(text: str, signs: OrderStarts = DEFAULT_STARTS) -> bool:
    """Does a text hold a word that no heading has? A line above the orders that does may be an order after
    all."""
    return _ORDER_WORD.search(text) is not None or signs.own_word(text)


def looks_like_order(text: str, signs: OrderStarts = DEFAULT_STARTS) -> bool:
    """Is a text as it was read worth comparing with orders: has it a word of one, or a sign of the short
    style?"""
    return has_order_word(text, signs) or _TERSE.search(text) is not None or signs.looks_like_order(text)


def respellings(text: str, *, lexicon: Lexicon, forms: Sequence[Forms], keep: int = 8) -> tuple[str, ...]:
    """Up to `keep` orders of each phase's forms that are spelled most like a text as it was read, in lower
    case and with a space between words; none for a text too long to be one order."""
    plain = flatten(text[body_start(text):])[0] if len(text) <= MAX_FUZZY_LENGTH else ""
    if not plain:
        return ()
    found: dict[str, None] = {}
    for each in forms:
        table = fuzzy_edges.edges(plain, each, lexicon)
        limit = 0.45 * len(plain.replace(" ", "")) + 2
        for path in search(each.machine, table, len(plain), keep, limit=limit).paths:
            spelled = [_spelled(edge, plain, lexicon) for edge in path.edges if edge.terminal is not None]
            found[" ".join(spelled)] = None
    return tuple(found)


def _spelled(edge: Edge, plain: str, lexicon: Lexicon) -> str:
    """What an edge stands for, in the one of its spellings that is most like the piece it was read from."""
    piece = plain[edge.start : edge.end]
    known = _spellings(lexicon).get((str(edge.terminal), edge.value))
    if known is None:
        return str(edge.value)
    return max(known, key=lambda text: (fuzz.ratio(text, piece), text))


@lru_cache(maxsize=8)
def _spellings(lexicon: Lexicon) -> Mapping[tuple[str, object], Sequence[str]]:
    found: dict[tuple[str, object], list[str]] = defaultdict(list)
    for name in lexicon.names:
        found[name.terminal, name.value].append(name.text)
    return found


_AT = frozenset(("at", "in", "of", "on"))
"""What may stand between a unit's kind and its place, and is seldom written: more often it is a piece of the
kind's own word."""


def with_other_kinds(text: str, lexicon: Lexicon) -> tuple[str, ...]:
    """A text of the automaton with the kind of one unit turned into another, in each spelling that the kind
    has: the letters by which kinds are told are the ones most often misread ("A at Essex holds" may have been
    "Fleet Essex holds")."""
    said, known = text.split(" "), _kind_words(lexicon)
    found: dict[str, None] = {}
    for at, word in enumerate(said):
        kind, behind = known.get(word), said[at + 1 :]
        if kind is None:
            continue
        for other in (
            other
            for other, spelled in known.items()
            if spelled.plural == kind.plural and spelled.letter != kind.letter
        ):
            found[" ".join([*said[:at], other, *behind])] = None
            if behind and behind[0] in _AT:
                found[" ".join([*said[:at], other, *behind[1:]])] = None
    return tuple(found)


@lru_cache(maxsize=8)
def _kind_words(lexicon: Lexicon) -> Mapping[str, KindWord]:
    """The words for units of one word each, as the automaton spells them."""
    return {name.text.lower(): name.value for name in lexicon.names
            if name.terminal == KIND and len(name.words) == 1 and isinstance(name.value, KindWord)}
