"""What stands beside orders: greetings and signatures, remarks in parentheses, words like those of units
(ORD-07)."""

from __future__ import annotations

import re

import pytest

import maps
from grammar.interpret import has_doubt, may_be_order_fragment
from grammar.order_starts import DEFAULT_STARTS
from grammar.remarks import has_unclear_remark, is_harmless
from tests.grammar.boards import lexicon, read, said


@pytest.mark.parametrize(
    "text",
    ["Best wishes", "Good luck to all.", "Good lack to all", "Yours faithfully,", "Page 2 of 3", "Thank you"],
)
def test_a_greeting_is_harmless(text: str) -> None:
    assert is_harmless(text, lexicon())


@pytest.mark.parametrize("text", ["v1", "V2", "vi", "v. 1", "version 12", "Ver 3."])
def test_the_number_of_a_version_by_itself_is_harmless(text: str) -> None:
    """Above the orders it is a line of the heading, however badly its one is read; nobody need look at it."""
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
    ("inked", "read", "unclear"),
    [
        ("A Kent H (as agreed)", "A Kent H (as agreed)", False), ("A Kent H", "A Kent H", False),
        ("A Kent H (second choice)", "A Kent H (second choice)", True),
        ("A Kent H (fit is empt)", "A Kent H ifit is empty", True),
        ("A Kent H (fit is empt)", "A Kent H (fit is empt)", True),
        ("A Kent H (unles they come)", "A Kent H (unles they come)", True),
        ("A Kent - York (by convoy)", "A Kent - York", False),
        # All letters of the remark are read, and a parenthesis as one more.
        ("A Kent H (as agreed)", "A Kent H cas agreed).", False),
        ("A Kent H (nochange)", "A Kent H Ino changel", False),
        ("A Kent H (nochange)", "A Kent H to change", True),
        ("A Kent H (no change)", "A Kent H", True),
        ("A Kent H (no change)", "A Kent H (no change)", False),
        ("A Kent H (noclange)", "A Kent H (noclange)", False),
        ("A Kent H (asagveed)", "A Kent H (asagveed)", False),
        ("A Kent H (thio wil at any suppert)", "A Kent H (thio wil at any suppert)", False),
        ("A Kent H (to change)", "A Kent H (to change)", True),
        ("A Kent H (if agreed)", "A Kent H (if agreed)", True),
        ("A Kent H (if this will cut my support)", "A Kent H (if this will cut my support)", True),
        ("A Kent H (unless this cuts any support)", "A Kent H (unless this cuts any support)", True),
        ("A Kent H (bat if not)", "A Kent H (bat if not)", True),
        ("A Kent H (this will cut any support)", "A Kent H (this will cut any support)", False),
        ("A Kent H (this wil ut any suport)", "A Kent H (this wil ut any suport)", False),
        ("A Kent H (thiswill cut any suport)", "A Kent H (thiswill cut any suport)", False),
        ("A Kent H (this will cut any support)", "A Kent H ethis will cut any support)", False),
        ("A Kent H (this will cut any support)", "A Kent H (this wil ut any support", False),
        # Long enough to be known for what it is though neither parenthesis is seen, and though it is badly
        # read.
        ("A Kent H (this will cut any support)", "A Kent H this will cut any support", False),
        ("A Kent H (his will ut amy supporp)", "A Kent H his will ut amy supporp", False),
        ("A Kent H (if this will cut any support)", "A Kent H if this will cut any support", True),
        ("A Kent H (itthis will cut any support)", "A Kent H itthis will cut any support", True),
        ("A Kent H (this will cut any support if)", "A Kent H this will cut any support if", True),
        ("A Kent H (this will cut any support it)", "A Kent H this will cut any support it", True),
        ("A Kent H (if we discussed)", "A Kent H if we discussed", True),
        ("A Kent H (clf it is empty)", "A Kent H clf it is empty)", True),
        ("A Kent H (it is empty)", "A Kent H cif it is empty)", True),
        ("A Kent H (they are unles there)", "A Kent H cthey are unles there)", True),
        ("A Kent H (nless they come)", "A Kent H cnless they come)", True),
        ("A Kent H (nochange)", "A Kent H (nochange)", False),
        ("A Kent H (ut it is free)", "A Kent H (ut it is free)", True),
        ("A Kent H (til York)", "A Kent H (til York)", True),
        ("A Kent H (will York is free)", "A Kent H (will York is free)", True),
        ("A Kent H (this is so will York is free)", "A Kent H (this is so will York is free)", True),
    ],
)
def test_a_remark_that_may_be_a_condition_is_unclear(inked: str, read: str, *, unclear: bool) -> None:
    assert has_unclear_remark(inked, read, lexicon()) is unclear


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


def test_again_beside_an_order_is_a_usual_remark_though_its_parenthesis_is_read_as_a_letter() -> None:
    """INK-04"""
    assert not has_unclear_remark("A Louth - Cork (again)", "A Louth - Cork cagain)", lexicon())
    assert has_unclear_remark("A Louth - Cork (against)", "A Louth - Cork cagainst)", lexicon())


@pytest.mark.parametrize(
    ("inked", "read", "unclear"),
    [
        ("F Louth - Cork (page l af i)", "F Louth - Cork (puge I af i)", False),
        ("F Louth - Cork (page if i)", "F Louth - Cork (page if i)", True),
        ("F Louth - Cork (page held)", "F Louth - Cork (page held)", True),
        ("Army Kent stands (as aqveed)", "Arwy Kent Stards (as agreed)", False),
        ("Army Kent stands (as aqveed)", "Arwy Kent Stards (if agreed)", True),
        ("Army Kent stands (as aqveed)", "Arwy Kent Stards (as agreed) (if it is)", True),
    ],
)
def test_a_pages_number_and_a_remark_read_plainly_are_no_doubt(
    inked: str, read: str, *, unclear: bool
) -> None:
    """INK-04"""
    assert has_unclear_remark(inked, read, lexicon()) is unclear
