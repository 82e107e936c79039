"""`galloper backup` and `galloper restore`."""

from __future__ import annotations

import io
import os
import sys
import tarfile
from pathlib import Path

import pytest

from bench.servers.ports import free_port
from service.cli.archive import export_game
from service.cli.users import add_user
from service.features.backup.site_commands import backup_site, restore_site
from service.site_folder import SiteError
from tests.service.cli.test_archive import GAME, folder
from tests.service.operations.test_secrets import PASSWORD, SETTINGS
from tests.support.checks import print_check
from tests.support.own_site import own_site

__all__ = ["folder"]


@pytest.mark.slow
def test_a_backup_is_drilled_and_put_back(folder: Path, tmp_path: Path) -> None:
    out, file = io.StringIO(), tmp_path / "monday.tar"
    assert backup_site(folder, file, out) == 0
    with pytest.raises(SiteError, match="was not overwritten"):
        backup_site(folder, file, out)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    assert restore_site(file, None, out) == 0
    assert "The drill succeeded" in out.getvalue()
    new = own_site(tmp_path / "new")
    assert restore_site(file, new, out) == 0
    assert "powick-bridge: " in out.getvalue()
    root_lines = [line for line in out.getvalue().splitlines() if "unbroken. Root" in line]
    assert len(root_lines) == 2
    assert root_lines[0] == root_lines[1]
    export_game(new, GAME, tmp_path / "after.zip", players=False, out=out)
    assert print_check(tmp_path / "after.zip", [], io.StringIO()) == 0


def test_a_backup_can_be_read_by_nobody_else(tmp_path: Path) -> None:
    output, before = tmp_path / "monday.tar", os.umask(0o022)
    try:
        assert backup_site(own_site(tmp_path / "site"), output, sys.stderr, quiet=True) == 0
    finally:
        os.umask(before)
    assert output.stat().st_mode & 0o777 == 0o600


def test_no_secret_of_the_site_is_in_a_backup_in_clear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(SEC-03) The settings alone hold the secrets; a person's password is stored as a hash."""
    site = own_site(tmp_path / "site", SETTINGS.format(port=free_port()))
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    add_user(site, "Ada", io.StringIO())
    assert backup_site(site, tmp_path / "b.tar", out := io.StringIO()) == 0
    with tarfile.open(tmp_path / "b.tar", "r:") as backup:  # not compressed, so its bytes can be searched
        assert len(backup.getnames()) > 3
    assert b"zk7Qw9" not in (tmp_path / "b.tar").read_bytes() + out.getvalue().encode()
