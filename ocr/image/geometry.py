"""Homographies between the photograph, the flattened sheet and a crop."""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.page import Box, Image, Point

Matrix: TypeAlias = npt.NDArray[np.float64]
"""Homography, float64, shape (3, 3)."""

CROP_MARGIN = (0.3, 0.1)
"""What a recogniser's crop includes beyond a row's box, in row heights: on either side along the row, and
above and below it. Range 0..0.5. Best of 0.1 to 0.3 and 0 to 0.25 on the 20 sample sheets, by little."""


def quad_size(quad: Quad) -> tuple[float, float]:
    """Mean width and mean height of four corners, in pixels."""
    top, right, bottom, left = (float(np.linalg.norm(quad[(k + 1) % 4] - quad[k])) for k in range(4))
    return (top + bottom) / 2, (right + left) / 2


def upright_frame(width: float, height: float) -> Quad:
    """The corners of an image of that size, in pixels."""
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)


def homography(source: Quad, target: Quad) -> Matrix:
    """The homography that maps four corners to four others."""
    return np.asarray(cv2.getPerspectiveTransform(source, target), dtype=np.float64)


def inverse(matrix: Matrix) -> Matrix:
    """The homography back."""
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def transform_points(matrix: Matrix, points: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Points through a homography: float32, shape (n, 2), as `points`."""
    flat = np.asarray(points, dtype=np.float64).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(flat, matrix), dtype=np.float32).reshape(-1, 2)


def grow_quad(quad: Quad, along: float, across: float) -> Quad:
    """A box `along` pixels wider and `across` pixels higher on each side."""
    width, height = quad_size(quad)
    right = (quad[1] + quad[2] - quad[0] - quad[3]) / 2 / max(width, 1.0) * along
    down = (quad[2] + quad[3] - quad[0] - quad[1]) / 2 / max(height, 1.0) * across
    return np.asarray(
        quad + np.array([-right - down, right - down, right + down, down - right]), dtype=np.float32
    )


def cut_quad(image: Image, quad: Quad) -> Image:
    """The inside of four corners as an upright image. Beyond the image its edge pixels are repeated."""
    width, height = (max(1, round(side)) for side in quad_size(quad))
    matrix = homography(quad, upright_frame(width, height))
    out = cv2.warpPerspective(
        image, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(out, dtype=np.uint8)


def crop_box(image: Image, box: Box, margin: float = 0.25) -> Image:
    """The inside of a box of the photograph, upright as written, for people to look at.

    `margin`: how much more on each side, as a share of the box's height; 0.25 shows tails and stems.
    """
    quad = np.array(box.corners, dtype=np.float32)
    margin_px = margin * quad_size(quad)[1]
    return cut_quad(image, grow_quad(quad, margin_px, margin_px))


def box_of(quad: Quad) -> Box:
    """Four corners as a value, to a tenth of a pixel."""
    a, b, c, d = (_point(corner) for corner in quad)
    return Box((a, b, c, d))


def _point(corner: npt.NDArray[np.float32]) -> Point:
    return round(float(corner[0]), 1), round(float(corner[1]), 1)
