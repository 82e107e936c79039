"""The mark on pictures that we sent ourselves (ARR-03): a QR code in the lower right corner."""

from __future__ import annotations

import cv2
import numpy as np

from ocr.image.printed_sheet import read_codes
from ocr.page import Image

CORNER = (0.5, 0.5)
"""Share of the height and width, 0..1, of the corner in which the mark is looked for. By hand."""
SMALL = 900
"""Pixels, longer side of a corner that is made twice as large before it is searched. By hand."""
FARTHEST = 0.6
"""Sides of the code by which it may lie off the picture's edges: its quiet zone is a fifth. By hand."""
STRAIGHT = 0.03
"""Tangent of the most that the code may be turned: in a photograph it rarely lies straight. By hand."""


def bears_mark(picture: Image, mark: str) -> bool:
    """Whether an RGB picture is one that we drew, as it left us, made smaller or encoded again on its way.
    `mark`: the letters of our mark.

    A photograph of paper with the mark on it counts as a sheet: there the mark lies elsewhere or aslant."""
    height, width = picture.shape[:2]
    top, left = round(height * (1 - CORNER[0])), round(width * (1 - CORNER[1]))
    corner = picture[top:, left:]
    scale = 2 if max(corner.shape[:2]) < SMALL else 1
    if scale != 1:
        corner = np.asarray(
            cv2.resize(corner, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8)
    for code in read_codes(corner):
        if code.text != mark:
            continue
        corners = code.corners / scale
        side = float(np.linalg.norm(corners[1] - corners[0]))
        right, bottom = width - left - corners[2][0], height - top - corners[2][1]
        across = corners[1] - corners[0]
        is_straight = abs(across[1]) <= STRAIGHT * max(abs(across[0]), 1.0)
        if is_straight and max(right, bottom) <= FARTHEST * side:
            return True
    return False
