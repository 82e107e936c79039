"""Crops of rows that real people wrote with a pen: their strokes, on our paper, through our camera."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ocr.page import Image
from training.handwriting.ink import Extent, Mask
from training.handwriting.ink_writers import LINE_HEIGHT, InkRecord
from training.handwriting.pen_strokes import PenPoint, Stroke, ink_strokes
from training.handwriting.writer import Nib
from training.tuning.lines import pen_width, seen_row, trimmed

# Height of a row's ink, tails and tall letters in, in heights of its small letters.
_REACH = 2.3
# Shares of rows whose neighbours of the same record show, and how far slant and width are changed at most.
_NEIGHBOURS, _LEAN, _STRETCH = 0.6, 0.12, 0.1


def recorded_row(record: InkRecord, row: int, rng: np.random.Generator) -> Image:
    """A crop of one row of a record, `HEIGHT` x any width x 3, RGB; pen, paper, size and light by `rng`."""
    x_height = int(rng.choice((15, 18, 22, 26)))
    scale = _REACH * x_height / LINE_HEIGHT
    nib = list(Nib)[int(rng.choice(4, p=[0.5, 0.22, 0.16, 0.12]))]
    lean, stretch = float(rng.normal(0, _LEAN / 2)), 1 + float(rng.uniform(-_STRETCH, _STRETCH))
    shape = scale * np.array([[stretch, -lean], [0.0, 1.0]])
    rows = [[stroke @ shape.T for stroke in strokes] for strokes in record.rows]
    beside = rng.random() < _NEIGHBOURS
    contrast = float(rng.uniform(0.2, 0.8)) if nib is Nib.FOUNTAIN else 0.0
    pen = PenPoint(max(1.0, pen_width(nib, rng) * x_height), float(rng.random()), contrast)
    mask, extent = _drawn(rows, row, pen, x_height, beside=beside)
    return seen_row(*trimmed(mask, extent), x_height, nib, rng)


def _drawn(
    rows: Sequence[Sequence[Stroke]], row: int, pen: PenPoint, x_height: int, *, beside: bool
) -> tuple[Mask, Extent]:
    """A row's ink, with room around it, and the row's extent."""
    points = np.concatenate(rows[row])
    room = 3.0 * x_height + 12
    corner = points.min(axis=0) - room
    width, height = np.ceil(np.ptp(points, axis=0) + 2 * room).astype(int)
    mask = np.zeros((height, width), np.float32)
    for index, strokes in enumerate(rows):
        if index == row or (beside and abs(index - row) == 1):
            ink_strokes(mask, [stroke - corner for stroke in strokes], pen)
    (left, top), (right, bottom) = points.min(axis=0) - corner, points.max(axis=0) - corner
    return mask, Extent(float(left), float(top), float(right), float(bottom))
