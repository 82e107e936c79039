"""The letters of a word as they stand in their row: each cut out, and with the ink about it.

A letter in a word may touch its neighbours. Where it is cut out its edges are guessed; where it is seen with
what is about it nothing is cut, and its neighbours are in the way. Each errs elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from ocr.page import Image, LetterShape, LetterView

LETTER = 12
"""Pixels of a view for a letter's width, from its middle to the next one's."""

WIDTH, HEIGHT, ASIDE, UP = 16, 24, 4, 9
"""Pixels of a view that are compared, and how far it may be moved to each side and up or down: rows are not
cut at their base line. Of widths from 12 to 20 and heights from 24 to 32 these told letters of writers for
calibration best."""

CUT_SHARE = 1 / 3
"""Share of a likeness that the letter as it is cut out counts for. By hand."""

SPECK, LOOSE, AT_EDGE = 0.04, 0.5, 0.3
"""Shares of the middling piece of ink, by pixels: below SPECK a piece is dirt; below LOOSE one that touches
the crop's edge, and keeps to AT_EDGE of its height there, is of another row. By hand."""

MOST_OF, PART_OF, MUCH = 0.75, 0.25, 0.3
"""Shares of a piece of ink that lie within a letter: from MOST_OF on all of it is the letter's, below PART_OF
nothing, unless it is MUCH of the letter. By hand."""

SIDE = 20
"""Pixels of the sides of a letter that is cut out, as of the digits of MNIST."""

EDGE, BLUR = 2, 1.0
"""Pixels left free about a shape, and sigma of its blur in pixels: letters of one hand differ by that. By
hand."""

LEAST_HEIGHT = 6
"""Pixels of ink, below which there is nothing to compare. By hand."""

MOST_SHIFT = 2
"""Pixels of those SIDE, by which one is moved against the other. By hand."""


SMALLEST = 5
"""Pixels of a letter's width, at least, when a row is brought to the size of views. By hand."""

_Ink = npt.NDArray[np.uint8]


class ViewedRow:
    """A row whose letters are looked at one by one.

    `middles`: of all its letters and signs, from the left, shares of the crop's width. `spacing`: from the
    middle of a letter to the next one's, on its sheet, in the same measure; above 0."""

    def __init__(self, crop: Image, middles: Sequence[float], spacing: float) -> None:
        """See the class."""
        self._ink, self._labels, self._areas = _own_ink(crop)
        width = self._ink.shape[1]
        self._columns = [middle * width for middle in middles]
        self._large = _darkness(crop, self._ink, LETTER / max(SMALLEST, spacing * width))
        self._growth = self._large.shape[1] / width
        self._profile = self._ink.sum(axis=0).astype(np.float64)

    def view(self, index: int) -> LetterView | None:
        """The letter at `middles[index]`; None without ink."""
        columns = self._columns
        around = _around(self._large, columns[index] * self._growth)
        if around is None:
            return None
        left = _least_ink(self._profile, columns[index - 1], columns[index]) if index else 0
        right = (len(self._profile) if index + 1 == len(columns)
                 else _least_ink(self._profile, columns[index], columns[index + 1]))
        return LetterView(
            _normalised(_cut_out(self._ink, self._labels, self._areas, left, max(left + 1, right))), around)


def likeness(letter: LetterView, other: LetterView) -> float:
    """-1..1: how alike two letters of a sheet look, moved a little against each other."""
    inner = np.ascontiguousarray(letter.around[UP:-UP, ASIDE:-ASIDE])
    in_row = float(cv2.matchTemplate(other.around, inner, cv2.TM_CCOEFF_NORMED).max())
    if letter.shape is None or other.shape is None:
        return in_row
    return CUT_SHARE * _shapes_likeness(letter.shape, other.shape) + (1 - CUT_SHARE) * in_row


def _own_ink(crop: Image) -> tuple[_Ink, npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """The ink of a row without dirt and without what belongs to rows above and below; the number of the piece
    that each pixel is in, and the pixels of each piece."""
    ink = _ink_of(crop)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    areas = stats[:, cv2.CC_STAT_AREA].astype(np.float64)
    areas[0] = 0.0
    if count > 1:
        middling = float(np.median(areas[areas >= 0.25 * areas.max()]))
        tops = stats[:, cv2.CC_STAT_TOP]
        feet = tops + stats[:, cv2.CC_STAT_HEIGHT]
        at_edge = ((tops == 0) & (feet < AT_EDGE * len(ink))) | (
            (feet == len(ink)) & (tops > (1 - AT_EDGE) * len(ink)))
        foreign = areas < np.where(at_edge, LOOSE, SPECK) * middling
        ink = np.asarray(ink * ~foreign[labels], np.uint8)
    return ink, np.asarray(labels, np.int32), areas


def _darkness(crop: Image, ink: _Ink, factor: float) -> npt.NDArray[np.float32]:
    """By how much a row is darker than its paper at and beside its ink, at the size of views."""
    grey = crop if crop.ndim == 2 else cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
    beside = cv2.dilate(ink, np.ones((3, 3), np.uint8))
    paper = float(cv2.mean(grey, mask=1 - beside)[0])
    dark = np.asarray(np.clip(paper - grey.astype(np.float32), 0.0, None) * beside, np.float32)
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    large = cv2.resize(dark, None, fx=factor, fy=factor, interpolation=how)
    return np.asarray(cv2.GaussianBlur(large, (0, 0), 1.0), np.float32)


def _around(large: npt.NDArray[np.float32], middle: float) -> npt.NDArray[np.float32] | None:
    """The part of a row about a letter's middle, at the height of the writing there; None without ink."""
    near = large[:, max(0, int(middle - 3 * LETTER)) : int(middle + 3 * LETTER)]
    rows = near.sum(axis=1)
    if not rows.sum() > 1.0:
        return None
    height, width = HEIGHT // 2 + UP, WIDTH // 2 + ASIDE
    down, right = round(float(rows @ np.arange(len(rows)) / rows.sum())), round(middle)
    padded = np.pad(large, ((height, height), (width, width)))
    part = np.ascontiguousarray(padded[down : down + 2 * height, right : right + 2 * width])
    return part if part.sum() > 1.0 else None


def _least_ink(profile: npt.NDArray[np.float64], first: float, last: float) -> int:
    """The column between two letters: the middle of the longest run without ink between their middles, or
    where there is least."""
    begin = min(max(0, round(first)), len(profile) - 1)
    part = profile[begin : max(begin + 1, round(last))]
    runs, start = [(0, 0)], 0
    for index, pixels in enumerate(part):
        if pixels:
            start = index + 1
        else:
            runs.append((index + 1 - start, start))
    longest, begin_of_run = max(runs, key=lambda run: run[0])
    if longest:
        return begin + begin_of_run + longest // 2
    # Of columns alike the one nearest to the middle.
    aside = np.abs(np.arange(len(part)) - (len(part) - 1) / 2)
    smooth = np.convolve(part, (0.25, 0.5, 0.25), mode="same")
    return begin + int((smooth + 0.02 * part.mean() * aside).argmin())


def _cut_out(
    ink: _Ink, labels: npt.NDArray[np.int32], areas: npt.NDArray[np.float64], left: int, right: int
) -> _Ink:
    """The pieces of ink that are mostly between two columns, and what is there of those that reach out."""
    within = labels[:, left:right] * ink[:, left:right]
    counts = np.bincount(within.ravel(), minlength=len(areas)).astype(np.float64)
    counts[0] = 0.0
    shares = counts / np.maximum(areas, 1.0)
    whole = shares >= MOST_OF
    part = ~whole & ((shares >= PART_OF) | (counts >= MUCH * counts.sum())) & (counts > 0)
    # A piece that is mostly within two columns reaches out by no more than their distance.
    first, end = max(0, 2 * left - right), min(ink.shape[1], 2 * right - left)
    letter = np.asarray(whole[labels[:, first:end]] * ink[:, first:end], np.uint8)
    letter[:, left - first : right - first] |= np.asarray(part[within], np.uint8)
    return letter


def _ink_of(crop: Image) -> npt.NDArray[np.uint8]:
    """The ink of a crop: 1, and 0 for paper."""
    grey = crop if crop.ndim == 2 else cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
    _, ink = cv2.threshold(np.ascontiguousarray(grey), 0, 1, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    return np.asarray(ink, dtype=np.uint8)


def _normalised(ink: npt.NDArray[np.uint8]) -> LetterShape | None:
    """The ink at the same size and place, its values of length 1 and mean 0."""
    ys, xs = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if len(ys) == 0 or ys[-1] - ys[0] + 1 < LEAST_HEIGHT:
        return None
    letter = ink[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1].astype(np.float32)
    room = SIDE - 2 * EDGE
    scale = room / max(letter.shape)
    size = (max(1, round(letter.shape[1] * scale)), max(1, round(letter.shape[0] * scale)))
    small = cv2.resize(letter, size, interpolation=cv2.INTER_AREA)
    shape = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - small.shape[0]) // 2, (SIDE - small.shape[1]) // 2
    shape[top : top + small.shape[0], left : left + small.shape[1]] = small
    blurred = np.asarray(cv2.GaussianBlur(shape, (0, 0), BLUR), np.float32)
    blurred -= blurred.mean()
    return np.asarray(blurred / max(1e-6, float(np.linalg.norm(blurred))), np.float32)


def _shapes_likeness(shape: LetterShape, other: LetterShape) -> float:
    """-1..1: the best correlation of two shapes, one moved a little against the other."""
    # What is moved out at one side comes in at the other. Moved one by one they take twenty times as long.
    return float((other.ravel()[_moved(*other.shape)] @ shape.ravel()).max())


@lru_cache(maxsize=2)
def _moved(height: int, width: int) -> npt.NDArray[np.intp]:
    """The pixels of a shape in their order after each move: shape (moves, pixels)."""
    shifts = range(-MOST_SHIFT, MOST_SHIFT + 1)
    places = np.arange(height * width).reshape(height, width)
    moves = [(down, right) for down in shifts for right in shifts]
    return np.stack([np.roll(places, move, axis=(0, 1)).ravel() for move in moves])
