"""Games played by hand as cases (`maps/<slug>/cases/game.toml`): each phase begins where the one before it
ended. What each phase leads to is checked by `test_judge_cases`."""

from __future__ import annotations

import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from tests.adjudicator.expectation import Case


def _game(slug: str) -> list[Case]:
    path = Path("maps", slug, "cases", "game.toml")
    cases: list[Case] = tomllib.loads(path.read_text("utf-8"))["case"] if path.exists() else []
    return cases


GAMES = [
    slug
    for slug in maps.variants()
    if _game(slug) and all({"season", "year"} <= case.keys() for case in _game(slug))
]
"""Those whose every case names its phase."""


def _phase(case: Case) -> Phase:
    return Phase(case["year"], case["season"], PhaseKind(case["phase"]))


@pytest.mark.parametrize("slug", GAMES)
def test_each_phase_begins_with_what_the_one_before_left(slug: str) -> None:
    for before, after in pairwise(_game(slug)):
        assert sorted(after["units"]) == sorted(before["expect"]["positions"]), after["id"]
        if after["phase"] == "retreat":
            assert after["dislodged"] == before["expect"]["dislodged"], after["id"]
        if "centres" in before["expect"]:
            assert after["centres"] == before["expect"]["centres"], after["id"]
        if "memory" in before["expect"]:
            assert after["memory"] == before["expect"]["memory"], after["id"]


@pytest.mark.parametrize("slug", GAMES)
def test_phases_follow_each_other_and_go_on_for_three_years(slug: str) -> None:
    game, calendar = _game(slug), maps.load(slug).calendar
    for before, after in pairwise(game):
        phase = calendar.phase_after(_phase(before))
        # A retreat phase is skipped where no one can retreat.
        if phase.kind is PhaseKind.RETREAT and after["phase"] != "retreat":
            assert not any(lost["may_retreat"] for lost in before["expect"]["dislodged"])
            phase = calendar.phase_after(phase)
        assert _phase(after) == phase, after["id"]
    assert game[-1]["year"] - game[0]["year"] >= 3
    assert game[-1]["season"] == game[0]["season"], "whole years"


def test_a_game_was_played() -> None:
    assert "bretwalda" in GAMES
