"""Work that was lost on the way: a full disk, or a database that others hold, is no fault of a job."""

from __future__ import annotations

import errno

from sqlalchemy.exc import DBAPIError


class NotRecorded(BaseException):
    """The database took no note of how a step ended, or there was no room for what it makes.

    No Exception: DBOS notes one as the end of the job, once there is room again, and a deadline would never
    be closed. So the job stays begun, and `DbosJobs.tend` puts it back.
    """


_FULL, _LOCKED = "53100", "55P03"
"""PostgreSQL's numbers; SQLite has none that SQLAlchemy hands on."""


def is_of_the_store(error: BaseException) -> bool:
    """Whether an error, or what brought it about, is a disk that is full or a database that somebody else
    holds: it ends by itself, and no job is to be given up for it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in {errno.ENOSPC, errno.EDQUOT}:
            return True
        if isinstance(cause, DBAPIError):
            words = f"{cause.orig}"
            if getattr(cause.orig, "sqlstate", "") in {_FULL, _LOCKED} or any(
                    each in words for each in ("disk is full", "database is locked")):
                return True
        cause = cause.__cause__ or cause.__context__
    return False
