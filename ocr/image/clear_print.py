"""What is printed on an order sheet and is not a heading, taken out before anything is read; and which boxes
are ticked (LET-12).

Only marks and codes are covered. All else is printed pale, and only what is pale goes: a pen's strokes stay,
also across it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from ocr.image import sheet_layout as layout
from ocr.image.find_sheet import FlattenedSheet
from ocr.image.geometry import Matrix, inverse, transform_points, upright_frame
from ocr.image.illumination import PAPER
from ocr.image.printed_sheet import PrintedFrame
from ocr.image.sheet_layout import Area
from ocr.page import Image, Row

# Tuning values. "By hand": no measurement on record. Greys are of an evened sheet, 0..255, paper 250.
PALE = 160.0  # grey above which rules, boxes and small names are print: they are printed at 178. By hand
PALE_TYPE = 93.0  # grey above which the small type is print: it is printed at 113. By hand
AROUND = 1.2  # millimetres that are cleared around marks and code, and along a rule. By hand
UNIT_NAME = 3.0  # millimetres below a rule in which a unit's name may be. By definition of the layout
TICK_INK = 0.3  # square millimetres, 0.2..2, of ink that tick a box; a speck has less. By hand
TICK_REACH = 2.6  # millimetres, 1..4, that a tick may go beyond its box. By hand
TICK_END = 13.2  # millimetres: ink that reaches so far right is writing and no tick. By definition
VERSION_INK = 0.2  # square millimetres of ink that are a version number: a thin pen's "2" had under 0.6
CODE_DARK = 0.3
"""Share of dark pixels, 0..1, above which the foot has a code: half of a code is black, writing covers a
tenth. On an older sheet, which has none, a person may write there. By hand."""
BOTH = "?"
"""Both boxes of a row are ticked."""
KINDS = ("A", "F")
"""The meaning of the boxes: an army and a fleet."""


@dataclass(frozen=True, slots=True, eq=False)
class ClearedSheet:
    """An evened sheet without its print. `ticks`: what is ticked, by row from 0: one of KINDS, or BOTH."""

    image: Image
    ticks: Mapping[int, str]


def clear_print(clean: Image, sheet: FlattenedSheet, printed: PrintedFrame) -> ClearedSheet:
    """A cleaned, upright sheet without marks, codes, small type, rules and boxes, and without ticks."""
    to_sheet = inverse(sheet.to_photo) @ printed.to_photo
    image = clean.copy()
    for number in printed.marks if not printed.is_whole else range(len(layout.MARKS)):
        left, top = layout.MARKS[number]
        _cover(image, to_sheet, Area(left, top, left + layout.MARK, top + layout.MARK))
    _cover(image, to_sheet, layout.CODE)
    if printed.is_whole and _dark_share(image, to_sheet, layout.FOOT_CODE) > CODE_DARK:
        _cover(image, to_sheet, layout.FOOT_CODE)
    _lighten(image, to_sheet, layout.NOTES, PALE_TYPE)
    _lighten(image, to_sheet, layout.VERSION, PALE)
    _lighten(image, to_sheet, layout.WORDS, PALE)
    _lighten(image, to_sheet, layout.WORDS_WORD, PALE_TYPE)
    if not _ink(image, to_sheet, _inner(layout.VERSION), VERSION_INK):
        _lighten(image, to_sheet, layout.VERSION_WORD, PALE_TYPE)
    if not printed.is_whole:
        return ClearedSheet(image, {})
    for row in range(layout.ROWS):
        _lighten(image, to_sheet, _rule(row), PALE)
        _lighten(image, to_sheet, _boxes(row), PALE)
    ticks = {row: tick for row in range(layout.ROWS) if (tick := _take_tick(image, to_sheet, row))}
    return ClearedSheet(image, ticks)


def row_at(printed: PrintedFrame, points: npt.ArrayLike) -> int | None:
    """The row, from 0, on whose rule the middle of some points of the photograph stands; None next to all."""
    places = transform_points(inverse(printed.to_photo), points)
    middle = float(places[:, 1].mean())
    row = int((middle - layout.FIRST_ROW) // layout.ROW_PITCH)
    return row if 0 <= row < layout.ROWS else None


def _rule(row: int) -> Area:
    """A rule, with the small name that may be below it."""
    height = layout.rule_height(row)
    return Area(layout.RULE[0] - 1, height - AROUND, layout.RULE[1] + 1, height + UNIT_NAME)


def _boxes(row: int) -> Area:
    first, second = layout.kind_box(row, 0), layout.kind_box(row, 1)
    return Area(first.left - 1, first.top - 1, second.right + 1, second.bottom + 1)


def _inner(area: Area) -> Area:
    return Area(area.left + 1, area.top + 1, area.right - 1, area.bottom - 1)


def _corners(to_sheet: Matrix, area: Area) -> npt.NDArray[np.float32]:
    return transform_points(to_sheet, [[area.left, area.top], [area.right, area.top],
                                       [area.right, area.bottom], [area.left, area.bottom]])


def _cover(image: Image, to_sheet: Matrix, area: Area) -> None:
    wider = Area(area.left - AROUND, area.top - AROUND, area.right + AROUND, area.bottom + AROUND)
    corners = np.round(_corners(to_sheet, wider)).astype(np.int32)
    cv2.fillConvexPoly(image, corners, (PAPER, PAPER, PAPER))


def _window(image: Image, to_sheet: Matrix, area: Area) -> tuple[slice, slice] | None:
    """The rows and columns of the image that hold an area; None if it lies outside."""
    corners = _corners(to_sheet, area)
    left, top = np.maximum(0, np.floor(corners.min(axis=0))).astype(int)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int)
    window = slice(int(top), max(0, int(bottom))), slice(int(left), max(0, int(right)))
    return window if image[window].size else None


def _lighten(image: Image, to_sheet: Matrix, area: Area, above: float) -> None:
    """Make paper of what is lighter than a grey."""
    window = _window(image, to_sheet, area)
    if window is not None:
        part = image[window]
        part[cv2.cvtColor(part, cv2.COLOR_RGB2GRAY) > above] = PAPER


def _ink(image: Image, to_sheet: Matrix, area: Area, least: float) -> bool:
    window = _window(image, to_sheet, area)
    if window is None:
        return False
    dark = cv2.cvtColor(image[window], cv2.COLOR_RGB2GRAY) <= PALE
    return float(dark.sum()) >= least * _pixels_per_mm(to_sheet) ** 2


def _dark_share(image: Image, to_sheet: Matrix, area: Area) -> float:
    """The share of dark pixels in an area, 0..1; 0 for one outside the image."""
    window = _window(image, to_sheet, area)
    if window is None:
        return 0.0
    return float((cv2.cvtColor(image[window], cv2.COLOR_RGB2GRAY) <= PALE).mean())


def _pixels_per_mm(to_sheet: Matrix) -> float:
    width, height = layout.BLOCK
    corners = transform_points(to_sheet, upright_frame(width, height))
    return float(np.sqrt(cv2.contourArea(corners) / (width * height)))


def _take_tick(image: Image, to_sheet: Matrix, row: int) -> str:
    """What is ticked in a row: one of KINDS, BOTH, or "" for neither. Its ink is taken out of the image."""
    boxes = [layout.kind_box(row, kind) for kind in range(2)]
    zone = Area(boxes[0].left - TICK_REACH, boxes[0].top - TICK_REACH - 1, layout.RULE[0] + 2,
                boxes[0].bottom + TICK_REACH)
    window = _window(image, to_sheet, zone)
    if window is None:
        return ""
    part, scale = image[window], _pixels_per_mm(to_sheet)
    corner = transform_points(to_sheet, [[0.0, boxes[0].top]])[0] - (window[1].start, window[0].start)
    inks = [0.0, 0.0]
    for mask, places in _strokes(part, scale, corner):
        # A person wrote across the boxes: that is read as writing.
        if places[:, 0].max() > TICK_END or not _touches(places, layout.KIND_BOX + 1):
            continue
        middle = (boxes[0].right + boxes[1].left) / 2
        kind = int(np.median(places[:, 0]) > middle)
        inks[kind] += len(places) / scale**2
        part[cv2.dilate(mask, np.ones((3, 3), np.uint8)).astype(bool)] = PAPER
    ticked = [kind for kind, ink in zip(KINDS, inks, strict=True) if ink >= TICK_INK]
    return BOTH if len(ticked) == 2 else "".join(ticked)


def _strokes(
    part: Image, scale: float, corner: npt.NDArray[np.float32]
) -> Iterator[tuple[Image, npt.NDArray[np.float64]]]:
    """Connected ink in a part of the image: its mask, and its pixels as millimetres right of and below the
    first box's top left corner."""
    dark = (cv2.cvtColor(part, cv2.COLOR_RGB2GRAY) <= PALE).astype(np.uint8)
    count, labels = cv2.connectedComponents(dark, connectivity=8)
    for label in range(1, count):
        mask = (labels == label).astype(np.uint8)
        rows, columns = np.nonzero(mask)
        yield mask, np.column_stack([columns - corner[0], rows - corner[1]]) / scale


def _touches(places: npt.NDArray[np.float64], end: float) -> bool:
    """True if some of the ink is as high as the boxes."""
    return bool(((places[:, 1] > -0.5) & (places[:, 1] < end)).any())


def with_ticks(
    rows: Sequence[Row], printed: PrintedFrame | None, ticks: Mapping[int, str]
) -> tuple[Row, ...]:
    """The rows, the first on each rule of a printed sheet with what is ticked next to it."""
    if printed is None or not ticks:
        return tuple(rows)
    rest, marked = dict(ticks), []
    for row in rows:
        number = row_at(printed, row.box.corners)
        tick = "" if number is None else rest.pop(number, "")
        marked.append(replace(row, tick=tick) if tick else row)
    return tuple(marked)
