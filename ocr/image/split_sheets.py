"""Two sheets that touch: one patch of paper with a notch in its outline, or with a dark line through it.

`lab` is the small copy of the photograph as in `outline`; lengths in pixels are pixels of it. Source of the
rules: twelve photographs of two sheets, five of which gave one page before (commit 1204c78), and some 45
single sheets, five of which were cut in two along a rule or a shadow (commit 020a0e1).
"""

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

Pixel: TypeAlias = tuple[int, int]

# Tuning values. "By hand": chosen on the photographs named above; no figures on record.
NOTCH = 0.02
"""Of the long side, 0..0.1: how deep a corner where two sheets meet lies inside the outline round both. A
shadow's edge or a fold on one sheet ends on a straight rim. By hand."""
MOST_NOTCHES = 3  # notches per patch that are tried, the deepest first: 9 cuts at most. By hand
LINE = 8.0  # lightness, 0..255: how much darker than either sheet the line between them is. By hand
WHOLE_LINE = 0.85
"""Of its length, 0..1, along which it is so dark. Letters on a fold are dark here and there only. By hand."""
WRITTEN = 3  # places with ink on both sides of a line: writing crosses it, so it is a fold. By hand
LEAST_STRENGTH = 0.2
"""0..1, see `outline_strength`: what the outer edges of each sheet must reach ... By hand."""
AS_STRONG = 0.5  # 0..1: ... and the share of the strength of what was taken for one sheet. By hand
ASIDE = (4, 16)  # pixels from the line, 2..40, between which the paper next to it is looked at. By hand
COVERS = 0.85  # 0..1: the share of what was taken for one sheet that the two cover. By hand
WITHIN = 0.5  # 0..1: a sheet with more than this share inside an outline is part of it. Commit 020a0e1
ALIKE = 0.9  # 0..1: outlines that share this much are one outline found twice. By hand
APART = 0.05  # overlap, 0..0.2, of two sheets at most. By hand
LINE_WIDTH = 11  # pixels, odd: thinner dark things are lines between sheets. By hand
CUT_WIDTH = 3  # pixels of a cut through a patch. By hand
GROWN, SPURS = 5, 7
"""Pixels, odd: a known sheet grows by a square of GROWN; rests thinner than SPURS go. By hand."""
SPAN, SAMPLES, ACROSS = (0.05, 0.95), 60, 24  # part of a side, points on it, and across the gap. By hand
BRIGHT_PERCENTILE = 80  # percentile, 50..100, of lightness along the paper beside a line: bare paper. By hand


def find_touching_pair(
    lab: Image, masks: Sequence[Mask], whole_quad: Quad | None
) -> tuple[Quad, Quad] | None:
    """Two sheets in place of `whole_quad`, the best single outline if any; None or the pair that covers most.

    `masks`: where paper may be, see `outline.paper_masks`.
    """
    least_area = COVERS * (
        float(cv2.contourArea(whole_quad)) if whole_quad is not None else LEAST_AREA * lab[..., 0].size
    )
    whole_strength = outline_strength(lab, whole_quad) if whole_quad is not None else 0.0
    least_strength = max(LEAST_STRENGTH, AS_STRONG * whole_strength)
    best: tuple[Quad, Quad] | None = None
    for pair in combinations(_outlines(lab, masks, whole_quad), 2):
        covered = sum(float(cv2.contourArea(quad)) for quad in pair)
        # A good outline round both has no notch: what looks like one is a fault of the mask.
        has_good_outline = (
            whole_quad is not None
            and whole_strength >= LEAST_STRENGTH
            and min(overlap(whole_quad, quad) for quad in pair) > WITHIN
        )
        if (
            covered > least_area
            and overlap(*pair) < APART
            and _are_two(lab, *pair, least_strength, may_be_notched=not has_good_outline)
        ):
            best, least_area = pair, covered
    return best


def _outlines(lab: Image, masks: Sequence[Mask], whole_quad: Quad | None) -> list[Quad]:
    """Outlines of what may be single sheets, each once."""
    outlines: list[Quad] = []
    for patch in _parts(lab, masks, whole_quad):
        quad = corners_of(patch)
        if quad is not None and not any(_is_same(quad, other) for other in outlines):
            outlines.append(quad)
    return outlines


def _is_same(first: Quad, second: Quad) -> bool:
    areas = sorted((cv2.contourArea(first), cv2.contourArea(second)))
    return areas[0] > ALIKE * areas[1] and overlap(first, second) > ALIKE


def _parts(lab: Image, masks: Sequence[Mask], whole_quad: Quad | None) -> Iterator[Contour]:
    """Patches as they are, without their dark lines, without the sheet that is known, and cut at notches."""
    lines = _thin_and_dark(lab)
    grown = None if whole_quad is None else _grown(quad_mask(whole_quad, lab.shape[:2]))
    for mask in masks:
        yield from paper_patches(mask)
        yield from paper_patches(_without(mask, lines))
        if grown is not None:
            yield from paper_patches(_without(mask, grown))
        for patch in paper_patches(mask):
            for start, end in _cuts(patch, max(mask.shape)):
                filled = cv2.fillPoly(np.zeros(mask.shape, np.uint8), [patch], 1)
                cut = cv2.line(filled, start, end, 0, CUT_WIDTH)
                yield from paper_patches(np.asarray(cut, dtype=np.uint8))


def _grown(sheet: npt.NDArray[np.bool_]) -> Mask:
    return np.asarray(cv2.dilate(sheet.astype(np.uint8), np.ones((GROWN, GROWN), np.uint8)), np.uint8)


def _without(mask: Mask, removed: Mask) -> Mask:
    """A mask without the pixels that are set in another. Both are of 0 and 1."""
    rest = cv2.subtract(mask, removed)
    return np.asarray(cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((SPURS, SPURS), np.uint8)), np.uint8)


def _thin_and_dark(lab: Image) -> Mask:
    light = np.asarray(cv2.GaussianBlur(lab[..., 0], (3, 3), 0), dtype=np.uint8)
    filled = cv2.morphologyEx(light, cv2.MORPH_CLOSE, np.ones((LINE_WIDTH, LINE_WIDTH), np.uint8))
    return (cv2.subtract(filled, light) > LINE).astype(np.uint8)


def _cuts(patch: Contour, long_side: int) -> list[tuple[Pixel, Pixel]]:
    """Where to cut a patch in two: from notch to notch, or straight across from a single one."""
    hull = np.sort(cv2.convexHull(patch, returnPoints=False), axis=0)[::-1]
    defects = cv2.convexityDefects(patch, np.ascontiguousarray(hull)) if len(hull) > 3 else None
    # A defect is start, end, farthest point (indices into the outline) and depth in 1/256 pixel.
    notches = [] if defects is None else sorted(defects.reshape(-1, 4), key=lambda defect: -defect[3])
    deep = [notch for notch in notches if notch[3] / 256 > NOTCH / 2 * long_side][:MOST_NOTCHES]
    outline = patch.reshape(-1, 2).astype(np.float64)
    points = [outline[notch[2]] for notch in deep]
    cuts = [(_pixel(a), _pixel(b)) for a, b in combinations(points, 2)]
    for notch, point in zip(deep, points, strict=True):
        rim = outline[notch[1]] - outline[notch[0]]
        across = np.array([-rim[1], rim[0]]) / max(1.0, float(np.hypot(*rim))) * 2 * long_side
        cuts += [(_pixel(point), _pixel(point + across)), (_pixel(point), _pixel(point - across))]
    return cuts


def _pixel(point: npt.NDArray[np.float64]) -> Pixel:
    return round(float(point[0])), round(float(point[1]))


def _are_two(lab: Image, first: Quad, second: Quad, least_strength: float, *, may_be_notched: bool) -> bool:
    """True if two outlines are sheets of their own, not parts of one that light or a fold divides."""
    sides = _facing_side(first, second), _facing_side(second, first)
    outer = [
        outline_strength(lab, quad, side) for quad, side in zip((first, second), sides, strict=True)
    ]
    if min(outer) < least_strength:
        return False
    if may_be_notched and _is_notched(first, second, max(lab.shape)):
        return True
    return _has_line_between(lab, first[_side_corners(sides[0])], second[_side_corners(sides[1])])


def _facing_side(quad: Quad, other: Quad) -> int:
    """The side of an outline, 0 to 3, that is nearest to the middle of the other."""
    middles = (quad + np.roll(quad, -1, axis=0)) / 2
    return int(np.linalg.norm(middles - other.mean(axis=0), axis=1).argmin())


def _side_corners(side: int) -> list[int]:
    return [side, (side + 1) % 4]


def _is_notched(first: Quad, second: Quad, long_side: int) -> bool:
    """True if a corner where they meet lies well inside the outline round both."""
    hull = cv2.convexHull(np.concatenate((first, second)))
    meeting = [
        *first[_side_corners(_facing_side(first, second))],
        *second[_side_corners(_facing_side(second, first))],
    ]
    deepest = max(cv2.pointPolygonTest(hull, (float(x), float(y)), measureDist=True) for x, y in meeting)
    return deepest > NOTCH * long_side


def _has_line_between(lab: Image, side: Quad, other: Quad) -> bool:
    """True if a dark line lies all along between two facing sides and no writing crosses it.

    `side` and `other`: the two ends of each side, shape (2, 2). Arrays below have shape (pixels across,
    SAMPLES).
    """
    steps = np.linspace(*SPAN, SAMPLES)[:, np.newaxis]
    rim = side[0] + (side[1] - side[0]) * steps
    other_rim = other[1] + (other[0] - other[1]) * steps
    along = (side[1] - side[0]) / max(1.0, float(np.linalg.norm(side[1] - side[0])))
    outward = np.array([along[1], -along[0]])
    distances = np.arange(ASIDE[0], ASIDE[1] + 1)[:, np.newaxis, np.newaxis]
    light = cv2.GaussianBlur(lab[..., 0], (3, 3), 0)
    paper_before = _lightness(light, rim - outward * distances)
    paper_after = _lightness(light, other_rim + outward * distances)
    shares = np.linspace(0.0, 1.0, ACROSS)[:, np.newaxis, np.newaxis]
    near, far = rim - outward * ASIDE[0], other_rim + outward * ASIDE[0]
    between = _lightness(light, near * (1 - shares) + far * shares)
    paper = np.minimum(np.median(paper_before, axis=0), np.median(paper_after, axis=0))
    # Darker than anything near it: a printed rule has others like it next to it.
    darkest_near = np.minimum(paper_before.min(axis=0), paper_after.min(axis=0))
    dark = float((between.min(axis=0) < np.minimum(paper - LINE, darkest_near - LINE / 2)).mean())
    ink = [
        (strip.min(axis=0) < np.percentile(strip, BRIGHT_PERCENTILE, axis=0) - 2 * LINE)
        for strip in (paper_before, paper_after)
    ]
    return dark > WHOLE_LINE and int((ink[0] & ink[1]).sum()) < WRITTEN


def _lightness(light: npt.NDArray[Any], points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Lightness, 0..255, at points (shape (..., 2), x and y); those outside are taken at the rim."""
    height, width = light.shape
    x, y = np.clip(points[..., 0], 0, width - 1), np.clip(points[..., 1], 0, height - 1)
    return np.asarray(light[y.astype(int), x.astype(int)], dtype=np.float64)
