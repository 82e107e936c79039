"""The log as a file, and a digest of it: each entry hashed together with the digest before it. Who has kept a
file can tell later that no entry up to then was changed, left out or put in; of all else the record tells
(`service.record.chain`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
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


def exported(session: Session, game_id: str = "") -> Iterator[str]:
    """The log, oldest first, of one game or of everything, one JSON object a line. An entry of a game has
    under "digest" the game's digest up to it, so that whoever has the file can check it, and one digest kept
    elsewhere, without this site: each is SHA-256 of the one before it, a line's end, and the entry's id, at,
    actor, what and detail as JSON with its keys sorted and no blanks; the first follows on SHA-256 of
    "galloper record 1"."""
    wanted = select(EventRow).order_by(EventRow.id).execution_options(yield_per=500)
    digests: dict[str, str] = {}
    for row in session.scalars(wanted.where(EventRow.game_id == game_id) if game_id else wanted):
        told: dict[str, object] = {"game": row.game_id, **entry(row)}
        if row.game_id is not None:
            told["digest"] = digests[row.game_id] = link(digests.get(row.game_id, BEGIN), row)
        yield json.dumps(told, ensure_ascii=False) + "\n"


def entry(row: EventRow) -> dict[str, object]:
    """What of an entry is hashed."""
    return {
        "id": row.id,
        "at": row.at.astimezone(UTC).isoformat(),
        "actor": row.actor,
        "what": row.what,
        "detail": row.detail,
    }


def link(before: str, row: EventRow) -> str:
    """The digest after one more entry."""
    words = json.dumps(entry(row), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(f"{before}\n{words}".encode()).hexdigest()
