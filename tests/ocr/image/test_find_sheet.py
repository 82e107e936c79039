"""Finding paper and rows on pictures drawn here, where every corner is known."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.image.find_sheet import find_quads, find_sheets, flatten, photo_points, turn_sheet
from ocr.image.geometry import box_of, crop_box, upright_frame
from ocr.image.illumination import even_light, ink_bounds, without_rules
from ocr.layout.lines import row_indents, row_strips, runs_sideways, writing_slope
from ocr.page import Box

Pixels = npt.NDArray[np.uint8]

TABLES = {"dark green": (40, 70, 45), "wood": (120, 80, 50), "grey": (110, 110, 112), "pink": (225, 180, 165)}
PAPER = (238, 234, 215)
CORNERS = np.array([[220, 140], [1010, 200], [960, 1420], [160, 1360]], np.float32)


def photographed(table: tuple[int, int, int], corners: npt.NDArray[np.float32]) -> Pixels:
    """A sheet with rows of ink on a grainy table."""
    grain = np.random.default_rng(1).normal(0, 4, (1600, 1200, 3))
    image = np.clip(np.array(table) + grain, 0, 255).astype(np.uint8)
    cv2.fillConvexPoly(image, corners.astype(np.int32), PAPER)
    middle = corners.mean(axis=0)
    for share in np.linspace(-0.7, 0.2, 8):
        y = int(middle[1] + share * 500)
        cv2.putText(
            image,
            "Army Louth to Mull",
            (int(middle[0]) - 250, y),
            cv2.FONT_HERSHEY_SIMPLEX,
            1.4,
            (30, 30, 60),
            3,
        )
    return image


@pytest.mark.parametrize("table", TABLES)
def test_the_corners_of_a_sheet_are_found(table: str) -> None:
    (quad,) = find_quads(photographed(TABLES[table], CORNERS))
    assert np.abs(quad - CORNERS).max() < 12


def test_no_sheet_stands_for_the_whole_photograph() -> None:
    image = np.full((400, 300, 3), 245, np.uint8)
    (sheet,) = find_sheets(image)
    assert not sheet.is_outlined
    assert sheet.image.shape == (400, 300, 3)


def test_two_sheets_are_two() -> None:
    left = np.array([[60, 100], [560, 120], [540, 900], [50, 880]], np.float32)
    right = left + np.array([580, 40], np.float32)
    image = photographed(TABLES["wood"], left)
    image[:, 590:] = photographed(TABLES["wood"], right)[:, 590:]
    quads = find_quads(image)
    assert len(quads) == 2
    assert np.abs(quads[0] - left).max() < 12
    assert np.abs(quads[1] - right).max() < 12


def test_a_squared_sheet_leads_back_to_the_photograph() -> None:
    sheet = flatten(photographed(TABLES["wood"], CORNERS), CORNERS)
    high, wide = sheet.image.shape[:2]
    assert np.abs(photo_points(sheet, upright_frame(wide, high)) - CORNERS).max() < 0.5


@pytest.mark.parametrize(("degrees", "first"), [(0, 0), (90, 3), (180, 2), (270, 1)])
def test_a_turned_sheet_leads_back_to_the_photograph(degrees: int, first: int) -> None:
    # Turned clockwise by 90 degrees, the lower left corner comes to the top left.
    sheet = turn_sheet(flatten(photographed(TABLES["wood"], CORNERS), CORNERS), degrees)
    high, wide = sheet.image.shape[:2]
    assert np.abs(photo_points(sheet, [(0, 0)]) - CORNERS[first]).max() < 0.5
    assert np.abs(photo_points(sheet, [(wide, high)]) - CORNERS[(first + 2) % 4]).max() < 0.5
    assert sheet.rotation == degrees


def row_box(
    left: float, top: float, width: float, height: float = 40, tilt: float = 0.0
) -> npt.NDArray[np.float32]:
    """A box turned by `tilt` degrees about the origin."""
    quad = np.array([[left, top], [left + width, top], [left + width, top + height], [left, top + height]])
    a = np.radians(tilt)
    return np.asarray(quad @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]), np.float32)


@pytest.mark.parametrize("tilt", [-8.0, 0.0, 6.0])
def test_boxes_become_rows_from_the_top_along_their_slope(tilt: float) -> None:
    words = [row_box(100 + 310 * k, 200 + 70 * n, 280, tilt=tilt) for n in range(5) for k in range(3)]
    shuffled = [words[k] for k in np.random.default_rng(2).permutation(len(words))]
    rows = row_strips(shuffled)
    assert len(rows) == 5
    for number, row in enumerate(rows):
        row_quad = row_box(100, 200 + 70 * number, 900, tilt=tilt)
        assert np.abs(row.quad - row_quad).max() < 3
    assert np.degrees(writing_slope(shuffled)) == pytest.approx(tilt, abs=0.1)


def test_two_columns_are_read_one_after_the_other() -> None:
    boxes = [row_box(x, 100 + 60 * n, 300) for n in range(6) for x in (50, 800)]
    assert [round(row.left) for row in row_strips(boxes)] == [50] * 6 + [800] * 6


def test_upright_boxes_mean_a_sheet_on_its_side() -> None:
    across = [row_box(50, 100 + 60 * n, 500) for n in range(4)]
    assert not runs_sideways(across)
    assert runs_sideways([quad[:, ::-1] for quad in across])


def test_indents_are_measured_from_a_margin_that_may_lean() -> None:
    boxes = [row_box(100 + 8 * n + (50 if n == 3 else 0), 100 + 60 * n, 600) for n in range(7)]
    indents = row_indents(row_strips(boxes))
    assert indents[3] == pytest.approx(50 / 40, abs=0.2)
    assert max(value for n, value in enumerate(indents) if n != 3) < 0.25


def test_uneven_light_is_evened() -> None:
    paper = np.full((800, 600, 3), 200, np.float64)
    paper[:, :, :] *= np.linspace(1.0, 0.35, 600)[np.newaxis, :, np.newaxis]
    image = paper.astype(np.uint8)
    for y in range(100, 700, 100):
        cv2.line(image, (60, y), (540, y + 3), (20, 20, 40), 4)
    grey = even_light(image).mean(axis=2)
    white = np.ones((800, 600), bool)
    white[:10] = white[-10:] = white[:, :10] = white[:, -10:] = False
    for y in range(100, 700, 100):
        white[y - 12 : y + 16] = False
    assert grey[white].min() > 225
    assert grey[101, 300] < 90


def ruled(colour: tuple[int, int, int]) -> Pixels:
    sheet = np.full((1200, 900, 3), 250, np.uint8)
    for y in range(60, 1200, 48):
        cv2.line(sheet, (0, y), (899, y), colour, 2)
    return sheet


def test_printed_rules_go_and_writing_stays() -> None:
    written = np.full((1200, 900, 3), 250, np.uint8)
    for y in range(150, 900, 96):
        cv2.putText(written, "Army Louth to Mull", (120, y), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (40, 30, 90), 4)
    sheet = np.minimum(written, ruled((170, 195, 225)))
    cleaned, taken = without_rules(sheet)
    assert taken > 20_000
    ink = written.min(axis=2) < 128
    assert (cleaned.min(axis=2)[ink] < 128).mean() > 0.98
    assert (cleaned.min(axis=2)[~ink] > 235).mean() > 0.98


def test_a_long_stroke_of_the_pen_is_no_rule() -> None:
    sheet = np.full((1200, 900, 3), 250, np.uint8)
    for y in (300, 420):
        cv2.putText(
            sheet, "Army Louth to Mull and on", (60, y + 12), cv2.FONT_HERSHEY_SIMPLEX, 1.9, (40, 30, 90), 4
        )
        cv2.line(sheet, (50, y), (860, y + 2), (40, 30, 90), 4)
    cleaned, _ = without_rules(sheet)
    assert (cleaned == sheet).mean() > 0.999


def test_ink_is_where_it_was_put() -> None:
    sheet = np.full((800, 600, 3), 250, np.uint8)
    cv2.rectangle(sheet, (200, 300), (399, 399), (20, 20, 20), -1)
    left, top, right, bottom = ink_bounds(sheet)
    assert 150 < left <= 200
    assert 250 < top <= 300
    assert 400 <= right < 450
    assert 400 <= bottom < 450
    assert ink_bounds(np.full((800, 600, 3), 250, np.uint8)) == (0, 0, 0, 0)


def test_a_crop_shows_the_writing_upright() -> None:
    # A red bar above a blue one, in a box turned by 30 degrees.
    image = np.full((600, 600, 3), 255, np.uint8)
    upper, lower = row_box(300, 50, 200, 20, 30), row_box(300, 70, 200, 20, 30)
    cv2.fillConvexPoly(image, upper.round().astype(np.int32), (200, 0, 0))
    cv2.fillConvexPoly(image, lower.round().astype(np.int32), (0, 0, 200))
    crop = crop_box(image, box_of(row_box(300, 50, 200, 40, 30)), margin=0.0)
    assert crop.shape[:2] == (40, 200)
    assert crop[10, 100, 0] > 150 > crop[10, 100, 2]
    assert crop[30, 100, 2] > 150 > crop[30, 100, 0]


def test_a_crop_at_the_rim_of_the_photograph_is_whole() -> None:
    image = np.full((50, 80, 3), 90, np.uint8)
    crop = crop_box(image, Box(((0, 0), (80, 0), (80, 20), (0, 20))), margin=0.5)
    assert crop.shape == (40, 100, 3)
    assert crop.min() == 90
