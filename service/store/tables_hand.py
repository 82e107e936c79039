"""The table of players' hands: what the reader learnt of how one person writes (INK-05)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase


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
