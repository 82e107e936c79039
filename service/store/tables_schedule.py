"""Tables of the clockwork: which phases are in the queue already, and which process leads."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase


class PhaseLookRow(TableBase):
    """When the clockwork looks at a phase again, for one kind of work. No row before its first look.

    A separate table, so that a look writes no board again.
    """

    __tablename__ = "phase_looks"
    phase_id: Mapped[int] = mapped_column(ForeignKey("phases.id"), primary_key=True)
    # "open", "deadline" or "remind".
    work: Mapped[str] = mapped_column(String(20), primary_key=True)
    # The hour that it was about: one that was moved is looked at again.
    instant: Mapped[datetime]
    next_at: Mapped[datetime]
    # How often it was called back before its time: a number of the look's key.
    turn: Mapped[int] = mapped_column(default=0)
    # When the machine's clock was last set, as the look knew it; "" if never.
    clock_set: Mapped[str] = mapped_column(String(40), default="")


class InspectionRow(TableBase):
    """How the newest inspection of the stored files, or of the database, ended."""

    __tablename__ = "inspections"
    # "files" or "database".
    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    # The night it belonged to, such as "2027-03-01".
    night: Mapped[str] = mapped_column(String(10))
    ended_at: Mapped[datetime]
    # A sentence, "" if all was well.
    trouble: Mapped[str] = mapped_column(Text)
    # Files that are missing or damaged: how many, and their keys.
    count: Mapped[int]
    files: Mapped[list[Any]] = mapped_column(default=list)


class LeaseRow(TableBase):
    """Which process does what only one should do, and how long no one else may take it over."""

    __tablename__ = "leases"
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    holder: Mapped[str] = mapped_column(String(120))
    # UTC by the database's clock.
    ends_at: Mapped[datetime]
