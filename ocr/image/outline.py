"""Outlines of paper in a small copy of a photograph: light or differently coloured patches with four corners.

`lab` below is that copy in the CIE Lab colour space as OpenCV scales it: uint8, shape (height, width, 3),
long side `find_sheet.LOOK_SIDE` = 640 pixels. All lengths in pixels are pixels of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Contour, Quad
from ocr.image.geometry import quad_size
from ocr.page import Image

Mask = npt.NDArray[np.uint8]
"""uint8, shape (height, width), 1 where something is."""

# Tuning values. Lengths are pixels of the small copy. "By hand": no measurement on record.
SMOOTHING = 9  # pixels, odd, 3..15: median filter that removes writing before paper is looked for. By hand
CLOSING = 9  # pixels, 3..15: side of the square that fills holes in a patch of paper. By hand
OPENING = 15  # pixels, CLOSING..31: side of the square that removes spurs from it. By hand
LIGHT_LEVELS = (1.0, 0.8, 1.15)  # factors of Otsu's threshold on lightness, 0.5..1.5: papers vary. By hand
TABLE_RIM = 6  # pixels, 2..20, along the photograph's edges that give the table's colour. By hand
TABLE_WEIGHTS = (0.5, 1.5, 1.5)  # of L, a, b, 0..3: shadows change lightness most. By hand
TABLE_GAIN = 2  # factor, 1..5, that spreads the difference from the table over 0..255. By hand
TABLE_LEVELS = (1.0, 0.7)  # factors of Otsu's threshold on that difference, 0.5..1.5. By hand
LEAST_AREA = 0.12  # share of the photograph, 0..1, that a sheet covers. By hand
HULL_FILL = 0.85  # share of its convex hull, 0..1, that a patch fills. By hand
CORNER_TOLERANCES = (0.01, 0.02, 0.03, 0.05, 0.08)  # shares of the outline's length, strictest first. By hand
QUAD_FILL = (0.9, 1.1)  # patch's area over that of its four corners, around 1. By hand
LONGEST = 4.0  # length over width of a sheet, 1..; a strip of light is longer. By hand; paper is some 1.4
EDGE_REACH = 6  # pixels, 2..12, inside and outside a side at which paper and table are compared. By hand
EDGE_SPAN = (0.08, 0.92)
"""Shares of a side's length, 0..1, between which it is compared: corners curl. By hand."""
EDGE_SAMPLES = 40  # points along that part, 10..100. By hand
EDGE_WEIGHTS = (0.7, 1.5, 1.5)  # of L, a, b in the difference across a side, 0..3. By hand
EDGE_GAP = 30.0
"""Weighted Lab difference, 0..255, of a full edge. Photographs: half of all sides have 109 or more, a tenth
less than 30."""


def paper_masks(lab: Image) -> Iterator[Mask]:
    """Masks of what may be paper: light, or coloured differently from the border, at several thresholds."""
    smooth = np.asarray(cv2.medianBlur(lab, SMOOTHING), dtype=np.uint8)
    lightness = smooth[..., 0]
    otsu, _ = cv2.threshold(lightness, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    for factor in LIGHT_LEVELS:
        yield _solid((lightness > factor * otsu).astype(np.uint8))
    for tint in (smooth[..., 1], smooth[..., 2]):
        level, _ = cv2.threshold(tint, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        yield _solid((tint > level).astype(np.uint8))
        yield _solid((tint <= level).astype(np.uint8))
    # By each value of a channel how far it is from the table's, squared: 256 numbers in place of every pixel.
    squares = ((np.arange(256)[:, np.newaxis] - _table_colour(smooth)) * np.array(TABLE_WEIGHTS)) ** 2
    by_channel = [squares[:, channel].take(smooth[..., channel]) for channel in range(3)]
    difference = np.sqrt(by_channel[0] + by_channel[1] + by_channel[2])
    grey = np.clip(difference * TABLE_GAIN, 0, 255).astype(np.uint8)
    level, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    for factor in TABLE_LEVELS:
        yield _solid((grey > level * factor).astype(np.uint8))


def _table_colour(lab: Image) -> npt.NDArray[np.float64]:
    """The median colour along the photograph's edges: mostly that of what the paper lies on."""
    rim = [lab[:TABLE_RIM], lab[-TABLE_RIM:], lab[:, :TABLE_RIM], lab[:, -TABLE_RIM:]]
    return np.asarray(
        np.median(np.concatenate([part.reshape(-1, 3) for part in rim]), axis=0), dtype=np.float64
    )


def _solid(mask: Mask) -> Mask:
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((CLOSING, CLOSING), np.uint8))
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((OPENING, OPENING), np.uint8))
    return np.asarray(opened, dtype=np.uint8)


def paper_patches(mask: Mask) -> tuple[Contour, ...]:
    """The outer contours of connected parts that are as large as a sheet; holes are ignored."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return tuple(contour for contour in contours if cv2.contourArea(contour) >= LEAST_AREA * mask.size)


def corners_of(patch: Contour) -> Quad | None:
    """Four corners that fit a patch closely. None if it is not four-sided, or no more than a strip."""
    area = cv2.contourArea(patch)
    hull = cv2.convexHull(patch)
    if area < HULL_FILL * cv2.contourArea(hull):
        return None
    perimeter = cv2.arcLength(hull, closed=True)
    for tolerance in CORNER_TOLERANCES:
        shape = cv2.approxPolyDP(hull, tolerance * perimeter, closed=True)
        if len(shape) == 4:
            break
    else:
        return None
    quad = _from_top_left(shape.reshape(4, 2))
    fill = area / max(cv2.contourArea(quad), 1.0)
    sides = sorted(quad_size(quad))
    return quad if QUAD_FILL[0] < fill < QUAD_FILL[1] and sides[1] < LONGEST * sides[0] else None


def _from_top_left(points: Contour) -> Quad:
    """Corners clockwise, beginning with the one nearest the top left; correct for any turn of the sheet."""
    quad = points.astype(np.float32)
    centre = quad.mean(axis=0)
    quad = quad[np.argsort(np.arctan2(quad[:, 1] - centre[1], quad[:, 0] - centre[0]))]
    return np.asarray(np.roll(quad, -int(quad.sum(axis=1).argmin()), axis=0), dtype=np.float32)


def outline_strength(lab: Image, quad: Quad, open_side: int | None = None) -> float:
    """How well an outline shows, 0..1: its weakest edge times the paper's lightness.

    Sides along the photograph's own rim need no edge, nor does `open_side` (0..3), which the caller checks.
    """
    # The weakest edge, not the mean: a patch that includes some of the table still has three good sides.
    gaps = [gap for k in range(4) if k != open_side and (gap := _edge_gap(lab, quad, k)) is not None]
    paper = float(lab[..., 0][quad_mask(quad, lab.shape[:2])].mean()) / 255
    return min(*gaps, EDGE_GAP) / EDGE_GAP * paper if gaps else 0.0


def _edge_gap(lab: Image, quad: Quad, side: int) -> float | None:
    """The colour difference across a side, EDGE_REACH pixels in and out; None along the photograph's rim."""
    start, end = quad[side], quad[(side + 1) % 4]
    along = (end - start) / max(1.0, float(np.linalg.norm(end - start)))
    outward = np.array([along[1], -along[0]], dtype=np.float32) * EDGE_REACH
    points = start + (end - start) * np.linspace(*EDGE_SPAN, EDGE_SAMPLES, dtype=np.float32)[:, np.newaxis]
    beyond = points + outward
    size = np.array([lab.shape[1], lab.shape[0]])
    within = ((beyond >= 0) & (beyond < size)).all(axis=1)
    if within.mean() < 0.5:
        return None
    inner, outer = (points[within] - outward).astype(int), beyond[within].astype(int)
    inner = np.clip(inner, 0, size - 1)
    step = lab[inner[:, 1], inner[:, 0]].astype(np.float32) - lab[outer[:, 1], outer[:, 0]]
    return float(np.linalg.norm(np.median(step, axis=0) * np.array(EDGE_WEIGHTS)))


def quad_mask(quad: Quad, size: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """The pixels inside four corners: bool, shape `size` (height, width)."""
    mask = np.zeros(size[:2], np.uint8)
    cv2.fillConvexPoly(mask, quad.astype(np.int32), 1)
    return mask.astype(np.bool_)


def overlap(first: Quad, second: Quad) -> float:
    """The overlap of two convex outlines as a share of the smaller, 0..1."""
    shared_area, _ = cv2.intersectConvexConvex(first, second)
    return float(shared_area) / max(1.0, min(cv2.contourArea(first), cv2.contourArea(second)))
