"""A disk that can only be read, and too little memory (MBX-04)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.operations import health
from service.operations.findings import Finding, FindingState
from service.operations.health import Observation, check_disk, check_memory
from service.operations.mailbox_status import MailboxStatus
from tests.support.site import Site


def observed(site: Site, data: Path) -> Observation:
    with site.store() as session:
        return Observation(session, site.clock.now(), MailboxStatus(site.clock), data, engines_loaded=False)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "read-only"
    folder.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("there is no mount")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "ro,size=8g", "tmpfs", str(folder)], check=False, capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_can_only_be_read_is_told(site: Site, read_only: Path) -> None:
    found = check_disk(observed(site, read_only))
    assert found.is_trouble
    assert "is read-only" in found.sentence


def limited(site: Site, folder: Path, limit: str, monkeypatch: pytest.MonkeyPatch) -> Finding:
    """What is stated in a container of which the kernel says so. No test may lower its own limit and go
    on."""
    file = folder / "memory.max"
    file.write_text(f"{limit}\n", "ascii")
    monkeypatch.setattr(health, "MEMORY_FILES", (file, Path("/proc/meminfo")))
    return check_memory(observed(site, folder))


def test_memory_below_what_reading_needs_is_told(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = limited(site, tmp_path, "600000000", monkeypatch)
    assert small.is_trouble
    assert small.sentence == "0.6 GB."
    # Without a limit the machine's own counts.
    assert limited(site, tmp_path, "max", monkeypatch).state is FindingState.WELL
