"""Read one line again, in a box that a person has drawn. The person shows where the line is, the engines what
it states."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from ocr.corrections.apply import attach_insertions
from ocr.engines import Engine, Quad, Recognition
from ocr.image.find_sheet import (
    FlattenedSheet,
    find_sheets,
    is_outside,
    photo_points,
    turn_sheet,
    whole_photo,
)
from ocr.image.geometry import CROP_MARGIN, box_of, cut_quad, grow_quad, quad_size, transform_points
from ocr.image.illumination import even_light, without_rules
from ocr.image.narrow_hands import second_opinion
from ocr.image.quality import legibility
from ocr.layout.lines import RowStrip, row_strips
from ocr.layout.row_ends import is_cut_off
from ocr.layout.wrap import as_line
from ocr.page import Alternative, Box, Image, ReadLine, Row
from ocr.read import CLOSE_SIDE, ReadOptions

# A finder sees little at the edge of its picture.
AROUND = 0.75
"""Heights of the box around it in which rows are searched too. By hand."""

# A level box about a line that falls or rises holds much of its neighbours, but the line itself whole.
HELD, LEAST = 0.85, 0.3
"""Share of a row, 0..1, that lies in the box: from HELD on the row belongs to it; if no row has LEAST, the
box itself is the row. By hand."""

BARE = 0.3
"""Heights of all rows together, as a share of the box, below which they are a piece of its writing: then the
box itself is the row. By hand."""


def read_line(
    photo: Image, box: Box, rotation: int, engines: Sequence[Engine], options: ReadOptions | None = None
) -> tuple[ReadLine, ...]:
    """The writing in `box`, its rows as one line; then other choices of rows. Empty if no engine reads a
    letter.

    `photo`: upright. `box`: in its pixels; corners may lie outside. `rotation`: degrees clockwise of the
    page, see `Page.rotation`.
    """
    chosen = options or ReadOptions()
    # The sheet is found, squared and cleaned as when the whole photograph was read, so the same ink looks the
    # same.
    sheet = turn_sheet(sheet_of(photo, [box]), rotation)
    clean, _ = without_rules(even_light(sheet.image))
    quad = transform_points(np.linalg.inv(sheet.to_photo).astype(np.float64), box.corners)
    rows = [
        row
        for strip in _rows(clean, quad, chosen)
        if (row := _row(photo, sheet, clean, strip, engines, chosen)).text
    ]
    if not rows:
        return ()
    middle = np.mean(box.corners, axis=0)
    central = min(rows, key=lambda row: float(np.linalg.norm(np.mean(row.box.corners, axis=0) - middle)))
    # A box may only be drawn too high: also without the outer rows, and the middle row by itself.
    choices = [rows[off:len(rows) - off] for off in range((len(rows) + 1) // 2)]
    choices += [[central]] if [central] not in choices else []
    return tuple(as_line(attach_insertions(choice)) for choice in choices)


def sheet_of(photo: Image, boxes: Sequence[Box]) -> FlattenedSheet:
    """The sheet that the boxes lie on whole; the photograph itself if there is none."""
    return next(
        (
            sheet
            for sheet in find_sheets(photo)
            if sheet.is_outlined
            and not any(is_outside(sheet, [corner]) for box in boxes for corner in box.corners)
        ),
        whole_photo(photo),
    )


def _rows(clean: Image, quad: Quad, options: ReadOptions) -> list[RowStrip]:
    """The rows of writing in a box, from the top, each as wide as the box; the box itself if no row is
    found."""
    # The person shows where a line begins and ends, the finder how many rows it has and how high they are.
    box_height = quad_size(quad)[1]
    boxes = _boxes_around(clean, quad, AROUND * box_height, options)
    rows = [_across(strip, quad) for strip in row_strips(boxes)]
    shares = [_share(row.quad, quad) for row in rows]
    rows_inside = [row for row, share in zip(rows, shares, strict=True) if share >= min(HELD, max(shares))]
    if not rows_inside or max(shares) < LEAST or sum(row.height for row in rows_inside) < BARE * box_height:
        return [_strip(quad)]
    return rows_inside


def _share(row: Quad, box: Quad) -> float:
    """The share of a row that lies in a box, 0..1."""
    return float(cv2.intersectConvexConvex(row, box)[0]) / max(1.0, float(cv2.contourArea(row)))


def _boxes_around(clean: Image, quad: Quad, margin: float, options: ReadOptions) -> list[Quad]:
    """Boxes of writing about the box, in pixels of the sheet."""
    height, width = clean.shape[:2]
    (left, top), (right, foot) = quad.min(axis=0) - margin, quad.max(axis=0) + margin
    x, y = max(0, int(left)), max(0, int(top))
    part = clean[y:max(y + 1, min(height, round(float(foot)))), x:max(x + 1, min(width, round(float(right))))]
    scale = min(1.0, CLOSE_SIDE / max(clean.shape[:2]))
    size = round(part.shape[1] * scale), round(part.shape[0] * scale)
    if min(size) < 8:
        return []
    small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    corner = np.array([x, y], dtype=np.float32)
    return [
        np.asarray(box / scale + corner, dtype=np.float32)
        for box in options.finder.find(np.ascontiguousarray(small))
    ]


def _across(strip: RowStrip, quad: Quad) -> RowStrip:
    """A row's strip, lengthened or cut off to the sides of the box."""
    (ax, ay), (bx, by) = strip.quad[0], strip.quad[1]
    slope = float((by - ay) / (bx - ax)) if bx - ax > 1 else 0.0
    left, right = float(quad[[0, 3], 0].min()), float(quad[[1, 2], 0].max())
    down = strip.quad[3] - strip.quad[0]
    top = np.array([[x, ay + slope * (x - ax)] for x in (left, right)])
    return _strip(np.array([top[0], top[1], top[1] + down, top[0] + down], dtype=np.float32))


def _strip(quad: Quad) -> RowStrip:
    return RowStrip(
        quad, float(quad[:, 0].min()), float(quad[:, 0].max()), float(quad[:, 1].mean()), quad_size(quad)[1]
    )


def _row(
    photo: Image, sheet: FlattenedSheet, clean: Image, strip: RowStrip, engines: Sequence[Engine],
    options: ReadOptions
) -> Row:
    """One row as the engines read it: the first engine's text, the others as alternatives."""
    crop = cut_quad(
        clean, grow_quad(strip.quad, CROP_MARGIN[0] * strip.height, CROP_MARGIN[1] * strip.height)
    )
    recognitions: list[tuple[str, Recognition]] = []
    # As for a whole page: a third engine is asked only if the others doubt.
    for index, engine in enumerate(engines):
        if index < 2 or max(recognition.score for _, recognition in recognitions) < options.third_below:
            reading = (second_opinion(engine, crop, recognitions[0][1]) if index == 1
                       else engine.read([crop])[0])
            recognitions.append((engine.name, reading))
    best = next((recognition for _, recognition in recognitions if recognition.text), recognitions[0][1])
    others = [
        Alternative(recognition.text, round(recognition.score, 4), name, recognition.posteriors)
        for name, recognition in recognitions
        if recognition is not best and recognition.text
    ]
    legible, sheet_width = legibility(crop), clean.shape[1]
    return Row(
        box=box_of(photo_points(sheet, strip.quad)), text=best.text, score=round(best.score, 4),
        left=round(strip.left / sheet_width, 4), right=round(strip.right / sheet_width, 4),
        strike=options.detect_strike(crop, best),
        alternatives=tuple(sorted(others, key=lambda other: -other.score)), posteriors=best.posteriors,
        focus=legible.focus, contrast=legible.contrast,
        cut_off=is_cut_off(sheet, clean, strip, (photo.shape[0], photo.shape[1])),
    )
