"""A site's archives from the command line."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import pytest

from service.cli import main
from service.cli.archive import export_game
from service.cli.games import create_game
from service.site_folder import SiteError
from tests.support.checks import print_check
from tests.support.own_site import game_file, own_site

GAME = "powick-bridge"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site_folder = own_site(tmp_path / "site")
    create_game(site_folder, game_file(tmp_path), io.StringIO())
    return site_folder


@pytest.mark.parametrize("players", [False, True])
def test_a_game_is_exported_and_its_archive_verified(folder: Path, tmp_path: Path, players: bool) -> None:
    out, path = io.StringIO(), tmp_path / "game.zip"
    assert export_game(folder, GAME, path, players=players, out=out) == 0
    assert str(path) in out.getvalue()
    report = io.StringIO()
    assert print_check(path, [], report) == 0, report.getvalue()
    with zipfile.ZipFile(path) as zipped:
        assert "HOW THE RECORD IS CHECKED" in zipped.read("README.txt").decode()
    with pytest.raises(SiteError, match="was not overwritten"):
        export_game(folder, GAME, path, players=players, out=out)


def test_a_game_that_is_not_there_is_told_with_those_that_are(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        sys, "argv", ["galloper", "game", "export", str(folder), "powick", str(tmp_path / "x.zip")]
    )
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 1
    assert "Did you mean powick-bridge?" in capsys.readouterr().err
    assert not (tmp_path / "x.zip").exists()
