"""A digest of a game's record: each entry of the log hashed together with the digest before it (hand-over letters).

Who has kept a digest can tell later that no entry up to then was changed, left out or put in.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.store.tables import EventRow

BEGIN = hashlib.sha256(b"galloper record 1").hexdigest()


def digest(session: Session, game_id: str) -> str:
    """SHA-256 in hexadecimal over every entry of a game's log, in its order."""
    found = BEGIN
    for row in session.scalars(select(EventRow).where(EventRow.game_id == game_id).order_by(EventRow.id)):
        found = link(found, row)
    return found


def stood(session: Session, game_id: str, wanted: str) -> EventRow | None:
    """The last entry up to which a game's log has this digest; None where it has it nowhere, so that an entry was changed,
    left out or put in since, or the digest is another game's."""
    found = BEGIN
    for row in session.scalars(select(EventRow).where(EventRow.game_id == game_id).order_by(EventRow.id)):
        found = link(found, row)
        if found == wanted:
            return row
    return None


def link(before: str, row: EventRow) -> str:
    """The digest after one more entry."""
    entry = {"id": row.id, "at": row.at.astimezone(UTC).isoformat(), "actor": row.actor, "what": row.what,
             "detail": row.detail}
    words = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(f"{before}\n{words}".encode()).hexdigest()
