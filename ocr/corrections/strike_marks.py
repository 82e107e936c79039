"""Ink of a row as numbers, and where along its height the letters stand. All lengths are pixels of a row
HEIGHT high."""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.page import Image

HEIGHT = 48
"""Rows are measured at this height; a letter without stems is some 14 high, a pen 2 to 4 wide."""

EDGE = 4
"""Rows at the crop's top and bottom that belong to the neighbours' stems and tails."""

Plane: TypeAlias = npt.NDArray[np.float32]


def soft_ink(row: Image) -> Plane:
    """HEIGHT x width, 0 paper to 1 ink, of a grey or RGB crop, evened and without rules."""
    grey = row if row.ndim == 2 else cv2.cvtColor(row, cv2.COLOR_RGB2GRAY)
    width = max(8, round(grey.shape[1] * HEIGHT / grey.shape[0]))
    method = cv2.INTER_AREA if grey.shape[0] > HEIGHT else cv2.INTER_LINEAR
    dark = 255.0 - cv2.resize(grey, (width, HEIGHT), interpolation=method).astype(np.float32)
    full = max(60.0, float(np.percentile(dark, 98)))
    return np.asarray(np.clip((dark / full - 0.25) / 0.5, 0.0, 1.0), dtype=np.float32)


def body_rows(ink: Plane) -> slice:
    """Where letters without stems stand, 14 to 26 rows high.

    Told by how often ink begins and ends along each row: letters do so everywhere, a level stroke, an
    underline or what is left of a printed rule hardly ever, so that they do not pull the body towards them.
    """
    changes = np.abs(np.diff((ink > 0.5).astype(np.float32), axis=1)).sum(axis=1)
    changes[:EDGE] = changes[-EDGE:] = 0.0
    if not changes.any():
        return slice(HEIGHT // 2 - 9, HEIGHT // 2 + 9)
    smooth = np.convolve(changes, np.ones(3) / 3, mode="same")
    high = np.flatnonzero(smooth >= 0.45 * smooth.max())
    mass = np.cumsum(smooth)
    centre = int(np.searchsorted(mass, mass[-1] / 2))
    top, end = (
        max(int(high[0]), centre - 13, EDGE + 3),
        min(int(high[-1]) + 1, centre + 13, HEIGHT - EDGE - 3),
    )
    short = max(0, 14 - (end - top))
    top = min(max(top - (short + 1) // 2, EDGE + 3), HEIGHT - EDGE - 17)
    return slice(top, max(end, top + 14))
