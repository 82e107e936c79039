"""Words put in above a row, and what the row states once its corrections are made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ocr.corrections.apply import (
    attach_insertions,
    corrected_lines,
    corrected_row,
    is_over_struck_word,
    line_without_struck_words,
)
from ocr.layout.wrap import as_line
from ocr.page import Box, Posteriors, Row, Strike, StruckWord

LETTERS = " ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
WIDE = 12
"""Pixels a letter takes; a letter is two frames, its own and a blank."""


def posteriors(text: str) -> Posteriors:
    """A recogniser sure of each letter."""
    frames = np.full((2 * len(text), len(LETTERS) + 1), -12.0, np.float32)
    for k, letter in enumerate(text):
        frames[2 * k, LETTERS.index(letter) + 1] = -0.01
        frames[2 * k + 1, 0] = -0.01
    return Posteriors(frames, LETTERS)


def row(
    text: str, x: float, y: float, high: float = 50, strike: Strike | None = None, tilt: float = 0.0
) -> Row:
    """A row whose middle is `y` at its left end; its box is the writing, without the crop's margin."""
    long = WIDE * len(text)
    drop = tilt * long
    top, end = y - high / 2, y + high / 2
    box = Box(((x, top), (x + long, top + drop), (x + long, end + drop), (x, end)))
    return Row(box, text, 0.9, strike=strike or Strike(), posteriors=posteriors(text))


def test_a_small_row_close_above_goes_into_the_row_below() -> None:
    above, host, after = row("Dublin", 300, 172, 32), row(("Fleet Irish Sea convoys Army to "
                                                           "Kerry"), 100, 200), row(
        "Fleet Hull holds", 100, 260
    )
    rows = attach_insertions([above, host, after])
    assert [r.text for r in rows] == [host.text, after.text]
    assert [r.text for r in rows[0].inserted] == ["Dublin"]
    assert rows[1].inserted == ()


def test_a_little_word_need_only_be_nearer_to_its_host() -> None:
    # Rows so far apart that the word is midway: half as high as the rows, it is not the end of the row above.
    over, host = (
        row("Fleet Waterford moves to Cork", 100, 126),
        row("Army Limerick moves to Limerick", 100, 200),
    )
    put_in = row("County", 300, 165, 30)
    assert [r.text for r in attach_insertions([over, put_in, host])[1].inserted] == ["County"]
    as_high = row("County", 300, 165, 40)
    assert attach_insertions([over, as_high, host]) == (over, as_high, host)


def test_a_short_order_on_its_own_line_stays_a_line() -> None:
    # No order may be lost: a short line a whole row above another is not an insertion, however small.
    rows = [row("A Lon H", 100, 140, 36), row("Army York supports Army Leeds to Hull", 100, 200)]
    assert attach_insertions(rows) == tuple(rows)


@pytest.mark.parametrize(
    "odd",
    [
        row("holds", 900, 172, 32),
        row("Fleet Irish Sea moves to Anglesey", 100, 172, 32),
        row("Dublin", 300, 172, 48),
        row("Dublin", 300, 228, 32),
    ],
    ids=["beside the row", "as long as the row", "as high as the row", "below the row"],
)
def test_what_only_looks_like_an_insertion_stays_a_line(odd: Row) -> None:
    rows = [odd, row("Fleet Irish Sea convoys Army to Kerry", 100, 200)]
    assert len(attach_insertions(rows)) == 2


def test_the_rest_of_a_wrapped_order_stays_a_row() -> None:
    # It begins at the indent, one row's distance below the row that it ends, however tight the rows.
    rows = [
        row("Army Norwich supports Fleet Wash into the", 100, 128), row("sea near us", 150, 164, 40),
        row("Fleet Hull convoys Army York to Emden", 100, 200),
    ]
    assert attach_insertions(rows) == tuple(rows)


def test_a_word_put_in_between_tight_rows_is_still_one() -> None:
    over, host = row(("Army Norwich supports Fleet "
                      "Wash"), 100, 128), row("Fleet Hull convoys Army to Emden", 100, 200)
    rows = attach_insertions([over, row("York", 300, 172, 32), host])
    assert [[r.text for r in host_row.inserted] for host_row in rows] == [[], ["York"]]


def test_on_a_tilted_sheet_height_is_measured_across_the_row() -> None:
    host = row("Fleet Irish Sea convoys Army to Kerry", 100, 200, tilt=0.3)
    above = row("Dublin", 300, 172 + 0.3 * 200, 32, tilt=0.3)
    assert [len(r.inserted) for r in attach_insertions([above, host])] == [1]


def test_words_put_in_stand_at_the_gap_below_them() -> None:
    host = row("Fleet Irish Sea convoys Army to Kerry", 100, 200)
    gap = 100 + WIDE * len("Fleet Irish Sea convoys Army")
    host_row = attach_insertions([row("Dublin", gap - 30, 172, 32), host])[0]
    corrected = corrected_row(host_row)
    assert corrected is not None
    assert corrected.text == "Fleet Irish Sea convoys Army Dublin to Kerry"
    assert corrected.posteriors is not None


@pytest.mark.parametrize(("text", "word", "column", "full_text"), [
    ("Army Mull moves into", "Merse", 18, "Army Mull moves into Merse"),
    ("A York to", "Limerick", 6, "A York to Limerick"),
    ("Mull holds", "Army", -1, "Army Mull holds"),
])  # fmt: skip
def test_words_put_in_stand_before_the_first_or_after_the_last(
    text: str, word: str, column: int, full_text: str
) -> None:
    # A caret after a row's last word is in no gap between words: everything beyond the letters is gap.
    unpadded = row(text, 100, 200)
    blank = np.full((16, len(LETTERS) + 1), -12.0, np.float32)
    blank[:, 0] = 0.0
    assert unpadded.posteriors is not None
    padded = Posteriors(np.concatenate([blank, unpadded.posteriors.log_probs, blank]), LETTERS)
    (left, top), (right, _), (_, foot), _ = unpadded.box.corners
    wide = Box(
        ((left - 8 * WIDE, top), (right + 8 * WIDE, top), (right + 8 * WIDE, foot), (left - 8 * WIDE, foot))
    )
    host = replace(unpadded, box=wide, posteriors=padded)
    corrected = corrected_row(attach_insertions([row(word, 100 + WIDE * column, 172, 32), host])[0])
    assert corrected is not None
    assert corrected.text == full_text


def test_beside_a_word_put_in_a_space_is_neither_lost_nor_twice() -> None:
    # No text of the grammar has two spaces, or one at its end: a second one would cost what a lost letter
    # does.
    host = row("Army Kent moves", 100, 200)
    host_row = attach_insertions([row("now", 100 + WIDE * 14, 172, 32), host])[0]
    corrected = corrected_row(host_row)
    assert corrected is not None
    assert corrected.posteriors is not None
    space = LETTERS.index(" ") + 1
    surely = corrected.posteriors.log_probs[:, space] > -0.1
    assert int(np.diff(surely.astype(int), prepend=0).clip(0).sum()) == host.text.count(" ")
    assert corrected.text == "Army Kent moves now"


def struck(text: str, word: str) -> Strike:
    """That word of a row crossed out, as shares of the crop with its margin left out of account."""
    start = text.index(word)
    return Strike(0.1, (StruckWord(start / len(text), (start + len(word)) / len(text), 0.9, "single"),))


def test_a_struck_word_is_left_out() -> None:
    text = "Army York supports Army Leeds Durham to Hull"
    corrected = corrected_row(row(text, 100, 200, strike=struck(text, "Leeds")))
    assert corrected is not None
    assert corrected.text == "Army York supports Army Durham to Hull"


def test_a_word_put_in_over_a_struck_one_replaces_it() -> None:
    text = "Army Kent moves to London"
    host = row(text, 100, 200, strike=struck(text, "Kent"))
    corrected = corrected_row(attach_insertions([row("Surrey", 150, 172, 32), host])[0])
    assert corrected is not None
    assert corrected.text == "Army Surrey moves to London"


def test_a_struck_end_is_replaced() -> None:
    text = "Army Oxford moves to Reading"
    host = row(text, 100, 200, strike=struck(text, "Reading"))
    line = as_line(attach_insertions([row("Warwick", 100 + WIDE * 22, 172, 32), host]))
    corrected, *_ = corrected_lines(line)
    assert corrected is not None
    assert corrected.text == "Army Oxford moves to Warwick"


@pytest.mark.parametrize("seen_as_struck", [False, True])
def test_a_caret_gives_way_to_the_word_over_it(seen_as_struck: bool) -> None:
    # The caret may be read as a letter or a small stroke, so no gap shows: the word goes to its own middle.
    text = "Fleet convoys Armyvto Kerry"
    caret = text.index("v", 14)
    mark = (
        Strike(0.1, (StruckWord(caret / len(text), (caret + 1) / len(text), 0.6, "single"),))
        if seen_as_struck
        else None
    )
    host = row(text, 100, 200, strike=mark)
    host_row = attach_insertions([row("Essex", 100 + WIDE * (caret + 0.5 - 2.5), 172, 32), host])[0]
    assert "Fleet convoys Army Essex to Kerry" in [line.text for line in corrected_lines(as_line([host_row]))]


def test_what_rises_above_a_struck_word_may_be_left_out_with_it() -> None:
    # The tops of struck letters read as a word of their own where nothing was put in.
    text = "Army Oxford moves to Reading York"
    host = row(text, 100, 200, strike=struck(text, "Reading"))
    bare = line_without_struck_words(
        as_line(attach_insertions([row("Dosf", 100 + WIDE * 22, 172, 32), host]))
    )
    assert bare is not None
    assert bare.text == "Army Oxford moves to York"
    assert line_without_struck_words(as_line([host])) is None
    plain = row("Army Limerick moves to Limerick", 100, 200)
    assert line_without_struck_words(as_line(attach_insertions([row("County", 376, 172, 30), plain]))) is None


def test_a_row_stands_over_a_struck_word_or_beside_it() -> None:
    host = replace(
        row("Army Kent moves to London", 100, 200, strike=struck("Army Kent moves to London", "Kent")),
        left=0.1,
        right=0.9,
    )
    word = row("Surrey", 150, 172, 32)
    assert is_over_struck_word(replace(word, left=0.2, right=0.4), host)
    assert not is_over_struck_word(replace(word, left=0.6, right=0.8), host)


def test_a_row_without_corrections_has_none() -> None:
    plain = row("Army Mull holds", 100, 200)
    assert corrected_row(plain) is None
    assert corrected_lines(as_line([plain])) == ()


def test_a_row_struck_from_end_to_end_says_nothing_else() -> None:
    text = "Army Mull holds"
    assert corrected_row(row(text, 100, 200, strike=struck(text, text))) is None
