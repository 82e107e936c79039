"""A site's archives and backups from the command line."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import pytest

from service.cli import main
from service.cli.archive import backup_site, export_game, restore_site
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


def test_a_backup_is_drilled_and_put_back(folder: Path, tmp_path: Path) -> None:
    out, file = io.StringIO(), tmp_path / "monday.tar"
    assert backup_site(folder, file, out) == 0
    with pytest.raises(SiteError, match="was not overwritten"):
        backup_site(folder, file, out)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    assert restore_site(file, None, out) == 0
    assert "The drill went well" in out.getvalue()
    new = own_site(tmp_path / "new")
    assert restore_site(file, new, out) == 0
    assert "powick-bridge: " in out.getvalue()
    root_lines = [line for line in out.getvalue().splitlines() if "unbroken. Root" in line]
    assert len(root_lines) == 2
    assert root_lines[0] == root_lines[1]
    export_game(new, GAME, tmp_path / "after.zip", players=False, out=out)
    assert print_check(tmp_path / "after.zip", [], io.StringIO()) == 0
