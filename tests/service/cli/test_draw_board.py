"""`galloper map draw`: three endings, and one sentence for what cannot be drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

import maps
from service.cli.draw_board import run_draw

STANDARD = maps.load("standard")


@pytest.mark.parametrize(("ending", "begins"), [
    ("svg", b"<svg"), ("PNG", b"\x89PNG"), pytest.param("pdf", b"%PDF", marks=pytest.mark.slow),
])
def test_the_ending_says_what_is_drawn(tmp_path: Path, ending: str, begins: bytes) -> None:
    output = tmp_path / f"map.{ending}"
    assert run_draw(STANDARD, output) == 0
    assert output.read_bytes().startswith(begins)


def test_another_ending_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_draw(STANDARD, tmp_path / "map.gif") == 1
    error = capsys.readouterr().err
    assert "must end in .svg, .png or .pdf" in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_draw(STANDARD, tmp_path / "nowhere" / "map.svg") == 1
    assert "nowhere/map.svg: there is no such file or folder" in capsys.readouterr().err


def test_a_board_without_shapes_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.cli.draw_board.maps.shapes", lambda _slug: {})
    assert run_draw(STANDARD, tmp_path / "map.svg") == 1
    assert "no drawn shapes" in capsys.readouterr().err
