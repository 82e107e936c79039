"""Printed sheets photographed and read back: the code, the place, and what was written (LET-12).

The figure of 1,000 is `python -m training.evaluation.printed_sheets`; these are photographs of another seed,
under the same conditions, in which none may fail.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from grammar.headings.sheet_code import parse_code
from ocr.image import sheet_layout as layout
from ocr.image.printed_sheet import find_printed
from ocr.page import Image
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.vocabulary import known_game, vocabulary_of
from service.intake.sheets.recognizer import EngineRecognizer
from service.pictures.drawing.fonts import file_of
from training.evaluation.printed_sheets import OFF, PrintedTruth, frame_error, opened, truth_of
from training.photographs.printed_sheet import FilledLeaf, FilledRow, Trouble, filled, photographed

SEED = 44
CALM = Trouble(0.0, 0.0, 0.0)
ROWS = (
    FilledRow("Army Kent moves to Suffolk"), FilledRow("Irish Sea holds", 1),
    FilledRow("Fleet Bristol holds", 0), FilledRow("Army Durham holds"),
)


def leaf(number: int) -> tuple[PrintedTruth, FilledLeaf]:
    truth = truth_of(number)
    rng = np.random.default_rng([SEED, number])
    return truth, filled(truth.blank, ROWS, Path(file_of("italic")), rng, "2")


@pytest.fixture(scope="module")
def leaves() -> list[tuple[PrintedTruth, FilledLeaf]]:
    return [leaf(number) for number in (1, 4, 18)]


@pytest.mark.parametrize(
    "shot", [shot if shot < 4 else pytest.param(shot, marks=pytest.mark.slow) for shot in range(12)]
)
def test_a_photograph_says_which_sheet_it_shows_and_where(
    leaves: list[tuple[PrintedTruth, FilledLeaf]], shot: int
) -> None:
    """Every fourth has a thumb on a corner, every fourth a corner cut off, every second lies on a side."""
    truth, sheet = leaves[shot % len(leaves)]
    trouble = Trouble(lying=shot % 2, cut=float(shot % 4 == 1), thumb=float(shot % 4 == 3))
    photo = photographed(sheet, np.random.default_rng([SEED, shot, 1]), trouble)
    (frame,) = find_printed(opened(photo.data))
    assert parse_code(frame.code) == truth.code
    assert frame.is_whole
    assert frame_error(frame, photo) <= OFF
    assert frame.rotation == 90 * photo.conditions.lying % 360


@pytest.fixture(scope="module")
def calm(leaves: list[tuple[PrintedTruth, FilledLeaf]]) -> Image:
    return opened(photographed(leaves[0][1], np.random.default_rng([SEED, 99]), CALM).data)


def hidden(photo: Image, *areas: layout.Area) -> Image:
    """The photograph with paper laid over parts of its sheet."""
    (frame,) = find_printed(photo)
    covered = photo.copy()
    for area in areas:
        wide = [[area.left - 2, area.top - 2], [area.right + 2, area.top - 2],
                [area.right + 2, area.bottom + 2], [area.left - 2, area.bottom + 2]]
        cv2.fillConvexPoly(covered, np.round(frame.points(wide)).astype(np.int32), (210, 210, 205))
    return covered


def mark(number: int) -> layout.Area:
    left, top = layout.MARKS[number]
    return layout.Area(left, top, left + layout.MARK, top + layout.MARK)


def test_two_marks_place_a_sheet_and_one_needs_the_code_beside_it(calm: Image) -> None:
    """Plain paper must never be taken for a printed sheet, whatever looks like one mark on it."""
    (frame,) = find_printed(hidden(calm, mark(0), mark(1)))
    assert (frame.marks, frame.is_whole, frame.code[:9]) == ((2, 3), True, "GALLOPER1")
    (frame,) = find_printed(hidden(calm, mark(0), mark(2), mark(3)))
    assert (frame.marks, frame.is_whole, frame.code[:9]) == ((1,), False, "GALLOPER1")
    assert find_printed(hidden(calm, mark(0), mark(2), mark(3), layout.CODE)) == ()
    (frame,) = find_printed(hidden(calm, layout.CODE, layout.FOOT_CODE))
    assert (frame.marks, frame.code) == ((0, 1, 2, 3), "")


@pytest.mark.parametrize("shot", range(4))
def test_a_sheet_without_its_head_is_known_by_its_foot(
    leaves: list[tuple[PrintedTruth, FilledLeaf]], shot: int
) -> None:
    """Of 650 photographs one had lost code and heading: its head was cut off."""
    truth, sheet = leaves[shot % len(leaves)]
    photo = opened(photographed(sheet, np.random.default_rng([SEED, shot, 2]), CALM).data)
    head = layout.Area(-30.0, -40.0, layout.BLOCK[0] + 30.0, layout.NOTES.top)
    (frame,) = find_printed(hidden(photo, head))
    assert (frame.marks, frame.is_whole, parse_code(frame.code)) == ((2, 3), True, truth.code)


def test_what_is_written_and_ticked_is_read_and_nothing_that_is_printed(
    leaves: list[tuple[PrintedTruth, FilledLeaf]]
) -> None:
    """Small type, example, boxes and rules are not writing; ticked or written kinds are both read, and a tick
    that contradicts the line is for a person; the number in the box is the version."""
    truth, sheet = leaves[1]
    photo = photographed(sheet, np.random.default_rng([SEED, 7]), replace(CALM, lying=1.0))
    assert photo.conditions.lying
    lines = read(photo.data, truth)
    orders = [(line.order, line.status.value) for line in lines if line.kind == "order"]
    assert [order for order, _ in orders] == [
        "A Kent - Suffolk", "F Irish Sea H", "F Bristol H", "A Durham H"]
    assert orders[2][1] == "open"
    assert [line.text for line in lines if line.kind != "order"][:3] == [
        truth.power, truth.game, truth.blank.orders]


def read(data: bytes, truth: PrintedTruth) -> list[InterpretedLine]:
    reader = PageReader(vocabulary_of(truth.variant, truth.phase.kind))
    games = [known_game(truth.variant, truth.game)]
    (recognized,) = EngineRecognizer().recognize(data, "photograph")
    (page,) = recognized.reading.pages
    content = reader.read_page(page, games)
    assert content.heading.version == 2
    return list(content.lines)
