"""A letter of results opened in passing: its first lines in the terminal, its picture in a file."""

from __future__ import annotations

import email
import email.policy
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from demo.story import Story
from demo.teller import Teller
from service.store.blobs import Blobs
from service.store.engine import Store
from service.store.letter_parts import finished
from service.store.tables import OutboxRow

LINES = 9
"""Lines of the letter that are printed."""


@dataclass(frozen=True, slots=True)
class OpenedLetter:
    """A letter that was shown: its recipient, and where its picture is, or None."""

    recipient: str
    picture: Path | None


def show_letter(story: Story, store: Store, blobs: Blobs, phase_id: int, folder: Path,
                teller: Teller) -> OpenedLetter | None:
    """Print the first lines of the results that the first player of the story got; None if there are none.

    The letter's first picture is put into `folder`.
    """
    addresses = [address for _, address in story.players.values()]
    with store() as session:
        rows = session.scalars(select(OutboxRow).where(
            OutboxRow.phase_id == phase_id, OutboxRow.kind.contains("results"),
            OutboxRow.recipient.in_(addresses)).order_by(OutboxRow.id)).all()
        row = next((row for row in rows if row.recipient == addresses[0]), rows[0] if rows else None)
    if row is None:
        return None
    message = email.message_from_bytes(finished(blobs, row), policy=email.policy.default)
    body = message.get_body(("plain",))
    text = "" if body is None else str(body.get_content())
    teller.say()
    teller.say(f"Everybody gets the results by mail. {row.recipient} opens the letter “{row.subject}”:",
               indent=2)
    lines = text.splitlines()
    teller.quote(lines[:LINES])
    if len(lines) > LINES:
        teller.quote([f"... and {len(lines) - LINES} lines more"])
    picture = None
    for part in message.iter_attachments():
        data = part.get_payload(decode=True)
        if part.get_content_maintype() == "image" and isinstance(data, bytes):
            folder.mkdir(exist_ok=True)
            picture = folder / f"{phase_id}-{Path(part.get_filename() or 'map').name}"
            picture.write_bytes(data)
            teller.link("its map", str(picture))
            break
    return OpenedLetter(row.recipient, picture)
