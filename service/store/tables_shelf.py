"""Tables of the shelf: games that are over, whose large rows lie in a file among the blobs
(docs/adr/0026-*)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase


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
    """A blob that only rows on the shelf name: it must be kept as if they were here."""

    __tablename__ = "shelved_files"
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    blob: Mapped[str] = mapped_column(String(64), primary_key=True, index=True)
