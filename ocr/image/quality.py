"""Why a photograph cannot be read, from what can be measured without reading it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from ocr.page import Image, UnreadableReason

DARK = 40.0
"""Paper darker than this (0..255) leaves the camera's noise as strong as the ink."""

SOFT = 0.12
"""Edges less steep than this are out of focus or shaken: they are about as wide as the strokes. Sharp
photographs of sheets have 0.2 and more."""

BARE = 0.0004
"""A sheet with less ink than this share of it has nothing on it but specks."""


FAINT = 20.0
"""Less contrast than this (0..250) on an evened sheet is the grain of the paper and of the camera."""

BRIGHT = 150.0
"""A photograph without edges of paper is all paper when it is lighter than this (0..255)."""


@dataclass(frozen=True, slots=True)
class Quality:
    """`light`: how light the lightest tenth of the photograph is, 0..255. `sharpness`: how steeply ink
    begins, as the share of its full depth in one pixel of a sheet 1600 high, 0..1. `ink`: share of the sheet
    that is ink. `depth`: how much darker than the paper its darkest two-hundredth is, 0..250. `softest`: as
    `sharpness`, in the direction where it is least.
    """

    light: float
    sharpness: float
    ink: float
    depth: float
    softest: float = 1.0


def measure(photo: Image, evened: Image) -> Quality:
    """The figures for a photograph and the evened sheet cut from it."""
    light = float(np.percentile(photo[::8, ::8].max(axis=2), 90))
    scale = min(1.0, 1600 / max(evened.shape[:2]))
    small = cv2.resize(evened, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    inset = [max(4, side // 30) for side in grey.shape]
    grey = np.ascontiguousarray(grey[inset[0] : -inset[0], inset[1] : -inset[1]])
    deep = 250.0 - float(np.percentile(grey[::2, ::2], 0.5)) if grey.size else 0.0
    ink = float((grey < 250.0 - max(40.0, 0.5 * deep)).mean()) if grey.size else 0.0
    steep, softest = _steepness(grey) if grey.size else (0.0, 0.0)
    full = max(deep, 1.0)
    return Quality(
        round(light, 1), round(steep / full, 3), round(ink, 5), round(deep, 1), round(softest / full, 3)
    )


def _steepness(grey: Image) -> tuple[float, float]:
    """How steeply the brightness changes at the steepest two-hundredth of the pixels, per pixel: in any
    direction, and in the direction where it is least, since a hand that shook blurs one direction only."""
    across = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 1, 0), dtype=np.float32)[::2, ::2] / 8
    down = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 0, 1), dtype=np.float32)[::2, ::2] / 8
    slanted = [(across + down) * np.float32(0.7071), (across - down) * np.float32(0.7071)]
    ways = [float(np.percentile(np.abs(way), 99.5)) for way in (across, down, *slanted)]
    return float(np.percentile(np.hypot(across, down), 99.5)), min(ways)


@dataclass(frozen=True, slots=True)
class Legibility:
    """How well one row was photographed.

    `focus`: variance of the Laplacian in and round the strokes, when they are brought to STROKE pixels wide
    and to full depth, so that neither pen nor size nor light plays a part; 0.06 to 0.2 on sharp photographs
    of sheets, some 0.05 where edges are as soft as the strokes are wide, and no less however blurred.
    `contrast`: how much darker than the paper the ink is, 0..1. Both are 0 where there is no ink.
    """

    focus: float = 0.0
    contrast: float = 0.0


STROKE = 4.0
"""Pixels that a pen's stroke is brought to before its edges are measured."""


def legibility(crop: Image) -> Legibility:
    """The figures for an evened crop of one row, RGB or grey."""
    grey = crop if crop.ndim == 2 else np.asarray(cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    deep = 250.0 - float(np.percentile(grey, 2))
    ink = (grey < 250.0 - 0.5 * deep).astype(np.uint8)
    if deep < FAINT or not ink.any():
        return Legibility(0.0, round(max(0.0, deep / 250), 3))
    inside = cv2.distanceTransform(ink, cv2.DIST_L2, 3)
    # The mean distance to the edge inside a stroke is a quarter of its width; pixels count half at the rim.
    width = max(1.0, 4.0 * float(inside[ink > 0].mean()) - 1.0)
    scale = min(STROKE / width, 2000.0 / max(grey.shape))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    even = (
        np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=method), dtype=np.float32) / deep
    )
    around = cv2.dilate((even < 250.0 / deep - 0.5).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    if not around.any():
        return Legibility(0.0, round(deep / 250, 3))
    return Legibility(round(float(cv2.Laplacian(even, cv2.CV_32F)[around].var()), 3), round(deep / 250, 3))


def unusable_reason(quality: Quality, *, sheet_found: bool) -> UnreadableReason:
    """The reason to give where nothing could be read."""
    if quality.light < DARK:
        return UnreadableReason.TOO_DARK
    if quality.depth > FAINT and quality.softest < SOFT:
        return UnreadableReason.BLURRED
    if quality.ink < BARE and (sheet_found or quality.light > BRIGHT):
        return UnreadableReason.BLANK
    return UnreadableReason.NOT_A_SHEET
