"""Letters with a player's own secret link: to their entry, or to a page of a feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.letters import render
from service.letters.facts import LetterFacts
from service.letters.kinds import Contents, LetterKind
from service.mail.sending.compose import Rank
from service.notices.letter_context import LetterContext
from service.store.tables import OutboxRow

LINKS_AN_HOUR = 3
"""Links mailed to one address in an hour, no matter who requests them."""


@dataclass(frozen=True, slots=True)
class LinkFacts(LetterFacts):
    """A player's link, good until `until` (UTC): to the entry, where the web `address` works once, or to the
    page that takes photographs for the game of the name `for_game`."""

    address: str
    until: datetime
    for_game: str = ""

    @property
    def letter_key(self) -> str:
        """The end of the address distinguishes one link from another; the whole secret stays out of the
        key."""
        return self.address[-16:]


def mail_link(
    session: Session, letters: LetterContext, to: str, now: datetime, new_link: Callable[[], LinkFacts]
) -> bool:
    """Mail a link to an address; `new_link` makes it. False once LINKS_AN_HOUR is reached."""
    # Otherwise anyone could fill a player's mailbox through a form.
    sent = session.scalar(select(func.count()).select_from(OutboxRow).where(
        OutboxRow.kind == LINK.name, OutboxRow.recipient == to,
        OutboxRow.due_at > now - timedelta(hours=1))) or 0
    if sent >= LINKS_AN_HOUR:
        return False
    return letters.put(session, render.letter(LINK, None, letters.recipient(session, to), new_link()))


# The kind of these letters
# --------------------------------------------------------------------------------------------------


LINK = LetterKind("link", LinkFacts, "Your own link", rank=Rank.URGENT, contents=Contents.LINK)
"""A player's link, to the entry or to the page that takes photographs. It belongs to no game."""
