"""The ink of a row as numbers, and where along its height the letters are.

All lengths are pixels of a row scaled to HEIGHT.
"""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.page import Image

Plane: TypeAlias = npt.NDArray[np.float32]
"""Ink of a row: float32, shape (HEIGHT, width), 0 paper to 1 ink."""

# Tuning values. "By hand": no measurement on record.
HEIGHT = 48  # pixels, as the recogniser's rows: a letter without stems is some 14 high, a pen 2 to 4 wide
EDGE = 4  # pixels, 0..8, at the crop's top and bottom, with stems and tails of the neighbours. By hand
# Ink.
FULL_PERCENTILE, LEAST_FULL = 98, 60.0
"""Percentile, 90..100, of darkness that counts as full ink, and the least darkness, 0..255, that does: a crop
without ink must not turn its grain into ink. By hand."""
SOFT_FROM, SOFT_RANGE = 0.25, 0.5
"""Shares of full darkness, 0..1: where ink begins, and over which it rises. By hand."""
# The body: small letters.
BODY_RANGE = (14, 26)
"""Pixels, 8..40: least and greatest height of the body. By hand, from the letters' height above."""
BODY_EDGE = 0.45  # share of the most changes in a row of pixels, 0..1, from which it is of the body. By hand
EDGE_ROOM = 3  # pixels, 0..8, between the body and the edges. By hand
NO_INK_HALF = 9  # pixels, 4..16: half the body's height in a crop without ink. By hand


def soft_ink(row: Image) -> Plane:
    """The soft ink of a crop. `row`: uint8, RGB or grey, evened and without rules."""
    grey = row if row.ndim == 2 else cv2.cvtColor(row, cv2.COLOR_RGB2GRAY)
    width = max(8, round(grey.shape[1] * HEIGHT / grey.shape[0]))
    method = cv2.INTER_AREA if grey.shape[0] > HEIGHT else cv2.INTER_LINEAR
    dark = 255.0 - cv2.resize(grey, (width, HEIGHT), interpolation=method).astype(np.float32)
    full = max(LEAST_FULL, float(np.percentile(dark, FULL_PERCENTILE)))
    return np.asarray(np.clip((dark / full - SOFT_FROM) / SOFT_RANGE, 0.0, 1.0), dtype=np.float32)


def body_rows(ink: Plane) -> slice:
    """The rows of pixels of letters without stems; BODY_RANGE of them.

    Found by how often ink begins and ends along each row of pixels. Letters do so everywhere; a level stroke,
    an underline or the rest of a printed rule hardly ever, so these do not pull the body towards them.
    """
    changes = np.abs(np.diff((ink > 0.5).astype(np.float32), axis=1)).sum(axis=1)
    changes[:EDGE] = changes[-EDGE:] = 0.0
    if not changes.any():
        return slice(HEIGHT // 2 - NO_INK_HALF, HEIGHT // 2 + NO_INK_HALF)
    smooth = np.convolve(changes, np.ones(3) / 3, mode="same")
    busy = np.flatnonzero(smooth >= BODY_EDGE * smooth.max())
    cumulative = np.cumsum(smooth)
    centre = int(np.searchsorted(cumulative, cumulative[-1] / 2))
    least, most = BODY_RANGE
    first, last = EDGE + EDGE_ROOM, HEIGHT - EDGE - EDGE_ROOM
    top = max(int(busy[0]), centre - most // 2, first)
    end = min(int(busy[-1]) + 1, centre + most // 2, last)
    # A body that is too low grows on both sides, within the crop.
    missing = max(0, least - (end - top))
    top = min(max(top - (missing + 1) // 2, first), last - least)
    return slice(top, max(end, top + least))
