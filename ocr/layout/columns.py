"""Columns on one sheet: boxes of writing parted by a white lane between them, and lists whose lines begin
with the same few words, as two columns of orders do.

A row height is the height of the sheet's median row. Nothing is known here of orders: the words of one list
are looked for in the other. The second half of a list that is written in two aligned parts ("A Derry |
- Mull") begins with words that the first half never begins with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

import numpy as np
from rapidfuzz.distance import Indel

# Tuning values, in row heights unless said. "By hand": no measurement on record.
LANE = 0.2
"""0..1: least width of a lane if the rows left and right of it are not level with each other. The words of
one row are level, so such boxes cannot be parts of one row, however near they are. By hand, commit
ead9d4c."""
WIDE_LANE = 4.0
"""1..10: least width if they are level, as in two columns on ruled paper, but also if a person writes unit
and order in two aligned columns of one list. By hand, commit ead9d4c."""
DOUBTFUL_LANE = 0.6
"""0..2: least width if what is written on both sides is of one kind: wider than most gaps between words. By
hand, commit bf4a27c."""
LEAST_WIDTH, DOUBTFUL_WIDTH = 5.0, 3.0
"""1..20: least width of the median row of a column, and that if both sides are of one kind; an order is
longer. By hand."""
LEAST_ROWS = 3  # rows, 2..6, of each column at least; fewer may be a signature or a date. By hand
LEVEL = 0.3  # 0..0.5: rows this near each other are level. By hand
MOSTLY_LEVEL = 0.75  # share of the rows, 0..1, from which two sides are level with each other. By hand
SAME_ROW = 0.5  # 0.3..0.8: boxes of one side whose middles are this near are one row. By hand
ALIGNED = 0.5  # 0..1: rows that begin this near the margin begin at it. By hand
MARGIN_PERCENTILE = 25
"""Percentile, 0..50, of where rows begin: continuations are right of the margin. By hand."""
MARGIN_SHARE = 0.3
"""Share of a column's rows, 0..1, that begin at its margin or with a word that begins an order, at least: an
order takes up to four rows there, and some are misread or struck (commit 1829aff)."""
BESIDE = 0.5  # share of the shorter side's height, 0..1, over which both sides have rows. By hand

# Tuning values. "By hand": no measurement on record.
LEAST_BEGINNINGS = 3
"""Rows, 2..6, with a beginning on either side, and with one found on both; fewer show nothing. By hand."""
LONG_WORD = 4  # letters, 3..8: words at least so long may be misread in part ... By hand
SIMILAR_WORDS = 0.75
"""Share of the letters of both words, 0..1, that they have in common and in order: ... and are the same from
here on. One letter in four may differ. By hand."""


class ColumnPiece(Protocol):
    """A box of writing on the sheet turned by its slope: x of both ends and y of the middle, in pixels."""

    @property
    def left(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def middle(self) -> float: ...


PieceT = TypeVar("PieceT", bound=ColumnPiece)


@dataclass(frozen=True, slots=True)
class Lane:
    """A white lane: x of its middle, the y between which it runs, and the number of rows of the shorter
    column.

    `is_certain`: False if layout alone does not show whether it parts columns or the two halves of one list.
    """

    x: float
    top: float
    bottom: float
    rows: int
    is_certain: bool = True


LaneRank: TypeAlias = tuple[bool, int, int, float]
"""Order of lanes: certain ones first, then by rows of the shorter column and of both, then by width in
pixels."""

RowSpan: TypeAlias = tuple[float, float, float]
"""Middle (y), start and end (x) of a row, in pixels."""


def find_lane(pieces: Sequence[ColumnPiece], row_height: float) -> Lane | None:
    """The lane that parts most rows; None for a single column. `row_height` in pixels."""
    if len(pieces) < 2 * LEAST_ROWS:
        return None
    best: tuple[LaneRank, Lane] | None = None
    # A lane ends where the first box of the column right of it begins.
    for x in sorted({piece.left - LANE / 2 * row_height for piece in pieces}):
        ranked = _lane_at(x, pieces, row_height)
        if ranked is not None and (best is None or ranked[0] > best[0]):
            best = ranked
    return best[1] if best else None


def row_beginnings(
    pieces: Sequence[PieceT], lane: Lane, row_height: float
) -> tuple[list[PieceT], list[PieceT]]:
    """The first box of each row that begins at its column's margin, left and right of a lane, from the top.

    Empty for a side on which too few rows begin there: it has no margin.
    """
    beside = [piece for piece in pieces if lane.top < piece.middle < lane.bottom]
    left, right = ([piece for piece in beside if (piece.left >= lane.x) == side] for side in (False, True))
    return _at_margin(left, row_height), _at_margin(right, row_height)


def _at_margin(side: Sequence[PieceT], row_height: float) -> list[PieceT]:
    firsts: list[PieceT] = []
    for piece in sorted(side, key=lambda box: box.middle):
        if firsts and piece.middle - firsts[-1].middle < SAME_ROW * row_height:
            firsts[-1] = min(firsts[-1], piece, key=lambda box: box.left)
        else:
            firsts.append(piece)
    margin = float(np.percentile([first.left for first in firsts], MARGIN_PERCENTILE)) if firsts else 0.0
    aligned = [first for first in firsts if abs(first.left - margin) < ALIGNED * row_height]
    return aligned if len(aligned) >= MARGIN_SHARE * len(firsts) else []


def _lane_at(x: float, pieces: Sequence[ColumnPiece], row_height: float) -> tuple[LaneRank, Lane] | None:
    """The best lane through x, between the boxes that cross x."""
    half = LANE * row_height / 2
    crossing = sorted(piece.middle for piece in pieces if piece.left < x + half and piece.right > x - half)
    best: tuple[LaneRank, Lane] | None = None
    for top, bottom in zip((-np.inf, *crossing), (*crossing, np.inf), strict=True):
        inside = [piece for piece in pieces if top < piece.middle < bottom]
        left = [piece for piece in inside if piece.right <= x - half]
        right = [piece for piece in inside if piece.left >= x + half]
        rank = _rank(left, right, row_height)
        if rank is not None and (best is None or rank > best[0]):
            is_certain, rows, _, _ = rank
            middle = (max(piece.right for piece in left) + min(piece.left for piece in right)) / 2
            best = rank, Lane(float(middle), float(top), float(bottom), rows, is_certain)
    return best


def _rank(left: Sequence[ColumnPiece], right: Sequence[ColumnPiece], row_height: float) -> LaneRank | None:
    """The rank of the lane between two sides; None if it is none."""
    # 1. Both sides are columns: enough rows, mostly next to each other.
    sides = [_row_spans(side, row_height) for side in (left, right)]
    fewest_rows = min(len(side) for side in sides)
    if fewest_rows < LEAST_ROWS:
        return None
    widths = [float(np.median([end - start for _, start, end in side])) for side in sides]
    median_width = min(widths) / row_height
    tops, bottoms = [side[0][0] for side in sides], [side[-1][0] for side in sides]
    common_height = min(bottoms) - max(tops)
    if common_height < BESIDE * min(bottom - top for bottom, top in zip(bottoms, tops, strict=True)):
        return None
    # 2. Level rows may be one list in two parts, so their lane must be wider.
    width = min(piece.left for piece in right) - max(piece.right for piece in left)
    left_middles = [middle for middle, _, _ in sides[0]]
    shared = [middle for middle, _, _ in sides[1] if tops[0] <= middle <= bottoms[0]]
    level = sum(
        min(abs(middle - other) for other in left_middles) < LEVEL * row_height for middle in shared
    )
    needed = WIDE_LANE if level > MOSTLY_LEVEL * len(shared) else LANE
    is_certain = bool(width >= needed * row_height and median_width >= LEAST_WIDTH)
    is_possible = width >= DOUBTFUL_LANE * row_height and median_width >= DOUBTFUL_WIDTH
    rows = sum(map(len, sides))
    return (is_certain, fewest_rows, rows, float(width)) if is_certain or is_possible else None


def _row_spans(side: Sequence[ColumnPiece], row_height: float) -> list[RowSpan]:
    """The rows of a side from the top, roughly."""
    rows: list[RowSpan] = []
    for piece in sorted(side, key=lambda box: box.middle):
        if rows and piece.middle - rows[-1][0] < SAME_ROW * row_height:
            middle, start, end = rows[-1]
            rows[-1] = middle, min(start, piece.left), max(end, piece.right)
        else:
            rows.append((piece.middle, piece.left, piece.right))
    return rows


def begin_alike(left: Sequence[str], right: Sequence[str]) -> bool:
    """True if the rows of `right` begin with words that rows of `left` begin with.

    One text a row. The left side may hold a heading too.
    """
    left_words, right_words = (
        [word for text in side if (word := _first_word(text))] for side in (left, right)
    )
    if min(len(left_words), len(right_words)) < LEAST_BEGINNINGS:
        return False
    shared = sum(any(is_same_word(word, other) for other in left_words) for word in right_words)
    return shared >= max(LEAST_BEGINNINGS, MARGIN_SHARE * len(right_words))


def _first_word(text: str) -> str:
    """The first word in small letters. Of "FThe" it is "F": recognisers drop narrow spaces."""
    words = "".join(character if character.isalnum() else " " for character in text).split()
    return letter_of_joined(words[0] if words else "")


def letter_of_joined(word: str) -> str:
    """A word in small letters; of "FThe", which has lost its space, the "F"."""
    is_joined = len(word) > 2 and word[:2].isupper() and word[2].islower()
    return (word[0] if is_joined else word).casefold()


def is_same_word(first: str, second: str) -> bool:
    """True if two words are the same, one letter in four misread at most."""
    if first == second:
        return True
    is_long = min(len(first), len(second)) >= LONG_WORD
    return is_long and Indel.normalized_similarity(first, second) >= SIMILAR_WORDS
