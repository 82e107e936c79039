"""Names completed in the edit box (desk plan 4, "Editing"), in a real browser with the board of Wars of the Three Kingdoms:
what is one name in a line, what a few letters stand for, and what is offered without typing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Reader
from tests.browser.test_desk_reading import decisions

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("browser")]


@pytest.fixture
def named(ada: Reader) -> Reader:
    ada.until("window.readingNames !== undefined")
    return ada


def _ask(reader: Reader, what: str, text: str) -> Any:
    return reader.page.evaluate(f"text => window.readingNames.{what}", text)


def _slots(reader: Reader, text: str) -> list[str]:
    return [text[a:b] for a, b in _ask(reader, "slots(text)", text)]


def test_a_name_with_its_coast_is_one_place_of_a_line(named: Reader) -> None:
    """Also a coast that this place does not have: an eye may have read it so."""
    assert _slots(named, "A Nottingham Castle/East Coast S Cardigan Bay") == [
        "Nottingham Castle/East Coast", "Cardigan Bay"]
    assert _slots(named, "A Kent - The Wash/North Coast via convoy") == ["Kent", "The Wash/North Coast"]
    assert _slots(named, "A Kent/nc - Essex") == ["Kent/nc", "Essex"]


@pytest.mark.parametrize(("typed", "name"), [
    ("not c", "Nottingham Castle"), ("lei of", "Leix & Offaly"), ("wat ro", "Waterford Roads"), ("gre ya", "Great Yarmouth"),
])
def test_the_beginnings_of_several_words_stand_for_a_name(named: Reader, typed: str, name: str) -> None:
    assert _ask(named, "search(text)[0]", typed) == name


def test_beginnings_after_a_word_of_the_order_complete_the_name_alone(named: Reader) -> None:
    text = "A Kent supports not c"
    found = _ask(named, "complete(text, text.length)", text)
    assert text[found["start"]:] == "not c"
    assert found["names"][0] == "Nottingham Castle"


def test_a_name_beside_the_selected_one_is_taken_by_an_arrow_and_enter(named: Reader) -> None:
    """Enter takes a name that an arrow went to and does not yet accept the line; without an arrow it accepts."""
    line = named.line()
    named.press("e", "Control+a", *"A Tyrconnell - Galway", "Shift+Tab")
    box = named.page.locator("#work .words")
    offered = [text.strip() for text in named.page.locator("#work .completions li").all_text_contents()]
    named.press(*["ArrowDown"] * (1 + offered.index("Galway Bay")), "Enter")
    assert box.input_value().strip() == "A Tyrconnell - Galway Bay"
    assert named.line() == line
    named.press("Enter")
    named.wait_other(line)


def test_no_name_is_chosen_until_a_person_chooses_it(named: Reader) -> None:
    """Names offered beside the selected one change nothing by themselves: Enter files the words of the box."""
    line = named.line()
    named.press("e", "Control+a", *"A Tyrconnell - Galway", "Shift+Tab")
    assert "Galway Bay" in named.page.locator("#work .completions").inner_text()
    assert named.page.locator("#work .completions li.chosen").count() == 0
    named.press("Enter")
    named.wait_other(line)
    named.wait_saved()
    assert decisions(named.desk)[line] == ("read", "A Tyrconnell - Galway")
