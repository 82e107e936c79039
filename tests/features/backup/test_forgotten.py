"""A backup is whole without the files of a player who is forgotten."""

from __future__ import annotations

import io
from pathlib import Path

from service.features.backup import site_file
from tests.service.archive.test_forget import forget_victim, saved, table
from tests.support.site import MemoryJobs, make_site
from tests.support.table import Table

__all__ = ["saved", "table"]


def test_a_backup_is_whole_without_the_files_of_a_forgotten_player(table: Table, tmp_path: Path) -> None:
    forget_victim(table)
    out = io.BytesIO()
    site_file.write(table.site.engine, table.site.blobs, out, table.site.clock.now(), "test")
    out.seek(0)
    with make_site(tmp_path / "restored") as site:
        restored = site_file.restore(out, site.engine, site.blobs, MemoryJobs(), table.site.clock.now())
        assert restored.roots
