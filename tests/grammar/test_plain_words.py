"""What is plainly typed is not corrected into something else (INK-03, WRD-01)."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from grammar.candidates import is_plain_word
from grammar.parse import ParsedLine, parse_line
from reading.vocabulary import forms_of, lexicon_of, printed


def typed(text: str, slug: str = "w3k") -> ParsedLine:
    variant = maps.load(slug)
    return parse_line(text, lexicon=lexicon_of(variant), forms=forms_of(variant, PhaseKind.MOVEMENT),
                      power=next(iter(variant.powers)))


@pytest.mark.parametrize("town", [
    # Two or three slips from Bantry, Abingdon, Lancaster, Cambridge, Coventry, Viking and "hold".
    "Banbury", "Faringdon", "Tadcaster", "Corbridge", "Daventry", "the King", "Holt",
])
def test_a_town_that_is_no_place_of_the_board_is_no_misspelling(town: str) -> None:
    line = typed(f"Army London to {town}")
    assert not line.orders
    assert line.complaint is not None


@pytest.mark.parametrize(("text", "order"), [
    ("Army Oxfrod to Berkshire", "Oxford"), ("Army Glocester to Oxford", "Gloucester"),
    ("Army Northamptnshire holds", "Northamptonshire"), ("Army Kilkeny holds", "Kilkenny"),
])
def test_a_slip_of_the_fingers_is_read(text: str, order: str) -> None:
    assert typed(text).orders[0].unit.region.province == order  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", [
    "A Ber <- Kie", "A Ber -/-> Kie", "A Ber =/= Kie", "A Ber ≠ Kie", "A Ber =\u0338 Kie", "A Ber >< Kie",
    "A Ber ↛ Kie", "A Ber - Kie (?)", "A Ber - Kie (who knows?)",
])
def test_an_arrow_struck_through_or_turned_about_is_no_move(text: str) -> None:
    line = typed(text, "standard")
    assert not line.orders


def test_a_coast_after_a_stroke_is_a_coast() -> None:
    assert typed("F Mar - Spa/sc", "standard").orders


@pytest.mark.parametrize(("word", "expected"), [
    ("fleets", True), ("supports", True), ("if", True), ("or", True), ("to", False), ("kent", False)])
def test_a_plain_word_is_one_of_orders_that_is_long_enough_or_one_of_doubt(
    word: str, *, expected: bool
) -> None:
    variant = maps.load("w3k")
    assert is_plain_word(word, lexicon_of(variant), [forms_of(variant, PhaseKind.MOVEMENT)]) is expected


@pytest.mark.parametrize("place", ["Galway", "Galway's", "Galway’s"])
def test_a_possessive_is_the_same_place(place: str) -> None:
    """WOR-01: where no fleet convoys on land, the bay of that name is meant."""
    parsed = typed(f"Fleet {place} convoys Army Mayo to Cork")
    assert printed(parsed.orders, maps.load("w3k").board) == "F Galway Bay C A Mayo - Cork"
