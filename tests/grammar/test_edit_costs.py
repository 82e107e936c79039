"""Pieces of a text that may be a spelling misread, against the edit matrix written out (INK-08)."""

from __future__ import annotations

import random

import numpy as np
import pytest

from grammar.edit_costs import _CODE, _SLACK, _WRITTEN, find_pieces
from grammar.words import _LETTERS, _TICKS, fold

SPELLINGS = ("holds", "york", "st davids", "ashby-de-la-zouch", "to", "the little minch")
TEXTS = ("army yolk hold5", "f st-davds to tbe littleminch", "a", "ashby de la zouch- york", "xqz")


def _cost(spelling: str, piece: str) -> float:
    """The least cost of changing a spelling into a piece of text."""
    row = np.concatenate(([0.0], np.cumsum([_WRITTEN.surplus[_CODE[sign]] for sign in piece])))
    for letter in spelling:
        after = [row[0] + _WRITTEN.missing[_CODE[letter]]]
        for n, sign in enumerate(piece):
            swapped = row[n] + _WRITTEN.swap[_CODE[letter], _CODE[sign]]
            surplus = after[n] + _WRITTEN.surplus[_CODE[sign]]
            after.append(min(row[n + 1] + _WRITTEN.missing[_CODE[letter]], swapped, surplus))
        row = np.array(after)
    return float(row[-1])


@pytest.mark.parametrize("text", TEXTS)
def test_every_piece_within_its_limit_is_found_at_its_cost(text: str) -> None:
    limits = [0.4 * len(spelling) for spelling in SPELLINGS]
    found = find_pieces(text, SPELLINGS, limits)
    pieces = {(piece.entry, piece.start, piece.end): piece.cost for piece in found}
    longest = max(map(len, SPELLINGS))
    for entry, (spelling, limit) in enumerate(zip(SPELLINGS, limits, strict=True)):
        for start in range(len(text)):
            # A piece is at most two letters and a quarter longer than the longest of them.
            ends = range(start, min(len(text), start + longest + 2 + longest // 4) + 1)
            costs = {end: _cost(spelling, text[start:end]) for end in ends}
            bound = min(limit, min(costs.values()) + _SLACK)
            for end, cost in costs.items():
                if end > start and abs(cost - bound) > 1e-4:
                    assert ((entry, start, end) in pieces) == (cost <= bound), (spelling, text[start:end])
                if (entry, start, end) in pieces:
                    assert pieces[entry, start, end] == pytest.approx(cost, abs=1e-4)


def test_plain_letters_are_folded_as_all_are() -> None:
    rng = random.Random(8)
    for _ in range(300):
        text = "".join(chr(rng.randrange(1, 128)) for _ in range(rng.randrange(12)))
        # The other way: behind a letter that has no plain form.
        assert fold("ſ" + text) == "s" + fold(text)
    assert not set(_TICKS) & set(fold("O'Neill`s"))
    assert not any(chr(code).isascii() for code in _LETTERS)
