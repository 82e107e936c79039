"""A line with a word put in, or one crossed out, is read with its corrections made (Q-16: struck text is not
read), and a person looks at it where a correction is in any doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.decoding.open_reasons import OpenReason
from ocr.layout.wrap import as_line
from ocr.page import Page, Row, Strike, StruckWord
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, vocabulary_of
from tests.ocr.corrections.test_apply import row

VARIANT = maps.load("w3k")


def read(written: Row) -> InterpretedLine:
    return lines_of([row("Fleet Kent holds", 100, 100), written])[-1]


def lines_of(rows: Sequence[Row]) -> tuple[InterpretedLine, ...]:
    page = Page(1, 0, 0.0, tuple(as_line([written_row]) for written_row in rows), b"")
    reader = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))
    return reader.read_page(page, [known_game(VARIANT)]).lines


def test_a_word_put_in_belongs_to_its_order() -> None:
    host = row("Army Limerick moves to Limerick", 100, 200)
    line = read(replace(host, inserted=(row("County", 376, 172, 30),)))
    assert line.order == "A Limerick - County Limerick"
    assert line.status is LineState.AUTO
    assert line.features is not None
    assert line.features.is_corrected
    assert line.features.cost < 0.1  # nothing of the ink is lost to the gaps next to the word
    assert "A Limerick - Limerick" in [candidate["order"] for candidate in line.candidates]


def test_a_word_put_in_that_the_row_above_cuts_into_is_offered_and_waits() -> None:
    host, word = row("Army Limerick moves to Limerick", 100, 200), row("County", 376, 172, 30)
    line = read(replace(host, inserted=(replace(word, cut_off=True),)))
    assert line.candidates[0]["order"] == "A Limerick - County Limerick"
    assert line.status is LineState.OPEN
    assert OpenReason.INSERTED in line.why_open


def test_a_word_crossed_out_is_left_out() -> None:
    # Only without the struck word is it an order of the handbook.
    text = "Army Dover attacks Wexford York"
    begin, end = text.index("Wexford") / len(text), text.index(" York") / len(text)
    line = read(row(text, 100, 200, strike=Strike(0.1, (StruckWord(begin, end, 0.97, "double"),))))
    assert line.order == "A Dover Castle - York"
    assert line.status is LineState.OPEN


def test_a_line_that_only_looks_a_little_touched_keeps_its_words() -> None:
    text = "Army Dover attacks York"
    begin, end = text.index("attacks") / len(text), text.index(" York") / len(text)
    line = read(row(text, 100, 200, strike=Strike(0.1, (StruckWord(begin, end, 0.65, "double"),))))
    assert line.order == "A Dover Castle - York"


def test_a_word_surely_crossed_out_is_left_out_though_an_order_could_be_made_of_it() -> None:
    # Two units that move together are an order too, at a price; so sure a stroke outweighs it.
    text = "Army Linlithgowshire Ashby de la Zouch goes to Mayo"
    begin, end = text.index("Ashby") / len(text), text.index(" goes") / len(text)
    line = read(row(text, 100, 200, strike=Strike(0.05, (StruckWord(begin, end, 0.998, "single"),))))
    assert line.order == "A Linlithgowshire - Mayo"
    assert line.status is LineState.AUTO


def test_a_word_put_in_above_one_that_is_surely_crossed_out_takes_its_place() -> None:
    # The struck word is still legible, so the line as it is fits the ink better; it is offered too.
    text = "Army Harlech attacks York"
    begin, end = text.index("Harlech") / len(text), text.index(" attacks") / len(text)
    host = row(text, 100, 200, strike=Strike(0.05, (StruckWord(begin, end, 0.99, "double"),)))
    line = read(replace(host, inserted=(row("Kent", 170, 172, 30),)))
    assert line.order == "A Kent - York"
    assert "A Harlech Castle - York" in [candidate["order"] for candidate in line.candidates]
    assert line.status is LineState.AUTO


DOUBTS = {
    "a stroke that may be none": (StruckWord(0.22, 0.48, 0.85, "double"),),
    "a stroke much finer than the writing": (StruckWord(0.22, 0.48, 0.99, "faint"),),
    "a second stretch in doubt": (
        StruckWord(0.22, 0.48, 0.99, "double"),
        StruckWord(0.85, 1.0, 0.7, "single"),
    ),
    "strokes through half the row": (StruckWord(0.22, 0.48, 0.99, "double"),),
}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_a_correction_in_doubt_is_looked_at(doubt: str) -> None:
    # Doubt about any correction means a person.
    text = "Army Harlech attacks York"
    score = 0.65 if "half" in doubt else 0.05
    host = row(text, 100, 200, strike=Strike(score, DOUBTS[doubt]))
    assert read(replace(host, inserted=(row("Kent", 170, 172, 30),))).status is LineState.OPEN


def test_a_word_put_in_that_reads_badly_is_looked_at() -> None:
    host = row("Army Limerick moves to Limerick", 100, 200)
    assert read(replace(host, inserted=(row("Cxnqy", 376, 172, 30),))).status is LineState.OPEN


def test_a_word_of_doubt_put_in_is_looked_at() -> None:
    # "Army Dover does not attack York" is not an order; without the inserted word it would be one.
    host = row("Army Dover attacks York", 100, 200)
    for word in ("not", "maybe", "if"):
        assert read(replace(host, inserted=(row(word, 214, 172, 30),))).status is LineState.OPEN


def test_what_only_looks_put_in_above_a_struck_word_is_no_part_of_the_order() -> None:
    # The tops of a struck word's letters were read as "dosf".
    text = "Army Harlech BtSE moves to York"
    begin, end = text.index("BtSE") / len(text), text.index(" moves") / len(text)
    host = row(text, 100, 200, strike=Strike(0.03, (StruckWord(begin, end, 0.998, "cross"),)))
    line = read(replace(host, inserted=(row("dosf", 100 + 12 * 13, 172, 30),)))
    assert line.order == "A Harlech Castle - York"
    assert line.status is LineState.OPEN


def test_a_place_struck_with_none_put_in_leaves_no_order_to_take() -> None:
    text = "Army Harlech attacks York"
    begin, end = text.index("York") / len(text), 1.0
    line = read(row(text, 100, 200, strike=Strike(0.1, (StruckWord(begin, end, 0.99, "double"),))))
    assert line.status is not LineState.AUTO


@pytest.mark.parametrize(
    ("stray", "status"), [("Merioneth", LineState.OPEN), ("Good luck to all", LineState.NOT_ORDER)]
)
def test_what_stands_between_heading_and_orders_and_is_neither_is_looked_at(
    stray: str, status: LineState
) -> None:
    # A province inserted above the first order, and found as its own row, would be lost with the
    # heading.
    texts = ["Powick Bridge", "Montrose", "Autumn Movement Orders", stray, "Army Kent holds"]
    lines = lines_of([row(text, 100, 60 * number) for number, text in enumerate(texts, 1)])
    assert [line.status for line in lines[:3]] == [LineState.NOT_ORDER] * 3
    assert lines[3].status is status
    assert lines[4].order == "A Kent H"


def test_a_whole_order_that_only_looks_put_in_is_one() -> None:
    # A short order close above a long line is not a correction of it (seen on a composed sheet).
    host = row("Army Limerick moves to Kerry", 100, 200)
    lines = lines_of(
        [row("Fleet Kent holds", 100, 100), replace(host, inserted=(row("A Lon H", 140, 172, 30),))]
    )
    assert [line.order for line in lines] == ["F Kent H", "A London H", "A Limerick - Kerry"]


def test_the_end_of_an_order_that_only_looks_put_in_goes_to_it() -> None:
    host = row("Army Limerick moves to Kerry", 100, 200)
    lines = lines_of([row(("Army York supports Army Kent "
                        "to"), 100, 140), replace(host, inserted=(row("Durham", 140, 172, 30),))])
    assert [line.order for line in lines] == ["A York S A Kent - Durham", "A Limerick - Kerry"]


def test_the_end_of_a_move_that_only_looks_put_in_goes_to_the_order_that_is_whole_without_it() -> None:
    """INK-03. The support passed as one of a unit in place, and "into Durham" was lost."""
    host = row("Army Limerick moves to Kerry", 100, 200)
    lines = lines_of([row("Army York supports Army Kent", 100, 140),
                      replace(host, inserted=(row("into Durham", 140, 172, 30),))])
    assert [line.order for line in lines] == ["A York S A Kent - Durham", "A Limerick - Kerry"]


def test_a_word_put_in_on_a_short_row_is_no_end_of_the_order_above() -> None:
    """INK-07. Below an unfinished order stands "Castle", and "Nottingham" is put in before it: the order took
    that for its own end, and the castle was lost."""
    host = row("Castle", 140, 200)
    lines = lines_of([row("Army York supports Army Kent to", 100, 140),
                      replace(host, inserted=(row("Nottingham", 70, 172, 30),))])
    assert [line.order for line in lines] == ["A York S A Kent - Nottingham Castle"]


def test_the_last_word_of_a_name_that_only_looks_put_in_goes_to_the_order_above() -> None:
    """INK-07. Bristol is a place too: the move passed as one to there, and "Channel" was lost."""
    host = row("Army Limerick moves to Kerry", 100, 200)
    lines = lines_of([row("Army Harlech moves to Bristol", 100, 140),
                      replace(host, inserted=(row("Channel", 140, 172, 30),))])
    assert [line.order for line in lines] == ["A Harlech Castle - Bristol Channel", "A Limerick - Kerry"]


def test_a_word_over_an_order_that_is_crossed_out_whole_ends_the_order_above() -> None:
    """INK-07. It counted as the word that takes a crossed-out word's place."""
    strike = Strike(1.0, (StruckWord(0.0, 1.0, 0.998, "cross"),))
    host = row("Army Limerick moves to Kerry", 100, 200, strike=strike)
    lines = lines_of([row("Army York supports Army Kent to", 100, 140),
                      replace(host, inserted=(row("Durham", 140, 172, 30),))])
    assert [line.order for line in lines] == ["A York S A Kent - Durham", None]
    assert [line.struck for line in lines] == [False, True]
