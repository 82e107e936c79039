"""Where things are on a printed sheet."""

from __future__ import annotations

import cv2
import pytest

from ocr.image import sheet_layout as layout
from ocr.image.sheet_layout import Area
from service.pictures import SheetPaper

PRINTER_MARGIN = 4.2
"""Millimetres along the edges that common printers leave white (HP and Brother give 4.2 and 4.23)."""


def test_the_marks_are_those_of_opencv() -> None:
    """The printed cells are typed in, so that a worker that prints needs no OpenCV."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number, cells in enumerate(layout.MARK_CELLS):
        drawn = cv2.aruco.generateImageMarker(dictionary, number, 6)
        assert tuple("".join("1" if cell else "0" for cell in row[1:5]) for row in drawn[1:5]) == cells


def areas() -> list[Area]:
    marks = [Area(x, y, x + layout.MARK, y + layout.MARK) for x, y in layout.MARKS]
    boxes = [layout.kind_box(row, kind) for row in range(layout.ROWS) for kind in range(2)]
    rules = [Area(layout.RULE[0], layout.rule_height(row), layout.RULE[1], layout.rule_height(row) + 0.25)
             for row in range(layout.ROWS)]
    return [*marks, layout.CODE, layout.HEADING, layout.NOTES, layout.VERSION, layout.VERSION_WORD,
            layout.FOOT_CODE, layout.WORDS_WORD, layout.WORDS, *boxes, *rules]


def test_nothing_covers_anything_else() -> None:
    every = areas()
    for index, first in enumerate(every):
        for second in every[index + 1 :]:
            assert (first.right <= second.left or second.right <= first.left or first.bottom <= second.top
                    or second.bottom <= first.top), (first, second)


@pytest.mark.parametrize("paper", list(SheetPaper))
def test_all_is_within_what_printers_print(paper: SheetPaper) -> None:
    for area in areas():
        assert paper.left + area.left >= PRINTER_MARGIN
        assert paper.top + area.top >= PRINTER_MARGIN
        assert paper.left + area.right <= paper.width - PRINTER_MARGIN
        assert paper.top + area.bottom <= paper.height - PRINTER_MARGIN


def test_a_sheet_of_a4_is_whole_on_us_letter() -> None:
    """Printed without scaling, from the top left corner or centred: anyone who has only the other paper."""
    (_, height, _, top), letter = SheetPaper.A4.value, SheetPaper.LETTER.height
    for shift in (0.0, (letter - height) / 2):
        assert top + shift >= PRINTER_MARGIN
        assert top + shift + layout.BLOCK[1] <= letter - PRINTER_MARGIN
