"""How alike two letters look, from their shapes alone."""

from __future__ import annotations

import numpy as np

from ocr.page import LetterShape

MOST_SHIFT = 2
"""Pixels of a shape's 20, by which one is moved against the other. By hand."""


def likeness(one: LetterShape, other: LetterShape) -> float:
    """-1..1: the best correlation of two shapes, one moved a little against the other."""
    shifts = range(-MOST_SHIFT, MOST_SHIFT + 1)
    return max(
        float((one * np.roll(other, (down, right), axis=(0, 1))).sum()) for down in shifts for right in shifts
    )
