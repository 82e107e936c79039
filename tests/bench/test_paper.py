"""`galloper bench paper`: which sheets it prints, and when one counts as read back (POST-07)."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest

import maps
from adjudicator.calendar import PhaseKind
from bench import paper
from grammar.headings.sheet import SheetHeading

WANTED = paper.PrintedHeading("Powick Bridge", "Montrose", "Autumn", 1642, PhaseKind.MOVEMENT)
RIGHT = SheetHeading(
    game="Powick Bridge", power="Montrose", season="Autumn", year=1642, kind=PhaseKind.MOVEMENT
)


def test_a_sheet_is_right_only_when_every_part_is_and_nothing_passes_for_an_order() -> None:
    assert paper.mismatch(WANTED, RIGHT, []) == ""
    # A blank sheet has no orders, so one that was read is a fault even next to a right heading.
    assert "A Perth H" in paper.mismatch(WANTED, RIGHT, ["A Perth H"])
    for other in (replace(RIGHT, game=None), replace(RIGHT, power="Argyll"), replace(RIGHT, season="Summer"),
                  replace(RIGHT, year=1643), replace(RIGHT, kind=None)):
        assert paper.mismatch(WANTED, other, []), other


def test_the_sheets_run_through_powers_phases_and_games() -> None:
    sheets = [paper.heading_of_sheet(number) for number in range(200)]
    assert {sheet.power for sheet in sheets} == {power.name for power in maps.load("w3k").powers.values()}
    assert {sheet.game for sheet in sheets} == set(paper.GAMES)
    assert {sheet.kind for sheet in sheets} == {PhaseKind.MOVEMENT, PhaseKind.RETREAT, PhaseKind.ADJUSTMENT}
    assert WANTED.orders_title == "Autumn 1642 Movement Orders"


def test_what_is_wrong_is_named_by_number_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A prepared reader: three sheets of twelve are not read back."""
    monkeypatch.setattr(paper, "photograph_of_sheet", lambda number: bytes([number]))
    monkeypatch.setattr(
        paper,
        "read_sheet",
        lambda data, printed: (
            SheetHeading()
            if data[0] % 4 == 3
            else SheetHeading(
                game=printed.game, power=printed.power, season=printed.season, year=printed.year,
                kind=printed.kind
            ),
            [],
        ),
    )
    out, progress = io.StringIO(), io.StringIO()
    assert paper.run(12, 100, out, progress) == 0
    figures = [json.loads(line) for line in out.getvalue().splitlines()]
    unread = [figure["value"] for figure in figures if figure["what"] == "blank sheet not read back"]
    assert unread == [103, 107, 111]
    (share,) = [figure for figure in figures if figure["what"] == "blank sheets read back"]
    assert (share["value"], share["right"], share["sheets"], share["target"]) == (0.75, 9, 12, 0.999)
    assert progress.getvalue().splitlines()[-1] == "sheet 12 of 12, 3 wrong"
