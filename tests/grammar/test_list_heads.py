"""INK-11: headings of lists and tables, and ditto marks, by their words."""

from __future__ import annotations

import pytest

import maps
from grammar.list_heads import ListHead, ditto_end, list_head
from reading.vocabulary import lexicon_of

LEXICON = lexicon_of(maps.load("w3k"))


@pytest.mark.parametrize(("text", "head"), [
    ("Armies", ListHead(kind="A")), ("Armees:", ListHead(kind="A")), ("My fleets:", ListHead(kind="F")),
    ("Army:", ListHead(kind="A")), ("Moves:", ListHead(verb="-")), ("Holds", ListHead(verb="H")),
    ("Supports", ListHead(verb="S")), ("supports", ListHead(verb="S")),
    ("Support orders:", ListHead(verb="S")),
    ("Comvoys:", ListHead(verb="C")), ("Unit From To", ListHead()), ("Unit   Place   Orders", ListHead()),
])
def test_a_heading_tells_kind_or_verb(text: str, head: ListHead) -> None:
    assert list_head(text, LEXICON) == head


@pytest.mark.parametrize("text", [
    "Army", "Fleet.", "support>.", "A Kent", "Army Kent:", "Newcastle", "hold", "Autumn 1643 Movement Orders",
    "Fleets to Kent", "Armagh", "", "holds.", "holds"])
def test_other_text_heads_no_list(text: str) -> None:
    assert list_head(text, LEXICON) is None


@pytest.mark.parametrize(("text", "rest"), [
    ('" Essex - Suffolk', "Essex - Suffolk"), ("” Kent H", "Kent H"), ("'' Kent H", "Kent H"),
    ("A Kent H", "A Kent H"), ("'s Kent H", "'s Kent H")])
def test_a_ditto_mark_is_left_behind(text: str, rest: str) -> None:
    assert text[ditto_end(text):] == rest
