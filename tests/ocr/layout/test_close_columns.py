"""INK-11: two columns found as one are parted where lines begin, and one list never is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ocr.engines import Recognition
from ocr.layout.close_columns import PlacedWord, parted_columns, placed_words
from ocr.layout.lines import RowStrip
from ocr.page import Posteriors

HEIGHT, PITCH, LETTER, SPACE = 40.0, 60.0, 18.0, 16.0
SECOND = 500.0


def written(*parts: tuple[float, str]) -> tuple[PlacedWord, ...]:
    """The words of some texts that each begin at an x."""
    words = []
    for begin, text in parts:
        left = begin
        for word in text.split(" "):
            words.append(PlacedWord(word, left, left + LETTER * len(word)))
            left += LETTER * len(word) + SPACE
    return tuple(words)


def strip(number: int, words: tuple[PlacedWord, ...]) -> RowStrip:
    top, left, right = 100 + PITCH * number, words[0].left, words[-1].right
    corners = [[left, top], [right, top], [right, top + HEIGHT], [left, top + HEIGHT]]
    return RowStrip(np.array(corners, np.float32), left, right, top + HEIGHT / 2, HEIGHT)


def middle(_: RowStrip, begin: float, end: float) -> float:
    return (begin + end) / 2


def parted(*rows: tuple[tuple[float, str], ...]) -> list[tuple[int, int]]:
    """Where the rows begin, as row number and whether right of the margin."""
    words = [written(*parts) for parts in rows]
    strips = [strip(number, of_row) for number, of_row in enumerate(words)]
    return [(round((row.middle - 120) / PITCH), int(row.left > SECOND / 2))
            for row in parted_columns(strips, words, middle)]


COLUMNS = (
    ((60, "Autumn 1643 movement orders of Newcastle"),),
    ((60, "A Shropshire -"), (SECOND, "A Fife - Angus")),
    ((90, "Flintshire"), (SECOND, "F Viking H")),
    ((60, "F Lundy - Sole"), (SECOND + 8, "A Caithness -")),
    ((60, "A Huntingdonshire H"), (SECOND + 40, "Sutherland")),
    ((60, "A Kent H"), (SECOND + 10, "A Mayo H")),
    ((60, "A Cumberland H"),),
)


def test_the_left_column_is_read_before_the_right_one() -> None:
    left = [(0, 0), *((row, 0) for row in range(1, 7))]
    assert parted(*COLUMNS) == [*left, *((row, 1) for row in range(1, 6))]


def test_a_row_over_both_columns_ends_them() -> None:
    order = parted(*COLUMNS, ((60, "Signedbythemarquessofnewcastleupontyne"),))
    assert order[-1] == (7, 0)


def test_units_below_each_other_in_one_list_are_no_column() -> None:
    """Their gaps are those between words."""
    rows = [((60, f"A {name} S A Essex - Suffolk"),) for name in ("Kent", "Fife", "Mull", "Cork", "Mayo")]
    assert parted(*rows) == [(row, 0) for row in range(5)]


def test_a_table_with_supported_units_below_each_other_is_no_column() -> None:
    rows = [((60, f"A {name}"), (400, "S A Essex")) for name in ("Kent", "Fife", "Northumberland", "Cork")]
    assert parted(*rows) == [(row, 0) for row in range(4)]


def test_a_word_over_the_margin_is_parted_by_none() -> None:
    rows = [*COLUMNS[:3], ((60, "Army Carrick Kinross Northumberlandshire"),), *COLUMNS[3:4]]
    assert all(side == 0 for _, side in parted(*rows))


@pytest.mark.parametrize("text", ["AB C", "A-B"])
def test_words_stand_where_their_letters_are(text: str) -> None:
    letters = "ABC -"
    columns = [letters.index(letter) + 1 for letter in text]
    log_probs = np.full((2 * len(text), 1 + len(letters)), -9.0, np.float32)
    log_probs[::2][range(len(text)), columns] = 0.0
    log_probs[1::2, 0] = 0.0
    row = strip(0, written((100, "xxxxx")))
    words = placed_words(row, Recognition(text, 0.9, Posteriors(log_probs, letters)))
    assert [word.text for word in words] == (["AB", "C"] if text == "AB C" else ["A", "-", "B"])
    assert row.left - HEIGHT < words[0].left < words[-1].right < row.right + HEIGHT
    assert all(word.right <= after.left for word, after in pairwise(words))
