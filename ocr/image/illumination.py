"""Even out light and shadow, and take printed rules off the paper."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from ocr.page import Image


def even_light(image: Image) -> Image:
    """The same RGB image as if lit evenly: the paper near 250 everywhere, ink as dark as it was against it.

    The paper's own light is what is left when everything thinner than some 1/20 of the sheet is filled in.
    """
    high, wide = image.shape[:2]
    scale = 300 / max(high, wide)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    filled = cv2.morphologyEx(small, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (15, 15)))
    smooth = cv2.GaussianBlur(cv2.medianBlur(filled, 11), (0, 0), 4)
    paper = cv2.resize(smooth, (wide, high), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.divide(image, np.maximum(paper, 16), scale=250), dtype=np.uint8)


RULE_ENDS = 0.04
"""A printed rule begins and ends within this share of the sheet's edges; a stroke of the pen seldom does."""

RULE_PALE = 0.5
"""... and is at most this dark, against the ink; a stroke through a line is as dark as the line."""

ANY_RULE_PALE = 70.0
"""... or, on a sheet that bears nothing darker, at most this dark (0..250)."""


def without_rules(evened: Image) -> tuple[Image, int]:
    """An evened RGB sheet without its printed rules, and how many pixels were taken off.

    Only pixels no darker than the rule itself go, so that ink which crosses a rule stays whole.
    """
    dark = np.asarray(255 - cv2.cvtColor(evened, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    ink = _ink_level(dark)
    mask = _rules(dark, ink) | _rules(np.ascontiguousarray(dark.T), ink).T
    if not mask.any():
        return evened, 0
    out = evened.copy()
    out[mask] = 250
    return out, int(mask.sum())


def ink_bounds(clean: Image) -> tuple[int, int, int, int]:
    """Where there is writing on a cleaned RGB sheet: left, top, right, bottom, with room round it.

    All four are 0 on a sheet without ink. Cells of 8 pixels count as inked when something dark is in them.
    """
    grey = cv2.cvtColor(clean, cv2.COLOR_RGB2GRAY)
    high, wide = grey.shape
    cells = grey[: high // 8 * 8, : wide // 8 * 8].reshape(high // 8, 8, wide // 8, 8).min(axis=(1, 3))
    inside = cells < 190
    inside[[0, -1]] = inside[:, [0, -1]] = False
    across, down = np.flatnonzero(inside.any(axis=0)), np.flatnonzero(inside.any(axis=1))
    if not len(across):
        return 0, 0, 0, 0
    room = 32
    left, right = int(across[0]) * 8 - room, int(across[-1] + 1) * 8 + room
    top, bottom = int(down[0]) * 8 - room, int(down[-1] + 1) * 8 + room
    return max(0, left), max(0, top), min(wide, right), min(high, bottom)


def _ink_level(dark: Image) -> float:
    """How dark the ink is, 0..255: the middle of the darkest hundredth of the sheet."""
    top = np.percentile(dark, 99)
    return float(np.median(dark[dark >= max(1.0, top)]))


def _rules(dark: Image, ink: float) -> npt.NDArray[np.bool_]:
    high, wide = dark.shape
    short = cv2.getStructuringElement(cv2.MORPH_RECT, (max(9, wide // 40), 1))
    level = np.asarray(cv2.morphologyEx(dark, cv2.MORPH_OPEN, short), dtype=np.uint8)
    thin = np.asarray(cv2.morphologyEx(level, cv2.MORPH_OPEN, np.ones((max(9, high // 150), 1), np.uint8)))
    seen = ((level > 8) & (cv2.subtract(level, thin) > 5)).astype(np.uint8)
    linked = cv2.morphologyEx(seen, cv2.MORPH_CLOSE, np.ones((3, max(15, wide // 15)), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(linked, connectivity=8)
    out = np.zeros(dark.shape, np.bool_)
    for k in range(1, count):
        x, y, w, h = (int(v) for v in stats[k, :4])
        if x > RULE_ENDS * wide or x + w < (1 - RULE_ENDS) * wide or h > max(12, 0.06 * wide):
            continue
        inside = (slice(y, y + h), slice(x, x + w))
        rule = (labels[inside] == k) & seen[inside].astype(np.bool_)
        tone = float(np.median(level[inside][rule]))
        if tone < max(RULE_PALE * ink, ANY_RULE_PALE):
            wider = cv2.dilate(rule.astype(np.uint8), np.ones((3, 1), np.uint8)).astype(np.bool_)
            out[inside] |= wider & (dark[inside] < tone * 1.5 + 8)
    return out
