"""The heading on a sheet as the recognizer reads it, and whether it agrees with the subject (HEAD-01..03,
POST-03)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from adjudicator.calendar import PhaseKind
from grammar.headings.sheet import SheetHeading, begins_order, disagreements, parse_sheet_heading
from grammar.headings.subject import parse_subject
from grammar.headings.values import Heading, KnownGame
from tests.grammar.headings.test_subject import GAMES, POWERS

MOVEMENT, RETREAT, ADJUSTMENT = PhaseKind.MOVEMENT, PhaseKind.RETREAT, PhaseKind.ADJUSTMENT


def read(*lines: str) -> SheetHeading:
    return parse_sheet_heading(lines, GAMES)


def fields(heading: SheetHeading) -> tuple[Any, ...]:
    return (heading.game, heading.power, heading.season, heading.year, heading.kind)


def test_the_order_of_the_handbook() -> None:
    sheet_heading = read(
        "Jane Smith",
        "Montrose",
        "Powick Bridge",
        "Autumn 1642 Movement Orders",
        "Version 2",
        "Army London moves to Surrey",
        "Army York holds. v9",
    )
    assert fields(sheet_heading) == ("Powick Bridge", "Montrose", "Autumn", 1642, MOVEMENT)
    assert (sheet_heading.version, sheet_heading.requested_version) == (2, 2)
    assert sheet_heading.lines == (1, 2, 3, 4)
    assert sheet_heading.unsure == frozenset()


def test_the_position_may_be_its_person() -> None:
    sheet_heading = read(
        "Charles Stuart", "Powick Bridge", "Summer, 1642, Movement Orders", "Army London holds"
    )
    assert fields(sheet_heading) == ("Powick Bridge", "Crown", "Summer", 1642, MOVEMENT)


def test_all_on_one_line() -> None:
    sheet_heading = read(("Edgehill - Argyll - Winter 1643 - Adjustment Orders - "
                          "v3"), "Build an Army at Fort William")
    assert fields(sheet_heading) == ("Edgehill", "Argyll", "Winter", 1643, ADJUSTMENT)
    assert sheet_heading.version == 3


@pytest.mark.parametrize(
    ("lines", "expected", "unsure"),
    [
        (
            ["M0ntrose", "Powlck Brldge", "Autunn l642 Moverrent Orders"],
            ("Powick Bridge", "Montrose", "Autumn", 1642, MOVEMENT),
            {"power", "game", "season", "year", "kind"},
        ),
        (
            ["Hamllton. Edgehill", "Sumrner 1642 Retreats"],
            ("Edgehill", "Hamilton", "Summer", 1642, RETREAT),
            {"power", "season"},
        ),
        (
            ["EDGEHlLL", "Manchesler", "Spring 164Z Movement"],
            ("Edgehill", "Manchester", "Spring", 1642, MOVEMENT),
            {"game", "power", "year"},
        ),
        (
            ["Edgehill Hamllton Summer 1642 Retreats"],
            ("Edgehill", "Hamilton", "Summer", 1642, RETREAT),
            {"power"},
        ),
    ],
)
def test_misread_letters_are_mended_and_named(
    lines: list[str], expected: tuple[Any, ...], unsure: set[str]
) -> None:
    sheet_heading = read(*lines)
    assert fields(sheet_heading) == expected
    assert sheet_heading.unsure == unsure


def test_plain_letters_outrank_a_real_name_that_looks_like_a_power() -> None:
    sheet_heading = read("James Grahan", "Argyll", "Edgehill, Spring 1643 Movement")
    assert sheet_heading.power == "Argyll"
    assert sheet_heading.unsure == frozenset()


@pytest.mark.parametrize(
    ("line", "version", "replaces", "wanted_version", "final", "partial"),
    [
        ("version 3", 3, None, 3, False, False),
        ("Version three", 3, None, 3, False, False),
        ("v l", 1, None, 1, False, False),
        ("v2, replaces v1", 2, 1, 2, False, False),
        ("Replaces version 4", None, 4, 5, False, False),
        ("instead of my v2", None, 2, 3, False, False),
        ("FINAL VERSION", None, None, None, True, False),
        ("v4 (final)", 4, None, 4, True, False),
        ("only changes, otherwise as before", None, None, None, False, True),
    ],
)
def test_version_instructions(
    line: str, version: int | None, replaces: int | None, wanted_version: int | None, final: bool,
    partial: bool
) -> None:
    sheet_heading = read("Montrose", "Edgehill", line, "Army London holds")
    assert (sheet_heading.version, sheet_heading.replaces, sheet_heading.requested_version) == (
        version,
        replaces,
        wanted_version,
    )
    assert (sheet_heading.is_final, sheet_heading.is_partial) == (final, partial)
    assert 2 in sheet_heading.lines


def test_the_second_half_of_a_winter_s_year_names_no_game() -> None:
    sheet_heading = parse_sheet_heading(
        ["Montrose", "Winter 1642/3 Adjustments"], [KnownGame("Table 3", powers=POWERS)])
    assert fields(sheet_heading) == (None, "Montrose", "Winter", 1642, ADJUSTMENT)


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("Army London moves to Surrey", True),
        ("1. Arny London holds", True),
        ("Montrose's Army Eskdale holds", True),
        ("F Iri C A Cae - Dub", True),
        ("A Lon - Sur", True),
        ("Build a Fleet in Portland (Dorset)", True),
        ("Send 1 unit's supply to Argyll", True),
        ("Command of Army London is offered to Argyll", True),
        ("Flect Irish Sea holds", True),
        ("Argyll", False),
        ("Autumn 1642 Movement Orders", False),
        ("Amy Smith", False),
        ("A game of Powick Bridge", False),
        ("", False),
    ],
)
def test_what_begins_like_an_order(line: str, order: bool) -> None:
    assert begins_order(line, []) is order


def test_nothing_after_the_first_order_is_heading() -> None:
    assert read("Army London moves to Surrey", "Montrose", "Edgehill") == SheetHeading()
    assert read() == SheetHeading()
    assert read("Dear Coordinator,", "please find below") == SheetHeading()


def test_without_any_game_there_is_no_season_to_be_found() -> None:
    """A site before its first game: a paper that looks like an order sheet is read all the same, and names
    nothing."""
    sheet_heading = parse_sheet_heading(["Montrose", "Autumm 1642 Movement Orders"], [])
    assert (sheet_heading.game, sheet_heading.power, sheet_heading.season) == (None, None, None)
    assert (sheet_heading.year, sheet_heading.kind) == (1642, MOVEMENT)


def subject(text: str) -> Heading:
    heading = parse_subject(text, GAMES)
    assert isinstance(heading, Heading)
    return heading


def test_agreement_with_the_subject() -> None:
    expected = subject("Edgehill, Montrose, Spring 1643 Movement, v2")
    assert disagreements(expected, read("Montrose", "Edgehill", "Spring 1643 Movement", "v3")) == ()
    assert disagreements(expected, read("Montrose")) == ()
    assert disagreements(expected, SheetHeading()) == ()
    differences = disagreements(expected, read("Argyll", "Powick Bridge", "Autumn 1644 Retreats"))
    assert [difference.field for difference in differences] == ["game", "power", "season", "year", "kind"]
    assert (differences[1].subject, differences[1].sheet, differences[1].is_certain) == (
        "Montrose",
        "Argyll",
        True,
    )
    misread = disagreements(expected, read("Manchesler"))
    assert [(difference.field, difference.is_certain) for difference in misread] == [("power", False)]


def test_a_year_left_out_of_the_subject_disagrees_with_nothing() -> None:
    expected = subject("Edgehill, Montrose, Spring Movement, v2")
    assert disagreements(expected, read("Spring 1643 Movement")) == ()


@pytest.mark.parametrize(
    ("written", "sure"), [("1644", True), ("1643", False), ("1613", False), ("1943", False)]
)
def test_a_year_of_another_century_or_decade_is_a_misread_digit(written: str, sure: bool) -> None:
    """HEAD-03 holds a sheet only if its heading is certain to name another turn."""
    expected = subject("Edgehill, Montrose, Spring 1643 Movement, v2")
    differences = disagreements(expected, read(f"Spring {written} Movement"))
    # 1613 on a sheet for 1643 is a digit misread and sets nothing aside.
    assert [d.is_certain for d in differences] == ([] if written == "1643" else [sure])


@given(st.lists(st.text(max_size=60), max_size=15))
def test_any_lines_give_a_heading(lines: list[str]) -> None:
    sheet_heading = parse_sheet_heading(lines, GAMES)
    assert all(0 <= number < len(lines) for number in sheet_heading.lines)
