"""Columns on one sheet: parts boxes of writing where a white lane runs down between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

LANE = 0.2
"""A lane is at least this many row heights wide where the rows left and right of it are not level with each
other: the words of one row are level, so such boxes cannot be parts of one row, however near they come."""

WIDE_LANE = 4.0
"""... and this many where they are level, as they are in two columns on ruled paper, but also where somebody
writes unit and order in two aligned columns of one list ..."""

DOUBTFUL_LANE = 0.6
"""... or at least this many where what is written on either side is of one kind: wider than most gaps between
words."""

ALIGNED = 0.5
"""Rows that begin within this many row heights of the middling one begin at the margin."""

LEAST_ROWS = 3
"""Rows that each column has at least."""

LEAST_WIDTH = 5.0
"""Row heights that the middling row of a column is wide at least; an order is longer ..."""

DOUBTFUL_WIDTH = 3.0
"""... or this, where what is written on either side is of one kind."""

LEVEL = 0.3
"""Rows within this many row heights of each other are level."""


class ColumnPiece(Protocol):
    """A box of writing after the sheet is turned by its slope: x of both ends and y of the middle, in
    pixels."""

    @property
    def left(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def middle(self) -> float: ...


PieceT = TypeVar("PieceT", bound=ColumnPiece)


@dataclass(frozen=True, slots=True)
class Lane:
    """A white lane: the middle of it, between which y it runs, and how many rows the shorter column has.

    `sure`: False where layout alone does not show whether it parts columns or the two halves of one list.
    """

    x: float
    top: float
    bottom: float
    rows: int
    is_certain: bool = True


Worth: TypeAlias = tuple[bool, int, float]
"""What a lane is worth: sure ones first, then rows of the shorter column, then width."""


def find_lane(pieces: Sequence[ColumnPiece], typical: float) -> Lane | None:
    """The lane that parts most rows, or None for a single column. `typical`: a middling row's height in
    pixels."""
    if len(pieces) < 2 * LEAST_ROWS:
        return None
    best: tuple[Worth, Lane] | None = None
    # A lane ends where the first box of the column right of it begins.
    for x in sorted({p.left - LANE / 2 * typical for p in pieces}):
        found = _lane_at(x, pieces, typical)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return best[1] if best else None


def row_beginnings(
    pieces: Sequence[PieceT], found: Lane, typical: float
) -> tuple[list[PieceT], list[PieceT]]:
    """The first box of each row that begins at its column's margin, left and right of a lane, from the top.
    None of a side on which fewer than half of the rows begin there: that has no margin."""
    inside = [p for p in pieces if found.top < p.middle < found.bottom]
    left, right = ([p for p in inside if (p.left >= found.x) == side] for side in (False, True))
    return _at_margin(left, typical), _at_margin(right, typical)


def _at_margin(side: Sequence[PieceT], typical: float) -> list[PieceT]:
    firsts: list[PieceT] = []
    for piece in sorted(side, key=lambda p: p.middle):
        if firsts and piece.middle - firsts[-1].middle < 0.5 * typical:
            firsts[-1] = min(firsts[-1], piece, key=lambda p: p.left)
        else:
            firsts.append(piece)
    # Rows that go on where the one above stopped stand to the right of the margin.
    margin = float(np.percentile([p.left for p in firsts], 25)) if firsts else 0.0
    found = [p for p in firsts if abs(p.left - margin) < ALIGNED * typical]
    return found if 2 * len(found) >= len(firsts) else []


def _lane_at(x: float, pieces: Sequence[ColumnPiece], typical: float) -> tuple[Worth, Lane] | None:
    """The lane through x with what it is worth."""
    half = LANE * typical / 2
    crossing = sorted(p.middle for p in pieces if p.left < x + half and p.right > x - half)
    best: tuple[Worth, Lane] | None = None
    for top, bottom in zip((-np.inf, *crossing), (*crossing, np.inf), strict=True):
        inside = [p for p in pieces if top < p.middle < bottom]
        before = [p for p in inside if p.right <= x - half]
        after = [p for p in inside if p.left >= x + half]
        worth = _worth(before, after, typical)
        if worth is not None and (best is None or worth > best[0]):
            width_middle = (max(p.right for p in before) + min(p.left for p in after)) / 2
            best = worth, Lane(
                float(width_middle), float(top), float(bottom), worth[1], worth[0]
            )
    return best


def _worth(before: Sequence[ColumnPiece], after: Sequence[ColumnPiece], typical: float) -> Worth | None:
    sides = [_spans(side, typical) for side in (before, after)]
    least = min(len(side) for side in sides)
    if least < LEAST_ROWS:
        return None
    middling = min(float(np.median([end - start for _, start, end in side])) for side in sides) / typical
    tops, bottoms = [side[0][0] for side in sides], [side[-1][0] for side in sides]
    beside = min(bottoms) - max(tops)
    if beside < 0.5 * min(low - high for low, high in zip(bottoms, tops, strict=True)):
        return None
    width = min(p.left for p in after) - max(p.right for p in before)
    lefts = [middle for middle, _, _ in sides[0]]
    shared = [middle for middle, _, _ in sides[1] if tops[0] <= middle <= bottoms[0]]
    level = sum(min(abs(middle - other) for other in lefts) < LEVEL * typical for middle in shared)
    needed = WIDE_LANE if level > 0.75 * len(shared) else LANE
    sure = bool(width >= needed * typical and middling >= LEAST_WIDTH)
    maybe = width >= DOUBTFUL_LANE * typical and middling >= DOUBTFUL_WIDTH
    return (sure, least, float(width)) if sure or maybe else None


def _spans(side: Sequence[ColumnPiece], typical: float) -> list[tuple[float, float, float]]:
    """Rows of a side from the top, roughly: their middle, start and end."""
    rows: list[tuple[float, float, float]] = []
    for piece in sorted(side, key=lambda p: p.middle):
        if rows and piece.middle - rows[-1][0] < 0.5 * typical:
            middle, start, end = rows[-1]
            rows[-1] = middle, min(start, piece.left), max(end, piece.right)
        else:
            rows.append((piece.middle, piece.left, piece.right))
    return rows
