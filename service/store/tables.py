"""The tables. Every fact keeps the key of the fact it came from, so a line in a results letter leads back to
a rectangle on a photograph. Instants are UTC; JSON columns hold values that `adjudicator.serialize.codec`
writes and reads.

Those of the desk are in `service.store.tables_desk`, of the mailbox and of mails that are not sheets in
`tables_mailbox`, of signing in in `tables_sign_in`, of features in `tables_features`, of the record in
`tables_record`, of the clockwork in `tables_schedule`, the words that columns hold in `columns`; all of them
are to be had from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, Date, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from reading.status import LineState
from service.facts.options import ReviewMode
from service.facts.sheets import Fate
from service.store.columns import Instant, MailState, OutboxState, PhaseState, TableBase
from service.store.tables_desk import (
    ApprovalRow,
    CorrectionRow,
    ReviewActionRow,
    ReviewRow,
    SendHoldRow,
    SessionRow,
    UserRow,
)
from service.store.tables_features import (
    HandRow,
    OfferRow,
    ScanRow,
    ShelvedFileRow,
    ShelvedGameRow,
    SignUpRow,
)
from service.store.tables_mailbox import (
    CorrespondenceRow,
    IgnoredMailRow,
    MailboxDrainRow,
    MailboxMarkRow,
    MailboxWaitRow,
    MailTroubleRow,
    OutsideNoticeRow,
)
from service.store.tables_record import EntryRow, GameKeyRow, HeadRow, LotContributionRow, RecordPendingRow
from service.store.tables_schedule import InspectionRow, LeaseRow, PhaseLookRow
from service.store.tables_sign_in import (
    CodeAppRow,
    GameRoleRow,
    KnownBrowserRow,
    PasskeyChallengeRow,
    PasskeyRow,
    SignInTryRow,
)

__all__ = [
    "AbsenceRow",
    "AccessLinkRow",
    "AddressRow",
    "ApprovalRow",
    "CodeAppRow",
    "CorrectionRow",
    "CorrespondenceRow",
    "EntryRow",
    "EventRow",
    "GameKeyRow",
    "GameRoleRow",
    "GameRow",
    "HandRow",
    "HeadRow",
    "IgnoredMailRow",
    "InspectionRow",
    "Instant",
    "KnownBrowserRow",
    "LeaseRow",
    "LineRow",
    "LineState",
    "LotContributionRow",
    "MailRow",
    "MailState",
    "MailTroubleRow",
    "MailboxDrainRow",
    "MailboxLocationRow",
    "MailboxMarkRow",
    "MailboxWaitRow",
    "OfferRow",
    "OutboxRow",
    "OutboxState",
    "OutsideNoticeRow",
    "PageRow",
    "PasskeyChallengeRow",
    "PasskeyRow",
    "PhaseLookRow",
    "PhaseRow",
    "PhaseState",
    "PlayerRow",
    "PostalAddressRow",
    "PostalOriginalRow",
    "RecordPendingRow",
    "ReviewActionRow",
    "ReviewRow",
    "ScanRow",
    "SeatRow",
    "SendHoldRow",
    "SessionRow",
    "ShelvedFileRow",
    "ShelvedGameRow",
    "SignInTryRow",
    "SignUpRow",
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
    """A person. `accommodation` is a named exception for them, such as letters that another person posts
    (POST-06)."""

    __tablename__ = "players"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    # An IANA name, used for the second clock in letters.
    zone: Mapped[str] = mapped_column(String(60), default="Europe/London")
    # The random part of the address of the calendar feed of all their games (CAL-16).
    feed: Mapped[str | None] = mapped_column(String(64), unique=True)
    # Whether they asked to be reminded (OUT-11).
    reminders: Mapped[bool] = mapped_column(default=False)
    accommodation: Mapped[str] = mapped_column(Text, default="")
    # The language of their letters and pages (LET-10), a key of `service.letters.language.LANGUAGES`.
    language: Mapped[str] = mapped_column(String(8), default="en")


class PostalAddressRow(TableBase):
    """A postal address of a player, as it is written on an envelope below the name (LIST-01, LIST-02)."""

    __tablename__ = "postal"
    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    lines: Mapped[list[Any]]
    # The days on which a temporary address applies, both included; both None for the permanent one.
    first: Mapped[date | None] = mapped_column("first_day", Date)
    last: Mapped[date | None] = mapped_column("last_day", Date)
    made_at: Mapped[datetime]
    made_by: Mapped[str] = mapped_column(String(80))
    # Taken off the list; the row stays, so that every change can be followed (LIST-05).
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[str | None] = mapped_column(String(80))


class AccessLinkRow(TableBase):
    """A personal link of a player: what it opens ("entry", "visit", "letter" or "upload"), and for how
    long."""

    __tablename__ = "links"
    # The SHA-256 of the link's random part.
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    opens: Mapped[str] = mapped_column(String(20))
    made_at: Mapped[datetime]
    until: Mapped[datetime]
    # Closes a single-use link (LIST-04).
    used_at: Mapped[datetime | None]
    # The letter whose files it opens.
    letter_id: Mapped[int | None]
    # The game for which sheets may be sent by it (BEY-05); None for a link that is not of one game.
    game_id: Mapped[str | None] = mapped_column(String(80))


class AddressRow(TableBase):
    """A mail address of a player."""

    __tablename__ = "addresses"
    # In lower case.
    email: Mapped[str] = mapped_column(String(320), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))


class SeatRow(TableBase):
    """Who commands a power in a game."""

    __tablename__ = "seats"
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    power: Mapped[str] = mapped_column(String(80), primary_key=True)
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"))


class AbsenceRow(TableBase):
    """Days on which the player of a power is away, as announced to all players."""

    __tablename__ = "absences"
    __table_args__ = (Index("absences_of_a_game", "game_id", "last_day"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"))
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    first: Mapped[date] = mapped_column("first_day", Date)
    last: Mapped[date] = mapped_column("last_day", Date)
    made_at: Mapped[datetime]
    made_by: Mapped[str] = mapped_column(String(80))
    ended_at: Mapped[datetime | None]


class PhaseRow(TableBase):
    """One phase of a game: its clock, the position before it and the resolution after it.

    `ordinal` counts the game's phases from 1. `position` and `resolution` are codec JSON.
    """

    __tablename__ = "phases"
    __table_args__ = (UniqueConstraint("game_id", "ordinal"), Index("phases_deadline", "state", "deadline"),
                      Index("phases_opening", "state", "opens_at"))
    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"))
    ordinal: Mapped[int]
    year: Mapped[int]
    season: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(20))
    opens_at: Mapped[datetime]
    deadline: Mapped[datetime]
    # How often the deadline was moved (CAL-15), and when last: the entry in calendar feeds counts up with it.
    moved: Mapped[int] = mapped_column(default=0)
    moved_at: Mapped[datetime | None]
    # The mode its lines are read under: the game's option as it was when the phase was last free to change.
    review: Mapped[str] = mapped_column(String(10), default=ReviewMode.NONE)
    state: Mapped[str] = mapped_column(String(20), default=PhaseState.WAITING)
    position: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    resolution: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    # What its lots are drawn from (service.games.lots). `sealed` and the site's key give the seed, and
    # `commitment` is its digest; `seed` is set once the phase was judged.
    seed: Mapped[str | None] = mapped_column(String(64))
    sealed: Mapped[str] = mapped_column(String(64))
    commitment: Mapped[str] = mapped_column(String(64))
    draw: Mapped[dict[str, Any]]
    # The round of the beacon, once it is here.
    beacon: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    closed_at: Mapped[datetime | None]
    judged_at: Mapped[datetime | None]
    sent_at: Mapped[datetime | None]
    # Who looked at the sheets before the deadline, when and why, for the next results to print (DESK-02).
    unsealed_at: Mapped[datetime | None]
    unsealed_by: Mapped[str | None] = mapped_column(String(80))
    unsealed_why: Mapped[str | None] = mapped_column(Text)


class MailRow(TableBase):
    """One incoming mail, by the SHA-256 of its bytes."""

    __tablename__ = "mails"
    __table_args__ = (Index("mails_by_state", "state", "received_at"), Index("mails_by_hour", "stored_at"),
                      Index("mails_to_try", "state", "try_again_at"),
                      Index("mails_by_author", "state", "author"))
    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    size: Mapped[int]
    # The receiving server's stamp (SUB-09).
    received_at: Mapped[datetime]
    stored_at: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(20), default=MailState.STORED)
    reason: Mapped[str | None] = mapped_column(String(60))
    tries: Mapped[int] = mapped_column(Integer, default=0)
    # Who it states to be from (`service.store.addresses.author_mark`), proved or not; None for a mail from
    # before this was stored, which may be anybody's.
    author: Mapped[str | None] = mapped_column(String(64))
    # The authenticated address in lower case, None for mails that no later one may be compared with.
    sender: Mapped[str | None] = mapped_column(String(320), index=True)
    verdict: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    # Who proved the sender or why no one did (`service.intake.waiting_proof`).
    proof: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    # When a stored mail is judged again whose sender's DNS did not answer; `tries` counts.
    try_again_at: Mapped[datetime | None]

    @property
    def verdict_fields(self) -> Mapping[str, Any]:
        """What the verdict states, by name; empty before there is one."""
        return self.verdict or {}


class MailboxLocationRow(TableBase):
    """Where a mail was seen; the same bytes may be in many places."""

    __tablename__ = "places"
    account: Mapped[str] = mapped_column(String(200), primary_key=True)
    folder: Mapped[str] = mapped_column(String(200), primary_key=True)
    # A new UIDVALIDITY is a different folder.
    uidvalidity: Mapped[str] = mapped_column(String(80), primary_key=True)
    uid: Mapped[str] = mapped_column(String(300), primary_key=True)
    sha256: Mapped[str] = mapped_column(ForeignKey("mails.sha256"))
    moved_at: Mapped[datetime | None]


class SubmissionRow(TableBase):
    """One filed sheet: an accepted mail for one phase and power, or a letter that came by post."""

    __tablename__ = "submissions"
    __table_args__ = (
        UniqueConstraint("phase_id", "power", "semantic_key"),
        Index("submissions_by_reading", "read_at"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    # None for a letter that came by post.
    sha256: Mapped[str | None] = mapped_column(ForeignKey("mails.sha256"), unique=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"))
    power: Mapped[str] = mapped_column(String(80))
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"))
    sender: Mapped[str] = mapped_column(String(320))
    received_at: Mapped[datetime]
    version: Mapped[int | None]
    # The version number that the sheet's own version instruction requests (VER-02).
    instruction: Mapped[int | None]
    flags: Mapped[list[Any]] = mapped_column(default=list)
    # Equal for the same sheet mailed twice.
    semantic_key: Mapped[str] = mapped_column(String(64))
    fate: Mapped[str] = mapped_column(String(20), default=Fate.COUNTS)
    read_at: Mapped[datetime | None]
    # The digest of the player's hand that it was read with; None for the common reader.
    hand: Mapped[str | None] = mapped_column(String(64))


class PostalOriginalRow(TableBase):
    """A letter with orders that came by post (SUB-16, Q-04): its postmark where it can be read, and the day
    it came."""

    __tablename__ = "posted"
    __table_args__ = (Index("posted_of_a_phase", "phase_id", "power"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"))
    power: Mapped[str] = mapped_column(String(80))
    postmark: Mapped[date | None] = mapped_column(Date)
    received: Mapped[date] = mapped_column(Date)
    # The sheet its scan was filed as; None where only the tick "original received" was set.
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submissions.id"), unique=True)
    made_at: Mapped[datetime]
    made_by: Mapped[str] = mapped_column(String(80))
    # Taken back; the row stays, so that every change can be followed.
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[str | None] = mapped_column(String(80))


class PageRow(TableBase):
    """One page of a submission: the original photograph and the upright picture that lines are cut from."""

    __tablename__ = "pages"
    __table_args__ = (UniqueConstraint("submission_id", "ordinal"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"))
    ordinal: Mapped[int]
    # Both are blob keys.
    original: Mapped[str] = mapped_column(String(64))
    upright: Mapped[str | None] = mapped_column(String(64))
    rotation: Mapped[int] = mapped_column(default=0)
    # A reason when the picture is unusable ("too_dark").
    note: Mapped[str | None] = mapped_column(String(40))
    # What the code of a printed sheet states (`grammar.headings.sheet_code`); it proves nothing.
    code: Mapped[str | None] = mapped_column(String(300))


class LineRow(TableBase):
    """One line as the machine read it. Never rewritten: a person's decision is a ReviewRow."""

    __tablename__ = "lines"
    __table_args__ = (UniqueConstraint("page_id", "ordinal"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = mapped_column(ForeignKey("pages.id"))
    ordinal: Mapped[int]
    # Four corners in pixels of the upright picture.
    box: Mapped[list[Any]]
    # A "part" was cut by a person out of other lines, and counts only while that act is not undone.
    kind: Mapped[str] = mapped_column(String(10))
    struck: Mapped[bool] = mapped_column(default=False)
    text: Mapped[str] = mapped_column(Text)
    order: Mapped[str | None] = mapped_column("order_text", Text)
    confidence: Mapped[float]
    status: Mapped[str] = mapped_column(String(20))
    # At most five readings, best first, each {"text", "order", "score"}.
    candidates: Mapped[list[Any]] = mapped_column(default=list)
    # Words of `ocr.decoding.open_reasons.OpenReason`; None for a line read before they were stored.
    why_open: Mapped[list[Any] | None]


class OutboxRow(TableBase):
    """One letter to one recipient."""

    __tablename__ = "outbox"
    __table_args__ = (Index("outbox_due", "state", "due_at"),
                      Index("outbox_claims", "state", "claimed_until"),
                      Index("outbox_order", "state", "rank", "id"))
    id: Mapped[int] = mapped_column(primary_key=True)
    # (game, phase, kind, recipient) as text, so a restart sends nothing twice.
    key: Mapped[str] = mapped_column(String(300), unique=True)
    kind: Mapped[str] = mapped_column(String(40))
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    phase_id: Mapped[int | None] = mapped_column(ForeignKey("phases.id"))
    recipient: Mapped[str] = mapped_column(String(320))
    # Whose address it was when the letter was written, and their seat; None for the coordinator's letters.
    # No foreign key: a game's archive has its letters, and not the players who left it.
    player_id: Mapped[int | None]
    power: Mapped[str | None] = mapped_column(String(80))
    subject: Mapped[str] = mapped_column(Text)
    # The SHA-256 of the finished mail.
    message: Mapped[str] = mapped_column(String(64), index=True)
    # The mail without its files, and each file with its place in it (`service.store.letter_parts`); an offset
    # of None is one behind the letter's link. None for a mail that is stored whole, as a blob.
    words: Mapped[str | None] = mapped_column(Text)
    files: Mapped[list[Any]] = mapped_column(default=list)
    # Derived and reused on every try.
    message_id: Mapped[str] = mapped_column(String(300), index=True)
    state: Mapped[str] = mapped_column(String(20), default=OutboxState.QUEUED)
    tries: Mapped[int] = mapped_column(default=0)
    # Of the letters that are due the lowest goes first (`service.mail.sending.compose.Rank`).
    rank: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[datetime]
    sent_at: Mapped[datetime | None]
    possibly_twice: Mapped[bool] = mapped_column(default=False)
    # Refused as too big once, its pictures made smaller.
    shrunk: Mapped[bool] = mapped_column(default=False)
    # A sender that died leaves its claim behind, and this shows when it ends.
    claimed_until: Mapped[datetime | None]
    error: Mapped[str | None] = mapped_column(Text)


class WorkerRow(TableBase):
    """A process that works on jobs, and when it last reported."""

    __tablename__ = "workers"
    executor: Mapped[str] = mapped_column(String(120), primary_key=True)
    # UTC by the database's clock.
    seen_at: Mapped[datetime]
    # Seconds by which the clock of its machine is ahead of the database's.
    ahead: Mapped[float] = mapped_column(default=0.0)
    # Connections to the database server that it has at most; 0 where the database is a file.
    connections: Mapped[int] = mapped_column(default=0)


class EventRow(TableBase):
    """The events in order: the log that coordinators see."""

    __tablename__ = "events"
    __table_args__ = (Index("events_by_kind", "what", "at"), Index("events_of_a_game", "game_id", "what"))
    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    actor: Mapped[str] = mapped_column(String(80))
    what: Mapped[str] = mapped_column(String(80))
    # Never holds order text or addresses.
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
