"""Outlines of paper in a small copy of a photograph: light or differently coloured patches with four
corners."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Contour, Quad
from ocr.image.geometry import quad_size
from ocr.page import Image

Mask = npt.NDArray[np.uint8]
"""Height x width, 1 where something is."""

LEAST_AREA = 0.12
"""A sheet covers at least this share of the photograph; smaller light patches are something else."""

LONGEST = 4.0
"""A sheet is at most this many times as long as wide; a strip of light is longer."""

EDGE_GAP = 30.0
"""A step of this much between paper and table (Lab, 0..255) counts as a full edge."""


def paper_masks(lab: Image) -> Iterator[Mask]:
    """Light, or differently coloured from the border, in several strengths: papers and tables vary."""
    smooth = np.asarray(cv2.medianBlur(lab, 9), dtype=np.uint8)
    light = smooth[..., 0]
    otsu, _ = cv2.threshold(light, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    for level in (otsu, 0.8 * otsu, 1.15 * otsu):
        yield _solid((light > level).astype(np.uint8))
    for tint in (smooth[..., 1], smooth[..., 2]):
        level, _ = cv2.threshold(tint, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
        yield _solid((tint > level).astype(np.uint8))
        yield _solid((tint <= level).astype(np.uint8))
    away = np.linalg.norm((smooth.astype(np.float32) - _table(smooth)) * np.array([0.5, 1.5, 1.5]), axis=2)
    grey = np.clip(away * 2, 0, 255).astype(np.uint8)
    level, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    for part in (1.0, 0.7):
        yield _solid((grey > level * part).astype(np.uint8))


def _table(lab: Image) -> npt.NDArray[np.float64]:
    """The colour round the rim of the photograph: most often what the paper lies on."""
    rim = [lab[:6], lab[-6:], lab[:, :6], lab[:, -6:]]
    return np.asarray(
        np.median(np.concatenate([part.reshape(-1, 3) for part in rim]), axis=0), dtype=np.float64
    )


def _solid(mask: Mask) -> Mask:
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((15, 15), np.uint8)), dtype=np.uint8)


def paper_patches(mask: Mask) -> tuple[Contour, ...]:
    """The outlines of what is connected, the holes in it filled, where it is as large as a sheet."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return tuple(contour for contour in contours if cv2.contourArea(contour) >= LEAST_AREA * mask.size)


def corners_of(patch: Contour) -> Quad | None:
    """Four corners that hug a patch, or None where it is not four-sided or no more than a strip."""
    area = cv2.contourArea(patch)
    hull = cv2.convexHull(patch)
    if area < 0.85 * cv2.contourArea(hull):
        return None
    around = cv2.arcLength(hull, closed=True)
    for tolerance in (0.01, 0.02, 0.03, 0.05, 0.08):
        shape = cv2.approxPolyDP(hull, tolerance * around, closed=True)
        if len(shape) == 4:
            break
    else:
        return None
    quad = _from_top_left(shape.reshape(4, 2))
    within = cv2.contourArea(quad)
    sides = sorted(quad_size(quad))
    return quad if 0.9 < area / max(within, 1.0) < 1.1 and sides[1] < LONGEST * sides[0] else None


def _from_top_left(points: Contour) -> Quad:
    """Corners clockwise, beginning with the one nearest the top left; right for any turn of the sheet."""
    quad = points.astype(np.float32)
    centre = quad.mean(axis=0)
    quad = quad[np.argsort(np.arctan2(quad[:, 1] - centre[1], quad[:, 0] - centre[0]))]
    return np.asarray(np.roll(quad, -int(quad.sum(axis=1).argmin()), axis=0), dtype=np.float32)


def outline_strength(lab: Image, quad: Quad, open_side: int | None = None) -> float:
    """The weakest edge and the paper's lightness, multiplied, 0..1; sides along the photograph's own rim need
    not show a step, nor need `open_side`, which somebody else has looked at.

    The weakest, because a patch that swallows some of the table still has three good sides.
    """
    gaps = [gap for k in range(4) if k != open_side and (gap := _edge(lab, quad, k)) is not None]
    paper = float(lab[..., 0][quad_mask(quad, lab.shape[:2])].mean()) / 255
    return min(*gaps, EDGE_GAP) / EDGE_GAP * paper if gaps else 0.0


def _edge(lab: Image, quad: Quad, side: int) -> float | None:
    """How the colour changes from 6 pixels inside a side to 6 outside; None along the photograph's rim."""
    start, end = quad[side], quad[(side + 1) % 4]
    along = (end - start) / max(1.0, float(np.linalg.norm(end - start)))
    out = np.array([along[1], -along[0]], dtype=np.float32) * 6
    points = start + (end - start) * np.linspace(0.08, 0.92, 40, dtype=np.float32)[:, np.newaxis]
    beyond = points + out
    size = np.array([lab.shape[1], lab.shape[0]])
    seen = ((beyond >= 0) & (beyond < size)).all(axis=1)
    if seen.mean() < 0.5:
        return None
    inner, outer = (points[seen] - out).astype(int), beyond[seen].astype(int)
    inner = np.clip(inner, 0, size - 1)
    step = lab[inner[:, 1], inner[:, 0]].astype(np.float32) - lab[outer[:, 1], outer[:, 0]]
    return float(np.linalg.norm(np.median(step, axis=0) * np.array([0.7, 1.5, 1.5])))


def quad_mask(quad: Quad, size: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Which pixels of an image of that height and width lie in four corners."""
    mask = np.zeros(size[:2], np.uint8)
    cv2.fillConvexPoly(mask, quad.astype(np.int32), 1)
    return mask.astype(np.bool_)


def overlap(one: Quad, two: Quad) -> float:
    """Overlap of two convex outlines as a share of the smaller."""
    both, _ = cv2.intersectConvexConvex(one, two)
    return float(both) / max(1.0, min(cv2.contourArea(one), cv2.contourArea(two)))
