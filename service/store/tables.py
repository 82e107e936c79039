"""The tables. Every fact keeps the key of the fact it came from, so a line in a results letter leads back to a
rectangle on a photograph. Instants are UTC; JSON columns hold values that `service.store.codec` writes and reads.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    Date,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Instant(TypeDecorator[datetime]):
    """An aware UTC datetime. SQLite forgets the zone, so it is put back on the way out; naive values are refused."""

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
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """Parent of every table."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {datetime: Instant, dict[str, Any]: JSON, list[Any]: JSON}


class PhaseState(StrEnum):
    """A phase's way: WAITING for its season, OPEN for orders, CLOSED at the deadline with lines to be read, READY
    (judged, waiting for the coordinator's approval), SENT. Each step is an update that names the state it expects."""

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


class LineState(StrEnum):
    """States of a line, in the words of the desk."""

    AUTO = "auto"
    OPEN = "open"
    READ = "read"
    VOID = "void"
    NOT_ORDER = "not an order"
    SKIPPED = "skipped"


class OutboxState(StrEnum):
    """QUEUED, SENDING (claimed; a crash here may mean twice), SENT, FAILED (given up or bounced), HELD."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    HELD = "held"


class GameRow(Base):
    """One running match. `id` is a slug of its name ("powick-bridge")."""

    __tablename__ = "games"
    id: Mapped[str] = mapped_column(String(80), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    aliases: Mapped[list[Any]] = mapped_column(default=list)
    variant: Mapped[str] = mapped_column(String(40))
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]


class PlayerRow(Base):
    """A person. `zone` is an IANA name, used for the second clock in letters. `feed` is the random part of the address
    of the calendar feed of all their games (CAL-16); `reminders` whether they asked to be reminded (OUT-11);
    `accommodation` a named exception for them, such as letters that somebody else posts (POST-06)."""

    __tablename__ = "players"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    zone: Mapped[str] = mapped_column(String(60), default="Europe/London")
    feed: Mapped[str | None] = mapped_column(String(64), unique=True)
    reminders: Mapped[bool] = mapped_column(default=False)
    accommodation: Mapped[str] = mapped_column(Text, default="")


class PostalRow(Base):
    """A postal address of a player, as it is written on an envelope below the name (LIST-01, LIST-02).

    `first` and `last` are the days on which a temporary one applies, both included; both None for the address of
    always. `ended_at`: taken off the list; the row stays, so that every change can be followed (LIST-05).
    """

    __tablename__ = "postal"
    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    lines: Mapped[list[Any]]
    first: Mapped[date | None] = mapped_column("first_day", Date)
    last: Mapped[date | None] = mapped_column("last_day", Date)
    made_at: Mapped[datetime]
    made_by: Mapped[str] = mapped_column(String(80))
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[str | None] = mapped_column(String(80))


class LinkRow(Base):
    """A personal link mailed to a player: the SHA-256 of its random part, what it opens ("entry" or "file"), and for
    how long. `used_at` closes a single-use link (LIST-04)."""

    __tablename__ = "links"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    opens: Mapped[str] = mapped_column(String(20))
    made_at: Mapped[datetime]
    until: Mapped[datetime]
    used_at: Mapped[datetime | None]


class AddressRow(Base):
    """A mail address of a player, kept in lower case."""

    __tablename__ = "addresses"
    email: Mapped[str] = mapped_column(String(320), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))


class SeatRow(Base):
    """Who commands a power in a game."""

    __tablename__ = "seats"
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    power: Mapped[str] = mapped_column(String(80), primary_key=True)
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"))


class PhaseRow(Base):
    """One phase of a game: its clock, the position before it and the resolution after it.

    `ordinal` counts the game's phases from 1. `position` and `resolution` are codec JSON; `lots` the tape used.
    `unsealed_*`: who looked at the sheets before the deadline, when and why, for the next results to print (DESK-02).
    `moved` counts how often the deadline was moved (CAL-15), `moved_at` says when last.
    """

    __tablename__ = "phases"
    __table_args__ = (UniqueConstraint("game_id", "ordinal"), Index("phases_deadline", "state", "deadline"))
    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"))
    ordinal: Mapped[int]
    year: Mapped[int]
    season: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(20))
    opens_at: Mapped[datetime]
    deadline: Mapped[datetime]
    moved: Mapped[int] = mapped_column(default=0)
    moved_at: Mapped[datetime | None]
    state: Mapped[str] = mapped_column(String(20), default=PhaseState.WAITING)
    position: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    resolution: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    lots: Mapped[list[Any]] = mapped_column(default=list)
    closed_at: Mapped[datetime | None]
    judged_at: Mapped[datetime | None]
    sent_at: Mapped[datetime | None]
    unsealed_at: Mapped[datetime | None]
    unsealed_by: Mapped[str | None] = mapped_column(String(80))
    unsealed_why: Mapped[str | None] = mapped_column(Text)


class MailRow(Base):
    """One incoming mail, by the SHA-256 of its bytes. `received_at` is the receiving server's stamp (SUB-09).

    `sender` is the authenticated address in lower case, None for mails that no later one may be compared with.
    """

    __tablename__ = "mails"
    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    size: Mapped[int]
    received_at: Mapped[datetime]
    stored_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(20), default=MailState.STORED)
    reason: Mapped[str | None] = mapped_column(String(60))
    tries: Mapped[int] = mapped_column(Integer, default=0)
    sender: Mapped[str | None] = mapped_column(String(320), index=True)
    verdict: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class PlaceRow(Base):
    """Where a mail was seen. A new UIDVALIDITY is a different folder; the same bytes may stand in many places."""

    __tablename__ = "places"
    account: Mapped[str] = mapped_column(String(200), primary_key=True)
    folder: Mapped[str] = mapped_column(String(200), primary_key=True)
    uidvalidity: Mapped[str] = mapped_column(String(80), primary_key=True)
    uid: Mapped[str] = mapped_column(String(300), primary_key=True)
    sha256: Mapped[str] = mapped_column(ForeignKey("mails.sha256"))
    moved_at: Mapped[datetime | None]


class SubmissionRow(Base):
    """One filed paper: an accepted mail for one phase and power, or a letter that came by post (`sha256` None).

    `instruction` is the version number that the sheet's own version instruction asks for (VER-02).
    `fate` is "counts", "superseded", "late", "held"; `semantic_key` absorbs the same paper mailed twice.
    """

    __tablename__ = "submissions"
    __table_args__ = (UniqueConstraint("phase_id", "power", "semantic_key"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    sha256: Mapped[str | None] = mapped_column(ForeignKey("mails.sha256"), unique=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"))
    power: Mapped[str] = mapped_column(String(80))
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"))
    sender: Mapped[str] = mapped_column(String(320))
    received_at: Mapped[datetime]
    version: Mapped[int | None]
    instruction: Mapped[int | None]
    flags: Mapped[list[Any]] = mapped_column(default=list)
    semantic_key: Mapped[str] = mapped_column(String(64))
    fate: Mapped[str] = mapped_column(String(20), default="counts")
    read_at: Mapped[datetime | None]


class PostedRow(Base):
    """A letter with orders that came by post (SUB-16, Q-04): its postmark where it can be read, and the day it came.

    `submission_id` is the paper its scan was filed as; None where only the tick "original received" was set.
    `ended_at`: taken back; the row stays, so that every change can be followed.
    """

    __tablename__ = "posted"
    __table_args__ = (Index("posted_of_a_phase", "phase_id", "power"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"))
    power: Mapped[str] = mapped_column(String(80))
    postmark: Mapped[date | None] = mapped_column(Date)
    received: Mapped[date] = mapped_column(Date)
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submissions.id"), unique=True)
    made_at: Mapped[datetime]
    made_by: Mapped[str] = mapped_column(String(80))
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[str | None] = mapped_column(String(80))


class PageRow(Base):
    """One page of a submission: the original photograph's hash and the upright picture lines are cut from.

    `original` and `upright` are blob keys; `note` a reason when the picture is unusable ("too_dark").
    """

    __tablename__ = "pages"
    __table_args__ = (UniqueConstraint("submission_id", "ordinal"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    ordinal: Mapped[int]
    original: Mapped[str] = mapped_column(String(64))
    upright: Mapped[str | None] = mapped_column(String(64))
    rotation: Mapped[int] = mapped_column(default=0)
    note: Mapped[str | None] = mapped_column(String(40))


class LineRow(Base):
    """One line as the eye saw it. `box` is four corners in pixels of the upright picture; `candidates` at most five
    readings, best first, each {"text", "order", "score"}. Never rewritten: a person's decision is a ReviewRow. A line
    of `kind` "part" was cut by a person out of others, and counts only while that act stands."""

    __tablename__ = "lines"
    __table_args__ = (UniqueConstraint("page_id", "ordinal"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id"))
    ordinal: Mapped[int]
    box: Mapped[list[Any]]
    kind: Mapped[str] = mapped_column(String(10))
    struck: Mapped[bool] = mapped_column(default=False)
    text: Mapped[str] = mapped_column(Text)
    order: Mapped[str | None] = mapped_column("order_text", Text)
    confidence: Mapped[float]
    status: Mapped[str] = mapped_column(String(20))
    candidates: Mapped[list[Any]] = mapped_column(default=list)


class ReviewRow(Base):
    """A decision of a person about one line, filed beside the reading. The newest that is not undone counts.

    `decision` is a LineState (read, void, not an order, skipped; open for a line that a person cut out of others);
    `key` is the browser's id for the request, so a repeated delivery changes nothing. The text of a void line is its
    two readings, one a line, where a person found two equally good.
    """

    __tablename__ = "reviews"
    id: Mapped[int] = mapped_column(primary_key=True)
    line_id: Mapped[int] = mapped_column(ForeignKey("lines.id"))
    key: Mapped[str] = mapped_column(String(64), unique=True)
    decision: Mapped[str] = mapped_column(String(20))
    text: Mapped[str] = mapped_column(Text, default="")
    order: Mapped[str | None] = mapped_column("order_text", Text)
    by: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime]
    undone_at: Mapped[datetime | None]


class ActRow(Base):
    """One act at the desk: what a single key press did, however many lines it touched.

    `key` is the browser's id of the request, so a repeated delivery changes nothing. `kind` is "decide", "accept",
    "join" or "break", each with the reviews it filed in `reviews`, or "undo" or "redo" with the act it is about in
    `target`. `undone_at` is set while an act is taken back; its reviews carry the same instant.
    """

    __tablename__ = "acts"
    __table_args__ = (Index("acts_of_a_person", "phase_id", "by"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(64), unique=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"))
    kind: Mapped[str] = mapped_column(String(10))
    reviews: Mapped[list[Any]] = mapped_column(default=list)
    target: Mapped[int | None]
    by: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime]
    undone_at: Mapped[datetime | None]


class OutboxRow(Base):
    """One letter to one recipient. `key` is (game, phase, kind, recipient) as text, so a restart sends nothing
    twice; `message` is the blob key of the finished mail; `message_id` is derived and reused on every try.
    `claimed_until`: a sender that died leaves its claim behind, and this says when it ends. `shrunk`: refused as too
    big once, its pictures made smaller."""

    __tablename__ = "outbox"
    __table_args__ = (Index("outbox_due", "state", "due_at"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(300), unique=True)
    kind: Mapped[str] = mapped_column(String(40))
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    phase_id: Mapped[int | None] = mapped_column(ForeignKey("phases.id"))
    recipient: Mapped[str] = mapped_column(String(320))
    subject: Mapped[str] = mapped_column(Text)
    message: Mapped[str] = mapped_column(String(64))
    message_id: Mapped[str] = mapped_column(String(300), index=True)
    state: Mapped[str] = mapped_column(String(20), default=OutboxState.QUEUED)
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime]
    sent_at: Mapped[datetime | None]
    possibly_twice: Mapped[bool] = mapped_column(default=False)
    shrunk: Mapped[bool] = mapped_column(default=False)
    claimed_until: Mapped[datetime | None]
    error: Mapped[str | None] = mapped_column(Text)


class UserRow(Base):
    """Someone who signs in at the desk. `password` is an argon2 hash; `keys` the keys of the desk they changed, by
    action, or None."""

    __tablename__ = "users"
    name: Mapped[str] = mapped_column(String(80), primary_key=True)
    password: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(20), default="coordinator")
    created_at: Mapped[datetime]
    keys: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class SessionRow(Base):
    """A signed-in browser; the cookie holds a random token, this row its SHA-256."""

    __tablename__ = "sessions"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user: Mapped[str] = mapped_column(ForeignKey("users.name"))
    csrf: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime]


class WorkerRow(Base):
    """A process that works on jobs, and when it last said so (UTC by its own clock)."""

    __tablename__ = "workers"
    executor: Mapped[str] = mapped_column(String(120), primary_key=True)
    seen_at: Mapped[datetime]


class EventRow(Base):
    """What happened, in order: the log that coordinators see. `detail` never holds order text or addresses."""

    __tablename__ = "events"
    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    actor: Mapped[str] = mapped_column(String(80))
    what: Mapped[str] = mapped_column(String(80))
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
