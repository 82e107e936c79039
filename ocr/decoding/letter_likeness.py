"""How alike two letters look, from their shapes alone.

Apart from `ocr.image.letter_shape`, which loads OpenCV: a process that reads no sheet needs this alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ocr.page import LetterShape

MOST_SHIFT = 2
"""Pixels of a shape's 20, by which one is moved against the other. By hand."""


def likeness(shape: LetterShape, other: LetterShape) -> float:
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
