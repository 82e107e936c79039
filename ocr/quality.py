"""Why a photograph cannot be read, from what can be measured without reading it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from ocr.page import Image, Reason

DARK = 40.0
"""Paper darker than this (0..255) leaves the camera's noise as strong as the ink."""

SOFT = 0.085
"""Edges below this steepness are out of focus: a stroke's edge is then wider than the stroke."""

BARE = 0.0004
"""A sheet with less ink than this share of it has nothing on it but specks."""


FAINT = 20.0
"""Less contrast than this (0..250) on an evened sheet is the grain of the paper and of the camera."""

BRIGHT = 150.0
"""A photograph without edges of paper is all paper when it is lighter than this (0..255)."""


@dataclass(frozen=True, slots=True)
class Quality:
    """`light`: how light the lightest tenth of the photograph is, 0..255. `sharpness`: how steeply ink
    begins, as the share of its full depth in one pixel of a sheet 1600 high, 0..1. `ink`: share of the
    sheet that is ink. `depth`: how much darker than the paper its darkest two-hundredth is, 0..250.
    """

    light: float
    sharpness: float
    ink: float
    depth: float


def measure(photo: Image, evened: Image) -> Quality:
    """The figures for a photograph and the evened sheet cut from it."""
    light = float(np.percentile(photo[::8, ::8].max(axis=2), 90))
    scale = min(1.0, 1600 / max(evened.shape[:2]))
    small = cv2.resize(evened, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), dtype=np.float32)
    inset = [max(4, side // 30) for side in grey.shape]
    grey = grey[inset[0] : -inset[0], inset[1] : -inset[1]]
    deep = 250.0 - float(np.percentile(grey, 0.5))
    ink = float((grey < 250.0 - max(40.0, 0.5 * deep)).mean())
    slopes = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)) / 8
    steep = float(np.percentile(slopes, 99.5))
    return Quality(round(light, 1), round(steep / max(deep, 1.0), 3), round(ink, 5), round(deep, 1))


def verdict(quality: Quality, *, sheet_found: bool) -> Reason:
    """The reason to give where nothing could be read."""
    if quality.light < DARK:
        return Reason.TOO_DARK
    if quality.depth > FAINT and quality.sharpness < SOFT:
        return Reason.BLURRED
    if quality.ink < BARE and (sheet_found or quality.light > BRIGHT):
        return Reason.BLANK
    return Reason.NOT_A_SHEET
