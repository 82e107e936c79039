"""What was deleted because its player is forgotten: backups and archives are whole without it."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.store.tables import EventRow


def forgotten_files(session: Session, game_id: str = "") -> frozenset[str]:
    """The digests of all files that were deleted by forgetting; of one game where it is named."""
    query = select(EventRow.detail).where(EventRow.what == Event.FORGOTTEN)
    details = session.scalars(query.where(EventRow.game_id == game_id) if game_id else query)
    return frozenset(key for detail in details for key in detail.get("files", ()))
