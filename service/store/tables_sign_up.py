"""The tables of games that are to be: what is offered, who signs up (BEY-04); and the days on which players
of running games are away."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, Date, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase


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


class AbsenceRow(TableBase):
    """Days on which the player of a power is away, as everybody in the game was told."""

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
