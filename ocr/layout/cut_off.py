"""Whether a row of writing runs out of the picture: over the photograph's rim, or over the sheet's edge."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.image.find_sheet import FlattenedSheet, photo_points
from ocr.image.geometry import cut_quad, grow_quad
from ocr.layout.lines import RowStrip
from ocr.page import Image

TOUCHES = 0.1
"""Ink nearer to the sheet's edge than this, in row heights, runs over it."""

NEAR_RIM = 0.5
"""A row that ends nearer to the photograph's rim than this, in row heights, may go on beyond it: a gap
between two words is that wide."""

INK = 0.5
"""Pixels at least this much as dark as the row's darkest are ink."""

LEAST_INK = 2
"""Fewer ink pixels in a column or line of the crop are specks."""


def is_cut_off(sheet: FlattenedSheet, clean: Image, strip: RowStrip, photo: tuple[int, int]) -> bool:
    """Whether a row may have lost letters to the edge of the sheet or of the photograph.

    `clean` is the evened sheet, `photo` the photograph's height and width in pixels. A row that ends in a gap
    between words far from the rim cannot be told from a whole one.
    """
    ink = _ink_quad(clean, strip)
    if ink is None:
        return False
    near = TOUCHES * strip.height
    if _leaves(grow_quad(ink, near, near), *clean.shape[:2]):
        return True
    return _leaves(photo_points(sheet, grow_quad(ink, NEAR_RIM * strip.height, near)), *photo)


def _ink_quad(clean: Image, strip: RowStrip) -> Quad | None:
    """The corners of the row's ink on the sheet; None where the box holds none."""
    grey = np.asarray(cv2.cvtColor(cut_quad(clean, strip.quad), cv2.COLOR_RGB2GRAY), dtype=np.float32)
    depth = 250.0 - grey
    ink = depth > max(25.0, INK * float(np.percentile(depth, 98)))
    columns = np.flatnonzero(ink.sum(axis=0) >= LEAST_INK)
    lines = np.flatnonzero(ink.sum(axis=1) >= LEAST_INK)
    if not len(columns) or not len(lines):
        return None
    left, right = columns[0] / ink.shape[1], (columns[-1] + 1) / ink.shape[1]
    top, bottom = lines[0] / ink.shape[0], (lines[-1] + 1) / ink.shape[0]
    shares = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float32)
    across, down = strip.quad[1] - strip.quad[0], strip.quad[3] - strip.quad[0]
    return np.asarray(strip.quad[0] + shares[:, :1] * across + shares[:, 1:] * down, dtype=np.float32)


def _leaves(points: npt.NDArray[np.float32], high: float, wide: float) -> bool:
    """Whether any point lies outside an image of that size."""
    return bool((points < 0).any() or (points > np.array([wide, high], dtype=np.float32)).any())
