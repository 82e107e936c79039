"""INK-03: a letter of a word as it stands in its row, which may touch its neighbours."""

from __future__ import annotations

import cv2
import numpy as np

from ocr.image.letter_view import ViewedRow, likeness
from ocr.page import Image, LetterView

PITCH, HEIGHT, MARGIN = 16, 60, 40


def word(letters: str, *, down: int = 0, joined: bool = True, scrap: bool = False) -> Image:
    """A row of round letters: "o" is closed, "n" an arch on two stems, "c" open at its right."""
    row = np.full((HEIGHT, 2 * MARGIN + PITCH * len(letters)), 235, np.uint8)
    base = 38 + down
    for index, letter in enumerate(letters):
        middle = MARGIN + PITCH * index + PITCH // 2
        start, end = {"c": (60, 300), "n": (180, 360)}.get(letter, (0, 360))
        cv2.ellipse(row, (middle, base - 7), (5, 7), 0, start, end, 40, 2, cv2.LINE_AA)
        for side in (-5, 5) if letter == "n" else ():
            cv2.line(row, (middle + side, base - 9), (middle + side, base), 40, 2, cv2.LINE_AA)
    if joined:
        cv2.line(row, (MARGIN, base), (MARGIN + PITCH * len(letters), base), 40, 1, cv2.LINE_AA)
    if scrap:
        cv2.line(row, (MARGIN + 4, 0), (MARGIN + 12, 8), 40, 3)
    return np.asarray(row, np.uint8)


def view(row: Image, index: int) -> LetterView:
    """The letter of this number in a row of such letters."""
    width = row.shape[1]
    count = (width - 2 * MARGIN) // PITCH
    middles = [(MARGIN + PITCH * (number + 0.5)) / width for number in range(count)]
    letter = ViewedRow(row, middles, PITCH / width).view(index)
    assert letter is not None
    return letter


def test_a_letter_is_liker_to_its_own_kind_than_to_another_among_other_neighbours() -> None:
    first, other = word("onc"), word("conn")
    for letter, like_it, rival in ((view(first, 1), view(other, 2), view(other, 1)),
                                   (view(first, 0), view(other, 1), view(other, 2))):
        assert likeness(letter, like_it) > likeness(letter, rival) + 0.08
        assert likeness(letter, like_it) > 0.8


def test_where_the_letter_stands_in_its_row_and_what_hangs_into_it_count_for_little() -> None:
    plain = view(word("onc"), 1)
    assert likeness(plain, view(word("onc", down=6), 1)) > 0.9
    assert likeness(plain, view(word("onc", scrap=True), 1)) > 0.95
    assert likeness(plain, view(word("onc", joined=False), 1)) > 0.8


def test_paper_without_ink_has_no_view() -> None:
    row = np.full((HEIGHT, 200), 235, np.uint8)
    assert ViewedRow(row, [0.5], 0.1).view(0) is None
