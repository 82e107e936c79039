"""INK-03: the shape of a letter that stands by itself in a row."""

from __future__ import annotations

import cv2
import numpy as np

from ocr.decoding.letter_likeness import likeness
from ocr.image.letter_shape import SIDE, letter_shape
from ocr.page import Image

WIDTH = 400
STROKES = {
    "A": [((0, 30), (12, 0)), ((12, 0), (24, 30)), ((5, 20), (19, 20))],
    "7": [((0, 2), (22, 0)), ((22, 0), (8, 30)), ((6, 16), (24, 16))],
}


def drawn(letters: str, lefts: list[int], *, scale: float = 1.0, scrap: bool = False) -> Image:
    """A row with letters of strokes at these columns, and the foot of another row's letter above them."""
    picture = np.full((56, WIDTH), 235, np.uint8)
    for letter, left in zip(letters, lefts, strict=True):
        for (ax, ay), (bx, by) in STROKES[letter]:
            ends = [(left + round(scale * x), 12 + round(scale * y)) for x, y in ((ax, ay), (bx, by))]
            cv2.line(picture, ends[0], ends[1], 40, 2, cv2.LINE_AA)
        if scrap:
            cv2.line(picture, (left + 4, 0), (left + 8, 5), 40, 2)
    return np.asarray(picture, np.uint8)


def shape_at(picture: Image, left: int) -> np.ndarray:
    """The shape of the letter there, its neighbours 40 columns away."""
    before, after = (left - 40) / WIDTH if left >= 40 else 0.0, (left + 70) / WIDTH
    shape = letter_shape(picture, before, (left + 8) / WIDTH, (left + 12) / WIDTH, after)
    assert shape is not None
    return shape


def test_two_letters_of_one_form_are_likelier_than_of_two() -> None:
    picture = drawn("A7A7", [10, 90, 190, 290])
    first, seven, second, other = (shape_at(picture, left) for left in (10, 90, 190, 290))
    assert first.shape == (SIDE, SIDE)
    assert likeness(first, second) > 0.95
    assert likeness(seven, other) > 0.95
    assert max(likeness(first, seven), likeness(second, other)) < 0.7


def test_size_and_scraps_of_other_rows_count_for_nothing() -> None:
    plain = shape_at(drawn("A", [90]), 90)
    assert likeness(plain, shape_at(drawn("A", [90], scale=1.3), 90)) > 0.9
    assert likeness(plain, shape_at(drawn("A", [90], scrap=True), 90)) > 0.95


def test_its_neighbours_are_no_part_of_a_letter() -> None:
    alone, beside = drawn("A", [90]), drawn("7A7", [40, 90, 140])
    assert likeness(shape_at(alone, 90), shape_at(beside, 90)) > 0.95


def test_paper_without_ink_has_no_shape() -> None:
    assert letter_shape(np.full((56, WIDTH), 235, np.uint8), 0.0, 0.1, 0.12, 0.2) is None
