"""A disk that fills up while results are approved, drawn and sent (fault 28a): nothing is half sent, and with
room again everything goes out once."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import sleep

import pytest
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from adjudicator.outcome import Resolution
from service.jobs import DbosJobs
from service.mail.sending import outbox
from service.mail.sending.connections import LEASE
from service.mail.sending.outbox import CLAIM, PAUSES, SendCounts, send_due
from service.mail.sending.smtp import MailEnvelope
from service.notices.phase_letters.approval import SENT, WORK, Approvals
from service.notices.results import ResultsAnnouncer
from service.store.tables import ApprovalRow, OutboxState, PhaseRow, PhaseState
from tests.service.notices.phase_letters.test_approval import judged
from tests.support.desk_table import open_desk
from tests.support.letters import SENDER, rows, send, smtp, to, write
from tests.support.mails import wait_for
from tests.support.servers.smtp_sink import SmtpSink
from tests.support.site import make_site
from tests.support.table import Table

pytestmark = pytest.mark.slow


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A file system of its own."""
    folder.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("there is no mount")
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    completed_process = subprocess.run(command, check=False, capture_output=True)
    if completed_process.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {completed_process.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@dataclass
class Disk:
    """A small disk that can be filled to its last block, and emptied."""

    folder: Path
    filled: int = 0

    def fill(self) -> None:
        self.filled += 1
        with (self.folder / "ballast").open("ab") as file:
            try:
                while True:
                    os.write(file.fileno(), bytes(4096))
            except OSError:
                return

    def empty(self) -> None:
        (self.folder / "ballast").unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class FillsTheDisk(ResultsAnnouncer):
    """Draws the letters of results, and has the disk full when the first are made."""

    fill: Callable[[], None] = lambda: None

    def prepare(
        self, session: Session, phase: PhaseRow, resolution: Resolution
    ) -> Callable[[Session], None]:
        self.fill()
        return ResultsAnnouncer.prepare(self, session, phase, resolution)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with small_disk(tmp_path / "small", 64) as folder:
        yield Disk(folder)


def approval_state(table: Table) -> str:
    with table.site.store() as session:
        row = session.get(ApprovalRow, table.phase().id)
        return "" if row is None else row.state


def test_a_disk_that_is_full_before_an_approval_is_told_and_nothing_is_begun(disk: Disk) -> None:
    with make_site(disk.folder) as site:
        table = judged(site)
        acts = Approvals(site.store, site.jobs, site.clock, table.load, ResultsAnnouncer(table.writer))
        desk = open_desk(table, approve=acts.request)
        for submission in table.submissions():
            desk.post(f"/sheet/{submission.id}/right")
        disk.fill()
        answer = desk.post(f"/results/{table.phase().id}/approve")
        assert answer.status_code == 503
        assert "Everything saved before is safe" in answer.text
        assert (table.phase().state, approval_state(table), len(site.jobs.queue)) == (PhaseState.READY, "", 0)
        disk.empty()
        assert desk.post(f"/results/{table.phase().id}/approve").status_code == 303
        assert approval_state(table) == "drawing"


def test_a_disk_that_fills_while_letters_are_drawn_sends_none_and_then_each_once(disk: Disk) -> None:
    with make_site(disk.folder) as site:
        table = judged(site)
        jobs = DbosJobs(site.engine, poll_seconds=0.1, pauses=(0.2, 0.2), lost_seconds=0.5)
        announcer = FillsTheDisk(table.writer, fill=disk.fill)
        acts = Approvals(site.store, jobs, site.clock, table.load, announcer)
        jobs.register(WORK, acts.run, failed=acts.give_up)
        desk = open_desk(table, approve=acts.request)
        for submission in table.submissions():
            desk.post(f"/sheet/{submission.id}/right")
        jobs.start()
        try:
            assert desk.post(f"/results/{table.phase().id}/approve").status_code == 303
            assert wait_for(lambda: disk.filled, 60)
            # With the disk full for longer than all its tries.
            threading.Event().wait(4)
            assert table.phase().state == PhaseState.READY
            assert table.letters() == []
            page = desk.client.get(f"/results/{table.phase().id}")
            assert page.status_code == 200
            object.__setattr__(announcer, "fill", lambda: None)
            disk.empty()

            def is_sent() -> bool:
                jobs.tend(datetime.now(UTC))  # as every half minute in a site
                return approval_state(table) == SENT

            assert wait_for(is_sent, 60)
        finally:
            jobs.stop()
        assert table.phase().state == PhaseState.SENT
        counts = Counter(table.written_letters())
        assert counts
        assert set(counts.values()) == {1}
        with closing(sqlite3.connect(disk.folder / "galloper.sqlite")) as database:
            assert database.execute("pragma integrity_check").fetchone() == ("ok",)


def test_a_disk_that_fills_while_letters_are_sent_doubles_at_most_the_one_under_way(
    disk: Disk, smtp_sink: SmtpSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A letter is claimed before it is sent, so with a full disk none is begun; the one that the relay took
    while the disk filled is marked, since no one could note it for longer than it is tried."""
    monkeypatch.setattr(outbox, "STORE_PAUSES", (0.1, 0.1))
    with make_site(disk.folder) as site:
        assert all(write(site, *(to(f"player-{number}") for number in range(8))))
        transport = smtp(smtp_sink.port)
        usual = transport.send

        class FillsAfterTheThird:
            """The relay, and a disk that fills up while it takes the third letter."""

            def send(self, envelope: MailEnvelope) -> None:
                usual(envelope)
                if len(smtp_sink.letters) == 3:
                    disk.fill()

            def close(self) -> None:
                transport.close()

        def send_on_full_disk() -> SendCounts:
            return send_due(site.store, site.blobs, FillsAfterTheThird(), site.clock, sender=SENDER)

        with pytest.raises(OperationalError, match="full"):
            send_on_full_disk()
        # No one could note that the connection is free; when its lease is over, none can be had.
        assert send_on_full_disk() == SendCounts()
        sleep(LEASE.total_seconds())
        for _ in range(2):
            with pytest.raises(OperationalError, match="full"):
                send_on_full_disk()
        assert len(smtp_sink.letters) == 3
        disk.empty()
        for pause in (CLAIM, PAUSES[1], PAUSES[1]):
            site.clock.advance(pause)
            send(site, smtp_sink.port)
        counts = Counter(str(letter.message["Message-ID"]) for letter in smtp_sink.letters)
        twice = [row.message_id for row in rows(site) if row.possibly_twice]
        assert {row.state for row in rows(site)} == {OutboxState.SENT}
        assert len(counts) == 8
        assert [key for key, count in counts.items() if count > 1] == twice
        assert len(twice) == 1
