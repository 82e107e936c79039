"""How far a misread piece of text is from a spelling, letter by letter, for all pieces and spellings at once.

Costs are in letters: 1 for one letter taken for another, less for letters that eyes and readers confuse,
little for a space lost or found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from grammar.words import fold

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789 -/()&,;="
"""What a folded text is made of here; every other sign is dropped."""

_CODE = {c: n for n, c in enumerate(ALPHABET)}
_TWINS = ("o0 l1 i1 il ij s5 z2 b6 b8 g9 q9 &8 &6 lt it ft ec eo ea ao oc ac oa uv un nm nr rv vu uw vw wu "
          "hn hb hk hl ")
_TWINS += ("gy gq yj yg qg pj dl cd ce td bl ti rt ei is sr es sz kx kr kl ry vy fp fl a4 g6 t7 t1 l7 f7 z7 "
           "/l /1 (c )j")
_WRONG, _ALIKE, _GAP, _SIGN = 0.9, 0.45, 0.15, 0.35
_BEYOND = 200.0
_SLACK = 0.95
"""Letters by which an end may be dearer than the best end: one letter too many may stand before the next
word."""


class EditPiece(NamedTuple):
    """Text [start, end) taken for spelling number `entry` at a cost in letters."""

    entry: int
    start: int
    end: int
    cost: float


def flatten(text: str) -> tuple[str, list[int]]:
    """A text in `ALPHABET`, each run of white space one space, and for each character its place in the
    original."""
    out: list[str] = []
    places: list[int] = []
    for at, raw in enumerate(text):
        for sign in _LIKE.get(raw) or fold(raw) or "":
            if sign.isspace():
                sign = " "  # noqa: PLW2901  # every white space is one space
            if sign in _CODE and not (sign == " " and (not out or out[-1] == " ")):
                out.append(sign)
                places.append(at)
    while out and out[-1] == " ":
        out.pop()
        places.pop()
    return "".join(out), places


_LIKE = dict.fromkeys("‐‑‒–—―−~_→⇒>·•", "-") | {
    "+": "&",
    "[": "(",
    "]": ")",
    "{": "(",
    "}": ")",
    "|": "l",
    "\\": "/",
}


class _Costs(NamedTuple):
    """What it costs to take one letter for another, to lose one and to find one too many."""

    swap: NDArray[np.float32]
    lost: NDArray[np.float32]
    found: NDArray[np.float32]


def _costs(alike: float, wrong: float) -> _Costs:
    count = len(ALPHABET) + 1  # the last code is what lies beyond the end of a text
    swap = np.full((count, count), 1.0, dtype=np.float32)
    np.fill_diagonal(swap, 0.0)
    for pair in _TWINS.split():
        a, b = _CODE[pair[0]], _CODE[pair[1]]
        swap[a, b] = swap[b, a] = alike
    lost = np.full(count, wrong, dtype=np.float32)
    found = np.full(count, wrong, dtype=np.float32)
    for table in (lost, found):
        table[_CODE[" "]] = _GAP
        for sign in "-/(),;":
            table[_CODE[sign]] = _SIGN
    found[_CODE[" "]] = _SIGN  # a name torn apart is rarer than two words run together
    swap[_CODE[" "], _CODE["-"]] = swap[_CODE["-"], _CODE[" "]] = _GAP
    swap[:, -1] = swap[-1, :] = found[-1] = _BEYOND
    return _Costs(swap, lost, found)


_PEN, _KEYS = _costs(_ALIKE, _WRONG), _costs(1.0, 1.0)
"""Costs for a text that an eye has read, and for one that was typed, where no two letters look alike."""


def swap_cost(spelling: str, text: str) -> float:
    """The cost of a whole text for a spelling of the same length, letters changed only."""
    return float(sum(_PEN.swap[_CODE[a], _CODE[b]] for a, b in zip(spelling, text, strict=True)))


def find_pieces(
    text: str, spellings: Sequence[str], limits: Sequence[float], *, typed: bool = False
) -> list[EditPiece]:
    """Every piece of `text` that is a spelling at no more than its limit; for each spelling and start the
    cheapest end and others nearly as cheap. `text` and spellings are in `ALPHABET`; `typed`: no two letters
    look alike."""
    costs = _KEYS if typed else _PEN
    order = sorted(range(len(spellings)), key=lambda n: len(spellings[n]))
    out: list[EditPiece] = []
    size = 48  # spellings of like length together, so that the windows stay narrow
    for at in range(0, len(order), size):
        part = order[at : at + size]
        out += _some(text, [spellings[n] for n in part], part, [limits[n] for n in part], costs)
    return out


def _some(text: str, spellings: Sequence[str], numbers: Sequence[int], limits: Sequence[float],
          costs: _Costs) -> list[EditPiece]:
    longest = max(map(len, spellings))
    width = longest + 2 + longest // 4
    pad = len(ALPHABET)
    codes = np.array([_CODE[c] for c in text] + [pad] * width, dtype=np.intp)
    letters = np.full((len(spellings), longest), pad, dtype=np.intp)
    for n, spelled in enumerate(spellings):
        letters[n, : len(spelled)] = [_CODE[c] for c in spelled]
    lengths = np.array([len(s) for s in spellings])
    starts = len(text)
    run = np.concatenate([[0.0], np.cumsum(costs.found[codes], dtype=np.float64)]).astype(np.float32)
    spent = sliding_window_view(run, width + 1)[:starts] - run[:starts, None]
    cost = np.repeat(spent[None], len(spellings), axis=0)
    final = np.empty_like(cost)
    swaps = costs.swap[letters][:, :, codes]
    for k in range(longest):
        moved = cost + costs.lost[letters[:, k]][:, None, None]
        window = sliding_window_view(swaps[:, k], width, axis=1)[:, :starts]
        np.minimum(moved[:, :, 1:], cost[:, :, :-1] + window, out=moved[:, :, 1:])
        moved -= spent
        np.minimum.accumulate(moved, axis=2, out=moved)
        moved += spent
        cost = moved
        done = lengths == k + 1
        if done.any():
            final[done] = cost[done]
    bound = np.minimum(final.min(axis=2) + _SLACK, np.array(limits, dtype=np.float32)[:, None])
    hits = np.argwhere((final <= bound[:, :, None]) & (final < np.float32(_BEYOND / 2)))
    return [EditPiece(numbers[e], s, s + w, float(final[e, s, w])) for e, s, w in hits.tolist() if w]
