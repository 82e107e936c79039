"""A sheet on file: its row, its pages and the job that reads it. Mail, quarantine and post all use it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.jobs import Jobs
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import PageRow, PhaseRow, SubmissionRow

READ_WORK = "read"
"""Name of the job that reads a submission; its payload is {"submission": id}."""

FIRST_MINUTE = datetime(2020, 1, 1, tzinfo=UTC)
"""From here the minutes of deadlines are counted in the ranks of reading."""

TURNS = 32
"""Turns between the games whose deadline is in one minute."""

PAGES_PER_FILE = 100
"""Step of a page's ordinal from one file of a mail to the next. Between them is room for pages of a PDF."""


def file_submission(
    session: Session, blobs: Blobs, jobs: Jobs, files: Sequence[bytes], **values: Any
) -> SubmissionRow | None:
    """File a sheet and queue its reading, in the caller's transaction; None if it is on file already.

    `files` are its photographs in order, of which equal ones are one; `values` as for
    `records.add_submission`.
    """
    submission = records.add_submission(session, **values)
    if submission is None:
        return None
    for index, photograph in enumerate(dict.fromkeys(files)):
        session.add(PageRow(
            submission_id=submission.id, ordinal=index * PAGES_PER_FILE, original=blobs.put(photograph)
        ))
    session.flush()
    queue_reading(session, jobs, submission.id)
    return submission


def queue_reading(session: Session, jobs: Jobs, submission_id: int) -> None:
    """Enqueue the reading of a submission. The job's key makes a second call harmless."""
    jobs.enqueue(session, READ_WORK, f"{READ_WORK}:{submission_id}", {"submission": submission_id},
                 rank=_reading_rank(session, submission_id))


def _reading_rank(session: Session, submission_id: int) -> int:
    """Behind all short work; the nearest deadline first, and of one minute the games in turn: a game's
    second sheet goes after every game's first."""
    submission = session.get_one(SubmissionRow, submission_id)
    phase = session.get_one(PhaseRow, submission.phase_id)
    waiting = session.scalars(select(func.count()).select_from(SubmissionRow).where(
        SubmissionRow.phase_id == phase.id, SubmissionRow.read_at.is_(None),
        SubmissionRow.id < submission_id)).one()
    minutes = max(0, int((phase.deadline - FIRST_MINUTE).total_seconds() // 60))
    return 1 + minutes * TURNS + min(waiting, TURNS - 1)


def semantic_key(version: int | None, photo_keys: Sequence[str]) -> str:
    """A digest of a sheet's version and its photographs' digests, equal if one sheet is mailed twice."""
    # The hash of the mail's bytes is not enough: a server on the way may add a header to a copy.
    return hashlib.sha256("\n".join([str(version), *photo_keys]).encode()).hexdigest()
