"""Crossed-out rows against live ones, drawn here; the sample sheets' own struck lines are in test_read."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.strike import strike
from ocr.wrap import STRUCK

Pixels = npt.NDArray[np.uint8]
INK = (40, 30, 90)


def row(text: str = "Army Louth moves to Mull") -> Pixels:
    """A row of OpenCV's own lettering."""
    image = np.full((84, 920, 3), 250, np.uint8)
    cv2.putText(image, text, (40, 58), cv2.FONT_HERSHEY_SIMPLEX, 1.7, INK, 3, cv2.LINE_AA)
    return image


def written(image: Pixels) -> tuple[int, int]:
    columns = np.flatnonzero((image.min(axis=2) < 128).any(axis=0))
    return int(columns[0]), int(columns[-1])


def line_through(image: Pixels, start: float, end: float, tilt: int = 0, thickness: int = 3) -> Pixels:
    """A pen stroke over that share of the writing."""
    left, right = written(image)
    a, b = round(left + start * (right - left)), round(left + end * (right - left))
    return np.asarray(
        cv2.line(image.copy(), (a, 46 + tilt), (b, 46 - tilt), INK, thickness, cv2.LINE_AA), np.uint8
    )


@pytest.mark.parametrize(
    "text", ["Army Louth moves to Mull", "A Lon - Sus.", "F Hurd's Deep H", "Fleet convoys - - to", "v2"]
)
def test_live_writing_is_not_struck(text: str) -> None:
    assert strike(row(text)).score < STRUCK


@pytest.mark.parametrize("tilt", [-10, 0, 8])
@pytest.mark.parametrize("thickness", [2, 4])
def test_a_stroke_from_end_to_end_strikes_the_row(tilt: int, thickness: int) -> None:
    assert strike(line_through(row(), -0.01, 1.01, tilt, thickness)).score > 0.9


def test_a_zigzag_over_all_of_it_strikes_the_row() -> None:
    image = row()
    left, right = written(image)
    points = [(x, 36 if n % 2 else 62) for n, x in enumerate(range(left, right, 14))]
    cv2.polylines(image, [np.array(points)], isClosed=False, color=INK, thickness=3)
    assert strike(image).score > 0.9


@pytest.mark.parametrize(("start", "end"), [(0.0, 0.3), (0.35, 0.65), (0.75, 1.0)])
def test_a_struck_word_is_a_span_of_a_live_row(start: float, end: float) -> None:
    found = strike(line_through(row(), start, end))
    assert found.score < STRUCK
    (span,) = found.spans
    assert span == pytest.approx((start, end), abs=0.06)


def test_an_empty_row_is_not_struck() -> None:
    assert strike(np.full((84, 920, 3), 250, np.uint8)).score == 0.0


def test_a_grey_row_will_do() -> None:
    struck = cv2.cvtColor(line_through(row(), 0, 1), cv2.COLOR_RGB2GRAY)
    assert strike(np.asarray(struck, np.uint8)).score > 0.9
