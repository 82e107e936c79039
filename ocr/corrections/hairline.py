"""A stroke much finer than the writing's from one end of a row to the other, told by the gaps between
letters.

The recogniser's features see a stroke the worse the finer it is. Where there are no letters, though, a row
has nothing but paper: a straight line that shows in nearly all its gaps was drawn through it. Such a line
asks for a look; by itself it proves no strike, since what is left of a printed rule may look like one.
"""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.corrections.strike_marks import HEIGHT as INK_HEIGHT
from ocr.corrections.strike_marks import Plane, body_rows
from ocr.page import Image

HEIGHT = 72
"""Pixels of a row that is looked at; a hairline is one wide or less, and a letter's stroke 3 to 8. All
lengths below are such."""

TALL = 8
"""Ink this high is of a letter; a level stroke is less, a short dash or the bar of a t too."""

ROOM = 3
"""What is taken for letters on either side of them."""

LEANS = (0.0, 0.2, 0.4)
"""How far to the right letters may lean, as a share of their height: the gaps between them do too."""

ALONG, ACROSS = 7, 5
"""A line is darker, on the mean of so many pixels along it, than the paper so many above and below it ..."""

PALE, GRAIN, LEAST = 0.15, 4.0, 6.0
"""... by this share of the ink's darkness, by so many times the paper's own grain, and by so much of 255."""

HIGH, LOW = 0.12, 0.22
"""Shares of the small letters' height: the line's middle lies at least so far below their top and above their
foot, where printed rules run."""

STEEP, RISE = 0.15, 26
"""The line falls or rises by at most this share of the row's length, and so much."""

GAPS, WIDE = 0.05, 24
"""Share of the row's length, and pixels, that its gaps are wide at least, all together: fewer tell nothing.
Of 892 rows on composed sheets and the samples this marks the same one as half as many more did; 0.03 and 12
would mark four."""

THROUGH = 0.945
"""Share of all its pixels, letters or not, in which a line drawn through a row is dark. Joined letters have
level strokes of their own between them, but paper inside: of 33 live rows on composed sheets in whose gaps a
line shows none had more than 0.94, of 16 struck ones none less than 0.95."""

RIM, SHOWN, BENT = 10, 0.5, 4
"""A line that shows in more than this share of so many pixels at either end of the crop goes on beyond it,
and is a printed rule or a fold; there it may be so many pixels higher or lower, since paper is not flat."""

RULED = 0.8
"""Share of the gaps in which such a line shows where a rule runs through the row."""

Flags: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float32]


def crossed_gaps(row: Image, ink: Plane) -> tuple[float, float, float]:
    """The share, 0..1, of a row's gaps that the likeliest straight line across it shows in, and from where to
    where the row is written, as shares of the crop's width. 0 where there are too few gaps to tell.

    `row`: an evened crop without printed rules, grey or RGB; `ink`: its soft ink.
    """
    body = body_rows(ink)
    top, foot = body.start * HEIGHT / INK_HEIGHT, body.stop * HEIGHT / INK_HEIGHT
    small = foot - top
    band = slice(max(0, int(top - 0.3 * small)), min(HEIGHT, int(foot + 0.1 * small)))
    upright = _darkness(row)
    level = max(40.0, float(np.percentile(upright, 98)))
    seen = [(dark, *_gaps(dark[band] > 0.4 * level)) for dark in (_sheared(upright, lean) for lean in LEANS)]
    dark, gaps, first, last = max(seen, key=lambda one: len(one[1]))
    ends = first / dark.shape[1], (last + 1) / dark.shape[1]
    if len(gaps) < max(GAPS * (last + 1 - first), WIDE):
        return 0.0, *ends
    begins, stops = np.meshgrid(
        np.arange(band.start, band.stop, 2), np.arange(band.start, band.stop, 2), indexing="ij"
    )
    middle = (begins + stops) / 2
    fair = (np.abs(begins - stops) <= min(RISE, STEEP * (last - first))) & (middle >= top + HIGH * small)
    fair &= middle <= foot - LOW * small
    if not fair.any():
        return 0.0, *ends
    ridges = _ridges(np.asarray(cv2.blur(dark, (ALONG, 1)), np.float32), level, band, gaps)

    def along(columns: npt.NDArray[np.intp], ridges: Flags) -> npt.NDArray[np.float64]:
        """Of each line the share of these columns that it shows in."""
        share = (columns - first) / max(1, last - first)
        heights = np.rint(begins[fair][:, np.newaxis] * (1 - share) + stops[fair][:, np.newaxis] * share)
        return np.asarray(ridges[np.clip(heights, 0, HEIGHT - 1).astype(np.intp), columns].mean(axis=1))

    rim = np.arange(RIM)
    near = np.asarray(cv2.dilate(ridges.astype(np.uint8), np.ones((2 * BENT + 1, 1), np.uint8)) > 0, np.bool_)
    printed = (along(rim, near) > SHOWN) & (along(dark.shape[1] - 1 - rim, near) > SHOWN)
    found = along(gaps, ridges)
    found[along(np.arange(first, last + 1), _darker(dark, level)) < THROUGH] = 0.0
    # Lines beside the likeliest fit a rule nearly as well and may miss its ends: where one is printed,
    # nothing can be told.
    ruled = bool(found[printed].max(initial=0.0) >= RULED)
    return 0.0 if ruled else float(found.max()), *ends


def _darkness(row: Image) -> Floats:
    grey = row if row.ndim == 2 else cv2.cvtColor(row, cv2.COLOR_RGB2GRAY)
    width = max(16, round(grey.shape[1] * HEIGHT / grey.shape[0]))
    method = cv2.INTER_AREA if grey.shape[0] > HEIGHT else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(grey, (width, HEIGHT), interpolation=method), np.float32)
    return np.asarray(np.clip(250.0 - small, 0.0, None), np.float32)


def _sheared(dark: Floats, lean: float) -> Floats:
    """The row with leaning letters upright; a straight line across it stays one."""
    if not lean:
        return dark
    high, wide = dark.shape
    way = np.array([[1.0, lean, -lean * high / 2], [0.0, 1.0, 0.0]], np.float32)
    return np.asarray(cv2.warpAffine(dark, way, (wide, high), borderMode=cv2.BORDER_REPLICATE), np.float32)


def _gaps(ink: Flags) -> tuple[npt.NDArray[np.intp], int, int]:
    """The columns between letters, and the first and last with ink TALL or more high; none and 0, -1 without
    such ink."""
    tall = cv2.morphologyEx(ink.astype(np.uint8), cv2.MORPH_OPEN, np.ones((TALL, 1), np.uint8)).any(axis=0)
    places = np.flatnonzero(tall)
    if not len(places):
        return places, 0, -1
    first, last = int(places[0]), int(places[-1])
    wide = (
        cv2.dilate(np.asarray(tall, np.uint8).reshape(1, -1), np.ones((1, 2 * ROOM + 1), np.uint8)).ravel()
        > 0
    )
    return first + np.flatnonzero(~wide[first : last + 1]), first, last


def _darker(dark: Floats, level: float) -> Flags:
    """Where there is ink as pale as a level line may be, or a pixel beside it."""
    seen = np.asarray(cv2.blur(dark, (3, 1)) > max(PALE * level, LEAST), np.uint8)
    return np.asarray(cv2.dilate(seen, np.ones((3, 1), np.uint8)) > 0, np.bool_)


def _ridges(smooth: Floats, level: float, band: slice, gaps: npt.NDArray[np.intp]) -> Flags:
    """Where a level line may run, or a pixel beside it; the paper's grain is that of `gaps` between the rows
    of `band`."""
    paper = smooth[band][:, gaps]
    grain = 1.4826 * float(np.median(np.abs(paper - np.median(paper))))
    inner, above, below = smooth[ACROSS:-ACROSS], smooth[: -2 * ACROSS], smooth[2 * ACROSS :]
    seen = np.zeros(smooth.shape, np.uint8)
    seen[ACROSS:-ACROSS] = inner - np.maximum(above, below) > max(PALE * level, GRAIN * grain, LEAST)
    return np.asarray(cv2.dilate(seen, np.ones((3, 1), np.uint8)) > 0, np.bool_)
