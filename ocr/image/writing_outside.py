"""Is there writing where no sheet was found, or that runs from one into the next? A hard shadow or a fold can
look like the edge of the paper."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from ocr.engines import Quad, RowFinder
from ocr.image.find_sheet import LOOK_SIDE, FlattenedSheet, is_outside, photo_points
from ocr.image.geometry import quad_size, upright_frame
from ocr.page import Image

# Tuning values. "By hand": no measurement on record.
SIDE = 448
"""Pixels, 320..768, long side at which the finder looks: a row shows well before it can be read. By hand."""
TALLEST = 0.12
"""Of the photograph's short side, 0..1: higher boxes are the sheet or the table, not rows. Photographs: rows
0.107 or less, one other box 0.98."""
# The cheap look before, in pixels of a copy LOOK_SIDE long.
FILL = 9  # pixels, odd: thinner dark things are strokes. By hand
THIN_AND_DARK = 0.12
"""0..1: a pen's stroke is darker than its surroundings by this share; a plain table is not. By hand."""
DARKEST = 60
"""Grey, 0..255: in darker surroundings that share is taken of this, or noise would count. By hand."""
SPECKS = 40
"""Pixels: fewer that are thin and dark are not a row of writing. Photographs: 31 or less on six, 181 or more
on the others."""
SWOLLEN = 1.03
"""Factor, 1..1.1: sheets are taken larger, since their own edges are thin and dark too. By hand."""
ACROSS = 2
"""Rows that run from one sheet into another, from which the two are one. By hand: the edge of a shadow parted
a sheet, and the right ends of seven of its rows were lost (seed 912)."""
END = 0.1  # share of a box's length, 0..0.5, from its ends where it must lie outside. By hand


def has_writing_outside(
    photo: Image, sheets: Sequence[FlattenedSheet], finder: RowFinder, look: Image | None = None
) -> bool:
    """True if rows of writing, or parts of some, lie outside every one of the sheets, or if some run from one
    sheet into another.

    `look`: the photograph's `look_copy`, if that is there already.
    """
    if len(sheets) == 1 and not _may_hold_writing(photo, sheets, look):
        return False
    small, scale = _shrunk(photo, SIDE)
    rows = [quad for quad in finder.find(small) if min(quad_size(quad)) < TALLEST * min(small.shape[:2])]
    across = 0
    for quad in rows:
        first, second = (
            [sheet for sheet in sheets if not is_outside(sheet, end / scale)] for end in _ends(quad)
        )
        if not first or not second:
            return True
        across += not any(sheet is other for sheet in first for other in second)
    return across >= ACROSS


def _may_hold_writing(photo: Image, sheets: Sequence[FlattenedSheet], look: Image | None) -> bool:
    """A cheap look before the finder's expensive one: are there thin dark pixels outside the sheets?"""
    longest = max(photo.shape[:2])
    # A photograph smaller than that copy is looked at as it is.
    small, scale = (
        (look, LOOK_SIDE / longest) if look is not None and longest >= LOOK_SIDE
        else _shrunk(photo, LOOK_SIDE)
    )
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    filled = np.asarray(cv2.morphologyEx(grey, cv2.MORPH_CLOSE, np.ones((FILL, FILL), np.uint8)), np.uint8)
    dark = cv2.subtract(filled, grey) > THIN_AND_DARK * np.maximum(filled, DARKEST)
    for sheet in sheets:
        height, width = sheet.image.shape[:2]
        corners = photo_points(sheet, upright_frame(width, height)) * np.float32(scale)
        middle = corners.mean(axis=0)
        mask = np.zeros(grey.shape, np.uint8)
        cv2.fillConvexPoly(mask, ((corners - middle) * SWOLLEN + middle).astype(np.int32), 1)
        dark &= mask == 0
    return int(dark.sum()) >= SPECKS


def _shrunk(photo: Image, side: int) -> tuple[Image, float]:
    """The photograph with that long side at most, in pixels, and the scale."""
    height, width = photo.shape[:2]
    scale = min(1.0, side / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), dtype=np.uint8), scale


def _ends(quad: Quad) -> tuple[Quad, Quad]:
    """Two points on a box's middle line, END of its length from either end."""
    left, right = (quad[0] + quad[3]) / 2, (quad[1] + quad[2]) / 2
    near_weight, far_weight = np.float32(1 - END), np.float32(END)
    return left * near_weight + right * far_weight, left * far_weight + right * near_weight
