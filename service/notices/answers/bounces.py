"""What the coordinator reads about letters that came back."""

from __future__ import annotations

from datetime import datetime

from service.letters.facts import NoticeFacts
from service.store.tables import OutboxRow, PlayerRow


def about_letter(row: OutboxRow, now: datetime, base_url: str) -> NoticeFacts:
    """A letter came back: which, and why if its server said, without the reader's address."""
    # "it came back as undeliverable: the mailbox is full (5.2.2)"
    cause = (row.error or "").partition(": ")[2]
    return NoticeFacts(
        # One notice for each time that the letter was sent, however often its bounce comes.
        key=f"bounce-{row.id}" + (f"-{row.sent_at:%Y%m%d%H%M%S}" if row.sent_at else ""),
        event=f"A letter came back as undeliverable: {row.subject}",
        since=now,
        link=f"{base_url}/letters/{row.id}" if base_url else "",
        consequence=f"its reader does not have it{f', because {cause}' if cause else ''}. Ask them in some "
                    "other way for another address. You can print results from Letters and post them.",
    )  # fmt: skip


def about_player(player: PlayerRow, now: datetime, base_url: str) -> NoticeFacts:
    """Some letter to a player came back, and the report does not say which."""
    return NoticeFacts(
        # Once a day: anybody can write such a report.
        key=f"bounce-player-{player.id}-{now:%Y-%m-%d}",
        event=f"A letter to {player.name} came back as undeliverable; the report does not say which",
        since=now,
        link=f"{base_url}/letters" if base_url else "",
        consequence="every letter to this player still leaves. If more come back, ask the player in some "
                    "other way for another address.",
    )  # fmt: skip
