"""A stroke much finer than the writing's from one end of a row to the other, found by the gaps between
letters.

The recogniser's features see a stroke the worse the finer it is. But where there are no letters a row has
only paper, so a straight line that shows in nearly all its gaps was drawn through it. Such a line requests a
person. By itself it proves no strike, since the rest of a printed rule may look like one.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.corrections.strike_marks import HEIGHT as INK_HEIGHT, Plane, body_rows
from ocr.image.illumination import PAPER
from ocr.page import Image

Flags: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float32]

# Tuning values. Pixels are those of a row scaled to HEIGHT. "By hand": no measurement on record; the sum of
# all was judged on 30 calibration fonts, see training/README.md ("A stroke from end to end ...").
HEIGHT = 72  # pixels of a row, 48..144: a hairline is then one wide or less, and a letter's stroke 3 to 8
# Letters and the gaps between them.
BODY_BAND = (0.3, 0.1)  # heights of the small letters, 0..1, above and below them that are looked at. By hand
FULL_PERCENTILE, LEAST_FULL = 98, 40.0  # percentile and least darkness, 0..250, of full ink. By hand
LETTER_DARKNESS = 0.4  # share of full ink, 0..1, from which a pixel may be of a letter. By hand
TALL = 8
"""Pixels, 3..20: ink so high is of a letter; a level stroke, a dash or the bar of a t is less. By hand."""
ROOM = 3  # pixels, 0..8, on either side of a letter that count as the letter. By hand
LEANS = (0.0, 0.2, 0.4)
"""Shares of their height, 0..1, that letters may lean to the right, and their gaps too. By hand."""
GAPS, WIDE = 0.05, 24
"""Share of the row's length, 0..1, and pixels that its gaps have at least, all together; fewer show nothing.
Of 892 rows on composed sheets and the samples this marks the same one as half as many more did; 0.03 and 12
would mark four."""
# The line.
CLEAR_OF_TOP, CLEAR_OF_FOOT = 0.12, 0.22
"""Heights of the small letters, 0..0.5: the line's middle is at least so far below their top and above their
foot, where printed rules run. By hand."""
STEEP, RISE = 0.15, 26
"""Share of the row's length, and pixels, by which the line rises or falls at most. By hand."""
STEP = 2  # pixels, 1..4, between the lines that are tried. By hand
ALONG, ACROSS = 7, 5
"""Pixels: a line is darker, on the mean of ALONG pixels along it, than the paper ACROSS pixels above and
below it. By hand."""
PALE, GRAIN, LEAST = 0.15, 4.0, 6.0
"""... by the greatest of: this share of full ink, 0..1; so many times the paper's own grain; this darkness,
0..250. By hand."""
THROUGH = 0.945
"""Share of all its pixels, letters or not, 0..1, in which a line drawn through a row is dark. Joined letters
have level strokes between them, but paper inside: of 33 live rows on composed sheets in whose gaps a line
shows none had more than 0.94, of 16 struck ones none less than 0.95."""
# Printed rules and folds.
RIM, SHOWN, BENT = 10, 0.5, 4
"""A line that shows in more than the share SHOWN, 0..1, of RIM pixels at either end of the crop goes on
beyond it, and is a printed rule or a fold. There it may be BENT pixels higher or lower, since paper is not
flat. By hand."""
RULED = 0.8  # share of the gaps, 0..1, in which such a line shows if a rule runs through the row. By hand


class Hairline(NamedTuple):
    """The likeliest straight line across a row.

    `gap_share`: the share of the row's gaps in which it shows, 0..1; 0 if there are too few gaps.
    `left` and `right`: where the row is written, as shares of the crop's width.
    """

    gap_share: float
    left: float
    right: float


def find_hairline(row: Image, ink: Plane) -> Hairline:
    """The likeliest line across a row. `row`: an evened crop without rules, uint8, RGB or grey; `ink`: its
    soft ink."""
    # 1. The gaps between letters, at the lean that shows most of them.
    body = body_rows(ink)
    top, foot = body.start * HEIGHT / INK_HEIGHT, body.stop * HEIGHT / INK_HEIGHT
    small = foot - top
    band = slice(max(0, int(top - BODY_BAND[0] * small)), min(HEIGHT, int(foot + BODY_BAND[1] * small)))
    upright = _darkness(row)
    full = max(LEAST_FULL, float(np.percentile(upright, FULL_PERCENTILE)))
    views = [
        (dark, *_gaps(dark[band] > LETTER_DARKNESS * full))
        for dark in (_sheared(upright, lean) for lean in LEANS)
    ]
    dark, gaps, first, last = max(views, key=lambda view: len(view[1]))
    left, right = first / dark.shape[1], (last + 1) / dark.shape[1]
    if len(gaps) < max(GAPS * (last + 1 - first), WIDE):
        return Hairline(0.0, left, right)
    # 2. Every line from a height at the row's beginning to one at its end, neither steep nor at a rule's
    # place.
    heights = np.arange(band.start, band.stop, STEP)
    begins, stops = np.meshgrid(heights, heights, indexing="ij")
    middle = (begins + stops) / 2
    allowed = np.abs(begins - stops) <= min(RISE, STEEP * (last - first))
    allowed &= (middle >= top + CLEAR_OF_TOP * small) & (middle <= foot - CLEAR_OF_FOOT * small)
    if not allowed.any():
        return Hairline(0.0, left, right)
    ridges = _ridges(np.asarray(cv2.blur(dark, (ALONG, 1)), np.float32), full, band, gaps)

    def share_along(columns: npt.NDArray[np.intp], flags: Flags) -> npt.NDArray[np.float64]:
        """Of each line the share of these columns in which it shows."""
        share = (columns - first) / max(1, last - first)
        y = np.rint(begins[allowed][:, np.newaxis] * (1 - share) + stops[allowed][:, np.newaxis] * share)
        return np.asarray(flags[np.clip(y, 0, HEIGHT - 1).astype(np.intp), columns].mean(axis=1))

    # 3. Lines that go on beyond the crop are printed; lines that do not run on through the letters are none.
    rim = np.arange(RIM)
    kernel = np.ones((2 * BENT + 1, 1), np.uint8)
    widened = np.asarray(cv2.dilate(ridges.astype(np.uint8), kernel) > 0, np.bool_)
    is_printed = (share_along(rim, widened) > SHOWN) & (share_along(dark.shape[1] - 1 - rim, widened) > SHOWN)
    gap_shares = share_along(gaps, ridges)
    gap_shares[share_along(np.arange(first, last + 1), _darker(dark, full)) < THROUGH] = 0.0
    # Lines next to the likeliest fit a rule nearly as well and may miss its ends. So one rule hides all.
    is_ruled = bool(gap_shares[is_printed].max(initial=0.0) >= RULED)
    return Hairline(0.0 if is_ruled else float(gap_shares.max()), left, right)


def _darkness(row: Image) -> Floats:
    """How much darker than paper each pixel is: float32, shape (HEIGHT, width), 0..250."""
    grey = row if row.ndim == 2 else cv2.cvtColor(row, cv2.COLOR_RGB2GRAY)
    width = max(16, round(grey.shape[1] * HEIGHT / grey.shape[0]))
    method = cv2.INTER_AREA if grey.shape[0] > HEIGHT else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(grey, (width, HEIGHT), interpolation=method), np.float32)
    return np.asarray(np.clip(PAPER - small, 0.0, None), np.float32)


def _sheared(dark: Floats, lean: float) -> Floats:
    """The row with leaning letters upright; a straight line across it stays straight."""
    if not lean:
        return dark
    height, width = dark.shape
    shear = np.array([[1.0, lean, -lean * height / 2], [0.0, 1.0, 0.0]], np.float32)
    upright = cv2.warpAffine(dark, shear, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(upright, np.float32)


def _gaps(ink: Flags) -> tuple[npt.NDArray[np.intp], int, int]:
    """The columns between letters, and the first and last column with ink TALL or higher; none, 0, -1
    without."""
    tall = cv2.morphologyEx(ink.astype(np.uint8), cv2.MORPH_OPEN, np.ones((TALL, 1), np.uint8)).any(axis=0)
    columns = np.flatnonzero(tall)
    if not len(columns):
        return columns, 0, -1
    first, last = int(columns[0]), int(columns[-1])
    line = np.asarray(tall, np.uint8).reshape(1, -1)
    letters = cv2.dilate(line, np.ones((1, 2 * ROOM + 1), np.uint8)).ravel() > 0
    return first + np.flatnonzero(~letters[first : last + 1]), first, last


def _darker(dark: Floats, full: float) -> Flags:
    """Where there is ink as pale as a level line may be, or a pixel above or below it."""
    inked = np.asarray(cv2.blur(dark, (3, 1)) > max(PALE * full, LEAST), np.uint8)
    return np.asarray(cv2.dilate(inked, np.ones((3, 1), np.uint8)) > 0, np.bool_)


def _ridges(smooth: Floats, full: float, band: slice, gaps: npt.NDArray[np.intp]) -> Flags:
    """Where a level line may run, or a pixel above or below it. The grain is that of `gaps` in the rows of
    `band`."""
    paper = smooth[band][:, gaps]
    # 1.4826 times the median deviation is the standard deviation of a normal distribution.
    grain = 1.4826 * float(np.median(np.abs(paper - np.median(paper))))
    inner, above, below = smooth[ACROSS:-ACROSS], smooth[: -2 * ACROSS], smooth[2 * ACROSS :]
    ridges = np.zeros(smooth.shape, np.uint8)
    ridges[ACROSS:-ACROSS] = inner - np.maximum(above, below) > max(PALE * full, GRAIN * grain, LEAST)
    return np.asarray(cv2.dilate(ridges, np.ones((3, 1), np.uint8)) > 0, np.bool_)
