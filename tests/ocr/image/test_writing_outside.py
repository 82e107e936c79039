"""When the finder is asked about the whole photograph: only where something like writing lies off the
sheet."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.image.find_sheet import FlattenedSheet, find_sheets, flatten
from ocr.image.writing_outside import SIDE, has_writing_outside

Pixels = npt.NDArray[np.uint8]


class Finder:
    """Finds the boxes it was given, in shares of the image, and counts how often it was asked."""

    name = "given"

    def __init__(self, *boxes: tuple[float, float, float, float]) -> None:
        self._boxes = boxes
        self.asked = 0

    def find(self, image: Pixels) -> tuple[Quad, ...]:
        self.asked += 1
        size = np.array([image.shape[1], image.shape[0]], np.float32)
        assert max(image.shape) == SIDE
        return tuple(
            np.array([(a, b), (c, b), (c, d), (a, d)], np.float32) * size for a, b, c, d in self._boxes
        )


def photograph(text: str = "") -> Pixels:
    """A sheet on the upper part of a dark table, and a text on the table below it."""
    grain = np.random.default_rng(1).normal(0, 3, (1600, 1200, 3))
    image: Pixels = np.clip(np.array((60, 70, 65)) + grain, 0, 255).astype(np.uint8)
    image[100:1200, 150:1050] = (238, 234, 225)
    if text:
        image[1280:1500] = 150
        cv2.putText(image, text, (200, 1420), cv2.FONT_HERSHEY_SIMPLEX, 2.0, (20, 20, 40), 5)
    return image


def test_a_plain_table_costs_no_search() -> None:
    finder = Finder((0.2, 0.8, 0.8, 0.85))
    image = photograph()
    assert not has_writing_outside(image, find_sheets(image), finder)
    assert finder.asked == 0


def test_writing_below_the_sheet_is_found() -> None:
    finder = Finder((0.2, 0.85, 0.8, 0.9))
    image = photograph("Army Mull holds")
    sheets = find_sheets(image)
    assert sheets[0].is_outlined
    assert has_writing_outside(image, sheets, finder)
    assert finder.asked == 1


def test_rows_on_the_sheet_are_not_elsewhere() -> None:
    image = photograph("Army Mull holds")
    assert not has_writing_outside(image, find_sheets(image), Finder((0.2, 0.2, 0.8, 0.25)))


def parted(photo: Pixels) -> tuple[FlattenedSheet, FlattenedSheet]:
    """The sheet of a photograph as two halves, as the edge of a shadow down its middle parts it."""
    halves = ((150, 100, 600, 1200), (600, 100, 1050, 1200))
    left, right = (
        flatten(photo, np.array([(a, b), (c, b), (c, d), (a, d)], np.float32)) for a, b, c, d in halves
    )
    return left, right


def test_rows_that_run_from_one_sheet_into_another_are_on_neither() -> None:
    """INK-07. The right ends of seven rows were lost on a composed sheet (seed 912)."""
    image = photograph()
    row = (0.2, 0.2, 0.8, 0.25)
    below = (0.2, 0.4, 0.8, 0.45)
    assert has_writing_outside(image, parted(image), Finder(row, below))
    # Of two real sheets a row of one and its neighbour on the other may be one box.
    assert not has_writing_outside(image, parted(image), Finder(row, (0.2, 0.4, 0.45, 0.45)))


def test_rows_of_two_sheets_are_not_elsewhere() -> None:
    image = photograph()
    finder = Finder((0.15, 0.2, 0.48, 0.25), (0.52, 0.2, 0.85, 0.25), (0.15, 0.4, 0.48, 0.45))
    assert not has_writing_outside(image, parted(image), finder)
