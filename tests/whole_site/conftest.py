"""The old site's files, unpacked once for each file of tests."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest

from tests.whole_site.old_site import (
    FOLDER,
)


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files as the old commit left them: `site`, `archives`, `letters`, `stored`, `backup.tar`.

    Nothing is written here."""
    folder = tmp_path_factory.mktemp("old-site")
    with tarfile.open(FOLDER / "old_site.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder


@pytest.fixture
def site_folder(old: Path, tmp_path: Path) -> Path:
    """A copy of the old site's folder, to be written to."""
    return Path(shutil.copytree(old / "site", tmp_path / "site"))
