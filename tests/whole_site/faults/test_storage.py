"""The database held by another process for twenty seconds and for a minute (fault 27), and a disk
that fills up during intake (fault 28)."""

from __future__ import annotations

import mailbox
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from service.clock import SystemClock
from service.config import MailIn
from service.mail.mailbox.ingest import take_in, watch
from service.mail.mailbox.maildir import MaildirSource
from service.operations.mailbox_status import MailboxStatus
from service.site_folder import opened, settings_of
from service.store.engine import open_engine
from service.store.tables import MailRow, UserRow
from tests.support.mails import simple, wait_for
from tests.support.own_site import SETTINGS, deliver, own_site
from tests.support.servers.postgres import Postgres, binaries
from tests.support.servers.served import Served
from tests.support.site import make_site

HELD = 20.0
HOLDER = """
import sqlite3, sys, time
held = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
held.execute("begin immediate")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
held.execute("rollback")
"""


@pytest.mark.slow
def test_a_database_held_for_twenty_seconds_is_waited_for_and_nobody_is_told_an_error(tmp_path: Path) -> None:
    folder = own_site(tmp_path / "site")
    password = "a password of the tests"
    subprocess.run(
        [sys.executable, "-m", "service.cli.main", "user", str(folder), "Ada"],
        input=password,
        text=True,
        check=True,
        capture_output=True,
    )
    site = Served(folder)
    try:
        site.ready()
        database = folder / "data" / "galloper.sqlite"
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(database), str(HELD)], stdout=subprocess.PIPE
        )
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        begun = time.monotonic()
        deliver(folder, simple(1))
        form = urllib.parse.urlencode({"name": "Ada", "password": password}).encode()
        # writes a session
        with urllib.request.urlopen(f"{site.address}/sign-in", form, timeout=60) as answer:
            assert answer.status == 200
        # The sign-in had to wait: it did not slip in before the lock.
        assert time.monotonic() - begun > HELD - 2
        holder.communicate()
        with opened(settings_of(folder)) as store:

            def ended() -> bool:
                with store() as session:
                    return (
                        session.scalar(
                            select(func.count()).select_from(MailRow).where(MailRow.state != "stored")
                        )
                        == 1
                    )

            assert wait_for(ended, 60)
            with store() as session:
                assert session.scalar(select(UserRow.name)) == "Ada"
        assert site.end() == 0
        assert not [line for line in site.said if "Mail cannot be received" in line or "Traceback" in line], (
            site.said
        )
    finally:
        site.close()


@pytest.mark.slow
def test_a_database_held_for_a_minute_loses_no_mail_and_says_so(tmp_path: Path) -> None:
    """Longer than anybody waits for it: the sign-in is told, the mail stays where it is, and both go on."""
    folder, password = own_site(tmp_path / "site"), "a password of the tests"
    subprocess.run([sys.executable, "-m", "service.cli.main", "user", str(folder), "Ada"], input=password,
                   text=True, check=True, capture_output=True)
    site = Served(folder)
    try:
        site.ready()
        held = str(folder / "data" / "galloper.sqlite")
        holder = subprocess.Popen([sys.executable, "-c", HOLDER, held, "65"], stdout=subprocess.PIPE)
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        deliver(folder, simple(1))
        form = urllib.parse.urlencode({"name": "Ada", "password": password}).encode()
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(f"{site.address}/sign-in", form, timeout=120)
        assert refusal.value.code == 503
        assert b"did not answer in time" in refusal.value.read()
        assert holder.poll() is None  # it was told while the database was still held
        holder.communicate()
        with opened(settings_of(folder)) as store:

            def ended() -> bool:
                with store() as session:
                    return [row.state for row in session.scalars(select(MailRow))] == ["quarantined"]

            assert wait_for(ended, 120)
        with urllib.request.urlopen(f"{site.address}/sign-in", form, timeout=60) as answer:
            assert answer.status == 200
        assert site.end() == 0
    finally:
        site.close()


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.skipif(binaries() is None, reason="PostgreSQL's server is not installed")
def test_tables_held_for_a_minute_on_postgresql_are_waited_for(
    tmp_path: Path, cluster: Postgres
) -> None:
    """PostgreSQL lets everybody wait as long as it takes; nothing is lost, and no one is informed an
    error."""
    password = "a password of the tests"
    url = cluster.url()
    folder = own_site(tmp_path / "site", f'database = "{url}"\n{SETTINGS}')
    subprocess.run([sys.executable, "-m", "service.cli.main", "user", str(folder), "Ada"], input=password,
                   text=True, check=True, capture_output=True)
    site = Served(folder)
    try:
        site.ready()
        engine = open_engine(url)
        form = urllib.parse.urlencode({"name": "Ada", "password": password}).encode()
        with engine.connect() as held:
            held.execute(text("LOCK TABLE mails, sessions, sign_in_tries IN ACCESS EXCLUSIVE MODE"))
            deliver(folder, simple(1))
            begun = time.monotonic()
            release = threading.Timer(62, held.rollback)
            release.start()
            with urllib.request.urlopen(f"{site.address}/sign-in", form, timeout=120) as answer:
                assert answer.status == 200
            assert time.monotonic() - begun > 60
            release.join()
        engine.dispose()
        with opened(settings_of(folder)) as store:

            def ended() -> bool:
                with store() as session:
                    return [row.state for row in session.scalars(select(MailRow))] == ["quarantined"]

            assert wait_for(ended, 120)
        assert site.end() == 0
        assert not [line for line in site.said if "Traceback" in line], site.said
    finally:
        site.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("there is no mount")
    completed_process = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if completed_process.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {completed_process.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> Path:
    ballast = folder / "ballast"
    with ballast.open("wb") as file:
        try:
            while True:
                # A block at a time, until not even one more fits.
                os.write(file.fileno(), bytes(4096))
        except OSError:
            return ballast


def test_a_full_disk_leaves_the_mail_where_it_is_and_intake_goes_on_when_there_is_room(
    small_disk: Path, tmp_path: Path
) -> None:
    box = mailbox.Maildir(str(tmp_path / "box"), create=True)
    clock = SystemClock()
    reports, stop, pulse = list[str](), threading.Event(), MailboxStatus(clock)
    with make_site(small_disk) as site:
        source = MaildirSource(MailIn(kind="maildir", path=str(tmp_path / "box")))
        watching = threading.Thread(target=watch, args=(
            source, lambda: take_in(source, site.store, site.blobs, site.jobs, clock), stop,
            pulse.recording(reports.append), 0.2))
        try:
            watching.start()
            assert wait_for(lambda: reports, 20)
            ballast = fill(small_disk)
            raw = simple(1, size=200_000)
            box.add(raw)
            assert wait_for(lambda: reports[-1], 20)
            # The Health page and the alarm show what the pulse has heard.
            assert pulse.last is not None
            assert "on the mail server" in pulse.last.trouble
            time.sleep(1.5)  # it is tried again, and stays
            assert len(list((tmp_path / "box" / "new").iterdir())) == 1
            ballast.unlink()
            assert wait_for(lambda: not reports[-1], 30)
            with site.store() as session:
                (row,) = session.scalars(select(MailRow)).all()
            assert site.blobs.read(row.sha256) == raw
            assert list((tmp_path / "box" / "new").iterdir()) == []
            with closing(sqlite3.connect(small_disk / "galloper.sqlite")) as database:
                assert database.execute("pragma integrity_check").fetchone() == ("ok",)
        finally:
            stop.set()
            watching.join()
