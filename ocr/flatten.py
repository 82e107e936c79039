"""Find the sheets in a photograph and square them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Contour, Quad
from ocr.geometry import Matrix, carry, lengths, mapping, upright_frame
from ocr.page import Image

LOOK_SIDE = 640
"""Long side, in pixels, of the small copy in which sheets are looked for."""

FLAT_SIDE = 2400
"""Long side, in pixels, of a squared sheet at most; a row of 25 is then some 90 high."""

LEAST_AREA = 0.12
"""A sheet covers at least this share of the photograph; smaller light patches are something else."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A sheet cut out and squared. `to_photo` takes its pixels to those of the photograph as shown.

    `found` is False where no edge of paper was seen and the whole photograph stands in for the sheet.
    """

    image: Image
    to_photo: Matrix
    rotation: int = 0
    found: bool = True


def sheets(photo: Image) -> tuple[Sheet, ...]:
    """The sheets in an upright RGB photograph, in reading order; at least one."""
    quads = find_quads(photo)
    return tuple(square(photo, quad) for quad in quads) if quads else (whole(photo),)


def whole(photo: Image) -> Sheet:
    """The whole photograph as a sheet, where no edge of paper is to be trusted."""
    height, width = photo.shape[:2]
    return square(photo, upright_frame(width, height), found=False)


def outside(sheet: Sheet, point: npt.ArrayLike) -> bool:
    """Whether a point of the photograph lies clearly off the sheet."""
    high, wide = sheet.image.shape[:2]
    x, y = carry(np.linalg.inv(sheet.to_photo).astype(np.float64), point)[0]
    return not (-0.02 * wide < x < 1.02 * wide and -0.02 * high < y < 1.02 * high)


def square(photo: Image, quad: Quad, *, found: bool = True) -> Sheet:
    """What lies in four corners as a rectangle, never enlarged."""
    width, height = lengths(quad)
    shrink = min(1.0, FLAT_SIDE / max(width, height))
    size = max(32, round(width * shrink)), max(32, round(height * shrink))
    frame = upright_frame(*size)
    method = cv2.INTER_AREA if shrink < 0.6 else cv2.INTER_LINEAR
    image = cv2.warpPerspective(
        photo, mapping(quad, frame), size, flags=method, borderMode=cv2.BORDER_REPLICATE
    )
    return Sheet(np.asarray(image, dtype=np.uint8), mapping(frame, quad), 0, found)


def turned(sheet: Sheet, degrees: int) -> Sheet:
    """The same sheet turned clockwise by 0, 90, 180 or 270 degrees."""
    if degrees == 0:
        return sheet
    image = turned_image(sheet.image, degrees)
    high, wide = image.shape[:2]
    frame = upright_frame(wide, high)
    before_high, before_wide = sheet.image.shape[:2]
    back = np.roll(upright_frame(before_wide, before_high), degrees // 90, axis=0)
    return Sheet(image, sheet.to_photo @ mapping(frame, back), (sheet.rotation + degrees) % 360, sheet.found)


def turned_image(image: Image, degrees: int) -> Image:
    """An image turned clockwise by 0, 90, 180 or 270 degrees."""
    return np.ascontiguousarray(np.rot90(image, -(degrees // 90)))


def find_quads(photo: Image) -> tuple[Quad, ...]:
    """Corners of each sheet of paper seen, in pixels of the photograph, in reading order; empty if none."""
    height, width = photo.shape[:2]
    scale = LOOK_SIDE / max(height, width)
    size = max(16, round(width * scale)), max(16, round(height * scale))
    small = np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    kept: list[tuple[float, Quad]] = []
    for score, quad in sorted(_candidates(small), key=lambda pair: -pair[0]):
        if all(_shared(quad, other, size) < 0.2 for _, other in kept):
            kept.append((score, quad))
    best = [quad / np.float32(scale) for score, quad in kept if score > 0.5 * kept[0][0]][:2]
    return tuple(sorted(best, key=lambda quad: (quad[:, 1].mean() // (height / 2), quad[:, 0].mean())))


def _candidates(small: Image) -> Iterator[tuple[float, Quad]]:
    lab = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2LAB), dtype=np.uint8)
    for mask in _masks(lab):
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            quad = _quad_of(contour, mask.size)
            if quad is not None:
                score = _score(lab, quad, cv2.contourArea(contour))
                if score > 0:
                    yield score, quad


def _masks(lab: Image) -> Iterator[npt.NDArray[np.uint8]]:
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


def _solid(mask: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((15, 15), np.uint8)), dtype=np.uint8)


def _quad_of(contour: Contour, pixels: int) -> Quad | None:
    """Four corners that hug a patch, or None where it is small or not four-sided."""
    area = cv2.contourArea(contour)
    if area < LEAST_AREA * pixels:
        return None
    hull = cv2.convexHull(contour)
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
    inside = cv2.contourArea(quad)
    return quad if 0.9 < area / max(inside, 1.0) < 1.1 else None


def _from_top_left(points: Contour) -> Quad:
    """Corners clockwise, beginning with the one nearest the top left; right for any turn of the sheet."""
    quad = points.astype(np.float32)
    centre = quad.mean(axis=0)
    quad = quad[np.argsort(np.arctan2(quad[:, 1] - centre[1], quad[:, 0] - centre[0]))]
    return np.asarray(np.roll(quad, -int(quad.sum(axis=1).argmin()), axis=0), dtype=np.float32)


EDGE_GAP = 30.0
"""A step of this much between paper and table (Lab, 0..255) counts as a full edge."""


def _score(lab: Image, quad: Quad, area: float) -> float:
    """Area times the weakest edge, 0..1; edges along the photograph's own rim need not show a step.

    The weakest, because a patch that swallows some of the table still has three good sides.
    """
    high, wide = lab.shape[:2]
    gaps = [gap for k in range(4) if (gap := _edge(lab, quad, k)) is not None]
    if not gaps:
        return 0.0
    paper = float(lab[..., 0][_mask(quad, (wide, high))].mean()) / 255
    return float(area / (high * wide) * min(*gaps, EDGE_GAP) / EDGE_GAP * paper)


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


def _mask(quad: Quad, size: tuple[int, int]) -> npt.NDArray[np.bool_]:
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(mask, quad.astype(np.int32), 1)
    return mask.astype(np.bool_)


def _shared(one: Quad, two: Quad, size: tuple[int, int]) -> float:
    """Overlap of two boxes as a share of the smaller."""
    first, second = _mask(one, size), _mask(two, size)
    return float((first & second).sum() / max(1, min(first.sum(), second.sum())))


def photo_points(sheet: Sheet, points: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Points of the squared sheet in pixels of the photograph as shown."""
    return carry(sheet.to_photo, points)
