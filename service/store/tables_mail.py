"""The tables of mails that are no sheets: ignored mails that a coordinator should see, and letters between
players and the coordinator."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase


class IgnoredMailRow(TableBase):
    """An ignored mail under a player's address that seems to have an attachment (BOX-01)."""

    __tablename__ = "ignored_mails"
    __table_args__ = (Index("ignored_mails_by_end", "ended_at", "noted_at"),)
    sha256: Mapped[str] = mapped_column(ForeignKey("mails.sha256"), primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    # As its From field says, in lower case. Nothing proves it: a mail of a machine is not authenticated.
    sender: Mapped[str] = mapped_column(String(320))
    # Why it was ignored; the mail's own row forgets it when the mail is taken back.
    reason: Mapped[str] = mapped_column(String(60))
    subject: Mapped[str] = mapped_column(Text)
    noted_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[str | None] = mapped_column(String(80))
    # "taken back" or "left".
    end: Mapped[str | None] = mapped_column("ended_as", String(20))


class CorrespondenceRow(TableBase):
    """One plain letter from a player to the coordinator, or the coordinator's answer (BOX-10)."""

    __tablename__ = "correspondence"
    __table_args__ = (
        Index("correspondence_of_a_player", "player_id", "at"),
        Index("correspondence_by_end", "done_at", "at"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"))
    # None where the letter names no game and its player plays in several.
    game_id: Mapped[str | None] = mapped_column(ForeignKey("games.id"))
    # The mail of a player's letter; None for an answer.
    sha256: Mapped[str | None] = mapped_column(ForeignKey("mails.sha256"), unique=True)
    # The letter of an answer; None for a player's letter.
    letter_id: Mapped[int | None] = mapped_column(ForeignKey("outbox.id"), unique=True)
    at: Mapped[datetime]
    # The coordinator who answered; None for a player's letter.
    by: Mapped[str | None] = mapped_column(String(80))
    subject: Mapped[str] = mapped_column(Text)
    # What is new in the letter, and what it quotes of earlier ones.
    words: Mapped[str] = mapped_column(Text)
    quoted: Mapped[str] = mapped_column(Text, default="")
    # Names of attached files, which nobody opens.
    files: Mapped[list[Any]] = mapped_column(default=list)
    # An answer is done from the beginning.
    done_at: Mapped[datetime | None]
    done_by: Mapped[str | None] = mapped_column(String(80))
