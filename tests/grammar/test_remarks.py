"""What is next to orders: greetings and signatures, remarks in parentheses, words like those of units
(ORD-07)."""

from __future__ import annotations

import re

import pytest

import maps
from grammar.interpret import has_doubt, may_be_order_fragment
from grammar.order_starts import DEFAULT_STARTS
from grammar.remarks import is_harmless
from tests.grammar.boards import lexicon, read, said


@pytest.mark.parametrize(
    "text",
    ["Best wishes", "Good luck to all.", "Good lack to all", "Yours faithfully,", "Page 2 of 3", "Thank you"],
)
def test_a_greeting_is_harmless(text: str) -> None:
    assert is_harmless(text, lexicon())


@pytest.mark.parametrize("text", ["v1", "V2", "vi", "v. 1", "version 12", "Ver 3."])
def test_the_number_of_a_version_by_itself_is_harmless(text: str) -> None:
    """Above the orders it is a line of the heading, however badly its one is read; no one need look at
    it."""
    assert is_harmless(text, lexicon())


def test_no_place_of_any_game_is_spelled_like_a_version() -> None:
    assert not [name.text for slug in maps.variants() for name in lexicon(slug).names
                if re.fullmatch(r"v[. ]?[il\d]{1,2}", name.text, re.IGNORECASE)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "v1 of the",
        "vi Kent",
        "void",
        "Ignore the above",
        "Not yours",
        "York",
        "Army Kent",
        "The rest hold",
        "Accept all",
        "Good army",
        "Page the army",
        "the king",
        "to all",
    ],
)
def test_other_words_are_not(text: str) -> None:
    assert not is_harmless(text, lexicon())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fket Kent", True),
        ("Arny Kent", True),
        ("Amy Smith", False),
        ("Flora Reed", False),
        ("Armres Kent", True),
        ("Montrose", False),
    ],
)
def test_a_word_like_a_unit_s(text: str, *, expected: bool) -> None:
    assert DEFAULT_STARTS.has_unit_word(text) is expected


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("F Portland (Sea) H", "F Portland Sea Area H"),
        ("F Clare - Portland (sea)", "F Clare - Portland Sea Area"),
        ("A Sligo S F Clare - Portland (Sea) (as agreed)", "A County Sligo S F Clare - Portland Sea Area"),
        ("A Clare - Portland (Dorset)", "A Clare - The Isle of Portland"),
        ("A Clare - Portland (as agreed)", "A Clare - The Isle of Portland"),
    ],
)
def test_parentheses_that_end_a_name_are_no_remark(text: str, order: str) -> None:
    """Order lines match the longest known name first (Q-44)."""
    parsed = read(text)
    assert said(parsed.orders) == order


@pytest.mark.parametrize(
    ("text", "expected"),
    [("then Army Mar holds", True), ("Then A Mar H", True), ("Army Mar holds", False),
     ("Army Athenry holds", False)],
)
def test_the_end_of_a_condition_in_a_row_of_its_own_is_doubtful(text: str, *, expected: bool) -> None:
    """INK-03: its "If" was lost in the row above, and the second half passed as an order."""
    assert has_doubt(text, lexicon()) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("As before except as listed", False),
     ("and Hannis wnless Hamilton", True), ("and Harris unless the other side is there", True),
     ("unless we hear from you before", True), ("Cork unless they come before us", True),
     ("to Essex as we agreed last week", True), ("unless Hamilton is there", True)],
)
def test_a_sentence_about_no_place_is_no_end_of_the_order_above(text: str, *, expected: bool) -> None:
    """INK-04: such a sentence held a whole order above it."""
    assert may_be_order_fragment(text, lexicon()) is expected
