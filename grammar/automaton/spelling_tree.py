"""Every word and name of an order as one tree of letters, shared by all states of the grammar.

Each node has the entries that end at or below it, as the bits of a whole number, so that a walk through the
grammar prunes the tree by one `&`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from adjudicator.geo import Region
from grammar.automaton.prices import PREFIX_PRICE, name_price, word_price
from grammar.lexicon import BREAK, KIND, NUMBER, ORDER_BREAKS, PLACE, UNIT_WORD, Lexicon
from grammar.words import fold

Terminals = tuple[str, ...]
"""The meaning of a spelling: mostly one terminal, several for a fixed phrase."""

_PREFIX_SIZES = range(3, 5)
"""Letters of a prefix that may represent a name where only one begins so ("Iri")."""
_TYPED_ONLY = frozenset({"instead", "ou"})
"""Words of the forms that are words of doubt too: on paper a person looks at such a line."""
_PHRASES_IN_PARENTHESES = ("(by convoy)", "(via convoy)")
"""Phrases that may be in parentheses although the grammar's words have none."""


@dataclass(frozen=True, slots=True)
class SpellingTree:
    """A tree of letters. Node 0 is the root; children have greater numbers than their parents.

    By node n: `below[n]` maps a sign to the next node; `ends[n]` are the entries spelled on the way to it,
    with their prices in nats; `under[n]` has the bits of all entries at it and below; `depth[n]` counts the
    letters and signs up to it; `after_space[n]` is True if a space leads to it. `entries` are what the bits
    represent.
    """

    below: Sequence[Mapping[str, int]]
    ends: Sequence[Mapping[int, float]]
    under: Sequence[int]
    depth: Sequence[int]
    after_space: Sequence[bool]
    entries: Sequence[Terminals]


def build_tree(keywords: Mapping[str, Iterable[str]], lexicon: Lexicon) -> SpellingTree:
    """The tree of the keywords of some order forms (word to terminals) and of every name."""
    below: list[dict[str, int]] = [{}]
    ends: list[dict[int, float]] = [{}]
    depth, after_space = [0], [False]
    numbers: dict[Terminals, int] = {}
    for text, terminals, price in _spellings(keywords, lexicon):
        node = 0
        for sign in text:
            child = below[node].setdefault(sign, len(below))
            if child == len(below):
                below.append({})
                ends.append({})
                depth.append(depth[node] + (sign != " "))
                after_space.append(sign == " ")
            if sign == " ":  # the parts of a name may be joined by hyphens
                below[node].setdefault("-", child)
            node = child
        number = numbers.setdefault(terminals, len(numbers))
        ends[node][number] = min(price, ends[node].get(number, price))
    under = [sum(1 << number for number in entries) for entries in ends]
    for node in range(len(below) - 1, -1, -1):
        for child in below[node].values():
            under[node] |= under[child]
    return SpellingTree(below, ends, under, depth, after_space, tuple(numbers))


def _spellings(
    keywords: Mapping[str, Iterable[str]], lexicon: Lexicon
) -> Iterable[tuple[str, Terminals, float]]:
    """Every spelling as text, terminals and price in nats."""
    yield from _words(keywords)
    for name in lexicon.names:
        # What represents several regions is for a person to look at, and the ink may say something else.
        if " ".join(name.words) in lexicon.shared_forms:
            continue
        for text in {name.text, name.text.replace(" and ", " & ")}:
            yield text, (name.terminal,), name_price(name)
            # "Kent army": the place before it has paid for standing without its kind. A letter is never so
            # written, and the last letter of a row is too often like one.
            if name.terminal == KIND and len(text) > 1:
                yield text, (UNIT_WORD,), 0.0
    yield from _prefixes(lexicon)
    for sign in ORDER_BREAKS:
        yield sign, (BREAK,), word_price(";")
    for article in ("a", "an"):
        yield article, (NUMBER,), word_price(article)


def _words(keywords: Mapping[str, Iterable[str]]) -> Iterable[tuple[str, Terminals, float]]:
    """The forms' own words, arrows of two signs and phrases in parentheses among them."""
    for word, terminals in keywords.items():
        # With it, "instead of Sussex" was read as "instead. F Sussex".
        if word in _TYPED_ONLY:
            continue
        for text in {"-": ("-", "--"), "and": ("and", "&", "+")}.get(word, (fold(word),)):
            yield from ((text, (terminal,), word_price(word)) for terminal in terminals)
    for phrase in _PHRASES_IN_PARENTHESES:
        parts = [tuple(keywords.get(word, ())) for word in phrase.strip("()").split()]
        yield from ((phrase, terminals, word_price("(")) for terminals in product(*parts))


def _prefixes(lexicon: Lexicon) -> Iterable[tuple[str, Terminals, float]]:
    for name in lexicon.names:
        if name.terminal == PLACE and isinstance(name.value, Region):
            first = name.words[0]
            for size in _PREFIX_SIZES:
                if len(first) > size and lexicon.region_beginning_with(first[:size]) == name.value:
                    yield first[:size], (PLACE,), name_price(name) + PREFIX_PRICE
