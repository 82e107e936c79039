"""How sharp and how dark a row is, by itself: neither its size nor the pen may play a part."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.image.quality import Legibility, legibility

Pixels = npt.NDArray[np.uint8]


def row(height: int = 80, pen: int = 4, ink: int = 40) -> Pixels:
    """A row of writing on an evened sheet, drawn large and brought to that height."""
    image = np.full((320, 3200), 250, np.uint8)
    cv2.putText(
        image,
        "Army Louth to Isle of Man",
        (40, 220),
        cv2.FONT_HERSHEY_SIMPLEX,
        6.0,
        ink,
        4 * pen,
        cv2.LINE_AA,
    )
    scale = height / 320
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def test_a_row_out_of_focus_has_less_focus_the_more_it_is() -> None:
    # Up to a blur as wide as the stroke; beyond it the stroke itself swells and the value stays low.
    measured = [legibility(row())] + [
        legibility(np.asarray(cv2.GaussianBlur(row(), (0, 0), s), np.uint8)) for s in (0.6, 1.1, 1.8)
    ]
    focus = [row_legibility.focus for row_legibility in measured]
    assert focus == sorted(focus, reverse=True)
    assert focus[0] > 3 * focus[3]


@pytest.mark.parametrize("height", [60, 120, 200])
def test_focus_is_the_same_at_any_size(height: int) -> None:
    # From further away blur and strokes shrink alike.
    soft = np.asarray(cv2.GaussianBlur(row(320, 4), (0, 0), 8.0), np.uint8)
    scale = height / 320
    small = np.asarray(cv2.resize(soft, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    assert legibility(small).focus == pytest.approx(legibility(soft).focus, rel=0.35)


def test_focus_does_not_depend_on_how_dark_the_ink_is() -> None:
    assert legibility(row(ink=150)).focus == pytest.approx(legibility(row(ink=20)).focus, rel=0.15)


def test_contrast_is_how_much_darker_than_the_paper_the_ink_is() -> None:
    assert legibility(row(ink=50)).contrast == pytest.approx(0.8, abs=0.03)
    assert legibility(row(ink=150)).contrast == pytest.approx(0.4, abs=0.03)


def test_bare_paper_has_neither() -> None:
    assert legibility(np.full((60, 400, 3), 250, np.uint8)) == Legibility(0.0, 0.0)
