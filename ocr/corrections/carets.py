"""A row's own ink: the sheet without the words put in above the row and without the carets that call for
them.

The ink that hangs down from such a word reads as letters of the row, and so does a caret.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.image.geometry import grow_quad, homography, quad_size, transform_points, upright_frame
from ocr.page import Image

PALE, EDGE = 190, 5
"""Grey at which a pixel of an evened sheet is no stroke, however pale the pen, and pixels taken out about
strokes."""

MOSTLY = 0.5
"""Share of a piece's ink from which it belongs to the word put in."""

LETTER = 0.3
"""Of such a piece, a part in the row this high, in heights of its box, is a letter of the row that hangs
together with the word."""

BESIDE = 10.0
"""Heights off its middle line that a point counts for which lies a box's own length beside it."""

WIDE, HIGH = (0.12, 0.75), (0.12, 0.65)
"""Least and greatest size of a caret, in heights of its row; letters of a word written through are mostly
larger."""

LOW, REACH = 0.06, 0.35
"""The same heights: how far a caret reaches below the line that the row's letters stand on, and how far above
it at most."""

PEAK, FALL = 0.6, 0.45
"""The part of a caret's width, about its middle, where it is highest, and the share of its height that it
falls to either side."""

ROOM = 0.5
"""Heights of the row about the boxes in which ink is looked at whole: a caret hangs out of its row's box."""

ASIDE = 0.5
"""Heights of the row beside a word put in where its caret may still stand."""

Points = npt.NDArray[np.float64]


def without_inserted_words(clean: Image, row: Quad, put_in: Sequence[Quad]) -> Image:
    """A copy of the sheet in which the ink of words put in above a row, and of their carets, is paper.

    `row` and `put_in`: corners in pixels. Ink is whole letters or words that hang together; each goes to the
    box across whose height most of it lies nearer the middle. So a tail that hangs down from above goes with
    its word, and a tall letter of the row stays. Where letters of both hang together, they are cut apart
    half-way.
    """
    out = clean.copy()
    room = ROOM * quad_size(row)[1]
    (left, top), (right, foot) = _round(
        np.concatenate([grow_quad(row, room, room), *(grow_quad(quad, room, room) for quad in put_in)])
    )
    part = out[top:foot, left:right]
    if not part.size:
        return out
    dark = _ink(part)
    if not dark.any():
        return out
    count, labels = cv2.connectedComponents(dark.astype(np.uint8), connectivity=8)
    at = np.argwhere(dark)
    whose, points = (
        np.asarray(labels[at[:, 0], at[:, 1]], dtype=np.int32),
        np.asarray(at[:, ::-1] + [left, top], dtype=np.float64),
    )
    above = np.min([_off(quad, points) for quad in put_in], axis=0) < _off(row, points)
    theirs = np.bincount(whose, above, count) > MOSTLY * np.bincount(whose, minlength=count)
    letters = _extents(_down(row, points)[~above], whose[~above], count) >= LETTER
    gone = (theirs[whose] & (above | ~letters[whose])) | _carets(points, whose, ~theirs, row, put_in)[whose]
    mask = np.zeros(dark.shape, np.uint8)
    mask[at[gone, 0], at[gone, 1]] = 1
    part[cv2.dilate(mask, np.ones((EDGE, EDGE), np.uint8)) > 0] = 255
    return out


def _round(points: Quad) -> tuple[tuple[int, int], tuple[int, int]]:
    """The upper left pixel round some points, and the one past the lower right."""
    (left, top), (right, foot) = np.maximum(0, points.min(axis=0)), np.maximum(0, points.max(axis=0))
    return (int(left), int(top)), (int(right) + 1, int(foot) + 1)


def _ink(part: Image) -> npt.NDArray[np.bool_]:
    grey = part if part.ndim == 2 else cv2.cvtColor(part, cv2.COLOR_RGB2GRAY)
    # A ruled line that is left, or a fold, is paler than the pen, and would tie strokes together.
    between, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    # Of a picture in two greys, such as a fax, the threshold is the darker one itself; of one in a single
    # grey it is nought.
    return np.asarray((grey <= between) & (grey < PALE), dtype=np.bool_)


def _extents(values: Points, whose: npt.NDArray[np.int32], count: int) -> Points:
    """From the least to the greatest value of each piece; 0 for one without any."""
    least, most = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(least, whose, values)
    np.maximum.at(most, whose, values)
    return np.where(most >= least, most - least, 0.0)


def _down(quad: Quad, points: Points) -> Points:
    """How far down a box points lie: 0 at its upper edge, 1 at its lower one."""
    return np.asarray(
        transform_points(homography(quad, upright_frame(1.0, 1.0)), points)[:, 1], dtype=np.float64
    )


def _off(quad: Quad, points: Points) -> Points:
    """How far points lie off a box's middle line, in its heights; much farther where they lie beside the
    box."""
    flat = transform_points(homography(quad, upright_frame(1.0, 1.0)), points)
    beside = np.maximum(0.0, np.maximum(-flat[:, 0], flat[:, 0] - 1.0))
    return np.asarray(np.abs(flat[:, 1] - 0.5) + BESIDE * beside, dtype=np.float64)


def _carets(
    points: Points, whose: npt.NDArray[np.int32], own: npt.NDArray[np.bool_], row: Quad,
    put_in: Sequence[Quad]
) -> npt.NDArray[np.bool_]:
    """Which of the row's `own` pieces of ink are carets under a word put in. `whose`: each point's piece."""
    width, height = quad_size(row)
    level = homography(row, upright_frame(width / height, 1.0))
    flat = np.asarray(transform_points(level, points), dtype=np.float64)
    line = _foot(flat[own[whose] & (flat[:, 1] > 0.0) & (flat[:, 1] < 1.0)])
    spans = [
        (float(ends.min()) - ASIDE, float(ends.max()) + ASIDE)
        for ends in (transform_points(level, quad)[:, 0] for quad in put_in)
    ]
    middles = np.bincount(whose, flat[:, 0], len(own)) / np.maximum(1, np.bincount(whose, minlength=len(own)))
    wide, high = (_extents(flat[:, axis], whose, len(own)) for axis in (0, 1))
    small = (wide > WIDE[0]) & (wide < WIDE[1]) & (high > HIGH[0]) & (high < HIGH[1])
    under = np.any([(middles > a) & (middles < b) for a, b in spans], axis=0)
    found = np.zeros(len(own), np.bool_)
    # Paper full of specks has thousands of pieces, and hardly any that is as large as a caret.
    for number in np.flatnonzero(own & small & under):
        found[number] = _is_caret(flat[whose == number], line)
    return found


def _foot(points: Points) -> float:
    """The line that letters stand on: the middling one of where ink ends below along the row."""
    columns = np.round(points[:, 0] * 50).astype(np.int64)
    if not len(columns):
        return 1.0
    lowest = np.full(columns.max() - columns.min() + 1, -np.inf)
    np.maximum.at(lowest, columns - columns.min(), points[:, 1])
    return float(np.median(lowest[np.isfinite(lowest)]))


def _is_caret(piece: Points, line: float) -> bool:
    """Is a piece of ink, as large as a caret, two strokes that fall from a point between them, on the line
    and below it? In heights of the row."""
    (left, top), (right, foot) = piece.min(axis=0), piece.max(axis=0)
    wide, high = right - left, foot - top
    if not (foot > line + LOW and top > line - REACH):
        return False
    bins = np.minimum(8, ((piece[:, 0] - left) / wide * 9).astype(np.int64))
    tops = np.full(9, np.inf)
    np.minimum.at(tops, bins, piece[:, 1])
    peak = float(piece[piece[:, 1].argmin(), 0] - left) / wide
    falls = min(float(tops[0]), float(tops[8])) - top > FALL * high
    return bool(abs(peak - 0.5) < PEAK / 2 and falls)
