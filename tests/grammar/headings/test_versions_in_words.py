"""Versions and phases as players write them in a subject and at the top of a sheet (WRD-05)."""

from __future__ import annotations

import pytest

from adjudicator.calendar import PhaseKind
from grammar.headings.sheet import parse_sheet_heading
from grammar.headings.subject import parse_subject
from grammar.headings.values import Flag, Heading, HeadingComplaint, KnownGame, KnownPower
from grammar.headings.versions import is_bare_version

GAME = KnownGame("Powick Bridge", powers=(KnownPower("Montrose"), KnownPower("Argyll")))
SUBJECT = "Powick Bridge, Montrose, Autumn 1644 Retreats, "

VERSIONS = [
    ("#2", 2), ("# 2", 2), ("no. 2", 2), ("No 3", 3), ("number 4", 4), ("number two", 2),
    ("2nd version", 2), ("3rd version", 3), ("second version", 2), ("version two", 2), ("Version #3", 3),
    ("revision 2", 2),    ("rev. 3", 3), ("third attempt", 3), ("v2", 2), ("v.4", 4),
]


@pytest.mark.parametrize(("written", "number"), VERSIONS)
def test_a_version_in_words_is_a_version(written: str, number: int | None) -> None:
    parsed = parse_subject(SUBJECT + written, [GAME])
    assert isinstance(parsed, Heading)
    assert parsed.version == number
    assert parsed.trailing == ""
    assert (parsed.game, parsed.power, parsed.season, parsed.year, parsed.kind) == (
        "Powick Bridge", "Montrose", "Autumn", 1644, PhaseKind.RETREAT)


@pytest.mark.parametrize(("written", "number"), [
    *(pair for pair in VERSIONS if pair[0] != "# 2"), ("replaces v1", 2)])
def test_what_follows_a_version_trails_it(written: str, number: int) -> None:
    parsed = parse_subject(f"{SUBJECT}{written} lots: heather", [GAME])
    assert isinstance(parsed, Heading)
    assert (parsed.version, parsed.trailing) == (number, "lots: heather")


@pytest.mark.parametrize("written", ["v2.1", "v2?", "version 2.5"])
def test_a_number_that_ranks_nowhere_is_an_unclear_version(written: str) -> None:
    parsed = parse_subject(SUBJECT + written, [GAME])
    assert isinstance(parsed, Heading)
    assert parsed.version is None
    assert Flag.VERSION_UNCLEAR in parsed.flags


@pytest.mark.parametrize(("line", "is_bare"), [
    ("v", True), ("Ver.", True), ("version no", True), ("version of Amy's", False), ("no", False),
])
def test_the_word_for_a_version_without_its_number(line: str, is_bare: bool) -> None:
    assert is_bare_version(line) is is_bare


@pytest.mark.parametrize(("written", "number"), [pair for pair in VERSIONS if pair[1] is not None])
def test_a_sheet_s_heading_knows_them_too(written: str, number: int) -> None:
    sheet = parse_sheet_heading(["Montrose", "Powick Bridge", f"Autumn 1644 Retreats {written}"], [GAME])
    assert sheet.version == number
    assert (sheet.season, sheet.year) == ("Autumn", 1644)


@pytest.mark.parametrize("written", ["final", "final version", "version B", "last version", "FINAL!"])
def test_a_version_that_is_said_and_not_understood_is_flagged(written: str) -> None:
    parsed = parse_subject(SUBJECT + written, [GAME])
    assert isinstance(parsed, Heading)
    assert parsed.version is None
    assert Flag.VERSION_UNCLEAR in parsed.flags


@pytest.mark.parametrize("written", ["v2 final", "", "with best regards"])
def test_a_number_or_nothing_is_no_unclear_version(written: str) -> None:
    parsed = parse_subject(SUBJECT + written, [GAME])
    assert Flag.VERSION_UNCLEAR not in (parsed.flags if isinstance(parsed, Heading) else parsed.partial.flags)


@pytest.mark.parametrize(
    ("phase", "season", "year", "kind"),
    [
        ("Autumn 44 Retreats", "Autumn", 44, PhaseKind.RETREAT),
        ("Autumn '44 Retreats", "Autumn", 44, PhaseKind.RETREAT),
        ("F1644R", "Autumn", 1644, PhaseKind.RETREAT),
        ("A1644 Retreats", "Autumn", 1644, PhaseKind.RETREAT),
        ("A1644M", "Autumn", 1644, PhaseKind.MOVEMENT),
        ("W1644A", "Winter", 1644, PhaseKind.ADJUSTMENT),
        ("F44R", "Autumn", 44, PhaseKind.RETREAT),
    ],
)
def test_a_phase_in_short(phase: str, season: str, year: int, kind: PhaseKind) -> None:
    parsed = parse_subject(f"Powick Bridge, Montrose, {phase}, v2", [GAME])
    assert isinstance(parsed, Heading), parsed
    assert (parsed.season, parsed.year, parsed.kind, parsed.version) == (season, year, kind, 2)


def test_a_letter_that_two_seasons_share_is_no_season() -> None:
    # S1644 is Spring or Summer.
    parsed = parse_subject("Powick Bridge, Montrose, S1644M, v2", [GAME])
    assert isinstance(parsed, HeadingComplaint)
    assert "season" in parsed.missing
