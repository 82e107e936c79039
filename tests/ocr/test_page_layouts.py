"""Layouts of whole photographs, from pixels to lines: columns next to each other, a margin line and rules,
wrapped rows, and several of these at once. The boxes' own logic is in test_columns and test_wrap."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from rapidfuzz.distance import Levenshtein

from ocr.engines.ppocr import PpOcr
from ocr.image.illumination import without_rules
from ocr.page import Page, Strike
from ocr.read import ReadOptions, read_images

Pixels = npt.NDArray[np.uint8]
INK = (30, 30, 60)
LEFT = ("Army Louth holds", "Fleet Mull holds", "Army York holds", "Army Kent to Bath", "Fleet Wight holds")
RIGHT = (
    "Fleet Clyde holds",
    "Army Cork to Mayo",
    "Army Devon holds",
    "Fleet Minch holds",
    "Army Leeds holds",
)


def paper(high: int = 900, wide: int = 1700) -> Pixels:
    return np.full((high, wide, 3), 245, np.uint8)


def write(image: Pixels, text: str, x: int, y: int) -> None:
    cv2.putText(image, text, (x, y), cv2.FONT_HERSHEY_DUPLEX, 1.5, INK, 3, cv2.LINE_AA)


def page_of(image: Pixels) -> Page:
    (page,) = read_images(
        [np.ascontiguousarray(image)], (PpOcr(),),
        ReadOptions(detect_strike=lambda crop, _recognition: Strike())
    ).pages
    return page


def texts(image: Pixels) -> list[str]:
    return [line.text for line in page_of(image).lines]


def columns(apart: int = 850, lower: int = 0) -> Pixels:
    """Two lists of orders below one heading, the right one `lower` pixels lower than the left."""
    image = paper()
    write(image, "Montrose, Summer 1642 Movement Orders", 90, 90)
    for index, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        write(image, left, 90, 230 + 120 * index)
        write(image, right, 90 + apart, 230 + 120 * index + lower)
    return image


def alike(read_texts: list[str], written: list[str]) -> bool:
    """Whether each line is the one written, in the same order: the nearest of all that were written."""
    return len(read_texts) == len(written) and all(
        max(range(len(written)), key=lambda k: Levenshtein.normalized_similarity(text, written[k])) == index
        for index, text in enumerate(read_texts)
    )


@pytest.mark.parametrize("lower", [0, 55])
def test_the_left_column_is_read_before_the_right_one(lower: int) -> None:
    # Rows of the two are level, or the right ones are between those of the left.
    assert alike(texts(columns(lower=lower)), ["Montrose, Summer 1642 Movement Orders", *LEFT, *RIGHT])


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_columns_are_columns_however_the_photograph_lies(quarters: int) -> None:
    lines = texts(np.rot90(columns(), quarters))
    assert alike(lines, ["Montrose, Summer 1642 Movement Orders", *LEFT, *RIGHT])


def test_rows_that_fall_are_read_along_their_slope() -> None:
    # By five degrees a row falls, over the sheet's width, below the height of the next one.
    image = paper(1000, 1900)
    written = [f"{left} {right}" for left, right in zip(LEFT, RIGHT, strict=True)]
    for index, text in enumerate(written):
        write(image, text, 250, 230 + 100 * index)
    turn = cv2.getRotationMatrix2D((950, 500), -5.0, 1.0)
    leaning = np.asarray(cv2.warpAffine(image, turn, (1900, 1000), borderValue=(245, 245, 245)), np.uint8)
    page = page_of(leaning)
    assert alike([line.text for line in page.lines], written)
    assert page.skew_degrees == pytest.approx(5.0, abs=0.7)


WRAPPED = (
    "Fleet Irish Sea convoys",
    "  Army Louth to Mull",
    "Army York holds",
    "Army Kent supports",
    "  Army York",
)


@pytest.mark.parametrize("side", [0, 850], ids=["left", "right"])
def test_orders_are_joined_in_either_column(side: int) -> None:
    # Judged by the whole sheet's width, no wrapped order of a left column was joined.
    image = paper()
    write(image, "Montrose, Summer 1642 Movement Orders", 90, 90)
    for index, (text, other) in enumerate(zip(WRAPPED, RIGHT, strict=True)):
        write(image, text.strip(), 90 + side + 70 * text.startswith(" "), 230 + 120 * index)
        write(image, other, 940 - side, 230 + 120 * index)
    joined = ["Fleet Irish Sea convoys Army Louth to Mull", "Army York holds", "Army Kent supports Army York"]
    lists = [joined, list(RIGHT)] if side == 0 else [list(RIGHT), joined]
    lines = page_of(image).lines
    assert alike([line.text for line in lines], [("Montrose, Summer 1642 Movement "
                                                  "Orders"), *lists[0], *lists[1]])
    assert sorted(len(line.rows) for line in lines) == [1] * 7 + [2] * 2


MARGIN = (225, 130, 130)


def ruled(image: Pixels) -> Pixels:
    """Rules through the writing's base lines, and the red line of a margin through the first letters."""
    for y in range(32, image.shape[0], 100):
        cv2.line(image, (0, y), (image.shape[1], y), (180, 200, 225), 2, cv2.LINE_AA)
    cv2.line(image, (112, 0), (112, image.shape[0]), MARGIN, 3, cv2.LINE_AA)
    return image


def test_a_margin_line_goes_and_the_writing_across_it_stays() -> None:
    image = paper()
    for index, text in enumerate(LEFT):
        write(image, text, 90, 230 + 100 * index)
    inked = image.min(axis=2) < 110
    cleaned, taken = without_rules(ruled(image.copy()))
    assert taken > 5_000
    margin = np.zeros(inked.shape, np.bool_)
    margin[:, 110:115] = True
    near_ink = cv2.dilate(inked.astype(np.uint8), np.ones((7, 7), np.uint8)) > 0
    assert (cleaned.min(axis=2)[margin & ~near_ink] > 225).mean() > 0.95
    assert (cleaned.min(axis=2)[inked] < 150).mean() > 0.97


def test_rules_and_a_margin_change_no_line() -> None:
    image = paper()
    for index, text in enumerate(LEFT):
        write(image, text, 90, 230 + 100 * index)
    plain, lined = page_of(image), page_of(ruled(image.copy()))
    assert alike([line.text for line in lined.lines], list(LEFT))
    assert [line.text for line in lined.lines] == [line.text for line in plain.lines]
    tops = [line.box.corners[0][1] for line in lined.lines]
    assert all(b - a > 60 for a, b in pairwise(tops))
