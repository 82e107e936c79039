"""Flatten printed order sheets by their marks, where those say more than any edge of paper (LET-12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.image import sheet_layout as layout
from ocr.image.find_sheet import (
    DISTINCT,
    FlattenedSheet,
    find_quads,
    find_sheets,
    flatten,
    is_outside,
    turn_sheet,
    whole_photo,
)
from ocr.image.outline import overlap
from ocr.image.printed_sheet import PrintedFrame
from ocr.page import Image

MARGINS = (8.0, 9.0)
"""Millimetres left and right of the block, and above and below it, that belong to the sheet. Least margins of
A4 and US Letter: 10 and 11."""
WIDE_MARGINS = (25.0, 30.0)
"""The same where writing was seen next to that: what a person wrote below the marks. By hand."""


def sheets_by_marks(
    photo: Image, frames: Sequence[PrintedFrame], *, is_wide: bool = False
) -> tuple[FlattenedSheet, ...]:
    """The sheets of a photograph with printed ones. A printed sheet is upright and carries its frame; paper
    next to it is found by its edges, as always. `is_wide`: with wide margins."""
    whole = [frame for frame in frames if frame.is_whole]
    if not whole:
        return tuple(_with_frame(sheet, frames) for sheet in find_sheets(photo))
    quads = [_block(frame, WIDE_MARGINS if is_wide else MARGINS) for frame in whole]
    printed = [_flatten(photo, quad, frame) for quad, frame in zip(quads, whole, strict=True)]
    others = [quad for quad in find_quads(photo) if all(overlap(quad, other) < DISTINCT for other in quads)]
    return (*printed, *(flatten(photo, quad) for quad in others))


def whole_photo_with(photo: Image, frames: Sequence[PrintedFrame]) -> FlattenedSheet:
    """The whole photograph as one sheet that carries the frame of the printed sheet on it, and is upright."""
    sheet = whole_photo(photo)
    return turn_sheet(replace(sheet, printed=frames[0]), frames[0].rotation) if frames else sheet


def _block(frame: PrintedFrame, margins: tuple[float, float]) -> Quad:
    (width, height), (aside, above) = layout.BLOCK, margins
    return frame.points([[-aside, -above], [width + aside, -above], [width + aside, height + above],
                         [-aside, height + above]])


def _flatten(photo: Image, quad: Quad, frame: PrintedFrame) -> FlattenedSheet:
    return replace(flatten(photo, quad), rotation=frame.rotation, printed=frame)


def _with_frame(sheet: FlattenedSheet, frames: Sequence[PrintedFrame]) -> FlattenedSheet:
    """The sheet with the frame whose code lies on it, turned upright; as it is without one."""
    for frame in frames:
        if not is_outside(sheet, _code_middle(frame)):
            return turn_sheet(replace(sheet, printed=frame), _turn(sheet, frame))
    return sheet


def _code_middle(frame: PrintedFrame) -> npt.NDArray[np.float32]:
    area = layout.CODE
    return frame.points([[(area.left + area.right) / 2, (area.top + area.bottom) / 2]])


def _turn(sheet: FlattenedSheet, frame: PrintedFrame) -> int:
    """Degrees clockwise, in quarters, that make a sheet upright which was cut out by its edges."""
    area = layout.CODE
    ends = frame.points([[area.left, area.top], [area.right, area.top]])
    to_sheet = np.linalg.inv(sheet.to_photo)
    left, right = cv2.perspectiveTransform(ends[None].astype(np.float64), to_sheet)[0]
    degrees = float(np.degrees(np.arctan2(right[1] - left[1], right[0] - left[0])))
    return round(-degrees / 90) % 4 * 90
