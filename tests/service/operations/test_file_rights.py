"""The files of a site are for its own account alone (SEC-03)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.operations.file_rights import check_files, close_files, open_paths
from service.operations.findings import FindingState
from service.site_folder import bring_up_to_date, settings_of, write_settings
from service.store.blobs import Blobs
from tests.support.own_site import own_site


@pytest.fixture(autouse=True)
def common_umask() -> Iterator[None]:
    """What most accounts have: everybody may read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_site_can_be_read_by_nobody_else(tmp_path: Path) -> None:
    """Under the umask 022 the database and the photographs had 0644, in folders of 0755."""
    write_settings(tmp_path / "new")
    assert mode(tmp_path / "new") == 0o700
    os.umask(0o022)
    settings = settings_of(own_site(tmp_path / "site"))
    bring_up_to_date(settings)
    Blobs(Path(settings.data) / "blobs").put(b"a photograph")
    paths = list(Path(settings.data).rglob("*"))
    assert len(paths) > 3
    assert {mode(path) for path in [Path(settings.data), *paths]} == {0o700, 0o600}
    assert check_files(settings).state is FindingState.WELL


def test_what_an_earlier_version_left_open_is_told_and_closed(tmp_path: Path) -> None:
    settings = settings_of(own_site(tmp_path / "site"))
    data = Path(settings.data)
    data.mkdir(parents=True, exist_ok=True)
    sheet = data / "blobs" / "ab" / "sheet"
    sheet.parent.mkdir(parents=True)
    sheet.write_bytes(b"orders")
    for path, rights in ((data, 0o755), (sheet.parent, 0o755), (sheet, 0o644)):
        path.chmod(rights)
    (data / "elsewhere").symlink_to("/etc")
    finding = check_files(settings)
    assert finding.state is FindingState.TROUBLE
    assert "3 files or folders" in finding.sentence
    assert close_files(settings) == 3
    assert (open_paths(settings), mode(sheet), mode(sheet.parent)) == ([], 0o600, 0o700)
    assert mode(Path("/etc")) & 0o755 == 0o755
