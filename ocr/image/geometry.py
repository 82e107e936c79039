"""Straight lines between the photograph, the squared sheet and a crop."""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.page import Box, Image, Point

Matrix: TypeAlias = npt.NDArray[np.float64]
"""3 x 3 homography."""

CROP_MARGIN = (0.3, 0.1)
"""What a recogniser's crop takes in beyond a row's box, along and across the row, in row heights: the best of
those tried on the sample sheets (0.1 to 0.3 and 0 to 0.25), by little."""


def quad_size(quad: Quad) -> tuple[float, float]:
    """Mean width and mean height of four corners, in pixels."""
    top, right, bottom, left = (float(np.linalg.norm(quad[(k + 1) % 4] - quad[k])) for k in range(4))
    return (top + bottom) / 2, (right + left) / 2


def upright_frame(width: float, height: float) -> Quad:
    """The corners of an image of that size."""
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)


def homography(source: Quad, target: Quad) -> Matrix:
    """The homography that takes four corners to four others."""
    return np.asarray(cv2.getPerspectiveTransform(source, target), dtype=np.float64)


def transform_points(matrix: Matrix, points: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Points (n x 2) through a homography."""
    flat = np.asarray(points, dtype=np.float64).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(flat, matrix), dtype=np.float32).reshape(-1, 2)


def grow_quad(quad: Quad, along: float, across: float) -> Quad:
    """A box wider by `along` and higher by `across` pixels on each side."""
    width, height = quad_size(quad)
    right = (quad[1] + quad[2] - quad[0] - quad[3]) / 2 / max(width, 1.0) * along
    down = (quad[2] + quad[3] - quad[0] - quad[1]) / 2 / max(height, 1.0) * across
    return np.asarray(
        quad + np.array([-right - down, right - down, right + down, down - right]), dtype=np.float32
    )


def cut_quad(image: Image, quad: Quad) -> Image:
    """The inside of four corners as an upright image; what lies outside the image repeats its edge."""
    width, height = (max(1, round(size)) for size in quad_size(quad))
    matrix = homography(quad, upright_frame(width, height))
    out = cv2.warpPerspective(
        image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(out, dtype=np.uint8)


def crop_box(image: Image, box: Box, margin: float = 0.25) -> Image:
    """What lies in a box of the photograph as shown, upright as written, for people to look at.

    `margin`: how much more on each side, as a share of the box's height.
    """
    quad = np.array(box.corners, dtype=np.float32)
    more = margin * quad_size(quad)[1]
    return cut_quad(image, grow_quad(quad, more, more))


def box_of(quad: Quad) -> Box:
    """Four corners as a value."""
    a, b, c, d = (_point(p) for p in quad)
    return Box((a, b, c, d))


def _point(pair: npt.NDArray[np.float32]) -> Point:
    return round(float(pair[0]), 1), round(float(pair[1]), 1)
