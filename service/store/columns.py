"""What every table uses: its parent class, the type of an instant, the closed sets of words that columns
hold, and numbers of rows as forms and addresses send them."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import JSON, DateTime, TypeDecorator
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase

NO_ROW = -1
"""A number that no row has."""


class Instant(TypeDecorator[datetime]):
    """An aware UTC datetime. Raises ValueError for a naive one."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"an instant without a zone cannot be stored: {value!r}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        # SQLite forgets the zone.
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class TableBase(DeclarativeBase):
    """Parent of every table."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {datetime: Instant, dict[str, Any]: JSON, list[Any]: JSON}


class PhaseState(StrEnum):
    """A phase's way: WAITING for its season, OPEN for orders, CLOSED at the deadline with lines to be read,
    READY (judged, waiting for the coordinator's approval), SENT. Each step is an update that names the state
    it expects."""

    WAITING = "waiting"
    OPEN = "open"
    CLOSED = "closed"
    READY = "ready"
    SENT = "sent"


class MailState(StrEnum):
    """A raw mail's way: STORED (bytes kept, work queued), then one of the four ends."""

    STORED = "stored"
    USED = "used"
    REFUSED = "refused"
    QUARANTINED = "quarantined"
    IGNORED = "ignored"


class OutboxState(StrEnum):
    """QUEUED, SENDING (claimed; a crash here may mean twice), SENT, DELAYED (sent, and a server on the way
    reports that it keeps trying), FAILED (given up or bounced), HELD, CANCELLED (its address is gone, its
    player left the seat, or its results were taken back)."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    DELAYED = "delayed"
    FAILED = "failed"
    HELD = "held"
    CANCELLED = "cancelled"


class MailTroubleKind(StrEnum):
    """Of a mail on the server: UNMOVED (taken in, but the server does not let it go), UNFETCHED (the server
    does not hand it out), AWAY (it was not fetched and has left the folder: it is in quarantine there, or
    a person took it)."""

    UNMOVED = "unmoved"
    UNFETCHED = "unfetched"
    AWAY = "away"


def row_number(text: object) -> int:
    """The number that a form or an address names, or NONE for anything that is none.

    Digits of other scripts are numbers to some readers and not to others. A number of twenty digits fits no
    column and one of five thousand not even Python's own reading; both were faults of ours before.
    """
    digits = str(text)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else NO_ROW
