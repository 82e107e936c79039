"""INK-10: where a place holds one unit, the word for its kind carries nothing, and is not asked about."""

from __future__ import annotations

from dataclasses import replace

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.geo import Region
from adjudicator.legal_orders import legal_orders
from adjudicator.orders import UnitOrder
from adjudicator.units import UnitRef
from grammar.order_traits import without_kinds
from grammar.print import canonical_line
from ocr.decoding.open_reasons import OpenReason
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, orders_of, vocabulary_of
from tests.support.inked import page, row

VARIANT = maps.load("w3k")
HEADING = ("Ada Marlowe", "Montrose")


def read(*rows: tuple[str, str | None], kind: PhaseKind = PhaseKind.MOVEMENT) -> list[InterpretedLine]:
    """The lines of a sheet. Each row: its text, and the letter that its first "A" or "F" is half like."""
    season = {"movement": "Summer", "adjustment": "Winter"}[kind.value]
    inked = [
        row(text, number + 3, None if other is None else {_unit_letter(text): other})
        for number, (text, other) in enumerate(rows)]
    lines = PageReader(vocabulary_of(VARIANT, kind)).read_page(
        page([*HEADING, f"{season} 1642 {kind.value.title()} Orders", *inked]), [known_game(VARIANT)]).lines
    return list(lines[3:])


def _unit_letter(text: str) -> int:
    return next(place for place in range(len(text)) if text[place : place + 2] in {"A ", "F "})


@pytest.mark.parametrize(("text", "order"), [
    ("A Essex - Kent", "Essex - Kent"), ("A Essex H", "Essex H"),
    ("A Essex S A Kent - Surrey", "Essex S Kent - Surrey"),
    ("A Essex proxy Hamilton", "Essex proxy Hamilton"),
])
def test_an_order_leaves_out_the_kind_that_its_ink_leaves_in_doubt(text: str, order: str) -> None:
    line, plain = read((text, "F"), ("F London - Surrey", None))
    assert (line.order, line.status, line.why_open) == (order, LineState.AUTO, ())
    assert line.candidates[0]["order"] == order
    assert line.text == text
    # What is plainly written is stored.
    assert (plain.order, plain.status) == ("F London - Surrey", LineState.AUTO)
    # What is stored is text, and gives the order for whatever unit is there.
    (stored,) = orders_of(VARIANT, PhaseKind.MOVEMENT, "Montrose", order, 1)
    assert isinstance(stored, UnitOrder)
    assert stored.unit == UnitRef(None, Region("Essex"))


@pytest.mark.parametrize("slug", [slug for slug in maps.variants() if maps.load(slug).start.units])
def test_stored_text_without_kinds_is_the_same_order(slug: str) -> None:
    """For each order of a first phase: Galway is not Galway Bay, with a kind or without one."""
    variant = maps.load(slug)
    kind = variant.start.phase.kind
    for power in variant.powers:
        for legal in legal_orders(variant.context(), variant.rules, variant.start, power, longest_convoy=2):
            orders = without_kinds([legal.order])
            text = canonical_line(orders, variant.board)
            assert tuple(orders_of(variant, kind, power, text, 1)) == (replace(orders[0], line=1),), text


def test_what_is_built_is_asked() -> None:
    """A kind that is part of the order: Build A London is not Build F London."""
    line, _ = read(("Build A London", "F"), ("Build F Kent", None), kind=PhaseKind.ADJUSTMENT)
    assert line.status is LineState.OPEN
    assert OpenReason.UNIT_LETTER in line.why_open


def test_a_name_that_only_the_kind_tells_apart_is_asked() -> None:
    """Cardigan is a county to an army, and a bay to a fleet."""
    line, _ = read(("F Cardigan H", "A"), ("A Kent H", None))
    assert line.status is LineState.OPEN
    assert {candidate["order"] for candidate in line.candidates} >= {"F Cardigan Bay H", "A Cardiganshire H"}


def test_a_writer_who_leaves_out_the_words_for_units_is_read() -> None:
    """INK-11, DATC 4.C.1: a list of orders without "army" and "fleet"."""
    lines = read(("Essex to Kent", None), ("London holds", None), ("Surrey supports London", None))
    assert [line.order for line in lines] == ["Essex - Kent", "London H", "Surrey S London"]
    assert all(line.status is LineState.AUTO for line in lines)


def test_one_order_without_its_word_may_be_the_end_of_another() -> None:
    lines = read(("Army Essex holds", None), ("Army Cork holds", None), ("Kent to Surrey", None))
    assert lines[-1].status is LineState.OPEN
    assert lines[-1].why_open == (OpenReason.UNIT_LETTER,)


def test_below_a_line_that_waits_none_passes() -> None:
    rows = ("Essex to Gondor", "Kent to Surrey", "London holds", "Cork holds", "Mayo holds")
    waiting, below, *others = read(*((text, None) for text in rows))
    assert waiting.status is LineState.OPEN
    assert below.status is LineState.OPEN
    assert all(line.status is LineState.AUTO for line in others[1:])


@pytest.mark.parametrize("name", ["Cardigan", "Dundalk", "Carmarthen", "Tees", "Caernarfon", "Clyde"])
def test_a_name_that_only_a_missing_word_tells_apart_is_asked(name: str) -> None:
    """A county to an army, and a bay to a fleet."""
    texts = (f"{name} holds", "Essex to Kent", "London holds", "York holds")
    lines = read(*((text, None) for text in texts))
    assert lines[0].status is LineState.OPEN, lines[0].order
    assert all(line.status is LineState.AUTO for line in lines[2:])
