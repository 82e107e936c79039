"""Read one line again, in a box that a person has drawn: which rows lie in it is theirs to say, what they say
the engines'.

The same sheet is found, squared and cleaned as when the whole photograph was read, so the same ink looks the
same.
"""

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
from ocr.image.quality import legibility
from ocr.layout.cut_off import is_cut_off
from ocr.layout.lines import RowStrip, row_strips
from ocr.layout.wrap import as_line
from ocr.page import Alternative, Box, Image, ReadLine, Row
from ocr.read import CLOSE_SIDE, ReadOptions

AROUND = 0.75
"""Heights of the box beside it in which rows are looked for: a finder sees little at the edge of its
picture."""

HELD, LEAST = 0.85, 0.3
"""A row belongs to the box from this share of it on. A level box about a line that falls or rises holds much
of its neighbours, but the line itself whole. Below the second share nothing in the box is a row."""

BARE = 0.3
"""Rows lower than this share of the box are a piece of its writing: the box itself is the row then."""


def read_line(
    photo: Image, box: Box, rotation: int, engines: Sequence[Engine], options: ReadOptions | None = None
) -> tuple[ReadLine, ...]:
    """What the writing in `box` says, its rows taken as one line; where it holds several rows, also without
    the outer ones and the middle one by itself, for a box that is only drawn too high. Empty where nobody
    sees a letter in it.

    `photo` is the upright picture that the box is given in, `rotation` the quarter turn, in degrees
    clockwise, of its page (`Page.rotation`). Corners outside the picture are allowed.
    """
    chosen = options or ReadOptions()
    sheet = turn_sheet(_sheet(photo, box), rotation)
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
    inner = [rows[off:len(rows) - off] for off in range((len(rows) + 1) // 2)]
    ways = [*inner, *([[central]] if [central] not in inner else [])]
    return tuple(as_line(attach_insertions(way)) for way in ways)


def _sheet(photo: Image, box: Box) -> FlattenedSheet:
    """The sheet that the whole box lies on; the photograph itself where there is none."""
    return next(
        (
            one
            for one in find_sheets(photo)
            if one.is_outlined and not any(is_outside(one, [at]) for at in box.corners)
        ),
        whole_photo(photo),
    )


def _rows(clean: Image, quad: Quad, options: ReadOptions) -> list[RowStrip]:
    """The rows of writing in a box, each from side to side of it, from the top: the person says where a line
    begins and ends, the finder how many rows it has and how high they are. The box itself where no row is
    found."""
    high = quad_size(quad)[1]
    rows = [_across(strip, quad) for strip in row_strips(_found(clean, quad, AROUND * high, options))]
    shares = [_share(row.quad, quad) for row in rows]
    held = [row for row, share in zip(rows, shares, strict=True) if share >= min(HELD, max(shares))]
    if not held or max(shares) < LEAST or sum(row.height for row in held) < BARE * high:
        return [_strip(quad)]
    return held


def _share(row: Quad, box: Quad) -> float:
    """How much of a row lies in a box, 0..1."""
    return float(cv2.intersectConvexConvex(row, box)[0]) / max(1.0, float(cv2.contourArea(row)))


def _found(clean: Image, quad: Quad, margin: float, options: ReadOptions) -> list[Quad]:
    """Boxes of writing about the box, in pixels of the sheet."""
    high, wide = clean.shape[:2]
    (left, top), (right, foot) = quad.min(axis=0) - margin, quad.max(axis=0) + margin
    x, y = max(0, int(left)), max(0, int(top))
    part = clean[y:max(y + 1, min(high, round(float(foot)))), x:max(x + 1, min(wide, round(float(right))))]
    scale = min(1.0, CLOSE_SIDE / max(clean.shape[:2]))
    size = round(part.shape[1] * scale), round(part.shape[0] * scale)
    if min(size) < 8:
        return []
    small = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    corner = np.array([x, y], dtype=np.float32)
    return [
        np.asarray(one / scale + corner, dtype=np.float32)
        for one in options.finder.find(np.ascontiguousarray(small))
    ]


def _across(strip: RowStrip, quad: Quad) -> RowStrip:
    """A row's strip drawn out, or cut off, to the sides of the box."""
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
    """One row as the engines read it, the first one's words first; the third is asked where the others
    doubt."""
    crop = cut_quad(
        clean, grow_quad(strip.quad, CROP_MARGIN[0] * strip.height, CROP_MARGIN[1] * strip.height)
    )
    said: list[tuple[str, Recognition]] = []
    for at, engine in enumerate(engines):
        if at < 2 or max(one.score for _, one in said) < options.third_below:
            said.append((engine.name, engine.read([crop])[0]))
    best = next((one for _, one in said if one.text), said[0][1])
    others = [
        Alternative(one.text, round(one.score, 4), name, one.posteriors)
        for name, one in said
        if one is not best and one.text
    ]
    seen, wide = legibility(crop), clean.shape[1]
    return Row(
        box=box_of(photo_points(sheet, strip.quad)), text=best.text, score=round(best.score, 4),
        left=round(strip.left / wide, 4), right=round(strip.right / wide, 4),
        strike=options.detect_strike(crop, best),
        alternatives=tuple(sorted(others, key=lambda one: -one.score)), posteriors=best.posteriors,
        focus=seen.focus,
        contrast=seen.contrast, cut_off=is_cut_off(sheet, clean, strip, (photo.shape[0], photo.shape[1])),
    )
