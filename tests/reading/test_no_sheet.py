"""What is a sheet and what is none, by words alone (ARR-03)."""

from __future__ import annotations

import pytest

from adjudicator.calendar import PhaseKind
from grammar.headings.sheet import SheetHeading
from grammar.headings.sheet_code import OWN_WORDS
from grammar.order_starts import DEFAULT_STARTS
from reading.no_sheet import PageKind, WrittenLine, kind_of_page

NONE = SheetHeading()


def kind(*texts: str, heading: SheetHeading = NONE, score: float = 0.98, is_form: bool = False) -> PageKind:
    lines = [WrittenLine(text, score, is_heading=False) for text in texts]
    return kind_of_page(lines, heading, DEFAULT_STARTS, is_form=is_form)


@pytest.mark.parametrize("texts", [
    ("Rich & Daughters", "Surveyors, 4 Market Place", "Tel. 01632 960 123"),
    ("Kent & Sons", "Solicitors, Carlisle", "info@kent.example"),
    ("Sent from my telephone",),
    ("Praxis Dr. Meier", "Tel. 030-5550123"),
])
def test_a_logo_is_no_sheet(texts: tuple[str, ...]) -> None:
    assert kind(*texts) is PageKind.OTHER


@pytest.mark.parametrize("text", [
    "Army London holds", "A Lon - Kent", "F Irish Sea S A Kent", "Kent-Mayo", "London → Kent", "hold all",
    "fleet Dublin moves to the Irish Sea", "build army London", "Arny Kent",
])
def test_one_line_that_may_be_an_order_makes_a_sheet(text: str) -> None:
    assert kind("Rich & Daughters", text) is PageKind.SHEET


def test_what_is_not_plainly_read_may_be_anything() -> None:
    assert kind("Rjch & Danghtrs", score=0.7) is PageKind.SHEET


def test_a_heading_makes_a_sheet_and_one_name_does_not() -> None:
    assert kind("see over", heading=SheetHeading(power="Cumberland", season="Summer")) is PageKind.SHEET
    assert kind("see over", heading=SheetHeading(kind=PhaseKind.RETREAT, version=2)) is PageKind.SHEET
    assert kind("Surveyors of Cumberland", heading=SheetHeading(power="Cumberland")) is PageKind.OTHER


def test_a_printed_sheet_counts_by_what_is_written_on_it() -> None:
    heading = SheetHeading("Naseby", "Cumberland", "Summer", 1645, PhaseKind.MOVEMENT)
    printed = [WrittenLine(text, 0.99, is_heading=True) for text in ("Cumberland", "Summer 1645")]
    assert kind_of_page(printed, heading, DEFAULT_STARTS, is_form=True) is PageKind.BLANK
    written = [*printed, WrittenLine("nothing this time", 0.99, is_heading=False)]
    assert kind_of_page(written, heading, DEFAULT_STARTS, is_form=True) is PageKind.SHEET
    # On plain paper a heading alone is a sheet: its writer gives no orders.
    assert kind_of_page(printed, heading, DEFAULT_STARTS, is_form=False) is PageKind.SHEET


@pytest.mark.parametrize("words", [*OWN_WORDS, "As the rnachine read it"])
def test_our_own_words_in_type_are_ours(words: str) -> None:
    assert kind("Army Carlisle holds", words, "1 Army Carlisle holds") is PageKind.OURS
