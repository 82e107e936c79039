"""Rows that run over the rim of the photograph are marked, so that no one takes half an order for a whole
one."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.engines.ppocr import PpOcr
from ocr.page import Row, Strike
from ocr.read import ReadOptions, read_images

Pixels = npt.NDArray[np.uint8]
LINES = ("Army Louth holds", "Fleet Irish Sea convoys Army Louth to Mull", "Army Mull holds")


def sheet() -> Pixels:
    """Three rows on white; the middle one is the longest."""
    image = np.full((700, 1700, 3), 245, np.uint8)
    for index, text in enumerate(LINES):
        cv2.putText(
            image, text, (150, 180 + 180 * index), cv2.FONT_HERSHEY_DUPLEX, 1.9, (30, 30, 60), 4, cv2.LINE_AA
        )
    return image


def rows(image: Pixels) -> list[Row]:
    reading = read_images(
        [np.ascontiguousarray(image)], (PpOcr(),), ReadOptions(detect_strike=lambda crop, score: Strike())
    )
    return [row for page in reading.pages for line in page.lines for row in line.rows]


def ends() -> tuple[int, int]:
    """Where the ink of the longest row begins and ends."""
    inked = np.flatnonzero((sheet()[300:400] < 128).any(axis=(0, 2)))
    return int(inked[0]), int(inked[-1])


def test_whole_rows_are_not_marked() -> None:
    assert [row.cut_off for row in rows(sheet())] == [False, False, False]


def test_a_row_cut_through_on_the_right_is_marked_and_no_other() -> None:
    assert [row.cut_off for row in rows(sheet()[:, : ends()[1] - 150])] == [False, True, False]


def test_a_row_that_ends_within_a_gap_of_the_rim_is_marked() -> None:
    # A photograph that ends between two words shows no half letter, but the next word may be outside it.
    assert rows(sheet()[:, : ends()[1] + 8])[1].cut_off


def test_rows_cut_through_on_the_left_are_marked() -> None:
    assert all(row.cut_off for row in rows(sheet()[:, ends()[0] + 40 :]))


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_the_rim_is_the_rim_whichever_way_the_photograph_is_held(turns: int) -> None:
    cut = sheet()[:, : ends()[1] - 150]
    assert [row.cut_off for row in rows(np.rot90(cut, turns))] == [False, True, False]


def test_a_row_cut_through_along_its_length_is_marked() -> None:
    top = int(np.flatnonzero((sheet() < 128).any(axis=(1, 2)))[0])
    marked = rows(sheet()[top + 12 :])
    assert marked[0].cut_off
    assert [row.cut_off for row in marked[-2:]] == [False, False]
