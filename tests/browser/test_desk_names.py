"""Names completed in the edit box (desk plan 4, "Editing"), in a real browser with the board of Wars of the
Three Kingdoms: what is one name in a line, what a few letters represent, and what is offered without
typing."""

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


def _ask(reader: Reader, call: str, text: str) -> Any:
    return reader.page.evaluate(f"text => window.readingNames.{call}", text)


def _slots(reader: Reader, text: str) -> list[str]:
    return [text[a:b] for a, b in _ask(reader, "slots(text)", text)]


def test_a_name_with_its_coast_is_one_place_of_a_line(named: Reader) -> None:
    """Also a coast that this place does not have: a recognizer may have read it so."""
    # A typed correction took up to 47 keys while a name with its coast was not a place that Tab finds.
    assert _slots(named, "A Nottingham Castle/East Coast S Cardigan Bay") == [
        "Nottingham Castle/East Coast", "Cardigan Bay"]
    assert _slots(named, "A Kent - The Wash/North Coast via convoy") == ["Kent", "The Wash/North Coast"]
    assert _slots(named, "A Kent/nc - Essex") == ["Kent/nc", "Essex"]


@pytest.mark.parametrize(("typed", "name"), [
    ("not c", "Nottingham Castle"), ("lei of", "Leix & Offaly"), ("wat ro", "Waterford Roads"),
    ("gre ya", "Great Yarmouth"),
])
def test_the_beginnings_of_several_words_stand_for_a_name(named: Reader, typed: str, name: str) -> None:
    assert _ask(named, "search(text)[0]", typed) == name


@pytest.mark.parametrize(
    ("typed", "name"), [("mid", "Midlothian"), ("Mon", "Montgomeryshire"), ("wf", "Waterford Roads")]
)
def test_the_boards_own_short_spelling_stands_for_its_name(named: Reader, typed: str, name: str) -> None:
    """Also where longer names begin with the same letters, as Middlesex and Monaghan do."""
    assert _ask(named, "search(text)[0]", typed) == name


def test_the_short_spelling_is_told_beside_the_name(named: Reader) -> None:
    # A whole short spelling came behind longer names, so that some corrections took more than twelve keys.
    named.press("e", "Control+a", *"A Waterf")
    items = named.page.locator("#work .completions li")
    assert [text.removesuffix(" Tab") for text in items.all_inner_texts()][:2] == [
        "Waterford Wat",
        "Waterford Roads WFRD",
    ]


@pytest.mark.parametrize(("text", "begun", "name"), [
    ("F Mid-wf", "wf", "Waterford Roads"), ("A Kent–ess", "ess", "Essex"),
    ("A Ashby-de-la-Z", "Ashby-de-la-Z", "Ashby-de-la-Zouch Castle"),
    ("A Kent-Ashby-de", "Ashby-de", "Ashby-de-la-Zouch Castle"),
])
def test_a_dash_may_stand_without_blanks_and_a_hyphen_is_part_of_a_name(
    named: Reader, text: str, begun: str, name: str
) -> None:
    completion = _ask(named, "complete(text, text.length)", text)
    assert (text[completion["start"]:], completion["names"][0]) == (begun, name)


def test_places_are_told_apart_at_a_dash_without_blanks(named: Reader) -> None:
    assert _slots(named, "F Mid-Waterford Roads") == ["Mid", "Waterford Roads"]
    assert _slots(named, "A Ashby-de-la-Zouch Castle-Kent") == ["Ashby-de-la-Zouch Castle", "Kent"]
    assert _slots(named, "A Kemt - Esex") == ["Kemt", "Esex"]


def test_a_name_that_was_read_on_the_line_comes_before_shorter_ones(named: Reader) -> None:
    """By the ink alone."""
    # Picardy and Plymouth are shorter, but no reading of this line has them.
    assert _ask(named, "search(text)[0]", "p") != "Pontefract Castle"
    named.page.evaluate("() => window.readingNames.reading(['F Pontefract Castle - Clare'])")
    assert _ask(named, "search(text)[0]", "p") == "Pontefract Castle"


def test_where_readings_differ_in_the_form_the_name_most_in_doubt_is_selected(named: Reader) -> None:
    """No one who takes a reading for its form ("S" for "-") needs to type that sign: a name is what is
    left to mend."""
    chosen = named.page.evaluate("""async () => {
      const { EditBox } = await import('/static/reading-edit.js');
      const box = document.createElement('input');
      document.body.append(box);
      new EditBox(box, document.createElement('ul'), () => window.readingNames).open(
        'A Great Yarmouth S Radnorshire', ['S'],
        ['A Great Yarmouth - Radnorshire', 'A Great Yarmouth - Raglan Castle', 'A Great Yarmouth - Roscommon',
         'A Renfrewshire S Radnorshire'], true);
      return box.value.slice(box.selectionStart, box.selectionEnd);
    }""")
    assert chosen == "Radnorshire"


def test_beginnings_after_a_word_of_the_order_complete_the_name_alone(named: Reader) -> None:
    text = "A Kent supports not c"
    completion = _ask(named, "complete(text, text.length)", text)
    assert text[completion["start"]:] == "not c"
    assert completion["names"][0] == "Nottingham Castle"


def test_a_name_beside_the_selected_one_is_taken_by_an_arrow_and_enter(named: Reader) -> None:
    """Names offered next to the selected one are taken by keys alone."""
    line = named.line()
    named.press("e", "Control+a", *"A Tyrconnell - Galway", "Shift+Tab")
    box = named.page.locator("#work .words")
    offered = named.page.eval_on_selector_all(
        "#work .completions li", "all => all.map(one => one.firstChild.textContent)"
    )
    named.press(*["ArrowDown"] * (1 + offered.index("Galway Bay")), "Enter")
    # Enter takes a name that an arrow went to and does not yet accept the line; without an arrow it accepts.
    assert box.input_value().strip() == "A Tyrconnell - Galway Bay"
    assert named.line() == line
    named.press("Enter")
    named.wait_other(line)


def test_no_name_is_chosen_until_a_person_chooses_it(named: Reader) -> None:
    """Names offered next to the selected one change nothing by themselves: Enter files the words of the
    box."""
    line = named.line()
    named.press("e", "Control+a", *"A Tyrconnell - Galway", "Shift+Tab")
    assert "Galway Bay" in named.page.locator("#work .completions").inner_text()
    assert named.page.locator("#work .completions li.chosen").count() == 0
    named.press("Enter")
    named.wait_other(line)
    named.wait_saved()
    assert decisions(named.desk)[line] == ("read", "A Tyrconnell - Galway")


def test_a_line_may_be_edited_before_the_names_have_come(ada: Reader) -> None:
    """DESK-03: `e` on a slow line opens the box with the reading in it and something of it chosen; a fault of
    the script would fail the reader's own check at the end."""
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    # The search for the name in doubt asked names that were still on their way.
    ada.page.route("**/words", hold)
    ada.open()
    ada.press("e")
    ada.until("document.activeElement.matches('#work input.words')")
    ada.until("(([a, b]) => b > a)([document.activeElement.selectionStart, "
              "document.activeElement.selectionEnd])")
    assert held
    assert ada.page.evaluate("window.readingNames === undefined")
    for held_route in held:
        held_route.abort()
    ada.page.unroute("**/words")
    ada.open()
