"""The shape of one letter that stands by itself in a row, from its pixels."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from ocr.page import Image, LetterShape

SIDE = 20
"""Pixels of a shape's sides, as of the digits of MNIST."""

EDGE, BLUR = 2, 1.0
"""Pixels left free about a shape, and sigma of its blur in pixels: letters of one hand differ by that. By
hand."""

LEAST_HEIGHT = 6
"""Pixels of ink, below which there is nothing to compare. By hand."""

SPECK, LOOSE = 0.05, 0.35
"""Shares of the largest piece of ink, by pixels: below SPECK a piece is dirt; one that touches the crop's
upper or lower edge is of another row below LOOSE. By hand."""


def letter_shape(
    crop: Image, before: float, start: float, end: float, after: float
) -> LetterShape | None:
    """The shape of the letter between `start` and `end`, shares of the crop's width; None without ink.

    `before` and `after`: where its neighbours' letters are, 0 and 1 for none. The letter ends in the widest
    gap on the way to them."""
    ink = ink_of(crop)
    width = ink.shape[1]
    columns = np.asarray(ink.any(axis=0), dtype=np.bool_)
    left = _gap(columns, round(before * width), round(start * width), leftmost=before <= 0.0)
    right = _gap(columns, round(end * width), round(after * width), leftmost=False)
    return normalised(_own_pieces(ink[:, left:max(left + 1, right)]))


def ink_of(crop: Image) -> npt.NDArray[np.uint8]:
    """The ink of a crop: 1, and 0 for paper."""
    grey = crop if crop.ndim == 2 else cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
    _, ink = cv2.threshold(np.ascontiguousarray(grey), 0, 1, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    return np.asarray(ink, dtype=np.uint8)


def _gap(columns: npt.NDArray[np.bool_], first: int, last: int, *, leftmost: bool) -> int:
    """The middle of the longest run without ink between two columns; the middle between them without one."""
    if leftmost:
        return 0
    first, last = max(0, first), min(len(columns), max(first + 1, last))
    best, best_start, run = 0, (first + last) // 2, 0
    for index in range(first, last):
        run = 0 if columns[index] else run + 1
        if run > best:
            best, best_start = run, index - run + 1
    return best_start + best // 2


def _own_pieces(ink: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The ink without dirt and without what belongs to rows above and below."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    if count < 2:
        return ink
    areas = stats[1:, cv2.CC_STAT_AREA].astype(np.float64)
    tops = stats[1:, cv2.CC_STAT_TOP]
    feet = tops + stats[1:, cv2.CC_STAT_HEIGHT]
    at_edge = (tops == 0) | (feet == ink.shape[0])
    kept = areas >= np.where(at_edge, LOOSE, SPECK) * areas.max()
    return np.asarray(np.isin(labels, 1 + np.flatnonzero(kept)), dtype=np.uint8)


def normalised(ink: npt.NDArray[np.uint8]) -> LetterShape | None:
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
