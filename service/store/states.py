"""The closed sets of the tables: each a word that a column holds."""

from __future__ import annotations

from enum import StrEnum


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
    reports that it keeps trying), FAILED (given up or bounced), HELD, CANCELLED (its address is gone, or its
    player left the seat)."""

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
    somebody took it)."""

    UNMOVED = "unmoved"
    UNFETCHED = "unfetched"
    AWAY = "away"
