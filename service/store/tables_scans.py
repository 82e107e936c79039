"""The table of scans: pictures of letters put on the Post page and not filed yet (LET-14)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from service.store.columns import TableBase

PROPOSE_WORK = "propose_scan"
"""Name of the job that reads a scan's heading; its payload is {"scan": id}."""


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
