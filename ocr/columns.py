"""Columns on one sheet: parts boxes of writing where a white lane runs down between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

LANE = 0.2
"""A lane is at least this many row heights wide where the rows left and right of it are not level with each other:
the words of one row are level, so such boxes cannot be parts of one row, however near they come."""

WIDE_LANE = 4.0
"""... and this many where they are level, as they are in two columns on ruled paper, but also where somebody writes
unit and order in two aligned columns of one list."""

LEAST_ROWS = 3
"""Rows that each column has at least."""

LEAST_WIDTH = 5.0
"""Row heights that the middling row of a column is wide at least; an order is longer."""

LEVEL = 0.3
"""Rows within this many row heights of each other are level."""


class Piece(Protocol):
    """A box of writing after the sheet is turned by its slope: x of both ends and y of the middle, in pixels."""

    @property
    def left(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def middle(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Lane:
    """A white lane: the middle of it, between which y it runs, and how many rows the shorter column has."""

    x: float
    top: float
    bottom: float
    rows: int


def lane(pieces: Sequence[Piece], typical: float) -> Lane | None:
    """The lane that parts most rows, or None for a single column. `typical`: a middling row's height in pixels."""
    if len(pieces) < 2 * LEAST_ROWS:
        return None
    best: tuple[tuple[int, float], Lane] | None = None
    # A lane ends where the first box of the column right of it begins.
    for x in sorted({p.left - LANE / 2 * typical for p in pieces}):
        found = _lane_at(x, pieces, typical)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return best[1] if best else None


def _lane_at(x: float, pieces: Sequence[Piece], typical: float) -> tuple[tuple[int, float], Lane] | None:
    """The lane through x with what it is worth: rows of the shorter column, then width."""
    half = LANE * typical / 2
    crossing = sorted(p.middle for p in pieces if p.left < x + half and p.right > x - half)
    best: tuple[tuple[int, float], Lane] | None = None
    for top, bottom in zip((-np.inf, *crossing), (*crossing, np.inf), strict=True):
        inside = [p for p in pieces if top < p.middle < bottom]
        before = [p for p in inside if p.right <= x - half]
        after = [p for p in inside if p.left >= x + half]
        worth = _worth(before, after, typical)
        if worth is not None and (best is None or worth > best[0]):
            width_middle = (max(p.right for p in before) + min(p.left for p in after)) / 2
            best = worth, Lane(float(width_middle), float(top), float(bottom), worth[0])
    return best


def _worth(before: Sequence[Piece], after: Sequence[Piece], typical: float) -> tuple[int, float] | None:
    sides = [_spans(side, typical) for side in (before, after)]
    least = min(len(side) for side in sides)
    if least < LEAST_ROWS:
        return None
    if (
        min(float(np.median([end - start for _, start, end in side])) for side in sides)
        < LEAST_WIDTH * typical
    ):
        return None
    tops, bottoms = [side[0][0] for side in sides], [side[-1][0] for side in sides]
    beside = min(bottoms) - max(tops)
    if beside < 0.5 * min(low - high for low, high in zip(bottoms, tops, strict=True)):
        return None
    width = min(p.left for p in after) - max(p.right for p in before)
    lefts = [middle for middle, _, _ in sides[0]]
    shared = [middle for middle, _, _ in sides[1] if tops[0] <= middle <= bottoms[0]]
    level = sum(min(abs(middle - other) for other in lefts) < LEVEL * typical for middle in shared)
    needed = WIDE_LANE if level > 0.75 * len(shared) else LANE
    return (least, width) if width >= needed * typical else None


def _spans(side: Sequence[Piece], typical: float) -> list[tuple[float, float, float]]:
    """Rows of a side from the top, roughly: their middle, start and end."""
    rows: list[tuple[float, float, float]] = []
    for piece in sorted(side, key=lambda p: p.middle):
        if rows and piece.middle - rows[-1][0] < 0.5 * typical:
            middle, start, end = rows[-1]
            rows[-1] = middle, min(start, piece.left), max(end, piece.right)
        else:
            rows.append((piece.middle, piece.left, piece.right))
    return rows
