"""Two sheets that touch or nearly touch: one patch of paper with a notch in its outline or a dark line
through it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Contour, Quad
from ocr.image.outline import (
    LEAST_AREA,
    Mask,
    corners_of,
    outline_strength,
    overlap,
    paper_patches,
    quad_mask,
)
from ocr.page import Image

Spot: TypeAlias = tuple[int, int]

NOTCH = 0.02
"""Where two sheets meet at different heights, one's corner lies this deep inside the outline round both, as a
share of the photograph's long side; a shadow's edge or a fold on one sheet ends on a straight rim."""

LINE = 8.0
"""The line between two sheets, table or shadow, is darker than either by this much (lightness, 0..255), and
by half of it darker than anything near it: a printed rule has others like it beside it ..."""

WHOLE_LINE = 0.85
"""... along this share of its length. Letters that cross a fold are darker than the paper here and there
only."""

WRITTEN = 3
"""Ink on both sides of a line at this many places is writing that runs across it, so that it is a fold."""

LEAST_STRENGTH = 0.2
"""The outer edges of each of two sheets are at least this good, see `outline.outline_strength` ..."""

AS_STRONG = 0.5
"""... and at least this share as good as those of what was taken for one."""

ASIDE = (4, 16)
"""Pixels from a line between two sheets, from and to which the paper beside it is looked at."""

COVERS = 0.85
"""Two sheets cover at least this share of what was taken for one."""

WITHIN = 0.5
"""A sheet of which more than this share lies in an outline is part of it."""

ALIKE = 0.9
"""Outlines that share this much are one outline found twice."""


def find_touching_pair(lab: Image, masks: Sequence[Mask], whole: Quad | None) -> tuple[Quad, Quad] | None:
    """Two sheets in place of `whole`, the best single outline if there was any: the pair that covers most, or
    None.

    `lab`: the small copy of the photograph; `masks`: where paper may be in it, see `outline.masks`.
    """
    least = COVERS * (float(cv2.contourArea(whole)) if whole is not None else LEAST_AREA * lab[..., 0].size)
    good = outline_strength(lab, whole) if whole is not None else 0.0
    strong = max(LEAST_STRENGTH, AS_STRONG * good)
    best: tuple[Quad, Quad] | None = None
    for two in combinations(_outlines(lab, masks, whole), 2):
        covered = sum(float(cv2.contourArea(quad)) for quad in two)
        # A good outline round both has no notch: what looks like one is a mask's fault.
        one = (
            whole is not None
            and good >= LEAST_STRENGTH
            and min(overlap(whole, quad) for quad in two) > WITHIN
        )
        if covered > least and overlap(*two) < 0.05 and _are_two(lab, *two, strong, notch=not one):
            best, least = two, covered
    return best


def _outlines(lab: Image, masks: Sequence[Mask], whole: Quad | None) -> list[Quad]:
    """Outlines of what may be single sheets, each once."""
    found: list[Quad] = []
    for patch in _parts(lab, masks, whole):
        quad = corners_of(patch)
        if quad is not None and not any(_same(quad, other) for other in found):
            found.append(quad)
    return found


def _same(one: Quad, two: Quad) -> bool:
    sizes = sorted((cv2.contourArea(one), cv2.contourArea(two)))
    return sizes[0] > ALIKE * sizes[1] and overlap(one, two) > ALIKE


def _parts(lab: Image, masks: Sequence[Mask], whole: Quad | None) -> Iterator[Contour]:
    """Patches as they are, without their dark lines, without the sheet that is known, and cut at their
    notches."""
    lines = _thin_and_dark(lab)
    for mask in masks:
        yield from paper_patches(mask)
        yield from paper_patches(_without(mask, lines))
        if whole is not None:
            known = np.asarray(
                cv2.dilate(quad_mask(whole, mask.shape).astype(np.uint8), np.ones((5, 5), np.uint8)), np.uint8
            )
            yield from paper_patches(_without(mask, known))
        for patch in paper_patches(mask):
            for cut in _cuts(patch, max(mask.shape)):
                sheet = cv2.fillPoly(np.zeros(mask.shape, np.uint8), [patch], 1)
                yield from paper_patches(np.asarray(cv2.line(sheet, *cut, 0, 3), dtype=np.uint8))


def _without(mask: Mask, taken: Mask) -> Mask:
    left = np.where(taken > 0, 0, mask).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8)), dtype=np.uint8)


def _thin_and_dark(lab: Image) -> Mask:
    light = np.asarray(cv2.GaussianBlur(lab[..., 0], (3, 3), 0), dtype=np.uint8)
    filled = cv2.morphologyEx(light, cv2.MORPH_CLOSE, np.ones((11, 11), np.uint8))
    return (cv2.subtract(filled, light) > LINE).astype(np.uint8)


def _cuts(patch: Contour, long_side: int) -> list[tuple[Spot, Spot]]:
    """Where to cut a patch in two: from its deepest notch to the next, or straight across where there is but
    one."""
    hull = np.sort(cv2.convexHull(patch, returnPoints=False), axis=0)[::-1]
    found = cv2.convexityDefects(patch, np.ascontiguousarray(hull)) if len(hull) > 3 else None
    notches = [] if found is None else sorted(found.reshape(-1, 4), key=lambda row: -row[3])
    deep = [row for row in notches if row[3] / 256 > NOTCH / 2 * long_side][:3]
    outline = patch.reshape(-1, 2).astype(np.float64)
    points = [outline[row[2]] for row in deep]
    cuts = [(_spot(a), _spot(b)) for a, b in combinations(points, 2)]
    for row, point in zip(deep, points, strict=True):
        rim = outline[row[1]] - outline[row[0]]
        across = np.array([-rim[1], rim[0]]) / max(1.0, float(np.hypot(*rim))) * 2 * long_side
        cuts += [(_spot(point), _spot(point + across)), (_spot(point), _spot(point - across))]
    return cuts


def _spot(point: npt.NDArray[np.float64]) -> Spot:
    return round(float(point[0])), round(float(point[1]))


def _are_two(lab: Image, one: Quad, two: Quad, strong: float, *, notch: bool) -> bool:
    """Whether two outlines are sheets of their own and not the parts of one, lit or folded so."""
    sides = _facing(one, two), _facing(two, one)
    if min(outline_strength(lab, quad, side) for quad, side in zip((one, two), sides, strict=True)) < strong:
        return False
    if notch and _notched(one, two, max(lab.shape)):
        return True
    return _line_between(lab, one[_ends(sides[0])], two[_ends(sides[1])])


def _facing(quad: Quad, other: Quad) -> int:
    """Which side of an outline, 0 to 3, lies nearest to the middle of the other."""
    middles = (quad + np.roll(quad, -1, axis=0)) / 2
    return int(np.linalg.norm(middles - other.mean(axis=0), axis=1).argmin())


def _ends(side: int) -> list[int]:
    return [side, (side + 1) % 4]


def _notched(one: Quad, two: Quad, long_side: int) -> bool:
    """Whether a corner where they meet lies well inside the outline round both."""
    hull = cv2.convexHull(np.concatenate((one, two)))
    meeting = [*one[_ends(_facing(one, two))], *two[_ends(_facing(two, one))]]
    deepest = max(cv2.pointPolygonTest(hull, (float(x), float(y)), measureDist=True) for x, y in meeting)
    return deepest > NOTCH * long_side


def _line_between(lab: Image, side: Quad, other: Quad) -> bool:
    """Whether a dark line lies all along between two facing sides, each given by its two ends, and no writing
    runs across it."""
    steps = np.linspace(0.05, 0.95, 60)[:, np.newaxis]
    here = side[0] + (side[1] - side[0]) * steps
    there = other[1] + (other[0] - other[1]) * steps
    along = (side[1] - side[0]) / max(1.0, float(np.linalg.norm(side[1] - side[0])))
    out = np.array([along[1], -along[0]])
    beside = np.arange(ASIDE[0], ASIDE[1] + 1)
    light = cv2.GaussianBlur(lab[..., 0], (3, 3), 0)
    before = _sampled(light, here - out * beside[:, np.newaxis, np.newaxis])
    after = _sampled(light, there + out * beside[:, np.newaxis, np.newaxis])
    across = np.linspace(0.0, 1.0, 24)[:, np.newaxis, np.newaxis]
    between = _sampled(light, (here - out * ASIDE[0]) * (1 - across) + (there + out * ASIDE[0]) * across)
    paper = np.minimum(np.median(before, axis=0), np.median(after, axis=0))
    least = np.minimum(before.min(axis=0), after.min(axis=0))
    dark = float((between.min(axis=0) < np.minimum(paper - LINE, least - LINE / 2)).mean())
    ink = [(part.min(axis=0) < np.percentile(part, 80, axis=0) - 2 * LINE) for part in (before, after)]
    return dark > WHOLE_LINE and int((ink[0] & ink[1]).sum()) < WRITTEN


def _sampled(light: npt.NDArray[Any], points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Lightness at points (... x 2), those outside taken at the rim."""
    high, wide = light.shape
    x, y = np.clip(points[..., 0], 0, wide - 1), np.clip(points[..., 1], 0, high - 1)
    return np.asarray(light[y.astype(int), x.astype(int)], dtype=np.float64)
