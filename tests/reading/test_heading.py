"""The heading of a sheet by its ink (HEAD-01 to HEAD-03, VER-02): letters that the recognizer took for others
are put right where the ink allows it, and nothing is surer for it."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import PhaseKind
from grammar.headings.sheet import SheetHeading
from ocr.layout.wrap import as_line
from ocr.page import Row
from reading.heading import decode_heading_rows, read_heading, same_digits
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, vocabulary_of
from tests.support.inked import page, row

VARIANT = maps.load("w3k")
GAMES = (known_game(VARIANT, "Powick Bridge"),)
VOCABULARY = vocabulary_of(VARIANT)


def text_of(heading_row: Row) -> str | None:
    decoded = decode_heading_rows([as_line([heading_row])], GAMES, VOCABULARY.starts)
    return decoded[0].text if decoded else None


def heading(*rows: Row) -> SheetHeading:
    lines = [as_line([heading_row]) for heading_row in rows]
    decoded = decode_heading_rows(lines, GAMES, VOCABULARY.starts)
    return read_heading(lines, [decoded.get(number) for number in range(len(lines))], GAMES)


@pytest.mark.parametrize(
    "text",
    [
        "Montrose",
        "The Crown",
        "Charles Stuart",
        "Game: Powick Bridge",
        "Summer 1642 Movement Orders",
        "Winter 1643 Adjustments",
        "Powick Bridge, Montrose, Autumn 1644 Retreats, v1",
        "Version 3 - replaces all earlier orders",
        "v2",
        "FINAL VERSION",
    ],
)
def test_the_forms_of_a_heading_are_known(text: str) -> None:
    assert text_of(row(text)) == text


@pytest.mark.parametrize(
    ("read", "letters", "text"),
    [
        ("Autunn 1642 Movewent Orders", {4: "m", 16: "m"}, "Autumn 1642 Movement Orders"),
        ("Moutrose", {2: "n"}, "Montrose"),
        ("Powick Rridge", {7: "B"}, "Powick Bridge"),
        ("Summer l642 Movement Orders", {7: "1"}, "Summer 1642 Movement Orders"),
    ],
)
def test_a_letter_the_ink_half_shows_is_put_right(read: str, letters: dict[int, str], text: str) -> None:
    assert text_of(row(read, also=letters)) == text


@pytest.mark.parametrize(
    "text", ["Ada Marlowe", "Lars Vane", "Army London moves to Surrey", "milk, 2 pints", "Dear Coordinator"]
)
def test_other_words_are_no_heading(text: str) -> None:
    assert text_of(row(text)) is None


def test_a_year_is_read_by_its_ink() -> None:
    assert text_of(row("Spring 1643 Movement Orders", also={10: "8"})) == "Spring 1643 Movement Orders"
    assert text_of(row("Spring 1648 Movement Orders", also={10: "3"})) == "Spring 1648 Movement Orders"


def test_only_what_free_letters_say_as_well_is_sure() -> None:
    # A submission waits for what its sheet plainly states, not for what decoding has put right.
    sheet_heading = heading(row("Montrose"), row("Autunn 1642 Movement Orders", 1, {4: "m"}))
    assert (sheet_heading.power, sheet_heading.season, sheet_heading.year, sheet_heading.kind) == (
        "Montrose",
        "Autumn",
        1642,
        PhaseKind.MOVEMENT,
    )
    assert sheet_heading.unsure == {"season"}


def test_the_phase_is_told_before_any_order_is_read() -> None:
    # Free reading gets letters of these rows wrong.
    reader = PageReader(vocabulary_of(VARIANT))
    rows = page(
        [
            row("Montrose"),
            row("Autunn 1642 Rctrcats", 1, {4: "m", 13: "e", 16: "e"}),
            row("Army London retreats to Surrey", 2),
        ]
    )
    assert reader.heading_phase(rows, GAMES) is PhaseKind.RETREAT
    assert reader.heading_phase(page(["Montrose", "Army London retreats to Surrey"]), GAMES) is None


def test_figures_that_two_readings_do_not_share() -> None:
    assert same_digits("Version 3", "Versiou 3")
    assert not same_digits("v1", "vl")


@pytest.mark.parametrize("mark", ["v", "V", "ver."])
def test_a_version_whose_number_is_lost_is_part_of_the_heading(mark: str) -> None:
    # Else it would be the sheet's line 1, and the player counts from the first order.
    sheet = PageReader(vocabulary_of(VARIANT)).read_page(
        page([row("Montrose"), row("Summer 1642 Movement Orders", 1), row(mark, 2),
              row("Army London moves to Surrey", 3)]), GAMES)
    assert [line.kind for line in sheet.lines] == ["heading", "heading", "heading", "order"]
    # Which version it is a person may see.
    assert sheet.lines[2].status is LineState.OPEN


def test_a_letter_above_the_orders_is_no_version() -> None:
    sheet = PageReader(vocabulary_of(VARIANT)).read_page(
        page([row("Montrose"), row("w", 1), row("Army London moves to Surrey", 2)]), GAMES)
    assert [line.kind for line in sheet.lines] == ["heading", "other", "order"]
