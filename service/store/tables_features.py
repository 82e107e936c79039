"""Tables of features: games that are to be, what is offered and who signs up (BEY-04); what the reader learnt
of how one person writes (INK-05); scans put on the Post page and not filed yet (LET-14); games that are over,
whose large rows lie in a file among the blobs (docs/adr/0026-*)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase

PROPOSE_WORK = "propose_scan"
"""Name of the job that reads a scan's heading; its payload is {"scan": id}."""


class OfferRow(TableBase):
    """A game that players may sign up for. `id` is a slug of its name."""

    __tablename__ = "offers"
    id: Mapped[str] = mapped_column(String(80), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    variant: Mapped[str] = mapped_column(String(40))
    # The days that are proposed as the first one, as ISO 8601 writes them.
    dates: Mapped[list[Any]]
    note: Mapped[str] = mapped_column(Text, default="")
    made_at: Mapped[datetime]
    made_by: Mapped[str] = mapped_column(String(80))
    # What the seed of its lots is derived from, and the digest of that seed (the feature's `power_lots`).
    sealed: Mapped[str] = mapped_column(String(64))
    commitment: Mapped[str] = mapped_column(String(64))
    # Once drawn: the seed, its lines, and the number of the sign-up that got each power.
    drawn: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    drawn_at: Mapped[datetime | None]
    # The game that began from it; it takes no more sign-ups but for the waiting list.
    game_id: Mapped[str | None] = mapped_column(String(80))
    ended_at: Mapped[datetime | None]


class SignUpRow(TableBase):
    """One person's wish to play an offered game. It goes when they withdraw, and when they are seated."""

    __tablename__ = "sign_ups"
    __table_args__ = (UniqueConstraint("offer_id", "email"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    offer_id: Mapped[str] = mapped_column(ForeignKey("offers.id"), index=True)
    # The place on the list, from 1, given when the address is proved; lots name people by it.
    number: Mapped[int | None]
    name: Mapped[str] = mapped_column(String(200))
    email: Mapped[str] = mapped_column(String(320))
    zone: Mapped[str] = mapped_column(String(60), default="Europe/London")
    language: Mapped[str] = mapped_column(String(8), default="en")
    # The postal address below the name, line by line.
    home: Mapped[list[Any]] = mapped_column(default=list)
    # Ids of powers, the best first, and those of the proposed days that fit.
    preferences: Mapped[list[Any]] = mapped_column(default=list)
    dates: Mapped[list[Any]] = mapped_column(default=list)
    made_at: Mapped[datetime]
    # The SHA-256 of the secret in the mailed link, and when a letter with it left last.
    link_hash: Mapped[str] = mapped_column(String(64), unique=True)
    mailed_at: Mapped[datetime | None]
    confirmed_at: Mapped[datetime | None]


class HandRow(TableBase):
    """One version of a player's hand: the reader's output layer fitted to lines of theirs.

    Versions are never changed. `SubmissionRow.hand` names the one that a sheet was read with by its digest.
    """

    __tablename__ = "hands"
    __table_args__ = (UniqueConstraint("player_id", "version"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    # From 1 for each player.
    version: Mapped[int]
    digest: Mapped[str] = mapped_column(String(64))
    # The SHA-256 of the network's file that it was fitted to; it reads with no other.
    base: Mapped[str] = mapped_column(String(64))
    # The difference from the common layer, zlib and base64; None once it was forgotten.
    layer: Mapped[str | None] = mapped_column(Text)
    # The lines that it was fitted to, by their ids: from their ink it can be made again.
    lines: Mapped[list[Any]] = mapped_column(default=list)
    made_at: Mapped[datetime]
    # Of a hand that was forgotten. Lines that came before are not learnt from again.
    forgotten_at: Mapped[datetime | None]
    forgotten_by: Mapped[str | None] = mapped_column(String(80))


class ScanRow(TableBase):
    """One file in the tray of the Post page.

    It points to a phase and a sheet by their numbers only: a tray holds nothing that a game needs, and the
    sheet that is filed from it has its own pages.
    """

    __tablename__ = "scans"
    id: Mapped[int] = mapped_column(primary_key=True)
    # The blob of the file as it came, and of its first page as a clean picture.
    original: Mapped[str] = mapped_column(String(64), index=True)
    upright: Mapped[str | None] = mapped_column(String(64), index=True)
    pages: Mapped[int] = mapped_column(default=1)
    put_at: Mapped[datetime]
    put_by: Mapped[str] = mapped_column(String(80))
    # What its reading proposes; None before it was read, and where it names nothing.
    read_at: Mapped[datetime | None]
    phase_id: Mapped[int | None]
    power: Mapped[str | None] = mapped_column(String(40))
    version: Mapped[int | None]
    # Once it was filed as a sheet, or taken out of the tray.
    submission_id: Mapped[int | None]
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[str | None] = mapped_column(String(80))


class ShelvedGameRow(TableBase):
    """A game that is over, and where its entries, lines, decisions, letters and events are meanwhile."""

    __tablename__ = "shelved_games"
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    # The key of the file.
    blob: Mapped[str] = mapped_column(String(64))
    # The end of the record in it: its number of entries, and the digest of them all.
    number: Mapped[int]
    link: Mapped[str] = mapped_column(String(64))
    # How many rows of each table are in it, and the highest number among them: no later row may get it.
    rows: Mapped[dict[str, Any]]
    highest: Mapped[dict[str, Any]]
    # Who its letters are addressed to: to forget one of them, it must come back first.
    players: Mapped[list[Any]]
    shelved_at: Mapped[datetime]


class ShelvedFileRow(TableBase):
    """A blob that only rows on the shelf name: it must be stored as if they were here."""

    __tablename__ = "shelved_files"
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    blob: Mapped[str] = mapped_column(String(64), primary_key=True, index=True)
