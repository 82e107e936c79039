"""INK-09: a row under a mark over several waits, whatever it is; only a person takes it as struck."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.decoding.open_reasons import OpenReason
from ocr.layout.wrap import as_line
from ocr.page import Box, Row, Strike, StruckWord
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.review import ReviewRules
from reading.status import LineState
from reading.vocabulary import known_game, vocabulary_of
from tests.support.inked import page, row

VARIANT = maps.load("w3k")
HEADING = ("Ada Marlowe", "Montrose", "Summer 1642 Movement Orders")
STRUCK = Strike(0.999, (StruckWord(0.0, 1.0, 0.999, "single"),))


def read(*rows: Row) -> list[InterpretedLine]:
    texts: list[str | Row] = [*HEADING, *rows]
    reader = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))
    return list(reader.read_page(page(texts), [known_game(VARIANT)]).lines[len(HEADING):])


@pytest.mark.parametrize("text", ["A York holds", "signed, Montrose"])
def test_an_order_or_a_greeting_waits(text: str) -> None:
    plain, crossed = row(text, 4), replace(row(text, 5), crossed=True)
    other, before = read(row("A Kent holds", 3), plain)
    _, after = read(row("A Kent holds", 3), crossed)
    assert before.status is not LineState.OPEN
    assert (after.status, after.why_open) == (LineState.OPEN, (OpenReason.CROSSED_OUT,))
    assert after.order == before.order
    assert other.status is LineState.AUTO


def test_a_row_that_is_struck_by_itself_waits_too() -> None:
    text = "Army Montgomeryshire moves to Bedfordshire"
    alone, _ = read(row(text, 4, strike=STRUCK), row("A Kent holds", 5))
    under, _ = read(replace(row(text, 4, strike=STRUCK), crossed=True), row("A Kent holds", 5))
    assert alone.struck
    assert (under.struck, under.status) == (True, LineState.OPEN)
    assert under.why_open.count(OpenReason.CROSSED_OUT) == 1


def _struck(score: float, stretch: float, kind: str) -> Strike:
    return Strike(score, (StruckWord(0.0, 1.0, stretch, kind),))


@pytest.mark.parametrize(("changes", "state"), [
    ({}, LineState.NOT_ORDER),
    ({"strike": _struck(0.98, 0.999, "single")}, LineState.OPEN),
    ({"strike": _struck(0.999, 0.94, "single")}, LineState.OPEN),
    ({"strike": _struck(0.999, 0.999, "cross")}, LineState.OPEN),
    ({"inserted": (row("moves", 4),)}, LineState.OPEN),
    # "A Che H" under a wave may be a word that was put in.
    ({"box": Box(((0, 0), (50, 0), (50, 30), (0, 30)))}, LineState.OPEN),
])
def test_only_what_is_plainly_out_from_end_to_end_needs_nobody(
    changes: dict[str, Any], state: LineState
) -> None:
    """Q-16."""
    written = replace(row("Army York holds", 4, strike=STRUCK), **changes)
    assert ReviewRules().crossed_out_state(as_line([written])) is state


def test_an_order_of_two_rows_waits_for_either() -> None:
    rows = row("Army York supports", 4, right=0.95), replace(row("Army Kent", 5, indent=2.0), crossed=True)
    assert any(OpenReason.CROSSED_OUT in line.why_open for line in read(*rows, row("A Kent holds", 6)))
