"""The tables of the record: one chain of entries a game (docs/record.md), and what waits to be entered."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase


class EntryRow(TableBase):
    """One entry of a game's record; rows are only ever added. `what` and `fact` name the row that the entry
    is about."""

    __tablename__ = "record"
    __table_args__ = (Index("record_of_a_fact", "game_id", "what", "fact"),)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    what: Mapped[str] = mapped_column(String(20))
    fact: Mapped[str] = mapped_column(String(200))
    # 64 random hexadecimal digits.
    salt: Mapped[str] = mapped_column(String(64))
    # The canonical text that was hashed, as text: a JSON column may give back other blanks or another order.
    body: Mapped[str] = mapped_column(Text)
    # The digest of salt and body.
    leaf: Mapped[str] = mapped_column(String(64))
    # The digest of the link before, the number and the leaf.
    link: Mapped[str] = mapped_column(String(64))


class HeadRow(TableBase):
    """The end of a game's chain."""

    # Locked while entries are added, so that no two entries follow the same one: a chain cannot fork.

    __tablename__ = "record_heads"
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int]
    link: Mapped[str] = mapped_column(String(64))


class RecordPendingRow(TableBase):
    """A row that was written and is to be entered before its transaction commits."""

    # Written by triggers of the database, so that no statement can bypass the record.

    __tablename__ = "record_due"
    id: Mapped[int] = mapped_column(primary_key=True)
    what: Mapped[str] = mapped_column(String(20))
    fact: Mapped[str] = mapped_column(String(200))


class GameKeyRow(TableBase):
    """A public key that receipts of a game are signed with; the newest is in use. Its secret half comes from
    the site's key and is in no table."""

    __tablename__ = "game_keys"
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    # 32 bytes as hexadecimal digits.
    public: Mapped[str] = mapped_column(String(64))


class LotContributionRow(TableBase):
    """A player's word for the lots of a phase, which changes every draw of it. The newest of a power that was
    received by the deadline counts."""

    __tablename__ = "lot_words"
    __table_args__ = (Index("lot_words_of_a_phase", "phase_id", "power"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"))
    power: Mapped[str] = mapped_column(String(80))
    word: Mapped[str] = mapped_column(String(60))
    received_at: Mapped[datetime]
    # The mail it came by, None for a letter by post.
    mail: Mapped[str | None] = mapped_column(ForeignKey("mails.sha256"))
    made_by: Mapped[str] = mapped_column(String(80))
