"""Find the sheets in a photograph and square them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.image.geometry import Matrix, homography, quad_size, transform_points, upright_frame
from ocr.image.outline import corners_of, outline_strength, overlap, paper_masks, paper_patches
from ocr.image.split_sheets import find_touching_pair
from ocr.page import Image

LOOK_SIDE = 640
"""Long side, in pixels, of the small copy in which sheets are looked for."""

FLAT_SIDE = 2400
"""Long side, in pixels, of a squared sheet at most; a row of 25 is then some 90 high."""


@dataclass(frozen=True, slots=True, eq=False)
class FlattenedSheet:
    """A sheet cut out and squared. `to_photo` takes its pixels to those of the photograph as shown.

    `found` is False where no edge of paper was seen and the whole photograph stands in for the sheet.
    """

    image: Image
    to_photo: Matrix
    rotation: int = 0
    is_outlined: bool = True


def find_sheets(photo: Image) -> tuple[FlattenedSheet, ...]:
    """The sheets in an upright RGB photograph, in reading order; at least one."""
    quads = find_quads(photo)
    return tuple(flatten(photo, quad) for quad in quads) if quads else (whole_photo(photo),)


def whole_photo(photo: Image) -> FlattenedSheet:
    """The whole photograph as a sheet, where no edge of paper is to be trusted."""
    height, width = photo.shape[:2]
    return flatten(photo, upright_frame(width, height), found=False)


def is_outside(sheet: FlattenedSheet, point: npt.ArrayLike) -> bool:
    """Whether a point of the photograph lies clearly off the sheet."""
    high, wide = sheet.image.shape[:2]
    x, y = transform_points(np.linalg.inv(sheet.to_photo).astype(np.float64), point)[0]
    return not (-0.02 * wide < x < 1.02 * wide and -0.02 * high < y < 1.02 * high)


def flatten(photo: Image, quad: Quad, *, found: bool = True) -> FlattenedSheet:
    """What lies in four corners as a rectangle, never enlarged."""
    width, height = quad_size(quad)
    shrink = min(1.0, FLAT_SIDE / max(width, height))
    size = max(32, round(width * shrink)), max(32, round(height * shrink))
    frame = upright_frame(*size)
    method = cv2.INTER_AREA if shrink < 0.6 else cv2.INTER_LINEAR
    image = cv2.warpPerspective(
        photo, homography(quad, frame), size, flags=method, borderMode=cv2.BORDER_REPLICATE
    )
    return FlattenedSheet(np.asarray(image, dtype=np.uint8), homography(frame, quad), 0, found)


def turn_sheet(sheet: FlattenedSheet, degrees: int) -> FlattenedSheet:
    """The same sheet turned clockwise by 0, 90, 180 or 270 degrees."""
    if degrees == 0:
        return sheet
    image = turn_image(sheet.image, degrees)
    high, wide = image.shape[:2]
    frame = upright_frame(wide, high)
    before_high, before_wide = sheet.image.shape[:2]
    back = np.roll(upright_frame(before_wide, before_high), degrees // 90, axis=0)
    return FlattenedSheet(
        image, sheet.to_photo @ homography(frame, back), (sheet.rotation + degrees) % 360, sheet.is_outlined
    )


def turn_image(image: Image, degrees: int) -> Image:
    """An image turned clockwise by 0, 90, 180 or 270 degrees."""
    return np.ascontiguousarray(np.rot90(image, -(degrees // 90)))


def find_quads(photo: Image) -> tuple[Quad, ...]:
    """Corners of each sheet of paper seen, in pixels of the photograph, in reading order; empty if none."""
    height, width = photo.shape[:2]
    scale = LOOK_SIDE / max(height, width)
    size = max(16, round(width * scale)), max(16, round(height * scale))
    small = np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    best = [quad / np.float32(scale) for quad in _outlines(small)]
    return tuple(sorted(best, key=lambda quad: (quad[:, 1].mean() // (height / 2), quad[:, 0].mean())))


def _outlines(small: Image) -> tuple[Quad, ...]:
    """At most two sheets: those that show best by themselves, or a pair that was taken for one."""
    lab = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2LAB), dtype=np.uint8)
    found = tuple(paper_masks(lab))
    scored = [
        (cv2.contourArea(patch) / found[0].size, outline_strength(lab, quad), quad)
        for mask in found
        for patch in paper_patches(mask)
        if (quad := corners_of(patch)) is not None
    ]
    kept: list[tuple[float, Quad]] = []
    for area, strong, quad in sorted(scored, key=lambda seen: -seen[0] * seen[1]):
        if area * strong > 0 and all(overlap(quad, other) < 0.2 for _, other in kept):
            kept.append((strong, quad))
    apart = tuple(quad for strong, quad in kept if strong > 0.5 * kept[0][0])[:2]
    if len(apart) == 2:
        return apart
    return find_touching_pair(lab, found, apart[0] if apart else None) or apart


def photo_points(sheet: FlattenedSheet, points: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Points of the squared sheet in pixels of the photograph as shown."""
    return transform_points(sheet.to_photo, points)
