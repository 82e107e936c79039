"""The tables of the desk: decisions and acts, corrections of what was sent, people and their browsers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase


class ReviewRow(TableBase):
    """A decision of a person about one line, filed next to the reading. The newest that is not undone
    counts."""

    __tablename__ = "reviews"
    id: Mapped[int] = mapped_column(primary_key=True)
    line_id: Mapped[int] = mapped_column(ForeignKey("lines.id"), index=True)
    # The browser's id for the request, so a repeated delivery changes nothing.
    key: Mapped[str] = mapped_column(String(64), unique=True)
    # A LineState: read, void, not an order, skipped; open for a line that a person cut out of others.
    decision: Mapped[str] = mapped_column(String(20))
    # Of a void line its two readings, one a line, where a person found two equally good.
    text: Mapped[str] = mapped_column(Text, default="")
    order: Mapped[str | None] = mapped_column("order_text", Text)
    by: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime]
    # A decision that counts by itself where two people must agree: a line cut again, a difference closed as
    # void.
    settles: Mapped[bool] = mapped_column(default=False)
    undone_at: Mapped[datetime | None]


class ReviewActionRow(TableBase):
    """One act at the desk: what a single key press did, however many lines it touched."""

    __tablename__ = "acts"
    __table_args__ = (Index("acts_of_a_person", "phase_id", "by"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    # The browser's id of the request, so a repeated delivery changes nothing.
    key: Mapped[str] = mapped_column(String(64), unique=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"))
    # "decide", "accept", "join", "break", "box" or "close", each with the reviews it filed in `reviews`, or
    # "undo" or "redo" with the act it is about in `target`.
    kind: Mapped[str] = mapped_column(String(10))
    reviews: Mapped[list[Any]] = mapped_column(default=list)
    target: Mapped[int | None]
    by: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime]
    # Set while an act is taken back; its reviews carry the same instant.
    undone_at: Mapped[datetime | None]


class UserRow(TableBase):
    """Someone who signs in at the desk."""

    __tablename__ = "users"
    name: Mapped[str] = mapped_column(String(80), primary_key=True)
    # An argon2 hash.
    password: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(20), default="coordinator")
    created_at: Mapped[datetime]
    # The keys of the desk that this person changed, by action.
    keys: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class SessionRow(TableBase):
    """A signed-in browser."""

    __tablename__ = "sessions"
    # The cookie holds a random token, this column its SHA-256.
    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user: Mapped[str] = mapped_column(ForeignKey("users.name"))
    csrf: Mapped[str] = mapped_column(String(64))
    # What the browser calls itself, for its person to know it by.
    browser: Mapped[str] = mapped_column(String(200), default="")
    created_at: Mapped[datetime]
    seen_at: Mapped[datetime]


class CorrectionRow(TableBase):
    """A correction of results that were sent: what was stated, what is right, what follows, who found it.
    Rows are only ever added."""

    __tablename__ = "corrections"
    id: Mapped[int] = mapped_column(primary_key=True)
    # The form's id, so a repeated delivery sends nothing twice.
    key: Mapped[str] = mapped_column(String(64), unique=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"), index=True)
    said: Mapped[str] = mapped_column(Text)
    right: Mapped[str] = mapped_column("is_right", Text)
    effect: Mapped[str] = mapped_column(Text)
    found_by: Mapped[str] = mapped_column(String(200))
    by: Mapped[str] = mapped_column(String(80))
    at: Mapped[datetime]


class SendHoldRow(TableBase):
    """Something that a person holds back, such as the sending of letters; no row while it runs."""

    __tablename__ = "switches"
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    by: Mapped[str] = mapped_column(String(80))
    why: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime]


class ApprovalRow(TableBase):
    """The latest approval of a phase: who asked when, and how far its letters are (LET-04)."""

    __tablename__ = "approvals"
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"), primary_key=True)
    asked_at: Mapped[datetime]
    by: Mapped[str] = mapped_column(String(80))
    # The judging that was approved: the phase's `judged_at` at that moment.
    judged_at: Mapped[datetime | None]
    # "drawing", "sent" or "failed".
    state: Mapped[str] = mapped_column(String(20))
    # Steps done of how many, and what the present one draws.
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    step: Mapped[str] = mapped_column(Text, default="")
    # Why nothing was sent.
    error: Mapped[str | None] = mapped_column(Text)
