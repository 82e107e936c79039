"""Whether writing lies where no sheet was found: a hard shadow or a fold can look like the edge of the
paper."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from ocr.engines import Quad, RowFinder
from ocr.image.find_sheet import LOOK_SIDE, FlattenedSheet, is_outside, photo_points
from ocr.image.geometry import quad_size, upright_frame
from ocr.page import Image

SIDE = 448
"""Long side, in pixels, at which the whole photograph is searched; whether a row is there shows well before
it can be read."""

TALLEST = 0.12
"""Boxes higher than this share of the photograph are no rows but the sheet or the table itself."""

THIN_AND_DARK = 0.12
"""A pen's stroke is darker than what lies round it by at least this share; a plain table has nothing like
it."""

SPECKS = 40
"""Fewer thin dark pixels than this, of a photograph LOOK_SIDE long, are no row of writing."""

SWOLLEN = 1.03
"""Sheets are taken this much larger, since their own edges are thin and dark too."""


def has_writing_outside(photo: Image, sheets: Sequence[FlattenedSheet], finder: RowFinder) -> bool:
    """Whether rows of writing, or parts of some, lie outside every one of the sheets."""
    if not _may_hold_writing(photo, sheets):
        return False
    small, scale = _shrunk(photo, SIDE)
    rows = [quad for quad in finder.find(small) if min(quad_size(quad)) < TALLEST * min(small.shape[:2])]
    ends = [end / scale for quad in rows for end in _ends(quad)]
    return any(all(is_outside(sheet, end) for sheet in sheets) for end in ends)


def _may_hold_writing(photo: Image, sheets: Sequence[FlattenedSheet]) -> bool:
    """A cheap look before the finder's dear one."""
    small, scale = _shrunk(photo, LOOK_SIDE)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    filled = np.asarray(cv2.morphologyEx(grey, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8)), dtype=np.uint8)
    dark = cv2.subtract(filled, grey) > THIN_AND_DARK * np.maximum(filled, 60)
    for sheet in sheets:
        high, wide = sheet.image.shape[:2]
        corners = photo_points(sheet, upright_frame(wide, high)) * np.float32(scale)
        middle = corners.mean(axis=0)
        mask = np.zeros(grey.shape, np.uint8)
        cv2.fillConvexPoly(mask, ((corners - middle) * SWOLLEN + middle).astype(np.int32), 1)
        dark &= mask == 0
    return int(dark.sum()) >= SPECKS


def _shrunk(photo: Image, side: int) -> tuple[Image, float]:
    high, wide = photo.shape[:2]
    scale = min(1.0, side / max(high, wide))
    size = (max(1, round(wide * scale)), max(1, round(high * scale)))
    return np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), dtype=np.uint8), scale


def _ends(quad: Quad) -> tuple[Quad, Quad]:
    """Two points of a box, a tenth of its length from either end."""
    left, right = (quad[0] + quad[3]) / 2, (quad[1] + quad[2]) / 2
    return left * np.float32(0.9) + right * np.float32(0.1), left * np.float32(0.1) + right * np.float32(0.9)
