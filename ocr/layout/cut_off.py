"""Does a row of writing run over the edge of the photograph or of the sheet?"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.image.find_sheet import FlattenedSheet, photo_points
from ocr.image.geometry import cut_quad, grow_quad
from ocr.image.illumination import PAPER
from ocr.layout.lines import RowStrip
from ocr.page import Image

# Tuning values. "By hand": no measurement on record.
TOUCHES = 0.1
"""Row heights, 0..0.5: ink nearer to the sheet's edge runs over it. Photographs: one row -0.17, the others
0.22 or more."""
NEAR_RIM = 0.5
"""Row heights, 0..1: a row that ends nearer to the photograph's rim may continue beyond it, since a gap
between two words is that wide. Photographs: one row 0.0, the others 0.80 or more."""
INK = 0.5  # share of the row's full darkness, 0..1, from which a pixel is ink. By hand
LEAST_DARKNESS = 25.0  # 0..250: paler is paper even in a row without ink. By hand
FULL_DARKNESS = 98  # percentile, 90..100, of the darkness that counts as full. By hand
LEAST_INK = 2  # pixels, 1..5: fewer in a column or line of the crop are specks. By hand


def is_cut_off(sheet: FlattenedSheet, clean: Image, strip: RowStrip, photo_size: tuple[int, int]) -> bool:
    """True if a row may have lost letters to the edge of the sheet or of the photograph.

    `clean`: the evened sheet. `photo_size`: the photograph's height and width in pixels. A row that ends in a
    gap between words far from the rim cannot be told from a whole one.
    """
    ink = _ink_quad(clean, strip)
    if ink is None:
        return False
    margin = TOUCHES * strip.height
    if _leaves(grow_quad(ink, margin, margin), *clean.shape[:2]):
        return True
    return _leaves(photo_points(sheet, grow_quad(ink, NEAR_RIM * strip.height, margin)), *photo_size)


def _ink_quad(clean: Image, strip: RowStrip) -> Quad | None:
    """The corners of the row's ink on the sheet; None if the box holds none."""
    grey = np.asarray(cv2.cvtColor(cut_quad(clean, strip.quad), cv2.COLOR_RGB2GRAY), dtype=np.float32)
    darkness = PAPER - grey
    ink = darkness > max(LEAST_DARKNESS, INK * float(np.percentile(darkness, FULL_DARKNESS)))
    columns = np.flatnonzero(ink.sum(axis=0) >= LEAST_INK)
    lines = np.flatnonzero(ink.sum(axis=1) >= LEAST_INK)
    if not len(columns) or not len(lines):
        return None
    left, right = columns[0] / ink.shape[1], (columns[-1] + 1) / ink.shape[1]
    top, bottom = lines[0] / ink.shape[0], (lines[-1] + 1) / ink.shape[0]
    shares = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float32)
    across, down = strip.quad[1] - strip.quad[0], strip.quad[3] - strip.quad[0]
    return np.asarray(strip.quad[0] + shares[:, :1] * across + shares[:, 1:] * down, dtype=np.float32)


def _leaves(points: npt.NDArray[np.float32], height: float, width: float) -> bool:
    """True if any point (x, y) lies outside an image of that size."""
    return bool((points < 0).any() or (points > np.array([width, height], dtype=np.float32)).any())
