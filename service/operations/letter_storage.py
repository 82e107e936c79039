"""Letters from before they were kept by parts are taken apart while the site runs (LET-05).

Each keeps its bytes: a mail is only taken apart if what is put together again is the same, and the row
changes before the file goes. A letter whose file is missing or damaged stays as it is; sending or showing it
says so.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from service.operations.retention import is_named
from service.store import records
from service.store.blobs import BlobError, Blobs
from service.store.letter_parts import keep
from service.store.tables import OutboxRow, OutboxState

SECONDS = 60.0
"""Between two looks, until nothing is left to take apart."""
AT_ONCE = 50
"""Letters in one look: some 50 ms of processor each."""


def take_apart(store: sessionmaker[Session], blobs: Blobs, after: int = 0) -> int | None:
    """Take the next whole letters apart, from the row behind number `after`; the number of the last one
    looked at, None if there was none."""
    with store() as session:
        rows = session.execute(
            select(OutboxRow.id, OutboxRow.message)
            # One that is being sent is read by its sender at this moment.
            .where(OutboxRow.words.is_(None), OutboxRow.id > after, OutboxRow.state != OutboxState.SENDING)
            .order_by(OutboxRow.id).limit(AT_ONCE)).all()
    for number, message in rows:
        try:
            parts = keep(blobs, blobs.read(message))
        except BlobError:
            continue
        if parts.words is not None:
            _replace(store, blobs, number, message, parts.words, list(parts.files))
    return rows[-1].id if rows else None


def _replace(
    store: sessionmaker[Session], blobs: Blobs, number: int, message: str, words: str, files: list[object]
) -> None:
    with store.begin() as session:
        claimed = records.claim(session, OutboxRow, OutboxRow.id == number, OutboxRow.message == message,
                                OutboxRow.words.is_(None), words=words, files=files)
    with store() as session:
        # The same bytes may be a mail that came in, or another letter that is still whole.
        if claimed and not is_named(session, message):
            blobs.remove(message)


class LetterStorage:
    """Takes whole letters apart, some at each look, from the first to the last once."""

    def __init__(self, store: sessionmaker[Session], blobs: Blobs) -> None:
        self._store, self._blobs = store, blobs
        self._after: int | None = 0

    def look(self) -> None:
        """Take the next ones apart; nothing once all were looked at."""
        if self._after is not None:
            self._after = take_apart(self._store, self._blobs, self._after)
