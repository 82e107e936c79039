"""Even out light and shadow, and remove printed rules from the paper; percentiles of large pictures."""

from __future__ import annotations

import math
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.page import Image

# Tuning values. "By hand": no measurement on record.
PAPER = 250.0  # grey of bare paper on an evened sheet, 0..255 by definition; 5 are left for what is lighter
# Light: pixels of a copy with LIGHT_SIDE as its long side.
LIGHT_SIDE = 300  # pixels, 150..600: fine enough for a shadow's edge. By hand
FILL = 15  # pixels, odd: everything thinner, 1/20 of the sheet, is ink and is filled with paper. By hand
MEDIAN, BLUR = 11, 4  # pixels, odd, and standard deviation in pixels, that smooth the paper's light. By hand
DARKEST_LIGHT = 16  # grey, 1..64: light below it is not trusted, or noise would become ink. By hand
DARK_GROUND = 110  # grey, 0..255: the median of a sheet that may be light on dark. By hand
GROUND, THIN_SHARE, LIGHTER = 31, 2.0, 1.5
"""Pixels, odd, about which the ground is the median; percent of a copy that the writing covers; and by what
factor it is lighter than its ground rather than darker. By hand."""
# Ink: pixels of the evened sheet.
CELL = 8  # pixels, 4..16: side of the cells that hold ink or not. By hand
INK_GREY = 190  # grey, 100..230, below which a cell's darkest pixel is ink, however pale the pen. By hand
INK_ROOM = 32  # pixels, 8..64, round the ink, so that the row finder sees whole rows. By hand
# Printed rules: shares of the sheet's width or height unless said.
RULE_ENDS = 0.04
"""0..0.1 of the width: a rule begins and ends this near the edges; pen strokes seldom do. Photographs: rules
within 0.037, other level lines from 0.065."""
RULE_PALE = 0.5
"""Of the ink's darkness, 0..1: a rule is at most so dark; a stroke through a line is darker. Photographs:
rules up to 0.47, strokes and table from 0.72."""
ANY_RULE_PALE = 70.0
"""Darkness, 0..250: on a sheet without darker ink a rule is at most so dark. By hand, commit 9b92aae."""
RULE_PIECE = 40  # divisor of the width: shorter level pieces are writing; at least 9 pixels. By hand
RULE_THICK = 150  # divisor of the height: thicker level pieces are not rules; at least 9 pixels. By hand
RULE_DARK, RULE_THIN = 8, 5  # darkness, 0..250, of a rule's pixels, and above that of what is thick. By hand
RULE_LINK = 15  # divisor of the width: gaps in a rule that are bridged; at least 15 pixels. By hand
RULE_TILT = 0.06
"""Of the width, at least 12 pixels: a rule rises by at most so much. Photographs: 0.010 or less in half of
the rules."""
BLOCK = 8  # pixels: side of the squares that show sheets without rules. By definition of 64 bits
RULE_CROSSED = (1.5, 8)  # factor of, and addition to, a rule's darkness: what is darker crosses it. By hand

_Number: TypeAlias = float | np.float32

_SAMPLED = 16  # every so many values show about where the highest begin
_ROOM = 2.0  # factor: the sample's share of values that are looked at, over the share that is asked for


def even_light(image: Image) -> Image:
    """The same RGB image as if lit evenly: paper near PAPER everywhere, ink as dark as it was against it.

    The paper's own light is what remains when everything thinner than 1/20 of the sheet is filled in. Light
    writing on dark ground, as on a tablet's screen or a blackboard, comes out dark on light.
    """
    height, width = image.shape[:2]
    scale = LIGHT_SIDE / max(height, width)
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (FILL, FILL))
    if _is_light_on_dark(np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.uint8)):
        image, small = 255 - image, 255 - small
    filled = cv2.morphologyEx(small, cv2.MORPH_CLOSE, disc)
    smooth = cv2.GaussianBlur(cv2.medianBlur(filled, MEDIAN), (0, 0), BLUR)
    paper = cv2.resize(smooth, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.divide(image, np.maximum(paper, DARKEST_LIGHT), scale=PAPER), dtype=np.uint8)


def _is_light_on_dark(grey: Image) -> bool:
    """True if the ground of a sheet's copy is dark, and its writing lighter than that."""
    if float(np.median(grey)) > DARK_GROUND:
        return False
    ground = cv2.medianBlur(grey, GROUND).astype(np.int16)
    darker, lighter = np.abs(np.percentile(grey - ground, (THIN_SHARE, 100 - THIN_SHARE)))
    return bool(lighter > LIGHTER * darker)


def without_rules(evened: Image) -> tuple[Image, int]:
    """An evened RGB sheet without its printed rules, and the number of pixels removed.

    Only pixels no darker than the rule itself are removed, so ink that crosses a rule stays whole.
    """
    dark = np.asarray(255 - cv2.cvtColor(evened, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    ink_darkness = _ink_darkness(dark)
    # Squared paper has upright rules too: the same search on the transposed sheet.
    mask = _rules(dark, ink_darkness) | _rules(np.ascontiguousarray(dark.T), ink_darkness).T
    if not mask.any():
        return evened, 0
    out = evened.copy()
    out[mask] = PAPER
    return out, int(mask.sum())


def ink_bounds(clean: Image) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the writing on a cleaned RGB sheet, in pixels, with some room round it.

    All four are 0 on a sheet without ink. Cells along the sheet's edges are ignored: table shows there.
    """
    grey = cv2.cvtColor(clean, cv2.COLOR_RGB2GRAY)
    height, width = grey.shape
    rows, columns = height // CELL, width // CELL
    cells = grey[: rows * CELL, : columns * CELL].reshape(rows, CELL, columns, CELL).min(axis=(1, 3))
    inked = cells < INK_GREY
    inked[[0, -1]] = inked[:, [0, -1]] = False
    across, down = np.flatnonzero(inked.any(axis=0)), np.flatnonzero(inked.any(axis=1))
    if not len(across):
        return 0, 0, 0, 0
    left, right = int(across[0]) * CELL - INK_ROOM, int(across[-1] + 1) * CELL + INK_ROOM
    top, bottom = int(down[0]) * CELL - INK_ROOM, int(down[-1] + 1) * CELL + INK_ROOM
    return max(0, left), max(0, top), min(width, right), min(height, bottom)


def _ink_darkness(dark: Image) -> float:
    """How dark the ink is, 0..255: the median of the darkest hundredth of the sheet."""
    counts = byte_counts(dark)
    counts[: math.ceil(max(1.0, percentile_of_counts(counts, 99)))] = 0
    return percentile_of_counts(counts, 50) if counts.any() else 0.0


def _rules(dark: Image, ink_darkness: float) -> npt.NDArray[np.bool_]:
    """The pixels of level printed rules: bool, shape as `dark`."""
    height, width = dark.shape
    # 1. What is level and long, without what is thick: lines, printed or drawn.
    piece = cv2.getStructuringElement(cv2.MORPH_RECT, (max(9, width // RULE_PIECE), 1))
    level = np.asarray(cv2.morphologyEx(dark, cv2.MORPH_OPEN, piece), dtype=np.uint8)
    column = np.ones((max(9, height // RULE_THICK), 1), np.uint8)
    thick = np.asarray(cv2.morphologyEx(level, cv2.MORPH_OPEN, column), dtype=np.uint8)
    thin = ((level > RULE_DARK) & (cv2.subtract(level, thick) > RULE_THIN)).astype(np.uint8)
    # 2. Pieces of one rule linked over the letters that cross it.
    linked = cv2.morphologyEx(thin, cv2.MORPH_CLOSE, np.ones((3, max(15, width // RULE_LINK)), np.uint8))
    out = np.zeros(dark.shape, np.bool_)
    if not _may_span(np.asarray(linked, np.uint8), RULE_ENDS * width, (1 - RULE_ENDS) * width):
        return out
    count, labels, stats, _ = cv2.connectedComponentsWithStats(linked, connectivity=8)
    for label in range(1, count):
        x, y, w, h = (int(value) for value in stats[label, :4])
        # 3. A rule runs from edge to edge, nearly level, and is paler than the ink.
        if x > RULE_ENDS * width or x + w < (1 - RULE_ENDS) * width or h > max(12, RULE_TILT * width):
            continue
        part = (slice(y, y + h), slice(x, x + w))
        rule = (labels[part] == label) & thin[part].astype(np.bool_)
        tone = float(np.median(level[part][rule]))
        if tone < max(RULE_PALE * ink_darkness, ANY_RULE_PALE):
            with_edges = cv2.dilate(rule.astype(np.uint8), np.ones((3, 1), np.uint8)).astype(np.bool_)
            out[part] |= with_edges & (dark[part] < tone * RULE_CROSSED[0] + RULE_CROSSED[1])
    return out


def _may_span(pixels: Image, left: float, right: float) -> bool:
    """False if surely no connected part of some pixels, 1 where there is one, begins before column `left` and
    ends after column `right`. For a sixtieth of the time of finding the parts."""
    # Parts that touch are in blocks that touch: the same search on a picture of blocks misses none.
    height, width = pixels.shape
    padded = np.zeros((-(-height // BLOCK) * BLOCK, -(-width // BLOCK) * BLOCK), np.uint8)
    padded[:height, :width] = pixels
    # BLOCK pixels of a row are one number of 64 bits.
    in_rows = padded.view(np.uint64).reshape(-1, BLOCK, padded.shape[1] // BLOCK)
    blocks = (np.bitwise_or.reduce(in_rows, axis=1) != 0).astype(np.uint8)
    stats = cv2.connectedComponentsWithStats(blocks, connectivity=8)[2][1:]
    begins, ends = stats[:, 0] * BLOCK, (stats[:, 0] + stats[:, 2]) * BLOCK
    return bool(((begins <= left) & (ends >= right)).any())


def byte_counts(image: Image) -> npt.NDArray[np.int64]:
    """How often each value 0..255 is in a grey image: shape (256,). OpenCV gives float32, so numbers beyond
    2^24, more pixels than a sheet has, are rounded."""
    return np.asarray(cv2.calcHist([image], [0], None, [256], [0, 256])).ravel().astype(np.int64)


def percentile_of_counts(counts: npt.NDArray[np.int64], percent: float) -> float:
    """The percentile, interpolated, of values that are given by how often each is there, one at least."""
    ends = counts.cumsum()
    place = (int(ends[-1]) - 1) * (percent / 100)
    lower = int(place)
    nearest = lower, min(lower + 1, int(ends[-1]) - 1)
    below, above = (int(np.searchsorted(ends, index, side="right")) for index in nearest)
    return _between(below, above, place - lower)


def high_percentile(values: npt.NDArray[np.float32], percent: float) -> float:
    """The percentile, interpolated, of floats without NaN, one at least; quick for the highest, 90..100."""
    flat = values.ravel()
    place = (len(flat) - 1) * (percent / 100)
    lower = int(place)
    # The values from there on are all that is sorted. A sample shows about where they begin.
    sample = np.sort(flat[::_SAMPLED])
    least = sample[max(0, len(sample) - 1 - int(_ROOM * (len(flat) - lower) / _SAMPLED))]
    highest = flat[flat >= least]
    if len(highest) < len(flat) - lower:
        highest = flat
    index = lower - (len(flat) - len(highest))
    following = min(index + 1, len(highest) - 1)
    ordered = np.partition(highest, (index, following))
    return _between(ordered[index], ordered[following], np.float32(place - lower))


def _between(below: _Number, above: _Number, share: _Number) -> float:
    """Between two numbers, from the nearer one as NumPy does, for the same float."""
    step = above - below
    return float(below + step * share if share < 0.5 else above - step * (1 - share))
