"""The tables of the record: one chain of entries a game (docs/record.md), and what waits to be entered."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase


class EntryRow(TableBase):
    """One entry of a game's record; rows are only ever added.

    `body` is the canonical text that was hashed, kept as text so that no database writes it otherwise; `salt`
    64 digits of chance; `leaf` the digest of both, `link` that of the link before, the number and the leaf.
    `what` and `fact` name the row of the tables that the entry tells of, so that a receipt finds its own.
    """

    __tablename__ = "record"
    __table_args__ = (Index("record_of_a_fact", "game_id", "what", "fact"),)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    what: Mapped[str] = mapped_column(String(20))
    fact: Mapped[str] = mapped_column(String(200))
    salt: Mapped[str] = mapped_column(String(64))
    body: Mapped[str] = mapped_column(Text)
    leaf: Mapped[str] = mapped_column(String(64))
    link: Mapped[str] = mapped_column(String(64))


class HeadRow(TableBase):
    """The end of a game's chain. Its row is locked while entries are added, so that no two can follow on the
    same one."""

    __tablename__ = "record_heads"
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int]
    link: Mapped[str] = mapped_column(String(64))


class RecordPendingRow(TableBase):
    """A row that was written and is to be entered before its transaction commits. The database's own triggers
    write here, so that no statement, however it was made, can pass the record by."""

    __tablename__ = "record_due"
    id: Mapped[int] = mapped_column(primary_key=True)
    what: Mapped[str] = mapped_column(String(20))
    fact: Mapped[str] = mapped_column(String(200))


class LotContributionRow(TableBase):
    """A player's own word for the lots of a phase, which changes every draw of it. The newest of a power that
    was received by the deadline counts. `mail` is the mail it came by, None for a letter by post."""

    __tablename__ = "lot_words"
    __table_args__ = (Index("lot_words_of_a_phase", "phase_id", "power"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"))
    power: Mapped[str] = mapped_column(String(80))
    word: Mapped[str] = mapped_column(String(60))
    received_at: Mapped[datetime]
    mail: Mapped[str | None] = mapped_column(ForeignKey("mails.sha256"))
    made_by: Mapped[str] = mapped_column(String(80))
