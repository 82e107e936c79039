"""Work that was lost on the way because there was no room for it: a full disk is no fault of a job."""

from __future__ import annotations

import errno

from sqlalchemy.exc import DBAPIError


class NotRecorded(BaseException):
    """The database took no note of how a step ended, or there was no room for what it makes.

    No Exception: DBOS notes one as the end of the job, once there is room again, and a deadline would never
    be closed. So the job stays begun, and `DbosJobs.tend` puts it back.
    """


def is_out_of_room(error: BaseException) -> bool:
    """Whether an error, or what brought it about, is a disk that is full, of ours or of the database
    server."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in {errno.ENOSPC, errno.EDQUOT}:
            return True
        # PostgreSQL 53100; SQLite has no number that SQLAlchemy hands on.
        if isinstance(cause, DBAPIError) and (
                getattr(cause.orig, "sqlstate", "") == "53100" or "disk is full" in f"{cause.orig}"):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
