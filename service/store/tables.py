"""The tables. Every fact keeps the key of the fact it came from, so a line in a results letter leads back to
a rectangle on a photograph. Instants are UTC; JSON columns hold values that `adjudicator.serialize.codec`
writes and reads.

Those of the desk are in `service.store.tables_desk`, of the record in `service.store.tables_record`, the
words that columns hold in `service.store.states`; all of them are to be had from here.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, Date, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from reading.status import LineState
from service.store.columns import Instant, TableBase
from service.store.states import MailState, OutboxState, PhaseState, ReviewMode
from service.store.tables_desk import (
    CorrectionRow,
    ReviewActionRow,
    ReviewRow,
    SendHoldRow,
    SessionRow,
    UserRow,
)
from service.store.tables_record import EntryRow, HeadRow, LotContributionRow, RecordPendingRow

__all__ = [
    "AccessLinkRow",
    "AddressRow",
    "CorrectionRow",
    "EntryRow",
    "EventRow",
    "GameRow",
    "HeadRow",
    "Instant",
    "LineRow",
    "LineState",
    "LotContributionRow",
    "MailRow",
    "MailState",
    "MailboxLocationRow",
    "OutboxRow",
    "OutboxState",
    "PageRow",
    "PhaseRow",
    "PhaseState",
    "PlayerRow",
    "PostalAddressRow",
    "PostalOriginalRow",
    "RecordPendingRow",
    "ReviewActionRow",
    "ReviewMode",
    "ReviewRow",
    "SeatRow",
    "SendHoldRow",
    "SessionRow",
    "SubmissionRow",
    "TableBase",
    "UserRow",
    "WorkerRow",
]  # fmt: skip


class GameRow(TableBase):
    """One running match. `id` is a slug of its name ("powick-bridge")."""

    __tablename__ = "games"
    id: Mapped[str] = mapped_column(String(80), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    aliases: Mapped[list[Any]] = mapped_column(default=list)
    variant: Mapped[str] = mapped_column(String(40))
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]


class PlayerRow(TableBase):
    """A person. `zone` is an IANA name, used for the second clock in letters. `feed` is the random part of
    the address of the calendar feed of all their games (CAL-16); `reminders` whether they asked to be
    reminded (OUT-11); `accommodation` a named exception for them, such as letters that somebody else posts
    (POST-06)."""

    __tablename__ = "players"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    zone: Mapped[str] = mapped_column(String(60), default="Europe/London")
    feed: Mapped[str | None] = mapped_column(String(64), unique=True)
    reminders: Mapped[bool] = mapped_column(default=False)
    accommodation: Mapped[str] = mapped_column(Text, default="")


class PostalAddressRow(TableBase):
    """A postal address of a player, as it is written on an envelope below the name (LIST-01, LIST-02).

    `first` and `last` are the days on which a temporary one applies, both included; both None for the address
    of always. `ended_at`: taken off the list; the row stays, so that every change can be followed (LIST-05).
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


class AccessLinkRow(TableBase):
    """A personal link mailed to a player: the SHA-256 of its random part, what it opens ("entry" or "file"),
    and for how long. `used_at` closes a single-use link (LIST-04)."""

    __tablename__ = "links"
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    opens: Mapped[str] = mapped_column(String(20))
    made_at: Mapped[datetime]
    until: Mapped[datetime]
    used_at: Mapped[datetime | None]


class AddressRow(TableBase):
    """A mail address of a player, kept in lower case."""

    __tablename__ = "addresses"
    email: Mapped[str] = mapped_column(String(320), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))


class SeatRow(TableBase):
    """Who commands a power in a game."""

    __tablename__ = "seats"
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    power: Mapped[str] = mapped_column(String(80), primary_key=True)
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"))


class PhaseRow(TableBase):
    """One phase of a game: its clock, the position before it and the resolution after it.

    `ordinal` counts the game's phases from 1. `position` and `resolution` are codec JSON. `seed` is what its
    lots are drawn from (`service.games.lots`); None where the tape in `lots` was fixed before there were
    seeds. `unsealed_*`: who looked at the sheets before the deadline, when and why, for the next results to
    print (DESK-02). `moved` counts how often the deadline was moved (CAL-15), `moved_at` says when last.
    `review` is the `ReviewMode` its lines are read under: the game's option as it was when the phase was last
    free to change.
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
    review: Mapped[str] = mapped_column(String(10), default=ReviewMode.NONE)
    state: Mapped[str] = mapped_column(String(20), default=PhaseState.WAITING)
    position: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    resolution: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    lots: Mapped[list[Any]] = mapped_column(default=list)
    seed: Mapped[str | None] = mapped_column(String(64))
    closed_at: Mapped[datetime | None]
    judged_at: Mapped[datetime | None]
    sent_at: Mapped[datetime | None]
    unsealed_at: Mapped[datetime | None]
    unsealed_by: Mapped[str | None] = mapped_column(String(80))
    unsealed_why: Mapped[str | None] = mapped_column(Text)


class MailRow(TableBase):
    """One incoming mail, by the SHA-256 of its bytes. `received_at` is the receiving server's stamp (SUB-09).

    `sender` is the authenticated address in lower case, None for mails that no later one may be compared
    with.
    """

    __tablename__ = "mails"
    __table_args__ = (Index("mails_by_state", "state", "received_at"), Index("mails_by_hour", "stored_at"))
    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    size: Mapped[int]
    received_at: Mapped[datetime]
    stored_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(20), default=MailState.STORED)
    reason: Mapped[str | None] = mapped_column(String(60))
    tries: Mapped[int] = mapped_column(Integer, default=0)
    sender: Mapped[str | None] = mapped_column(String(320), index=True)
    verdict: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class MailboxLocationRow(TableBase):
    """Where a mail was seen. A new UIDVALIDITY is a different folder; the same bytes may be in many
    places."""

    __tablename__ = "places"
    account: Mapped[str] = mapped_column(String(200), primary_key=True)
    folder: Mapped[str] = mapped_column(String(200), primary_key=True)
    uidvalidity: Mapped[str] = mapped_column(String(80), primary_key=True)
    uid: Mapped[str] = mapped_column(String(300), primary_key=True)
    sha256: Mapped[str] = mapped_column(ForeignKey("mails.sha256"))
    moved_at: Mapped[datetime | None]


class SubmissionRow(TableBase):
    """One filed paper: an accepted mail for one phase and power, or a letter that came by post (`sha256`
    None).

    `instruction` is the version number that the sheet's own version instruction asks for (VER-02).
    `fate` is "counts", "superseded", "late", "held"; `semantic_key` is equal for the same sheet mailed twice.
    """

    __tablename__ = "submissions"
    __table_args__ = (
        UniqueConstraint("phase_id", "power", "semantic_key"),
        Index("submissions_by_reading", "read_at"),
    )
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


class PostalOriginalRow(TableBase):
    """A letter with orders that came by post (SUB-16, Q-04): its postmark where it can be read, and the day
    it came.

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


class PageRow(TableBase):
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


class LineRow(TableBase):
    """One line as the machine read it. `box` is four corners in pixels of the upright picture; `candidates`
    at most five readings, best first, each {"text", "order", "score"}. Never rewritten: a person's decision
    is a ReviewRow. A line of `kind` "part" was cut by a person out of others, and counts only while that act
    is not undone."""

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


class OutboxRow(TableBase):
    """One letter to one recipient. `key` is (game, phase, kind, recipient) as text, so a restart sends
    nothing twice; `message` is the blob key of the finished mail; `message_id` is derived and reused on every
    try. `claimed_until`: a sender that died leaves its claim behind, and this says when it ends. `shrunk`:
    refused as too big once, its pictures made smaller."""

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


class WorkerRow(TableBase):
    """A process that works on jobs, and when it last said so (UTC by its own clock)."""

    __tablename__ = "workers"
    executor: Mapped[str] = mapped_column(String(120), primary_key=True)
    seen_at: Mapped[datetime]


class EventRow(TableBase):
    """What happened, in order: the log that coordinators see. `detail` never holds order text or
    addresses."""

    __tablename__ = "events"
    __table_args__ = (Index("events_by_kind", "what", "at"), Index("events_of_a_game", "game_id", "what"))
    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    actor: Mapped[str] = mapped_column(String(80))
    what: Mapped[str] = mapped_column(String(80))
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
