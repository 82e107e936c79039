"""Do two lists begin their lines with the same few words, as two columns of orders do?

Nothing is known here of orders: the words of one list are looked for in the other. The second half of a list
that is written in two aligned parts ("A Derry | - Mull") begins with words that the first half never begins
with.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

# Tuning values. "By hand": no measurement on record.
LEAST_ROWS = 3
"""Rows, 2..6, with a beginning on either side, and with one found on both; fewer show nothing. By hand."""
SHARE = 0.4
"""0..1: least share of the right side's beginnings that is found on the left. If every order is broken over
two rows, half of the rows begin with any word, and some are misread or struck (commit 1829aff)."""
LONG = 4  # letters, 3..8: words at least so long may be misread in part ... By hand
SIMILAR = 0.75
"""Difflib's ratio, 0..1: ... and are the same from here on. One letter in four may differ. By hand."""


def begin_alike(left: Sequence[str], right: Sequence[str]) -> bool:
    """True if the rows of `right` begin with words that rows of `left` begin with.

    One text a row. The left side may hold a heading too.
    """
    left_words, right_words = (
        [word for text in side if (word := _first_word(text))] for side in (left, right)
    )
    if min(len(left_words), len(right_words)) < LEAST_ROWS:
        return False
    shared = sum(any(_is_same(word, other) for other in left_words) for word in right_words)
    return shared >= max(LEAST_ROWS, SHARE * len(right_words))


def _first_word(text: str) -> str:
    """The first word in small letters. Of "FThe" it is "F": recognisers drop narrow spaces."""
    words = "".join(character if character.isalnum() else " " for character in text).split()
    word = words[0] if words else ""
    is_joined = len(word) > 2 and word[:2].isupper() and word[2].islower()
    return (word[0] if is_joined else word).casefold()


def _is_same(first: str, second: str) -> bool:
    if first == second:
        return True
    return min(len(first), len(second)) >= LONG and SequenceMatcher(None, first, second).ratio() >= SIMILAR
