"""How far a misread piece of text is from a spelling, letter by letter, for all pieces and spellings at once.

Costs are in letters: 1 for one letter taken for another, less for letters that look alike, little for a space
lost or found. This is a weighted edit distance, computed for whole arrays of start positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from grammar.words import SAME_SIGN, fold

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789 -/()&,;="
"""The characters of a flattened text; every other sign is dropped."""

_CODE = {c: n for n, c in enumerate(ALPHABET)}
_SAME_SIGN = SAME_SIGN | {"+": "&"}
_LOOKALIKES = (
    "o0 l1 i1 il ij s5 z2 b6 b8 g9 q9 &8 &6 lt it ft ec eo ea ao oc ac oa uv un nm nr rv vu uw vw wu hn hb "
    "hk hl gy gq yj yg qg pj dl cd ce td bl ti rt ei is sr es sz kx kr kl ry vy fp fl a4 g6 t7 t1 l7 f7 z7 "
    "/l /1 (c )j")
"""Pairs of characters that pens and readers confuse."""
# Guessed costs in letters, in round figures: a letter lost or found, a lookalike, a space, another sign.
_WRONG, _ALIKE, _GAP, _SIGN = 0.9, 0.45, 0.15, 0.35
_OUTSIDE = 200.0
"""Cost of a letter beyond the end of the text: more than any limit, so that no piece reaches there."""
_SLACK = 0.95
"""Letters by which an end may cost more than the best end: one surplus letter may be before the next
word."""


class EditPiece(NamedTuple):
    """Text [start, end) taken for spelling number `entry` at a cost in letters."""

    entry: int
    start: int
    end: int
    cost: float


def flatten(text: str) -> tuple[str, list[int]]:
    """A text in `ALPHABET`, each run of white space one space, and for each character its index in the
    original."""
    flat: list[str] = []
    indices: list[int] = []
    for index, raw in enumerate(text):
        for folded in _SAME_SIGN.get(raw) or fold(raw):
            sign = " " if folded.isspace() else folded
            # Each sign keeps its index in the text as read, so that spans still fit it.
            if sign in _CODE and not (sign == " " and (not flat or flat[-1] == " ")):
                flat.append(sign)
                indices.append(index)
    while flat and flat[-1] == " ":
        flat.pop()
        indices.pop()
    return "".join(flat), indices


class _Costs(NamedTuple):
    """Costs by code of the letter: of taking one for another, of a letter missing from the text, and of one
    too many in it."""

    swap: NDArray[np.float32]
    missing: NDArray[np.float32]
    surplus: NDArray[np.float32]


def _costs(alike: float, wrong: float) -> _Costs:
    count = len(ALPHABET) + 1  # the last code is what lies beyond the end of a text
    swap = np.full((count, count), 1.0, dtype=np.float32)
    np.fill_diagonal(swap, 0.0)
    for pair in _LOOKALIKES.split():
        a, b = _CODE[pair[0]], _CODE[pair[1]]
        swap[a, b] = swap[b, a] = alike
    missing = np.full(count, wrong, dtype=np.float32)
    surplus = np.full(count, wrong, dtype=np.float32)
    for table in (missing, surplus):
        table[_CODE[" "]] = _GAP
        for sign in "-/(),;":
            table[_CODE[sign]] = _SIGN
    surplus[_CODE[" "]] = _SIGN  # a name torn apart is rarer than two words run together
    swap[_CODE[" "], _CODE["-"]] = swap[_CODE["-"], _CODE[" "]] = _GAP
    swap[:, -1] = swap[-1, :] = surplus[-1] = _OUTSIDE
    return _Costs(swap, missing, surplus)


_WRITTEN, _TYPED = _costs(_ALIKE, _WRONG), _costs(1.0, 1.0)
"""Costs for a text read from handwriting, and for one that was typed, where no two letters look alike."""


def swap_cost(spelling: str, text: str) -> float:
    """The cost in letters of reading `spelling` as `text`, both of one length; letters are swapped only."""
    return float(sum(_WRITTEN.swap[_CODE[a], _CODE[b]] for a, b in zip(spelling, text, strict=True)))


def find_pieces(
    text: str, spellings: Sequence[str], limits: Sequence[float], *, typed: bool = False
) -> list[EditPiece]:
    """Every piece of `text` that is a spelling at no more than its limit in letters.

    For each spelling and start these are the cheapest end and others nearly as cheap. `text` and spellings
    are in `ALPHABET`. `typed`: no two letters look alike.
    """
    costs = _TYPED if typed else _WRITTEN
    by_length = sorted(range(len(spellings)), key=lambda n: len(spellings[n]))
    pieces: list[EditPiece] = []
    batch = 48  # spellings of similar length together, so that the windows stay narrow
    for first in range(0, len(by_length), batch):
        entries = by_length[first:first + batch]
        pieces += _batch_pieces(text, [spellings[n] for n in entries], entries,
                                [limits[n] for n in entries], costs)
    return pieces


def _batch_pieces(text: str, spellings: Sequence[str], entries: Sequence[int], limits: Sequence[float],
                  costs: _Costs) -> list[EditPiece]:
    """The pieces of one batch. Arrays have the shape (lengths of a piece, spellings, starts in the text)."""
    longest = max(map(len, spellings))
    # A piece may be longer than its spelling by two letters and a quarter of it, not more.
    width = longest + 2 + longest // 4
    pad = len(ALPHABET)
    codes = np.array([_CODE[c] for c in text] + [pad] * width, dtype=np.intp)
    letters = np.full((len(spellings), longest), pad, dtype=np.intp)
    for n, spelling in enumerate(spellings):
        letters[n, : len(spelling)] = [_CODE[c] for c in spelling]
    lengths = np.array([len(s) for s in spellings])
    starts = len(text)
    running = np.concatenate([[0.0], np.cumsum(costs.surplus[codes], dtype=np.float64)]).astype(np.float32)
    # Lengths come first: then every operation, the running minimum too, goes along contiguous starts.
    # spent[length, 0, start]: every letter of the piece is surplus. This is row 0 of the edit matrix.
    spent = (sliding_window_view(running, width + 1)[:starts] - running[:starts, None]).T[:, None].copy()
    cost = np.repeat(spent, len(spellings), axis=1)
    final = np.empty_like(cost)
    swaps = costs.swap[letters][:, :, codes]
    for k in range(longest):
        row = cost + costs.missing[letters[:, k]][:, None]
        window = sliding_window_view(swaps[:, k], starts, axis=1)[:, :width].swapaxes(0, 1)
        np.minimum(row[1:], cost[:-1] + window, out=row[1:])
        # A running minimum over the row less `spent` allows any number of surplus letters.
        row -= spent
        for before, after in pairwise(row):
            np.minimum(before, after, out=after)
        row += spent
        cost = row
        is_finished = lengths == k + 1
        if is_finished.any():
            final[:, is_finished] = cost[:, is_finished]
    final = final.transpose(1, 2, 0)
    bound = np.minimum(final.min(axis=2) + _SLACK, np.array(limits, dtype=np.float32)[:, None])
    hits = np.argwhere((final <= bound[:, :, None]) & (final < np.float32(_OUTSIDE / 2)))
    return [EditPiece(entries[e], s, s + w, float(final[e, s, w])) for e, s, w in hits.tolist() if w]
