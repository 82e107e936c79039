"""Ticked or written, both are read; a tick that contradicts the line is for a person (LET-12)."""

from __future__ import annotations

import numpy as np
import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.decoding.open_reasons import OpenReason
from ocr.page import Alternative, Box, Posteriors, Row, Strike, StruckWord
from reading.line import InterpretedLine
from reading.status import LineState
from reading.ticks import read_tick, with_tick
from reading.vocabulary import vocabulary_of

BOX = Box(((0, 0), (100, 0), (100, 10), (0, 10)))
STARTS = vocabulary_of(maps.load("standard"), PhaseKind.MOVEMENT).starts
LETTERS = "AFLondn "


def row(text: str, tick: str, frames: int = 16) -> Row:
    ink = Posteriors(np.log(np.full((frames, 1 + len(LETTERS)), 1 / (1 + len(LETTERS)), np.float32)), LETTERS)
    other = Alternative(text, 0.9, "other", ink)
    return Row(BOX, text, 0.9, tick=tick, posteriors=ink, alternatives=(other,),
               strike=Strike(0.0, (StruckWord(0.5, 1.0, 0.9, "single"),)))


def line(order: str | None, kind: str = "order") -> InterpretedLine:
    candidates = ({"text": order, "order": order, "score": 1.0},) if order else ()
    return InterpretedLine(BOX.corners, kind, False, order or "", order, 0.99, LineState.AUTO, candidates)


@pytest.mark.parametrize("tick", ["A", "F"])
def test_a_tick_is_read_as_the_letter_before_the_line(tick: str) -> None:
    ticked = read_tick(row("London - Wales", tick), STARTS)
    assert ticked.text == f"{tick} London - Wales"
    for ink in (ticked.posteriors, ticked.alternatives[0].posteriors):
        assert ink is not None
        letters = [ink.letters[best - 1] if best else "" for best in ink.log_probs[:4].argmax(axis=1)]
        assert "".join(letters) == f"{tick} "
        assert np.allclose(np.exp(ink.log_probs).sum(axis=1), 1, atol=1e-4)
        assert len(ink.log_probs) == 20
    # The struck half is still the last 8 frames, now of 20.
    (word,) = ticked.strike.words
    assert (word.left, word.right) == (0.6, 1.0)


@pytest.mark.parametrize(("text", "tick"), [
    ("A London - Wales", "A"), ("Fleet London - Wales", "A"), ("London - Wales", ""), ("London - Wales", "?"),
    ("", "A")])
def test_a_written_kind_is_not_written_twice(text: str, tick: str) -> None:
    before = row(text, tick)
    assert read_tick(before, STARTS) is before


@pytest.mark.parametrize(
    ("order", "tick"), [("A London - Wales", "A"), ("F London H", "F"), ("A London H", "")])
def test_a_tick_that_says_the_same_changes_nothing(order: str, tick: str) -> None:
    assert with_tick(line(order), [row("", tick)]) == line(order)


@pytest.mark.parametrize(("order", "tick"), [
    ("A London - Wales", "F"), ("F London H", "A"), ("A London H", "?"), ("London H", "?"), (None, "A"),
    ("Build A London", "A"), ("B London H", "A")])
def test_a_tick_that_contradicts_the_line_is_for_a_person(order: str | None, tick: str) -> None:
    asked = with_tick(line(order), [row("", tick)])
    assert (asked.status, asked.order) == (LineState.OPEN, order)
    assert OpenReason.UNIT_LETTER in asked.why_open


def test_an_order_without_a_kind_takes_the_ticked_one() -> None:
    ticked = with_tick(line("London - Wales"), [row("", "F"), row("", "A")])
    assert (ticked.order, ticked.candidates[0]["order"]) == ("F London - Wales", "F London - Wales")
    assert ticked.status is LineState.AUTO


def test_headings_and_remarks_have_no_kind() -> None:
    assert with_tick(line(None, "heading"), [row("", "A")]) == line(None, "heading")
