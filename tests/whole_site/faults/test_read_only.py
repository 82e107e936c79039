"""A disk that can only be read (MBX-06): a kernel makes one so when it finds it damaged. Nothing is given up
for it, and once it can be written everything goes on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from service.jobs import TRIES, DbosJobs, Payload
from tests.support.mails import wait_for
from tests.support.site import make_site
from tests.whole_site.faults.test_full_disk import small_disk

pytestmark = pytest.mark.slow


def remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True, capture_output=True)


def test_no_job_is_given_up_while_photographs_cannot_be_written(tmp_path: Path) -> None:
    """The database is on another disk, so a step that failed could be noted, and the third time it would be
    given up: a player's sheet would be for a person to bring back."""
    with small_disk(tmp_path / "photographs", 16) as folder, make_site(tmp_path / "site") as site:
        blobs = type(site.blobs)(folder / "blobs")
        jobs = DbosJobs(site.engine, poll_seconds=0.1, pauses=(0.1, 0.1), lost_seconds=0.3)
        tries: list[str] = []
        given_up: list[str] = []

        def keep(payload: Payload) -> None:
            tries.append(payload["words"])
            blobs.put(payload["words"].encode())

        jobs.prepare()
        jobs.register("keep", keep, failed=lambda _payload, error: given_up.append(error))
        remount(folder, "ro")
        with site.store.begin() as session:
            jobs.enqueue(session, "keep", "keep:1", {"words": "Army London holds"})
        jobs.start()
        try:
            for number in range(1, TRIES + 2):
                assert wait_for(lambda: len(tries) >= number, 60)  # noqa: B023
                assert wait_for(lambda: jobs.put_back_lost() == 1, 60)
            assert given_up == []
            remount(folder, "rw")
            assert wait_for((folder / "blobs").exists, 90)
            assert jobs.wait_idle(60)
        finally:
            jobs.stop()
        assert given_up == []
        assert len([path for path in (folder / "blobs").rglob("*") if path.is_file()]) == 1
