"""Rows of writing in reading order, from boxes of words and parts of rows.

A row height is the median height of the sheet's boxes. `left`, `right` and `middle` are pixels of the sheet
after it is turned by the writing's slope; y grows downwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import cv2
import numpy as np

from ocr.engines import Quad
from ocr.image.geometry import grow_quad, quad_size
from ocr.layout.columns import Lane, find_lane, row_beginnings

# Tuning values, in row heights unless said. "By hand": no measurement on record.
# Slope and direction.
SLOPE_RATIO = 2.0  # width over height, 1..: shorter boxes do not show the slope. By hand
SIDEWAYS_RATIO = 1.8  # longer over shorter side, 1..: squarer boxes do not show the direction. By hand
# Boxes that are one row.
LEAST_HEIGHT = 0.4
"""0..1: lower boxes are specks and ends of rules. Photographs: all 2,656 boxes 0.51 or more."""
SAME_ROW = 0.55
"""0.3..0.8: middles this near, along the slope, are one row. Photographs: pieces of one row 0.11 or less, an
inserted word 0.48, other rows 0.73 or more."""
LARGE_PIECE = 0.8  # 0..1: for a higher box that is taken of this share of its own height. By hand
COVERED = 0.5
"""Share of a box's width, 0..1, over ground a row has already: then it is of another row. Photographs: pieces
of one row 0.18 or less, an inserted word 1.0."""
BETWEEN, OVER = 0.35, 0.95
"""A box farther than the first from one row and nearer than the second to another is above or below that
other: a word inserted behind the end of a short row. Commit fecf741; Photographs: pieces of the row 0.11 or
less, an inserted word 0.48."""
SHOWS_TILT = 4.0  # width in its own heights, 1..: shorter rows are taken as level. By hand
# Boxes that hold a row and a word inserted above it, or two rows.
HIGH, LONG = 1.45, 2.0
"""Such a box is at least so high and so long: of some 1,800 boxes on 120 composed sheets and the samples
eight were so high, seven of them a row with a word over a caret (commit fecf741). Photographs: 1,068 boxes
1.40 or less, one 1.48."""
CLOSER = (1.5, 2.0)  # factors, 1..3, by which rows are looked for in it again, at larger scale. By hand
AROUND = 0.3  # 0..1: room round it that is looked at as well. By hand
INSERTED, ROW_PITCH = 0.75, 0.95
"""Distance of middles: at most the first for an inserted word and its row, at least the second for two rows.
Between the two the box stays whole. Commit 6a999fe; see also `corrections.apply.CLOSE`."""
# The margin's lean.
PITCH = 0.5  # 0..1: rows less far below each other are level, and do not show how the margin leans. By hand
LEAST_LEANS = 4  # pairs of rows that show it, 2..8. By hand

SameKind: TypeAlias = Callable[[Sequence[Quad], Sequence[Quad]], bool]
"""True if two columns begin alike, given the first boxes of their rows on the sheet: each is a list of its
own."""


@dataclass(frozen=True, slots=True, eq=False)
class RowStrip:
    """One physical row on the flattened sheet: its corners in pixels, and where it lies along the slope."""

    quad: Quad
    left: float
    right: float
    middle: float
    height: float


def writing_slope(quads: Sequence[Quad]) -> float:
    """How far the writing falls to the right, in radians: the median of the boxes, weighted by width; 0 for
    none."""
    angles, weights = [], []
    for quad in quads:
        width, height = quad_size(quad)
        if width > SLOPE_RATIO * height:
            along = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
            angles.append(float(np.arctan2(along[1], along[0])))
            weights.append(width)
    return _weighted_median(angles, weights) if angles else 0.0


def runs_sideways(quads: Sequence[Quad]) -> bool:
    """True if the writing runs up or down the sheet rather than across it."""
    across = upright = 0.0
    for quad in quads:
        extent = quad.max(axis=0) - quad.min(axis=0)
        longer, shorter = max(extent), max(1.0, float(min(extent)))
        if longer > SIDEWAYS_RATIO * shorter:
            across += float(longer) if extent[0] > extent[1] else 0.0
            upright += float(longer) if extent[1] > extent[0] else 0.0
    return upright > across


def row_strips(quads: Sequence[Quad], same_kind: SameKind | None = None) -> tuple[RowStrip, ...]:
    """Rows from top to bottom, columns from left to right; boxes of one row are joined.

    `same_kind` decides if layout alone does not distinguish two columns from one list in two parts. Without
    it they are one list. """
    if not quads:
        return ()
    angle = writing_slope(quads)
    turn = _rotation_matrix(-angle)
    pieces = [_level_strip(quad, turn) for quad in quads]
    row_height = float(np.median([piece.height for piece in pieces]))
    pieces = [piece for piece in pieces if piece.height > LEAST_HEIGHT * row_height]
    back = _rotation_matrix(angle)
    return tuple(
        _joined(row, back)
        for block in _blocks(pieces, row_height, back, same_kind)
        for row in _from_top(_rows(block, row_height))
    )


def tangled_share(quads: Sequence[Quad]) -> float:
    """The share of boxes whose middle lies inside another, 0..1: tight rows that the finder ran together."""
    middles = [[float(value) for value in quad.mean(axis=0)] for quad in quads]
    is_inside = [
        any(
            index != other and cv2.pointPolygonTest(quad, middle, measureDist=False) > 0
            for other, quad in enumerate(quads)
        )
        for index, middle in enumerate(middles)
    ]
    return sum(is_inside) / len(quads) if quads else 0.0


def part_tall_boxes(
    quads: Sequence[Quad], find_at: Callable[[Quad, float], Sequence[Quad]]
) -> tuple[Quad, ...]:
    """The boxes, with those much higher than the others replaced by what a closer look finds in them.

    A row and the word inserted above it are often found as one box. `find_at(quad, factor)` looks for boxes
    in a box, enlarged by a factor.
    """
    row_height = float(np.median([min(quad_size(quad)) for quad in quads])) if quads else 0.0
    parted: list[Quad] = []
    for index, quad in enumerate(quads):
        height, width = sorted(quad_size(quad))
        is_tall = height > HIGH * row_height and width > LONG * row_height
        others = [*quads[:index], *quads[index + 1 :]] if is_tall else []
        parted += _parts(quad, others, row_height, find_at) if is_tall else [quad]
    return tuple(parted)


def _parts(
    quad: Quad, others: Sequence[Quad], row_height: float, find_at: Callable[[Quad, float], Sequence[Quad]]
) -> list[Quad]:
    """The boxes within one, or that box itself if no one finds two.

    None of them may be as high as the box, nor a piece of another row that reaches into it.
    """
    around = grow_quad(quad, AROUND * row_height, AROUND * row_height)
    for factor in CLOSER:
        middles = [(part, [float(value) for value in part.mean(axis=0)]) for part in find_at(around, factor)]
        inside = [
            part
            for part, middle in middles
            if _holds(quad, middle) and not any(_holds(other, middle) for other in others)
        ]
        if (
            len(inside) > 1
            and max(min(quad_size(part)) for part in inside) <= HIGH * row_height
            and _are_clearly_apart(inside, row_height)
        ):
            return inside
    return [quad]


def _are_clearly_apart(quads: Sequence[Quad], row_height: float) -> bool:
    """True if boxes are so close that one is inserted above the other, or so far apart that they are rows."""
    gaps = np.diff(sorted(float(quad[:, 1].mean()) for quad in quads)) / row_height
    return not bool(((gaps > INSERTED) & (gaps < ROW_PITCH)).any())


def _holds(quad: Quad, point: Sequence[float]) -> bool:
    return cv2.pointPolygonTest(quad, (point[0], point[1]), measureDist=False) > 0


def row_indents(rows: Sequence[RowStrip]) -> tuple[float, ...]:
    """How far right of the margin each row starts, in heights of the median row; 0 or more.

    The margin may lean against the rows: it is the line along which most rows follow each other.
    """
    leans = [
        (below.left - above.left) / (below.middle - above.middle)
        for above, below in pairwise(rows)
        if below.middle - above.middle > PITCH * above.height
    ]
    lean = float(np.median(leans)) if len(leans) >= LEAST_LEANS else 0.0
    starts = [row.left - lean * row.middle for row in rows]
    row_height = float(np.median([row.height for row in rows])) if rows else 1.0
    return tuple((start - min(starts)) / row_height for start in starts)


def _rotation_matrix(angle: float) -> Quad:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], dtype=np.float32)


def _level_strip(quad: Quad, turn: Quad) -> RowStrip:
    level = quad @ turn.T
    return RowStrip(
        quad=level,
        left=float(level[[0, 3], 0].mean()),
        right=float(level[[1, 2], 0].mean()),
        middle=float(level[:, 1].mean()),
        height=quad_size(level)[1],
    )


def _rows(pieces: Sequence[RowStrip], row_height: float) -> list[list[RowStrip]]:
    """The pieces of each row. Longest first, so a row's tilt is known before small pieces at its end are
    placed."""
    rows: list[list[RowStrip]] = []
    for piece in sorted(pieces, key=lambda strip: strip.left - strip.right):
        distance, nearest = min(
            ((_distance(piece, row), index) for index, row in enumerate(rows)), default=(np.inf, -1)
        )
        if (distance < SAME_ROW * max(row_height, piece.height * LARGE_PIECE)
                and not _covers(rows[nearest], piece)
                and not (distance > BETWEEN * row_height and _is_between(piece, rows, nearest, row_height))):
            rows[nearest].append(piece)
        else:
            rows.append([piece])
    return rows


def _distance(piece: RowStrip, row: Sequence[RowStrip]) -> float:
    """From a piece's middle to the line of the row's longest piece, continued, in pixels."""
    longest = row[0].quad
    start, end = (longest[0] + longest[3]) / 2, (longest[1] + longest[2]) / 2
    run = max(1.0, float(end[0] - start[0]))
    rise = float(end[1] - start[1]) / run if run > SHOWS_TILT * row[0].height else 0.0
    x = (piece.left + piece.right) / 2
    return abs(piece.middle - (float(start[1]) + rise * (x - float(start[0]))))


def _covers(row: Sequence[RowStrip], piece: RowStrip) -> bool:
    """True if the piece lies mostly above or below pieces that the row already has."""
    shared = sum(max(0.0, min(strip.right, piece.right) - max(strip.left, piece.left)) for strip in row)
    return shared > COVERED * (piece.right - piece.left)


def _is_between(piece: RowStrip, rows: Sequence[Sequence[RowStrip]], nearest: int, row_height: float) -> bool:
    """True if a piece off its nearest row's line lies above or below another row that is near."""
    return any(
        index != nearest and _covers(row, piece) and _distance(piece, row) < OVER * row_height
        for index, row in enumerate(rows)
    )


def _from_top(rows: Sequence[list[RowStrip]]) -> list[list[RowStrip]]:
    return sorted(rows, key=lambda row: float(np.mean([piece.middle for piece in row])))


def _blocks(
    pieces: Sequence[RowStrip], row_height: float, back: Quad, same_kind: SameKind | None
) -> list[list[RowStrip]]:
    """Parts of the sheet in reading order: what is above columns, the columns from the left, what is below.

    `back` is the matrix from level to sheet coordinates.
    """
    # Margins are upright on the sheet or square to the writing, so lanes are looked for both ways. Which rows
    # are level depends on the writing alone, hence `middle` as it is.
    upright = [replace(_level_strip(piece.quad, back), middle=piece.middle) for piece in pieces]
    lanes: list[tuple[Lane, Sequence[RowStrip]]] = []
    for views in (upright, pieces):
        lane = find_lane(views, row_height)
        if lane is not None:
            lanes.append((lane, views))
    if not lanes:
        return [list(pieces)]
    best, views = max(lanes, key=lambda pair: (pair[0].is_certain, pair[0].rows))
    if not best.is_certain:
        quad_on_sheet = {view: strip.quad for view, strip in zip(views, upright, strict=True)}
        firsts = [[quad_on_sheet[view] for view in side] for side in row_beginnings(views, best, row_height)]
        if same_kind is None or not same_kind(*firsts):
            return [list(pieces)]
    located = list(zip(pieces, views, strict=True))
    above = [piece for piece, view in located if view.middle <= best.top]
    below = [piece for piece, view in located if view.middle >= best.bottom]
    beside = [(piece, view) for piece, view in located if best.top < view.middle < best.bottom]
    sides = [
        [piece for piece, view in beside if (view.left >= best.x) == is_right] for is_right in (False, True)
    ]
    # A column may itself hold columns.
    columns = [part for side in sides for part in _blocks(side, row_height, back, same_kind)]
    return [part for part in (above, *columns, below) if part]


def _joined(row: Sequence[RowStrip], back: Quad) -> RowStrip:
    """One strip round all pieces of a row, lying along them."""
    points = np.concatenate([piece.quad for piece in row])
    left, right = float(points[:, 0].min()), float(points[:, 0].max())
    widths = [piece.right - piece.left for piece in row]
    height = float(np.average([piece.height for piece in row], weights=widths))
    ends = [[(piece.quad[0] + piece.quad[3]) / 2, (piece.quad[1] + piece.quad[2]) / 2] for piece in row]
    centres = np.array(ends).reshape(-1, 2)
    # Long rows: a line through the ends of the pieces, weighted by width. Short rows are level.
    if right - left > SHOWS_TILT * height:
        rise, level = np.polyfit(centres[:, 0], centres[:, 1], 1, w=np.sqrt(np.repeat(widths, 2)))
    else:
        rise, level = 0.0, float(np.average(centres[:, 1], weights=np.repeat(widths, 2)))
    y_left, y_right = (rise * x + level for x in (left, right))
    half = height / 2
    level_quad = np.array(
        [[left, y_left - half], [right, y_right - half], [right, y_right + half], [left, y_left + half]],
        dtype=np.float32,
    )
    middle = rise * (left + right) / 2 + level
    return RowStrip(np.asarray(level_quad @ back.T, dtype=np.float32), left, right, float(middle), height)


def _weighted_median(values: Sequence[float], weights: Sequence[float]) -> float:
    order = np.argsort(values)
    cumulative = np.cumsum(np.asarray(weights)[order])
    return float(np.asarray(values)[order][int(np.searchsorted(cumulative, cumulative[-1] / 2))])
