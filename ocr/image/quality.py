"""Why a photograph cannot be read, from what can be measured without reading it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from ocr.image.illumination import PAPER, byte_counts, high_percentile, percentile_of_counts
from ocr.page import Image, UnreadableReason

# Tuning values. "By hand": no measurement on record.
# Reasons for refusing a photograph. They decide only among photographs in which too little could be read.
DARK = 40.0
"""Brightness, 0..255: in darker photographs the camera's noise is as strong as the ink. Photographs: all 189
or more."""
SOFT = 0.12
"""`softest`, 0..1: edges as wide as the strokes are out of focus or shaken. Photographs: all 0.16 or more."""
BARE = 0.0004  # ink, share of the sheet, 0..1: less is specks. Photographs: all 0.0069 or more
FAINT = 20.0
"""Contrast, 0..250: less is the grain of the paper and of the camera. Photographs: all 64 or more."""
BRIGHT = 150.0  # brightness, 0..255: a photograph without edges of paper, but lighter, is all paper. By hand
# How the figures are taken.
SHEET_SIDE = 1600
"""Pixels, 800..2400, long side at which a sheet's edges are measured. By definition of `sharpness`."""
INSET = 30  # divisor of a side, at least 4 pixels: what is left out along the sheet's edges. By hand
INK_CONTRAST = (40.0, 0.5)  # 0..250 and share of `depth`: ink is darker than paper by the greater. By hand
STEEPEST = 99.5  # percentile, 95..100, of the gradients that counts as that of ink: one pixel in 200. By hand
STROKE = 4.0
"""Pixels to which a pen's stroke is scaled before its edges are measured. By definition of `focus`."""
LONGEST_ROW = 2000.0  # pixels, 1000..4000: bounds the cost of that for freak crops. By hand
AROUND_STROKE = 5
"""Pixels, odd, 3..9: side of the square by which strokes grow to include their edges. By hand."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Figures of one photograph and its sheet.

    `light`: brightness of the photograph's lightest tenth, 0..255. `sharpness`: 0..1, the share of the ink's
    full depth that its edges gain in one pixel of a sheet SHEET_SIDE long. `ink`: share of the sheet that is
    ink, 0..1. `depth`: how much darker than paper the darkest two-hundredth is, 0..250. `softest`: as
    `sharpness`, in the direction where it is least.
    """

    light: float
    sharpness: float
    ink: float
    depth: float
    softest: float = 1.0


def measure(photo: Image, evened: Image) -> Quality:
    """Brightness, sharpness and ink of a photograph and the evened sheet cut from it.

    Both are uint8 RGB, shape (height, width, 3). If the sheet is too small to measure, all but `light` are 0.
    """
    light = float(np.percentile(photo[::8, ::8].max(axis=2), 90))
    scale = min(1.0, SHEET_SIDE / max(evened.shape[:2]))
    small = cv2.resize(evened, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    inset = [max(4, side // INSET) for side in grey.shape]
    grey = np.ascontiguousarray(grey[inset[0] : -inset[0], inset[1] : -inset[1]])
    depth = PAPER - float(np.percentile(grey[::2, ::2], 0.5)) if grey.size else 0.0
    ink = float((grey < PAPER - max(INK_CONTRAST[0], INK_CONTRAST[1] * depth)).mean()) if grey.size else 0.0
    steepness, least_steep = _steepness(grey) if grey.size else (0.0, 0.0)
    full = max(depth, 1.0)
    sharpness, softest = round(steepness / full, 3), round(least_steep / full, 3)
    return Quality(round(light, 1), sharpness, round(ink, 5), round(depth, 1), softest)


def _steepness(grey: Image) -> tuple[float, float]:
    """Change of grey per pixel at the steepest two-hundredth: in any direction, and in the least steep one.

    The second because a hand that shook blurs one direction only.
    """
    # A Sobel kernel sums eight differences, hence / 8; every second pixel is enough for a percentile.
    across = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 1, 0), dtype=np.float32)[::2, ::2] / 8
    down = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 0, 1), dtype=np.float32)[::2, ::2] / 8
    slanted = [(across + down) * np.float32(0.7071), (across - down) * np.float32(0.7071)]
    directions = [high_percentile(np.abs(slope), STEEPEST) for slope in (across, down, *slanted)]
    return high_percentile(np.hypot(across, down), STEEPEST), min(directions)


@dataclass(frozen=True, slots=True)
class Legibility:
    """How well one row was photographed. Both are 0 without ink.

    `focus`: variance of the Laplacian in and round the strokes, once they are STROKE pixels wide and of full
    depth, so that pen, size and light play no part. 0.06 to 0.2 on sharp photographs of sheets, about 0.05 if
    edges are as soft as the strokes are wide, and no less however blurred. `contrast`: how much darker than
    paper the ink is, 0..1.
    """

    focus: float = 0.0
    contrast: float = 0.0


def legibility(crop: Image) -> Legibility:
    """Focus and contrast of one row. `crop`: an evened crop, uint8, RGB or grey."""
    grey = crop if crop.ndim == 2 else np.asarray(cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    depth = PAPER - percentile_of_counts(byte_counts(grey), 2)
    ink = (grey < PAPER - 0.5 * depth).astype(np.uint8)
    if depth < FAINT or not ink.any():
        return Legibility(0.0, round(max(0.0, depth / PAPER), 3))
    edge_distance = cv2.distanceTransform(ink, cv2.DIST_L2, 3)
    # The mean distance to the edge inside a stroke is a quarter of its width; pixels count half at the rim.
    stroke_width = max(1.0, 4.0 * float(edge_distance[ink > 0].mean()) - 1.0)
    scale = min(STROKE / stroke_width, LONGEST_ROW / max(grey.shape))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    scaled = (
        np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=method), dtype=np.float32) / depth
    )
    strokes = (scaled < PAPER / depth - 0.5).astype(np.uint8)
    around = cv2.dilate(strokes, np.ones((AROUND_STROKE, AROUND_STROKE), np.uint8)) > 0
    if not around.any():
        return Legibility(0.0, round(depth / PAPER, 3))
    laplacian = cv2.Laplacian(scaled, cv2.CV_32F)
    return Legibility(round(float(laplacian[around].var()), 3), round(depth / PAPER, 3))


def unusable_reason(quality: Quality, *, is_outlined: bool) -> UnreadableReason:
    """The reason to give where nothing could be read."""
    if quality.light < DARK:
        return UnreadableReason.TOO_DARK
    if quality.depth > FAINT and quality.softest < SOFT:
        return UnreadableReason.BLURRED
    if quality.ink < BARE and (is_outlined or quality.light > BRIGHT):
        return UnreadableReason.BLANK
    return UnreadableReason.NOT_A_SHEET
