"""A machine that cannot open photographs in time loses no turn: the mail is filed, and its sender gets a
receipt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import select

from service.intake.filing import READ_WORK
from service.intake.opening.sandbox import ChildFault, SandboxLimits
from service.intake.sheets.read_submission import SubmissionReader
from service.intake.sheets.recognizer import EngineRecognizer, ImageOpener, OpenerProbe
from service.jobs import DbosJobs
from service.mail.mailbox import ingest
from service.notices.answers.replies import Replies
from service.store import records
from service.store.tables import EventRow, MailState, SubmissionRow
from tests.support.table import COORDINATOR, Table, address

HURRIED = ImageOpener(SandboxLimits(wall_seconds=0.0))
"""Stands for an overloaded machine: no child is ready in time."""


@pytest.fixture
def jobs(table: Table) -> Iterator[DbosJobs]:
    queue = DbosJobs(table.site.engine, poll_seconds=0.05, pauses=(0.05,))
    queue.prepare()
    yield queue
    queue.stop()


def _hurried(table: Table) -> SubmissionReader:
    return SubmissionReader(
        store=table.site.store, blobs=table.site.blobs, clock=table.site.clock,
        recognizer=EngineRecognizer(engines=(), opener=HURRIED),
        load=table.load, replies=Replies(table.writer), on_read=lambda _: None,
    )


def test_a_photograph_that_this_machine_cannot_open_in_time_counts(table: Table, jobs: DbosJobs) -> None:
    """Faults 17 and 21: the player learns that it arrived, and not that the file is broken; the coordinator
    sees the fault."""
    table, reader = replace(table, jobs=jobs, probe=OpenerProbe(HURRIED)), _hurried(table)
    table.register_intake(jobs)
    jobs.register(READ_WORK, reader.read, failed=reader.give_up)
    key = table.arrive(table.mail("Montrose"), table.phase().opens_at)
    with table.site.store.begin() as session:
        jobs.enqueue(session, ingest.WORK, f"{ingest.WORK}:{key}", {"mail": key})
    jobs.start()
    assert jobs.wait_idle(60)
    assert table.mail_row(key).state == MailState.USED
    with table.site.store() as session:
        submission = session.scalars(select(SubmissionRow)).one()
        happened = list(session.scalars(select(EventRow.what)))
        (page,) = records.pages(session, submission.id)
    assert (submission.power, submission.fate) == ("Montrose", "held")
    assert page.original
    assert page.note is None
    assert {"work_failed", "reading_failed"} <= set(happened)
    assert ("receipt", address("Montrose")) in table.written_letters()
    assert not [kind for kind, _ in table.written_letters() if kind in {"rejection", "unusable"}]
    assert COORDINATOR in {to for _, to in table.written_letters()}


def test_the_first_tries_refuse_nothing_and_file_nothing(table: Table) -> None:
    """The machine may be well again in a moment."""
    hurried = replace(table, probe=OpenerProbe(HURRIED))
    key = table.arrive(table.mail("Montrose"), table.phase().opens_at)
    with pytest.raises(ChildFault):
        hurried.process(key)
    assert table.mail_row(key).state == MailState.STORED
    assert table.written_letters() == []
    table.process(key)
    assert table.written_letters() == [("receipt", address("Montrose"))]
