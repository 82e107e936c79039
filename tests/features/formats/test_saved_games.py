"""Games of other programs on the command line (INS-09)."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from adjudicator.formats import datc_cases, diplomacy_game
from adjudicator.formats.forms import Format
from adjudicator.formats.game_log import FormatFault
from service.cli.main import app
from service.features.formats import FORMATS
from service.features.formats.saved_games import convert, judge_again
from service.site_folder import SiteError
from tests.support.features import commands_of
from tests.support.game_logs import random_game, standard_board


@pytest.fixture
def saved_game(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    path.write_bytes(diplomacy_game.write(standard_board(), random_game(1, 12)).data)
    return path


def test_a_saved_game_is_judged_again(saved_game: Path) -> None:
    """INS-09."""
    out = io.StringIO()
    assert judge_again(saved_game, "standard", out, as_json=False) == 0
    lines = out.getvalue().splitlines()
    assert len(lines) == 1
    assert lines[0].endswith("phases have the same results here.")


def test_a_difference_is_named_with_its_phase(saved_game: Path) -> None:
    game = json.loads(saved_game.read_text())
    game["phases"][1]["state"]["units"]["FRANCE"] = ["A PAR"]
    saved_game.write_text(json.dumps(game))
    out = io.StringIO()
    assert judge_again(saved_game, "standard", out, as_json=False) == 1
    assert out.getvalue().startswith("random-1, Spring 1901 Movement: units: only here FRANCE ")


def test_one_format_is_turned_into_another(saved_game: Path, tmp_path: Path) -> None:
    """INS-09: diplomacy's game as jDip's test cases and as cases of our own judge, each judged alike."""
    for form, name in (("datc", "cases.txt"), ("cases", "cases.jsonl")):
        path = tmp_path / name
        assert convert(saved_game, path, "standard", form, io.StringIO(), lossy=True) == 0
        assert judge_again(path, "standard", io.StringIO(), as_json=True) == 0
        with pytest.raises(SiteError, match="was not overwritten"):
            convert(saved_game, path, "standard", form, io.StringIO(), lossy=True)


def test_what_cannot_be_converted_is_said(tmp_path: Path) -> None:
    cases = tmp_path / "cases.txt"
    cases.write_bytes(datc_cases.write(standard_board(), random_game(1, 4)).data)
    with pytest.raises(FormatFault, match="one is converted at a time"):
        convert(cases, tmp_path / "out", "standard", "diplomacy", io.StringIO(), lossy=False)
    other = tmp_path / "letter.txt"
    other.write_text("Dear Ada")
    with pytest.raises(FormatFault, match="in no format that is known here"):
        judge_again(other, "standard", io.StringIO(), as_json=False)


def test_an_unknown_format_is_bad_usage(saved_game: Path, tmp_path: Path) -> None:
    words = ["game", "convert", str(saved_game), str(tmp_path / "out"), "--format", "pgn"]
    outcome = CliRunner().invoke(app, words)
    assert outcome.exit_code == 2
    assert "there is no format 'pgn'" in outcome.output


def test_its_commands() -> None:
    assert commands_of("formats") == {"game convert", "game judge-again"}


def test_the_formats_are_those_of_the_judge() -> None:
    assert tuple(Format) == FORMATS
