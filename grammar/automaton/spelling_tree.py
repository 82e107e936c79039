"""Every word and name of an order as one tree of letters, shared by all places of the grammar where it may
stand.

Each node knows which entries end below it, as the bits of a whole number, so that a walk through the grammar
prunes the tree by one `&`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adjudicator.geo import Region
from grammar.automaton.prices import PREFIX_PRICE, name_price, word_price
from grammar.lexicon import NUMBER, PLACE, POWER, Lexicon
from grammar.words import fold

Terminals = tuple[str, ...]
"""What a spelling stands for: mostly one terminal, several where a fixed phrase does."""

_BEGINNING = range(3, 5)
"""Letters of a beginning that may stand for a name where only one begins so ("Iri")."""
_OPENED = ("(by convoy)", "(via convoy)")
"""Phrases that may stand in parentheses although the grammar's words have none."""


@dataclass(frozen=True, slots=True)
class SpellingTree:
    """`below[n]` maps a sign to the next node; `ends[n]` are the entries spelled by the way to node n with
    their prices in nats, `under[n]` the bits of all entries at it and below, `depth[n]` the letters and signs
    up to it, `parted[n]` whether a space leads to it; `entries` are what the bits stand for. Node 0 is the
    root; children have greater numbers than their parents."""

    below: Sequence[Mapping[str, int]]
    ends: Sequence[Mapping[int, float]]
    under: Sequence[int]
    depth: Sequence[int]
    parted: Sequence[bool]
    entries: Sequence[Terminals]


def build_tree(keywords: Mapping[str, str], lexicon: Lexicon) -> SpellingTree:
    """The tree of the keywords of some order forms (word to terminal) and of every name."""
    below: list[dict[str, int]] = [{}]
    ends: list[dict[int, float]] = [{}]
    depth, parted = [0], [False]
    numbers: dict[Terminals, int] = {}
    for text, terminals, price in _spelled(keywords, lexicon):
        node = 0
        for sign in text:
            step = below[node].setdefault(sign, len(below))
            if step == len(below):
                below.append({})
                ends.append({})
                depth.append(depth[node] + (sign != " "))
                parted.append(sign == " ")
            if sign == " ":  # the parts of a name may be joined by hyphens
                below[node].setdefault("-", step)
            node = step
        number = numbers.setdefault(terminals, len(numbers))
        ends[node][number] = min(price, ends[node].get(number, price))
    under = [sum(1 << n for n in here) for here in ends]
    for node in range(len(below) - 1, -1, -1):
        for child in below[node].values():
            under[node] |= under[child]
    return SpellingTree(below, ends, under, depth, parted, tuple(numbers))


def _spelled(keywords: Mapping[str, str], lexicon: Lexicon) -> Iterable[tuple[str, Terminals, float]]:
    yield from _words(keywords)
    for name in lexicon.names:
        for text in {name.text, name.text.replace(" and ", " & ")}:
            yield text, (name.terminal,), name_price(name)
    yield from _beginnings(lexicon)
    for letter in "abcdefghijklmnopqrstuvwxyz":
        yield f"player {letter}", (POWER,), PREFIX_PRICE
    for article in ("a", "an"):
        yield article, (NUMBER,), word_price(article)


def _words(keywords: Mapping[str, str]) -> Iterable[tuple[str, Terminals, float]]:
    """The forms' own words, arrows of two signs and phrases in parentheses among them."""
    for word, terminal in keywords.items():
        for text in {"-": ("-", "--"), "and": ("and", "&", "+")}.get(word, (fold(word),)):
            yield text, (terminal,), word_price(word)
    for phrase in _OPENED:
        parts = [keywords.get(word) for word in phrase.strip("()").split()]
        if None not in parts:
            yield phrase, tuple(str(part) for part in parts), word_price("(")


def _beginnings(lexicon: Lexicon) -> Iterable[tuple[str, Terminals, float]]:
    for name in lexicon.names:
        if name.terminal == PLACE and isinstance(name.value, Region):
            for size in _BEGINNING:
                begun = name.words[0][:size]
                if len(name.words[0]) > size and lexicon.region_beginning_with(begun) == name.value:
                    yield begun, (PLACE,), name_price(name) + PREFIX_PRICE
