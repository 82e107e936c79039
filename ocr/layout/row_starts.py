"""Whether one list begins its lines with the same few words as the one left of it, as two columns of orders
do.

Nothing is known here of orders: the words of one list are looked for in the other. The second half of a list
that is written in two aligned parts ("A Derry | - Mull") begins with words that the first half never begins
with.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

LEAST_ROWS = 3
"""Fewer beginnings than this, on either side or found on both, say nothing."""

SHARE = 0.4
"""At least this share of the right side's beginnings is found on the left: where every order is broken over
two rows, half of the rows begin with any word, and some are misread or struck."""

LONG = 4
"""Words of at least this many letters may be misread in one ..."""

SIMILAR = 0.75
"""... and still be this alike, 0..1 as difflib's ratio."""


def begin_alike(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether the rows of `right`, one text each, begin with words that rows of `left` begin with. The left
    side may hold a heading too."""
    sides = [[word for text in side if (word := _first(text))] for side in (left, right)]
    if min(len(side) for side in sides) < LEAST_ROWS:
        return False
    found = sum(any(_same(word, other) for other in sides[0]) for word in sides[1])
    return found >= max(LEAST_ROWS, SHARE * len(sides[1]))


def _first(text: str) -> str:
    """The first word, in small letters; of "FThe" the "F", since a recogniser drops narrow spaces."""
    words = "".join(c if c.isalnum() else " " for c in text).split()
    word = words[0] if words else ""
    joined = len(word) > 2 and word[:2].isupper() and word[2].islower()
    return (word[0] if joined else word).casefold()


def _same(one: str, two: str) -> bool:
    if one == two:
        return True
    return min(len(one), len(two)) >= LONG and SequenceMatcher(None, one, two).ratio() >= SIMILAR
