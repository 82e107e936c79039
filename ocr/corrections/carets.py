"""A row's own ink: the sheet without the words inserted above the row and without their carets.

The ink that hangs down from such a word reads as letters of the row, and so does a caret. Half of such orders
were lost to that (commit fc7b5b3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.image.geometry import grow_quad, homography, quad_size, transform_points, upright_frame
from ocr.page import Image

Points: TypeAlias = npt.NDArray[np.float64]
"""float64, shape (n, 2), x and y."""

Flags: TypeAlias = npt.NDArray[np.bool_]
Labels: TypeAlias = npt.NDArray[np.int32]
"""The number of the piece of ink that each point belongs to; a piece is ink that hangs together."""

# Tuning values, in heights of the row unless said. "By hand": no measurement on record.
# Ink and what it belongs to.
PALE = 190  # grey, 100..230: a pixel of an evened sheet so light is no stroke, however pale the pen. By hand
EDGE = 5  # pixels, odd, 1..9: strokes are erased with the square of that side round them. By hand
PAPER_WHITE = 255  # grey that replaces erased ink
ROOM = 0.5  # 0..1: ink is looked at so far round the boxes, since a caret hangs out of its row's box. By hand
MOSTLY = 0.5  # share of a piece's ink, 0..1, from which it belongs to the inserted word. By hand
LETTER = 0.3
"""0..1: a part of such a piece in the row, so high, is a letter of the row that touches the word. By hand."""
BESIDE = 10.0  # heights off its middle line that count for a point a box's length next to it. By hand
# Carets: two strokes that fall from a point. Letters of a word written through are mostly larger.
ASIDE = 0.5  # 0..2: next to an inserted word, where its caret may still be. By hand
CARET_WIDTH, CARET_HEIGHT = (0.12, 0.75), (0.12, 0.65)  # least and greatest size of a caret. By hand
BELOW_LINE, ABOVE_LINE = 0.06, 0.35
"""0..1: a caret reaches at least so far below the line that the row's letters are on, and at most so far
above it. By hand."""
PEAK = 0.6  # share of a caret's width, 0..1, about its middle, in which its highest point is. By hand
FALL = 0.45  # share of its height, 0..1, by which it falls to either side. By hand
SLICES = 9  # parts of a caret's width whose highest points are compared; the outer two are its sides. By hand
LINE_SLICES = 50  # slices per row height in which the lowest ink is taken for the line of writing. By hand


def without_inserted_words(clean: Image, row: Quad, inserted: Sequence[Quad]) -> Image:
    """A copy of the sheet in which the ink of words inserted above a row, and of their carets, is paper.

    `row` and `inserted`: corners in pixels. A piece of ink goes to the box whose middle line is nearer to
    most of it. So a tail that hangs down from above goes with its word, and a tall letter of the row stays.
    Where letters of both touch, they are cut apart half-way.
    """
    out = clean.copy()
    room = ROOM * quad_size(row)[1]
    boxes = [grow_quad(row, room, room), *(grow_quad(quad, room, room) for quad in inserted)]
    (left, top), (right, bottom) = _pixel_bounds(np.concatenate(boxes))
    part = out[top:bottom, left:right]
    if not part.size:
        return out
    dark = _ink(part)
    if not dark.any():
        return out
    # 1. Pieces of ink, and for each point the box it is nearer to.
    count, label_image = cv2.connectedComponents(dark.astype(np.uint8), connectivity=8)
    pixels = np.argwhere(dark)
    labels = np.asarray(label_image[pixels[:, 0], pixels[:, 1]], dtype=np.int32)
    points = np.asarray(pixels[:, ::-1] + [left, top], dtype=np.float64)
    word_distance = np.min([_line_distance(quad, points) for quad in inserted], axis=0)
    is_above = word_distance < _line_distance(row, points)
    # 2. Pieces of the inserted words; what is tall enough in the row below stays with it.
    is_inserted = np.bincount(labels, is_above, count) > MOSTLY * np.bincount(labels, minlength=count)
    own_extent = _extents(_depth(row, points)[~is_above], labels[~is_above], count)
    has_letter = own_extent >= LETTER
    is_erased = is_inserted[labels] & (is_above | ~has_letter[labels])
    is_erased |= _carets(points, labels, ~is_inserted, row, inserted)[labels]
    # 3. Erase them with the pale edges of their strokes.
    mask = np.zeros(dark.shape, np.uint8)
    mask[pixels[is_erased, 0], pixels[is_erased, 1]] = 1
    part[cv2.dilate(mask, np.ones((EDGE, EDGE), np.uint8)) > 0] = PAPER_WHITE
    return out


def _pixel_bounds(points: Quad) -> tuple[tuple[int, int], tuple[int, int]]:
    """The upper left pixel of some points, and the one past the lower right."""
    (left, top), (right, bottom) = np.maximum(0, points.min(axis=0)), np.maximum(0, points.max(axis=0))
    return (int(left), int(top)), (int(right) + 1, int(bottom) + 1)


def _ink(part: Image) -> Flags:
    grey = part if part.ndim == 2 else cv2.cvtColor(part, cv2.COLOR_RGB2GRAY)
    # A ruled line that is left, or a fold, is paler than the pen, and would tie strokes together.
    threshold, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    # Of a picture in two greys, such as a fax, the threshold is the darker one itself, hence <=; of one in a
    # single grey it is 0 (commit db360dd).
    return np.asarray((grey <= threshold) & (grey < PALE), dtype=np.bool_)


def _extents(values: npt.NDArray[np.float64], labels: Labels, count: int) -> npt.NDArray[np.float64]:
    """Greatest minus least value of each piece, shape (count,); 0 for a piece without values."""
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, labels, values)
    np.maximum.at(most, labels, values)
    return np.where(most >= least, most - least, 0.0)


def _depth(quad: Quad, points: Points) -> npt.NDArray[np.float64]:
    """How far down a box each point is: 0 at its upper edge, 1 at its lower one."""
    unit = transform_points(homography(quad, upright_frame(1.0, 1.0)), points)
    return np.asarray(unit[:, 1], dtype=np.float64)


def _line_distance(quad: Quad, points: Points) -> npt.NDArray[np.float64]:
    """How far each point is off a box's middle line, in heights of the box; much farther next to the box."""
    unit = transform_points(homography(quad, upright_frame(1.0, 1.0)), points)
    beside = np.maximum(0.0, np.maximum(-unit[:, 0], unit[:, 0] - 1.0))
    return np.asarray(np.abs(unit[:, 1] - 0.5) + BESIDE * beside, dtype=np.float64)


def _carets(points: Points, labels: Labels, is_own: Flags, row: Quad, inserted: Sequence[Quad]) -> Flags:
    """Which pieces of the row's own ink are carets under an inserted word: bool, shape as `is_own`."""
    width, height = quad_size(row)
    to_row = homography(row, upright_frame(width / height, 1.0))
    flat = np.asarray(transform_points(to_row, points), dtype=np.float64)
    line = _writing_line(flat[is_own[labels] & (flat[:, 1] > 0.0) & (flat[:, 1] < 1.0)])
    spans = [
        (float(xs.min()) - ASIDE, float(xs.max()) + ASIDE)
        for xs in (transform_points(to_row, quad)[:, 0] for quad in inserted)
    ]
    count = len(is_own)
    middles = np.bincount(labels, flat[:, 0], count) / np.maximum(1, np.bincount(labels, minlength=count))
    widths, heights = (_extents(flat[:, axis], labels, count) for axis in (0, 1))
    has_size = (widths > CARET_WIDTH[0]) & (widths < CARET_WIDTH[1])
    has_size &= (heights > CARET_HEIGHT[0]) & (heights < CARET_HEIGHT[1])
    is_under = np.any([(middles > start) & (middles < end) for start, end in spans], axis=0)
    is_caret = np.zeros(count, np.bool_)
    # Paper full of specks has thousands of pieces, and hardly any as large as a caret: size before shape.
    for label in np.flatnonzero(is_own & has_size & is_under):
        is_caret[label] = _is_caret(flat[labels == label], line)
    return is_caret


def _writing_line(points: Points) -> float:
    """The y of the line that letters are on: the median of where ink ends below along the row; 1 without
    ink."""
    slices = np.round(points[:, 0] * LINE_SLICES).astype(np.int64)
    if not len(slices):
        return 1.0
    lowest = np.full(slices.max() - slices.min() + 1, -np.inf)
    np.maximum.at(lowest, slices - slices.min(), points[:, 1])
    return float(np.median(lowest[np.isfinite(lowest)]))


def _is_caret(piece: Points, line: float) -> bool:
    """True if a piece of a caret's size is two strokes that fall from a point between them, on the line and
    below it."""
    (left, top), (right, bottom) = piece.min(axis=0), piece.max(axis=0)
    width, height = right - left, bottom - top
    if not (bottom > line + BELOW_LINE and top > line - ABOVE_LINE):
        return False
    slices = np.minimum(SLICES - 1, ((piece[:, 0] - left) / width * SLICES).astype(np.int64))
    tops = np.full(SLICES, np.inf)
    np.minimum.at(tops, slices, piece[:, 1])
    peak = float(piece[piece[:, 1].argmin(), 0] - left) / width
    has_sides = min(float(tops[0]), float(tops[-1])) - top > FALL * height
    return bool(abs(peak - 0.5) < PEAK / 2 and has_sides)
