"""Wet ink that the side of a hand dragged along: letters that grow faint, and a film of ink behind them."""

from __future__ import annotations

import cv2
import numpy as np

from training.handwriting.ink import Extent, Mask

DRAG = 1.5
"""How far the ink is carried, in letter sizes. By hand, after smeared notes of left-handed writers."""

LEFT, CARRIED = 0.2, 1.0
"""Shares 0..1 of the ink: what stays on the strokes, and what the hand takes along."""


def smear(mask: Mask, extent: Extent, stretch: tuple[float, float], size_px: float) -> None:
    """Drag the ink of a part of a row to the right. `stretch`: its beginning and end, shares 0..1 of the row.

    `size_px` is the letter size in pixels. Takes no chance, so that the rest of a sheet stays as it was.
    """
    drag = max(3, round(DRAG * size_px))
    width = extent.right - extent.left
    left, right = (round(extent.left + share * width) for share in stretch)
    top, bottom = max(0, round(extent.top) - 4), min(mask.shape[0], round(extent.bottom) + 4)
    left, right = max(0, left), min(mask.shape[1], right)
    wet = mask[top:bottom, left:right].copy()
    # filter2D correlates: the heaviest weight is on the right, where the ink came from.
    weights = np.exp(np.linspace(-2.5, 0.0, drag))
    kernel = np.zeros((1, 2 * drag - 1), np.float32)
    kernel[0, :drag] = weights / weights.sum()
    carried = cv2.GaussianBlur(cv2.filter2D(wet, -1, kernel, borderType=cv2.BORDER_CONSTANT), (0, 0), 2.0)
    smeared = np.clip(LEFT * wet + CARRIED * carried, 0.0, 1.0)
    # A hand has no edge: the smear comes and goes over half a letter.
    columns = np.arange(right - left, dtype=np.float32)
    share = np.clip(np.minimum(columns, columns[::-1]) / (0.5 * size_px), 0.0, 1.0)
    mask[top:bottom, left:right] = share * smeared + (1 - share) * wet
