"""Rows of writing in reading order, from boxes of words and part rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import cv2
import numpy as np

from ocr.engines import Quad
from ocr.image.geometry import grow_quad, quad_size
from ocr.layout.columns import find_lane, row_beginnings

SAME_ROW = 0.55
"""Boxes whose middles lie within this many row heights of each other, along the slope, are one row."""

HIGH, LONG = 1.45, 2.0
"""A box this many times as high as the middling one, and this many of those heights long, holds a word put in
above its row, or two rows: of some 1,800 boxes on 120 composed sheets and the samples eight were so high,
seven of them a row with a word over a caret ..."""

CLOSER = (1.5, 2.0)
"""... so rows are looked for in it again, so many times closer."""

PUT_IN, A_ROW = 0.75, 0.95
"""Heights of the middling box from the middle of a word put in down to its row's, at most, and from one row's
to the next's, at least."""

AROUND = 0.3
"""Heights of the middling box about such a box that are looked at with it."""

BETWEEN, OVER = 0.35, 0.95
"""A box whose middle lies more than the first of these row heights off one row and less than the second off
another is between them."""

LEAST_LEANS = 4
"""Fewer pairs of rows than this do not show how the margin leans."""


OneKind: TypeAlias = Callable[[Sequence[Quad], Sequence[Quad]], bool]
"""Whether the first boxes of the rows of two columns, on the sheet, say that each is a list of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class RowStrip:
    """One physical row on the squared sheet: its corners, and where it lies along the slope.

    `left` and `right` are x, `middle` is y, all in pixels of the sheet after it is turned by the slope.
    """

    quad: Quad
    left: float
    right: float
    middle: float
    height: float


def writing_slope(quads: Sequence[Quad]) -> float:
    """How far the writing falls to the right, in radians; longer boxes count for more. 0 for no boxes."""
    angles, weights = [], []
    for quad in quads:
        width, height = quad_size(quad)
        if width > 2 * height:
            along = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
            angles.append(float(np.arctan2(along[1], along[0])))
            weights.append(width)
    return _weighted_median(angles, weights) if angles else 0.0


def runs_sideways(quads: Sequence[Quad]) -> bool:
    """Whether the writing runs up or down the sheet rather than across it."""
    across = upright = 0.0
    for quad in quads:
        size = quad.max(axis=0) - quad.min(axis=0)
        longer, shorter = max(size), max(1.0, float(min(size)))
        if longer > 1.8 * shorter:
            across += float(longer) if size[0] > size[1] else 0.0
            upright += float(longer) if size[1] > size[0] else 0.0
    return upright > across


def row_strips(quads: Sequence[Quad], one_kind: OneKind | None = None) -> tuple[RowStrip, ...]:
    """Rows from top to bottom, columns from left to right; boxes of one row are joined.

    `one_kind` is asked where layout alone does not tell columns from one list in two parts; without it that
    is one list.
    """
    if not quads:
        return ()
    angle = writing_slope(quads)
    turn = _turn(-angle)
    pieces = [_piece(quad, turn) for quad in quads]
    typical = float(np.median([piece.height for piece in pieces]))
    pieces = [piece for piece in pieces if piece.height > 0.4 * typical]
    back = _turn(angle)
    return tuple(
        _joined(row, back)
        for block in _blocks(pieces, typical, back, one_kind)
        for row in _ordered(_rows(block, typical))
    )


def tangled_share(quads: Sequence[Quad]) -> float:
    """The share of boxes whose middle lies inside another, 0..1: rows so tight that the finder ran them
    together."""
    middles = [[float(at) for at in quad.mean(axis=0)] for quad in quads]
    inside = [
        any(
            one != other and cv2.pointPolygonTest(quad, middle, measureDist=False) > 0
            for other, quad in enumerate(quads)
        )
        for one, middle in enumerate(middles)
    ]
    return sum(inside) / len(quads) if quads else 0.0


def part_tall_boxes(
    quads: Sequence[Quad], closer: Callable[[Quad, float], Sequence[Quad]]
) -> tuple[Quad, ...]:
    """The boxes, those much higher than the others as the boxes that a closer look finds in them: a word put
    in above a row and the row below it are often found as one. `closer` is given a box to look in and how
    many times closer."""
    usual = float(np.median([min(quad_size(quad)) for quad in quads])) if quads else 0.0
    found: list[Quad] = []
    for at, quad in enumerate(quads):
        height, width = sorted(quad_size(quad))
        high = height > HIGH * usual and width > LONG * usual
        found += _parts(quad, [*quads[:at], *quads[at + 1 :]], usual, closer) if high else [quad]
    return tuple(found)


def _parts(
    quad: Quad, others: Sequence[Quad], usual: float, closer: Callable[[Quad, float], Sequence[Quad]]
) -> list[Quad]:
    """The boxes within one, none of them as high and none the piece of another's row that reaches into it;
    that box itself where nobody finds two."""
    around = grow_quad(quad, AROUND * usual, AROUND * usual)
    for times in CLOSER:
        middles = [(one, [float(at) for at in one.mean(axis=0)]) for one in closer(around, times)]
        inside = [
            one
            for one, middle in middles
            if _holds(quad, middle) and not any(_holds(other, middle) for other in others)
        ]
        if (
            len(inside) > 1
            and max(min(quad_size(one)) for one in inside) <= HIGH * usual
            and _plainly_apart(inside, usual)
        ):
            return inside
    return [quad]


def _plainly_apart(quads: Sequence[Quad], usual: float) -> bool:
    """Are boxes so close above each other that one is put in above the other, or so far that they are rows?
    Between the two the box round both says more."""
    gaps = np.diff(sorted(float(quad[:, 1].mean()) for quad in quads)) / usual
    return not bool(((gaps > PUT_IN) & (gaps < A_ROW)).any())


def _holds(quad: Quad, point: Sequence[float]) -> bool:
    return cv2.pointPolygonTest(quad, (point[0], point[1]), measureDist=False) > 0


def row_indents(rows: Sequence[RowStrip]) -> tuple[float, ...]:
    """How far right of the margin each row starts, in heights of the sheet's middling row.

    The margin may lean against the rows: it is the line along which most rows follow each other.
    """
    leans = [
        (below.left - above.left) / (below.middle - above.middle)
        for above, below in pairwise(rows)
        if below.middle - above.middle > 0.5 * above.height
    ]
    lean = float(np.median(leans)) if len(leans) >= LEAST_LEANS else 0.0
    starts = [row.left - lean * row.middle for row in rows]
    typical = float(np.median([row.height for row in rows])) if rows else 1.0
    return tuple((start - min(starts)) / typical for start in starts)


def _turn(angle: float) -> Quad:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], dtype=np.float32)


def _piece(quad: Quad, turn: Quad) -> RowStrip:
    level = quad @ turn.T
    return RowStrip(
        level,
        float(level[[0, 3], 0].mean()),
        float(level[[1, 2], 0].mean()),
        float(level[:, 1].mean()),
        quad_size(level)[1],
    )


def _rows(pieces: Sequence[RowStrip], typical: float) -> list[list[RowStrip]]:
    """Longest first, so that a row's own tilt is known before small pieces at its end are placed."""
    rows: list[list[RowStrip]] = []
    for piece in sorted(pieces, key=lambda p: p.left - p.right):
        distance, home = min(((_distance(piece, row), k) for k, row in enumerate(rows)), default=(np.inf, -1))
        if (distance < SAME_ROW * max(typical, piece.height * 0.8) and not _covers(rows[home], piece)
                and not (distance > BETWEEN * typical and _between(piece, rows, home, typical))):
            rows[home].append(piece)
        else:
            rows.append([piece])
    return rows


def _distance(piece: RowStrip, row: Sequence[RowStrip]) -> float:
    """From a piece's middle to the line of the row's longest piece, carried on, in pixels."""
    first = row[0].quad
    start, end = (first[0] + first[3]) / 2, (first[1] + first[2]) / 2
    run = max(1.0, float(end[0] - start[0]))
    rise = float(end[1] - start[1]) / run if run > 4 * row[0].height else 0.0
    x = (piece.left + piece.right) / 2
    return abs(piece.middle - (float(start[1]) + rise * (x - float(start[0]))))


def _covers(row: Sequence[RowStrip], piece: RowStrip) -> bool:
    """Whether the piece lies mostly over or under ground the row already has."""
    shared = sum(max(0.0, min(p.right, piece.right) - max(p.left, piece.left)) for p in row)
    return shared > 0.5 * (piece.right - piece.left)


def _between(piece: RowStrip, rows: Sequence[Sequence[RowStrip]], home: int, typical: float) -> bool:
    """Whether a piece that lies off its nearest row's line stands over or under another row that is near: a
    word put in above that one, behind the end of a short row."""
    return any(
        k != home and _covers(row, piece) and _distance(piece, row) < OVER * typical for k,
        row in enumerate(rows))


def _ordered(rows: Sequence[list[RowStrip]]) -> list[list[RowStrip]]:
    return sorted(rows, key=lambda row: float(np.mean([piece.middle for piece in row])))


def _blocks(
    pieces: Sequence[RowStrip], typical: float, back: Quad, one_kind: OneKind | None
) -> list[list[RowStrip]]:
    """Parts of the sheet in reading order: what stands above columns, the columns from the left, what stands
    below.

    Margins stand upright on the sheet or square to the writing, so lanes are looked for both ways; `back`
    leads from the second to the first. Which rows are level is a matter of the writing alone.
    """
    upright = {id(p): replace(_piece(p.quad, back), middle=p.middle) for p in pieces}
    found = [
        (find_lane([at[id(p)] for p in pieces], typical), at) for at in (upright, {id(p): p for p in pieces})
    ]
    lanes = [(one, at) for one, at in found if one is not None]
    if not lanes:
        return [list(pieces)]
    best, at = max(lanes, key=lambda pair: (pair[0].is_certain, pair[0].rows))
    if not best.is_certain:
        on_sheet = {id(at[id(p)]): upright[id(p)].quad for p in pieces}
        firsts = [
            [on_sheet[id(p)] for p in side]
            for side in row_beginnings([at[id(p)] for p in pieces], best, typical)
        ]
        if one_kind is None or not one_kind(*firsts):
            return [list(pieces)]
    above = [p for p in pieces if at[id(p)].middle <= best.top]
    below = [p for p in pieces if at[id(p)].middle >= best.bottom]
    within = [p for p in pieces if best.top < at[id(p)].middle < best.bottom]
    sides = [
        [p for p in within if at[id(p)].left < best.x],
        [p for p in within if at[id(p)].left >= best.x],
    ]
    parts = [above, *(part for side in sides for part in _blocks(side, typical, back, one_kind)), below]
    return [part for part in parts if part]


def _joined(row: Sequence[RowStrip], back: Quad) -> RowStrip:
    """One strip round all pieces of a row, lying along them."""
    points = np.concatenate([piece.quad for piece in row])
    left, right = float(points[:, 0].min()), float(points[:, 0].max())
    widths = [piece.right - piece.left for piece in row]
    height = float(np.average([piece.height for piece in row], weights=widths))
    centres = np.array([[(p.quad[0] + p.quad[3]) / 2, (p.quad[1] + p.quad[2]) / 2] for p in row]).reshape(
        -1, 2
    )
    if right - left > 4 * height:
        rise, level = np.polyfit(centres[:, 0], centres[:, 1], 1, w=np.sqrt(np.repeat(widths, 2)))
    else:
        rise, level = 0.0, float(np.average(centres[:, 1], weights=np.repeat(widths, 2)))
    ends = [rise * x + level for x in (left, right)]
    half = height / 2
    level_quad = np.array(
        [[left, ends[0] - half], [right, ends[1] - half], [right, ends[1] + half], [left, ends[0] + half]],
        dtype=np.float32,
    )
    middle = rise * (left + right) / 2 + level
    return RowStrip(np.asarray(level_quad @ back.T, dtype=np.float32), left, right, float(middle), height)


def _weighted_median(values: Sequence[float], weights: Sequence[float]) -> float:
    order = np.argsort(values)
    total = np.cumsum(np.asarray(weights)[order])
    return float(np.asarray(values)[order][int(np.searchsorted(total, total[-1] / 2))])
