"""The terse notation of Bretwalda's printed rules, and what a hand may write next to it."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from grammar.interpret import orders_in_text
from reading.vocabulary import forms_of, lexicon_of, parse_typed, printed

VARIANT = maps.load("bretwalda")


def _read(text: str, phase: PhaseKind = PhaseKind.MOVEMENT) -> str | None:
    return printed(parse_typed(VARIANT, phase, "Gwynedd", text).orders, VARIANT.board)


@pytest.mark.parametrize(("text", "order"), [
    ("A (Den) = B", "A Denbigh converts to B"),  # BRE-10
    ("Army Denbigh builds boats", "A Denbigh converts"),  # BRE-10
    ("B (NSN) – WAS", "B North Sea North - The Wash"),  # BRE-11
    ("B (Wic) – CDG", "B Wicklow - Cardigan Bay"),  # BRE-11
    ("B (Den) – Pow", "B Denbigh - Powys"),  # BRE-12
    ("B (Den) s A (Che) – Pow", "B Denbigh S A Chester - Powys"),  # BRE-12
    ("B (Den) – Mer VIA COL", "B Denbigh - Mersey via convoy"),  # BRE-12
    ("B (Den) – Che (db)", "B Denbigh - Chester (db)"),  # BRE-12
    ("B (Den) - (Che) (db)", "B Denbigh - Chester (db)"),
    ("B Den - Che db", "B Denbigh - Chester (db)"),
    ("Boat bunch Denbigh moves to Chester leaving its boats", "B Denbigh - Chester (db)"),
    ("F (IRI) c B (CDG) – Arm", "F Irish Sea C B Cardigan Bay - Armagh"),  # G7a
    ("F (IoM) s B (NCH) – IRI.", "F Isle of Man S B North Channel - Irish Sea"),  # G7b
    ("A (Ban) – Arm", "A Bangor - Armagh"),  # G7c
    ("Boat bunches Den and Aby hold", "B Denbigh H; B Aberystwyth H"),
    ("A Den - Che (quickly)", "A Denbigh - Chester"),
])
def test_movement(text: str, order: str) -> None:
    assert _read(text) == order


@pytest.mark.parametrize(("text", "order"), [
    ("Home Den - Che", "Home Denbigh - Chester"),  # BRE-05
    ("Move home centre from Denbigh to Chester", "Home Denbigh - Chester"),
    ("Move the home centre Den to Che", "Home Denbigh - Chester"),
    ("Build B (Den)", "Build B Denbigh"),  # BRE-02
    ("Build a boat bunch in Denbigh", "Build B Denbigh"),
])
def test_winter(text: str, order: str) -> None:
    assert _read(text, PhaseKind.ADJUSTMENT) == order


@pytest.mark.parametrize(
    "order", ["B Denbigh - Chester (db)", "A Denbigh converts to B", "B Denbigh - Mersey via convoy"]
)
def test_canonical_text_of_movement_is_read_back(order: str) -> None:
    assert _read(order) == order


def test_canonical_text_of_a_moved_home_is_read_back() -> None:
    assert _read("Home Denbigh - Chester", PhaseKind.ADJUSTMENT) == "Home Denbigh - Chester"


def test_a_mark_is_a_mark_only_where_the_game_has_it() -> None:
    """Elsewhere "(db)" is an unknown remark, and a person looks at it."""
    standard = maps.load("standard")
    parsed = parse_typed(standard, PhaseKind.MOVEMENT, "FRANCE", "A Par - Bur (db)")
    assert parsed.complaint is not None
    assert parsed.complaint.message.startswith("“(db)” may change the order")


@pytest.mark.parametrize(("text", "orders"), [
    ("B (Den) - Che (db)", "B Denbigh - Chester (db)"), ("B (Den) - Che (quickly)", "B Denbigh - Chester"),
    ("B (Den) H (db)", None)])
def test_a_word_of_the_wording_in_parentheses_is_no_remark(text: str, orders: str | None) -> None:
    """BRE-12, for a text of the ink, in which other remarks are passed over."""
    forms = [forms_of(VARIANT, PhaseKind.MOVEMENT)]
    readings = orders_in_text(text, lexicon=lexicon_of(VARIANT), forms=forms)
    assert [printed(reading, VARIANT.board) for reading in readings] == ([] if orders is None else [orders])
