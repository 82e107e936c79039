"""A line with a word put in, or one crossed out, is read with its corrections made, and somebody looks at it (Q-21)."""

from __future__ import annotations

from dataclasses import replace

import maps
from adjudicator.calendar import PhaseKind
from ocr.page import Page, Row, Strike, StruckWord
from ocr.wrap import as_line
from service.context import known_game
from service.lexical import forms_of, lexicon_of
from service.reading import ReadableLine, Scribe
from service.store.tables import LineState
from tests.ocr.test_insertions import row

VARIANT = maps.load("w3k")


def read(written: Row) -> ReadableLine:
    page = Page(1, 0, 0.0, (as_line([row("Fleet Kent holds", 100, 100)]), as_line([written])), b"")
    scribe = Scribe(lexicon_of(VARIANT), (forms_of(VARIANT, PhaseKind.MOVEMENT),))
    return scribe.lines(page, [known_game(VARIANT)])[1][-1]


def test_a_word_put_in_belongs_to_its_order() -> None:
    host = row("Army Limerick moves to Limerick", 100, 200)
    found = read(replace(host, inserted=(row("County", 376, 172, 30),)))
    assert found.order == "A Limerick - County Limerick"
    assert found.status is LineState.OPEN
    assert "A Limerick - Limerick" in [candidate["order"] for candidate in found.candidates]


def test_a_word_crossed_out_is_left_out() -> None:
    """The order as it stands is none that the handbook knows, and the one without the word is."""
    text = "Army Dover attacks Wexford York"
    begin, end = text.index("Wexford") / len(text), text.index(" York") / len(text)
    found = read(row(text, 100, 200, strike=Strike(0.1, (StruckWord(begin, end, 0.97, "double"),))))
    assert found.order == "A Dover Castle - York"
    assert found.status is LineState.OPEN


def test_a_line_that_only_looks_a_little_touched_keeps_its_words() -> None:
    text = "Army Dover attacks York"
    begin, end = text.index("attacks") / len(text), text.index(" York") / len(text)
    found = read(row(text, 100, 200, strike=Strike(0.1, (StruckWord(begin, end, 0.65, "double"),))))
    assert found.order == "A Dover Castle - York"
