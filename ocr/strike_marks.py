"""What the ink of a row shows of crossing out, column by column: smooth strokes, what they bridge, tangles, thickness.

Measures only; `ocr.strike` judges them. All lengths are pixels of a row brought to HEIGHT.
"""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.page import Image

HEIGHT = 48
"""Rows are measured at this height; a letter without stems is some 14 high, a pen 2 to 4 wide."""

EDGE = 4
"""Rows at the crop's top and bottom that belong to the neighbours' stems and tails."""

STEP = 8
"""Strokes are followed from piece to piece of this length; a piece is level, the next may lie one row off."""

SHORT_ARM, LONG_ARM = 3, 9
"""Pieces on each side of a column: strokes of 56 and of 152 pixels, some 1.2 and 3.2 row heights."""

STEEP_ARM = 5
"""Pieces on each side for slanting strokes: 88 pixels that fall or rise by 10 to 40."""

MEASURES = (
    "short", "long", "above", "below", "straddled", "astride", "bridge", "under", "white", "body", "runs", "turns", "thick",
    "falling", "rising", "crossing", "pen", "high",
)
"""The rows of `marks`."""

Plane: TypeAlias = npt.NDArray[np.float32]


def soft_ink(row: Image) -> Plane:
    """HEIGHT x width, 0 paper to 1 ink, of a grey or RGB crop, evened and without rules."""
    grey = row if row.ndim == 2 else cv2.cvtColor(row, cv2.COLOR_RGB2GRAY)
    width = max(8, round(grey.shape[1] * HEIGHT / grey.shape[0]))
    method = cv2.INTER_AREA if grey.shape[0] > HEIGHT else cv2.INTER_LINEAR
    dark = 255.0 - cv2.resize(grey, (width, HEIGHT), interpolation=method).astype(np.float32)
    full = max(60.0, float(np.percentile(dark, 98)))
    return np.asarray(np.clip((dark / full - 0.25) / 0.5, 0.0, 1.0), dtype=np.float32)


def marks(ink: Plane) -> Plane:
    """MEASURES x width of soft ink, each measure mostly 0 to 1.

    short, long: how unbroken the best near-level stroke through the column's body is. above, below: ink over and under
    that stroke. straddled, astride: `short` and `long` where there is both. bridge: the stroke is all the column has.
    under: a stroke below the body. white: no ink. body: share of the body that is inked. runs, turns: pieces of ink
    down the column and along the rows. thick: ink wider than a pen. falling, rising, crossing: slanting strokes, and
    the lesser of the two. pen, high: width of the pen and height of the body, the same for the whole row.
    """
    body = body_rows(ink)
    ink = _own(ink, body)
    near, far = _level(ink)
    zone = slice(body.start - 1, body.stop)
    rows = zone.start + near[zone].argmax(axis=0)
    short, long = near[zone].max(axis=0), far[zone].max(axis=0)
    above, below, beside = _around(ink, rows)
    binary = (ink > 0.5).astype(np.float32)
    middle = binary[body]
    falling, rising = _steep(ink, body)
    columns = (
        short, long, above, below, short * np.minimum(above, below), long * np.minimum(above, below),
        short * (1.0 - beside),
        near[body.stop + 2 :].max(axis=0),
        1.0 - binary[EDGE:-EDGE].max(axis=0),
        middle.mean(axis=0),
        np.abs(np.diff(binary, axis=0)).sum(axis=0) / 8.0,
        np.abs(np.diff(middle, axis=1, prepend=0.0)).mean(axis=0) * 2.0,
        cv2.erode(binary, np.ones((6, 6), np.uint8))[body].mean(axis=0),
        falling, rising, np.minimum(falling, rising),
        np.full(ink.shape[1], _pen(binary) / 8.0), np.full(ink.shape[1], (body.stop - body.start) / 26.0),
    )
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns])


def _own(ink: Plane, body: slice) -> Plane:
    """Without what the rows above and below let hang into the crop: pieces at its edge that do not reach the body."""
    count, pieces, stats, _ = cv2.connectedComponentsWithStats((ink > 0.1).astype(np.uint8), connectivity=8)
    top, high = stats[:, cv2.CC_STAT_TOP], stats[:, cv2.CC_STAT_HEIGHT]
    foreign = ((top < EDGE) & (top + high <= body.start)) | ((top + high > HEIGHT - EDGE) & (top >= body.stop))
    foreign[0] = False
    return np.where(foreign[pieces], np.float32(0.0), ink) if count > 1 and foreign.any() else ink


def _pen(binary: Plane) -> float:
    """Width of the pen: twice the ink's area over the length of its edges."""
    edges = float(np.abs(np.diff(binary, axis=0)).sum() + np.abs(np.diff(binary, axis=1)).sum())
    return 2.0 * float(binary.sum()) / max(edges, 1.0) * 1.27


def body_rows(ink: Plane) -> slice:
    """Where letters without stems stand, 14 to 26 rows high.

    Told by how often ink begins and ends along each row: letters do so everywhere, a level stroke, an underline or
    what is left of a printed rule hardly ever, so that they do not pull the body towards them.
    """
    changes = np.abs(np.diff((ink > 0.5).astype(np.float32), axis=1)).sum(axis=1)
    changes[:EDGE] = changes[-EDGE:] = 0.0
    if not changes.any():
        return slice(HEIGHT // 2 - 9, HEIGHT // 2 + 9)
    smooth = np.convolve(changes, np.ones(3) / 3, mode="same")
    high = np.flatnonzero(smooth >= 0.45 * smooth.max())
    mass = np.cumsum(smooth)
    centre = int(np.searchsorted(mass, mass[-1] / 2))
    top, end = max(int(high[0]), centre - 13, EDGE + 3), min(int(high[-1]) + 1, centre + 13, HEIGHT - EDGE - 3)
    short = max(0, 14 - (end - top))
    top = min(max(top - (short + 1) // 2, EDGE + 3), HEIGHT - EDGE - 17)
    return slice(top, max(end, top + 14))


def _level(ink: Plane) -> tuple[Plane, Plane]:
    """For each pixel the mean ink of the best smooth path through it, over the short and the long reach."""
    pieces = np.clip((cv2.blur(ink, (STEP, 1)) - 0.3) / 0.6, 0.0, 1.0)
    pieces[:EDGE] = pieces[-EDGE:] = 0.0
    tall = np.ones((3, 1), np.uint8)
    arms = []
    for way in (1, -1):
        arm, kept = np.zeros_like(pieces), []
        for count in range(1, LONG_ARM + 1):
            arm = _moved(np.asarray(cv2.dilate(pieces + arm, tall), np.float32), way * STEP)
            if count in {SHORT_ARM, LONG_ARM}:
                kept.append(arm)
        arms.append(kept)
    near = (pieces + arms[0][0] + arms[1][0]) / (2 * SHORT_ARM + 1)
    far = (pieces + arms[0][1] + arms[1][1]) / (2 * LONG_ARM + 1)
    return near, far


def _steep(ink: Plane, body: slice) -> tuple[Plane, Plane]:
    """For each column the best slanting stroke through it that falls, and that rises, to the right."""
    pieces = np.asarray(cv2.dilate(ink, np.ones((2, 1), np.uint8)), np.float32)
    found = []
    for tall in (1, -1):
        total = pieces.copy()
        for way in (1, -1):
            arm = np.zeros_like(pieces)
            for _ in range(STEEP_ARM):
                arm = _moved(_lifted(pieces + arm, way * tall), way * STEP)
            total += arm
        found.append(total[body].max(axis=0) / (2 * STEEP_ARM + 1))
    return found[0], found[1]


def _lifted(plane: Plane, way: int) -> Plane:
    """The most of one to four rows above (way 1) or below (-1) each pixel."""
    kernel = np.zeros((9, 1), np.uint8)
    kernel[slice(0, 4) if way > 0 else slice(5, 9)] = 1
    return np.asarray(cv2.dilate(plane, kernel), dtype=np.float32)


def _moved(plane: Plane, by: int) -> Plane:
    """Shifted right by that many columns, left where negative; nothing comes in from outside."""
    out = np.zeros_like(plane)
    if abs(by) < plane.shape[1]:
        if by > 0:
            out[:, by:] = plane[:, :-by]
        else:
            out[:, :by] = plane[:, -by:]
    return out


def _around(ink: Plane, rows: npt.NDArray[np.intp]) -> tuple[Plane, Plane, Plane]:
    """Whether there is ink over, under, and anywhere beside a stroke that runs through these rows."""
    total = np.zeros((HEIGHT + 1, ink.shape[1]), np.float32)
    np.cumsum(ink > 0.5, axis=0, out=total[1:])
    at = np.arange(ink.shape[1])

    def between(low: npt.NDArray[np.intp], high: npt.NDArray[np.intp]) -> Plane:
        a, b = np.clip(low, EDGE, HEIGHT - EDGE), np.clip(high, EDGE, HEIGHT - EDGE)
        return np.asarray(np.minimum(total[b, at] - total[a, at], 2.0) / 2.0, dtype=np.float32)

    above, below = between(rows - 20, rows - 3), between(rows + 4, rows + 18)
    return above, below, np.maximum(above, below)
