"""Two sheets that touch are two; one sheet that is folded, shaded or ruled is one."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.image.find_sheet import find_quads

Pixels = npt.NDArray[np.uint8]
WHITE, CREAM = (240, 238, 232), (232, 220, 170)


def table() -> Pixels:
    grain = np.random.default_rng(2).normal(0, 4, (1200, 1600, 3))
    return np.clip(np.array((70, 60, 50)) + grain, 0, 255).astype(np.uint8)


def laid(image: Pixels, corners: list[tuple[int, int]], colour: tuple[int, int, int] = WHITE) -> Pixels:
    cv2.fillPoly(image, [np.array(corners)], colour)
    return image


def written(image: Pixels, left: int, width: int, top: int = 200, rows: int = 8) -> Pixels:
    """Rows of a pen's loops from `left`, each `width` long."""
    for row in range(rows):
        y = top + 80 * row
        for x in range(left, left + width, 24):
            cv2.ellipse(image, (x, y), (9, 16), 20, 0, 300, (30, 30, 70), 4, cv2.LINE_AA)
    return image


def corners_of(image: Pixels) -> list[list[tuple[int, int]]]:
    quads = sorted(find_quads(image), key=lambda quad: float(quad[:, 0].mean()))
    return [[(round(float(x)), round(float(y))) for x, y in quad] for quad in quads]


def near(actual: list[list[tuple[int, int]]], expected: list[list[tuple[int, int]]]) -> bool:
    return len(actual) == len(expected) and all(
        abs(a - b) < 25 for quad, expected_quad in zip(actual, expected, strict=True) for p,
        q in zip(quad, expected_quad, strict=True)
        for a, b in zip(p, q, strict=True)
    )  # fmt: skip


LEFT = [(150, 90), (790, 90), (790, 1000), (150, 1000)]


@pytest.mark.parametrize("colour", [WHITE, CREAM])
@pytest.mark.parametrize("lower", [60, 160])
def test_sheets_that_touch_at_different_heights_are_two(colour: tuple[int, int, int], lower: int) -> None:
    right = [(790, 90 + lower), (1430, 90 + lower), (1430, 1000 + lower), (790, 1000 + lower)]
    image = laid(laid(table(), LEFT), right, colour)
    image = written(written(image, 220, 500), 860, 480, top=300)
    assert near(corners_of(image), [LEFT, right])


def test_sheets_that_lean_against_each_other_are_two() -> None:
    # They touch at one corner, with a wedge of table between them.
    right = [(850, 70), (1480, 120), (1420, 1020), (791, 970)]
    assert near(corners_of(written(laid(laid(table(), LEFT), right), 220, 480)), [LEFT, right])


@pytest.mark.parametrize("gap", [4, 8, 14])
def test_level_sheets_with_a_narrow_gap_are_two(gap: int) -> None:
    # At 1600 pixels a sheet's shadow or the table shows between them as a dark line.
    right = [(790 + gap, 90), (1430, 90), (1430, 1000), (790 + gap, 1000)]
    image = written(written(laid(laid(table(), LEFT), right), 220, 480), 870, 480)
    assert near(corners_of(image), [LEFT, right])


def test_a_small_sheet_beside_a_large_one_is_not_lost() -> None:
    small = [(840, 250), (1300, 250), (1300, 880), (840, 880)]
    assert near(corners_of(laid(laid(table(), LEFT), small)), [LEFT, small])


def wide() -> tuple[Pixels, list[tuple[int, int]]]:
    corners = [(150, 90), (1430, 90), (1430, 1000), (150, 1000)]
    return laid(table(), corners), corners


def test_a_fold_that_writing_runs_across_parts_nothing() -> None:
    image, corners = wide()
    cv2.line(image, (790, 90), (790, 1000), (170, 168, 160), 5)
    assert near(corners_of(written(image, 250, 1000)), [corners])


def test_half_a_sheet_in_shadow_is_not_two_sheets() -> None:
    image, _ = wide()
    image[:, :800] = (image[:, :800] * 0.4).astype(np.uint8)
    assert len(find_quads(written(image, 250, 1000))) < 2


def test_rules_and_a_margin_are_no_gap_between_sheets() -> None:
    image, corners = wide()
    image[180:1000:40, 150:1430] = (170, 190, 220)
    cv2.line(image, (270, 90), (270, 1000), (210, 120, 120), 3)
    assert near(corners_of(written(image, 300, 900)), [corners])


def test_a_strip_of_light_is_no_sheet() -> None:
    image = laid(laid(table(), LEFT), [(900, 20), (1080, 20), (1080, 1180), (900, 1180)])
    (corners,) = corners_of(written(image, 220, 480))
    assert corners[1][0] < 910, "what was found lies left of the strip"


def test_a_shadow_across_a_ruled_sheet_is_no_second_sheet() -> None:
    # The shadow's edge is along a printed rule, and the table is as dark as the paper in the shadow.
    corners = [(350, 30), (1150, 60), (1180, 1150), (320, 1170)]
    image = laid(table(), corners, CREAM)
    for y in range(180, 1130, 40):
        cv2.line(image, (360, y), (1140, y), (170, 180, 200), 3)
    image = written(image, 430, 400, top=150, rows=5)
    image[620:, :700] = (image[620:, :700] * 0.6).astype(np.uint8)
    assert near(corners_of(image), [corners])
