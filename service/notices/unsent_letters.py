"""Tells the coordinator of a letter that goes to nobody, because its player has no address or left the
seat."""

from __future__ import annotations

from sqlalchemy.orm import Session

from service.letters import render
from service.letters.facts import NoticeFacts, Recipient
from service.notices.letter_context import LetterContext
from service.store.tables import GameRow, OutboxRow


def report_unsent(letters: LetterContext, session: Session, row: OutboxRow) -> None:
    """Put one notice about an unsent letter into the outbox, without its reader's address."""
    game = None if row.game_id is None else session.get_one(GameRow, row.game_id)
    base = letters.sender.base_url.rstrip("/")
    facts = NoticeFacts(
        # A letter that is tried again, and fails again, brings no second notice.
        key=f"unsent-{row.id}", event=f"A letter was not sent: {row.subject}. The reason: {row.error}.",
        since=letters.clock.now(), link=f"{base}/letters/{row.id}" if base else "",
        consequence="nobody gets it. It is kept under Letters, where you can read and print it.")
    info = None if game is None else letters.game_info(game)
    letters.put(session, render.coordinator_notice(info, Recipient(letters.sender.coordinator), facts))
