"""Find the sheets in a photograph and flatten them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.image.geometry import Matrix, homography, quad_size, transform_points, upright_frame
from ocr.image.outline import corners_of, outline_strength, overlap, paper_masks, paper_patches
from ocr.image.printed_sheet import PrintedFrame
from ocr.image.split_sheets import find_touching_pair
from ocr.page import Image

# Tuning values. "By hand": no measurement on record.
LOOK_SIDE = 640
"""Pixels, 320..1280, long side of the copy in which sheets are looked for. By hand; cost ~ its square."""
FLAT_SIDE = 2400
"""Pixels, 1200..4000, long side of a flattened sheet at most; a row of 25 is then some 90 high. By hand."""
MIN_SIDE = 32  # pixels, short side of a flattened sheet at least, so that filters have room. By hand
SHRINK_BY_AREA = 0.6
"""Factor, 0..1, below which area sampling replaces bilinear, which would skip pixels. By hand."""
OUTSIDE = 0.02  # share of the sheet's width or height, 0..0.1, beyond which a point is off the sheet. By hand
DISTINCT = 0.2  # overlap, 0..1, from which two outlines are the same sheet. By hand
SECOND_STRENGTH = 0.5
"""Share of the best outline's strength, 0..1, that a second sheet needs. By hand."""


@dataclass(frozen=True, slots=True, eq=False)
class FlattenedSheet:
    """A sheet cut out and flattened.

    `image`: uint8 RGB, shape (height, width, 3). `to_photo`: homography from its pixels to those of the
    photograph. `rotation`: 0, 90, 180 or 270, degrees clockwise it was turned since. `is_outlined`: False if
    no edge of paper was seen and the whole photograph is in for the sheet. `printed`: the printed sheet
    that lies there, if its marks or its code were seen.
    """

    image: Image
    to_photo: Matrix
    rotation: int = 0
    is_outlined: bool = True
    printed: PrintedFrame | None = None


def find_sheets(photo: Image, look: Image | None = None) -> tuple[FlattenedSheet, ...]:
    """The sheets in an upright RGB photograph, in reading order: one or two, or the whole photograph.

    `look`: its `look_copy`, if that is there already.
    """
    quads = find_quads(photo, look)
    return tuple(flatten(photo, quad) for quad in quads) if quads else (whole_photo(photo),)


def whole_photo(photo: Image) -> FlattenedSheet:
    """The whole photograph as a sheet, for when no edge of paper can be trusted."""
    height, width = photo.shape[:2]
    return flatten(photo, upright_frame(width, height), is_outlined=False)


def is_outside(sheet: FlattenedSheet, point: npt.ArrayLike) -> bool:
    """True if a point of the photograph (x, y in pixels) is clearly off the sheet."""
    height, width = sheet.image.shape[:2]
    x, y = transform_points(np.linalg.inv(sheet.to_photo).astype(np.float64), point)[0]
    inside_width = -OUTSIDE * width < x < (1 + OUTSIDE) * width
    return not (inside_width and -OUTSIDE * height < y < (1 + OUTSIDE) * height)


def flatten(photo: Image, quad: Quad, *, is_outlined: bool = True) -> FlattenedSheet:
    """The inside of four corners as a rectangle, never enlarged."""
    width, height = quad_size(quad)
    shrink = min(1.0, FLAT_SIDE / max(width, height))
    size = max(MIN_SIDE, round(width * shrink)), max(MIN_SIDE, round(height * shrink))
    frame = upright_frame(*size)
    method = cv2.INTER_AREA if shrink < SHRINK_BY_AREA else cv2.INTER_LINEAR
    image = cv2.warpPerspective(
        photo, homography(quad, frame), size, flags=method, borderMode=cv2.BORDER_REPLICATE
    )
    return FlattenedSheet(np.asarray(image, dtype=np.uint8), homography(frame, quad), 0, is_outlined)


def turn_sheet(sheet: FlattenedSheet, degrees: int) -> FlattenedSheet:
    """The same sheet turned clockwise by 0, 90, 180 or 270 degrees."""
    if degrees == 0:
        return sheet
    image = turn_image(sheet.image, degrees)
    frame = upright_frame(image.shape[1], image.shape[0])
    frame_before = upright_frame(sheet.image.shape[1], sheet.image.shape[0])
    # A turn by k quarters moves the corner that was k places before to the top left.
    to_sheet_before = homography(frame, np.roll(frame_before, degrees // 90, axis=0))
    rotation = (sheet.rotation + degrees) % 360
    return replace(sheet, image=image, to_photo=sheet.to_photo @ to_sheet_before, rotation=rotation)


def turn_image(image: Image, degrees: int) -> Image:
    """An image turned clockwise by 0, 90, 180 or 270 degrees."""
    return np.ascontiguousarray(np.rot90(image, -(degrees // 90)))


def look_copy(photo: Image) -> Image:
    """A photograph LOOK_SIDE long, in which sheets are looked for."""
    # A large photograph takes as long to shrink as its small copy to be looked at.
    scale = LOOK_SIDE / max(photo.shape[:2])
    size = max(16, round(photo.shape[1] * scale)), max(16, round(photo.shape[0] * scale))
    return np.asarray(cv2.resize(photo, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def find_quads(photo: Image, look: Image | None = None) -> tuple[Quad, ...]:
    """The corners of each sheet of paper, in pixels of the photograph, in reading order; empty if none.

    `look`: see `find_sheets`.
    """
    height, width = photo.shape[:2]
    scale = LOOK_SIDE / max(height, width)
    quads = [quad / np.float32(scale) for quad in _outlines(look_copy(photo) if look is None else look)]
    # Upper half before lower half, and within a half from the left.
    return tuple(sorted(quads, key=lambda quad: (quad[:, 1].mean() // (height / 2), quad[:, 0].mean())))


def _outlines(small: Image) -> tuple[Quad, ...]:
    """At most two sheets: the best outlines by themselves, or a touching pair that was taken for one."""
    lab = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2LAB), dtype=np.uint8)
    masks = tuple(paper_masks(lab))
    candidates = [
        (cv2.contourArea(patch) / masks[0].size, outline_strength(lab, quad), quad)
        for mask in masks
        for patch in paper_patches(mask)
        if (quad := corners_of(patch)) is not None
    ]
    distinct: list[tuple[float, Quad]] = []
    # Large and clear first: area times strength.
    for area, strength, quad in sorted(candidates, key=lambda candidate: -candidate[0] * candidate[1]):
        if area * strength > 0 and all(overlap(quad, other) < DISTINCT for _, other in distinct):
            distinct.append((strength, quad))
    best = tuple(quad for strength, quad in distinct if strength > SECOND_STRENGTH * distinct[0][0])[:2]
    if len(best) == 2:
        return best
    return find_touching_pair(lab, masks, best[0] if best else None) or best


def photo_points(sheet: FlattenedSheet, points: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Points of the flattened sheet (n x 2) in pixels of the photograph."""
    return transform_points(sheet.to_photo, points)
