"""What may be left of an order, and names that may be another's."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.orders import Order
from grammar.meaning import abbreviation, begun, doubtful, leftover, shortened, twins
from service.lexical import lexicon_of, parse_typed

VARIANT = maps.load("w3k")
LEXICON = lexicon_of(VARIANT)


def orders(text: str) -> tuple[Order, ...]:
    found = parse_typed(VARIANT, PhaseKind.MOVEMENT, "", text).orders
    assert found
    return found


@pytest.mark.parametrize(
    "text", ["York", "Teriotdale", "Roads.", "if it is empty", "unless they come", "agreed)", "FCWH", "FWRi-Piscuy."])
def test_the_rest_of_an_order_is_no_remark(text: str) -> None:
    assert leftover(text, LEXICON)


@pytest.mark.parametrize(
    "text", ["Best wishes", "signed, Hamilton", "Good luck to all.", "Manchester", "Confedevacy", "Written on the train.", "candles"])
def test_a_remark_or_a_signature_is_no_rest_of_an_order(text: str) -> None:
    assert not leftover(text, LEXICON)


@pytest.mark.parametrize(("text", "so"), [("A'S Kis", True), ("A Lin S Kis", True), ("Argyll", False), ("Army orders", False)])
def test_a_short_order_is_known_by_its_beginning(text: str, *, so: bool) -> None:
    assert begun(text) is so


@pytest.mark.parametrize(
    ("text", "so"),
    [("A Clare - Shannon", True), ("A Clare - Shannon Sea Area", False), ("F Ayr - Minch", True), ("F Ayr - The Minch", False),
     ("A Moray & Nairn - Essex", False), ("A Dublin & the Pale - Cheshire", False)])
def test_a_short_name_that_two_places_share_is_doubtful(text: str, *, so: bool) -> None:
    """Q-71: Shannon Mouth and Shannon Sea Area, The Minch and The Little Minch are all on the board."""
    assert shortened(text, orders(text), LEXICON) is so


@pytest.mark.parametrize(
    ("text", "so"), [("F Haddington H (no change)", False), ("F Haddington H (no, hold)", True), ("F Haddington no change", True)])
def test_that_nothing_changed_is_no_doubt(text: str, *, so: bool) -> None:
    """ORD-07: a remark in parentheses is passed over, unless it may take the order back."""
    assert doubtful(text) is so


def test_capitals_may_be_an_abbreviation() -> None:
    """LORN is short for Firth of Lorn, and Lorn is a province."""
    assert abbreviation("A LORN - Mull", orders("A Lorn - Mull"), LEXICON)
    assert not abbreviation("A Lorn - Mull", orders("A Lorn - Mull"), LEXICON)


@pytest.mark.parametrize(("text", "so"), [("A Cork holds", True), ("A County Cork holds", False), ("A Kent holds", False)])
def test_a_place_that_a_word_more_would_make_another(text: str, *, so: bool) -> None:
    assert twins(orders(text), LEXICON) is so
