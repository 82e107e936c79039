"""No more than five answers an hour to one address (section 5 of the desk plan): thirty dark photographs
bring five letters.

What lies beyond is kept, held or in quarantine as ever. The fifth letter says so, and the coordinator is told
once.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.store.tables import OutboxRow

AN_HOUR = 5
"""Answers to one address in an hour. Receipts of papers in time are not counted: a player relies on each."""
COUNTED = ("rejection", "held", "receipt_late")
"""Kinds of letter that answer a mail which brings no paper into play."""
FIFTH = (f"This is answer number {AN_HOUR} to you within an hour. What else you send in this hour and "
         f"cannot be used is kept and "
         "shown to the coordinator, and not answered.")
"""What the last answer of an hour adds."""


def within_the_hour(session: Session, address: str, now: datetime) -> int:
    """How many of these letters an address was written in the last hour."""
    return session.scalar(select(func.count()).select_from(OutboxRow).where(
        OutboxRow.recipient == address, OutboxRow.kind.in_(COUNTED),
        OutboxRow.due_at > now - timedelta(hours=1))) or 0
