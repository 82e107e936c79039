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
        # Debian 12 has Python 3.11.2, and extractall() knows `filter` from 3.11.4 on.
        packed.extraction_filter = getattr(tarfile, "data_filter", None)
        packed.extractall(folder)
    return folder


@pytest.fixture
def site_folder(old: Path, tmp_path: Path) -> Path:
    """A copy of the old site's folder, to be written to."""
    return Path(shutil.copytree(old / "site", tmp_path / "site"))
