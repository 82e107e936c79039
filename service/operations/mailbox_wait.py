"""No deadline closes on a mailbox that could not be emptied, nor on players who were not asked: the phase
waits, and the coordinator may decide to judge without what may still come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from service.clock import Clock
from service.games import mailbox_waits, turns
from service.games.asking import unasked
from service.mail.mailbox.drain import BUSY, DrainOutcome
from service.notices.coordinator_notices import NoticeFacts, notify
from service.notices.letter_context import LetterContext
from service.store import mail_troubles, phase_looks
from service.store.engine import Store
from service.store.tables import GameRow, PhaseRow, PhaseState

CONSEQUENCE = (
    "the phase is neither closed nor judged, and players see that it waits. No player is harmed: the mail "
    "server's stamps decide what came in time. It continues by itself within two minutes once the mailbox "
    "can be emptied; or decide on the game's page to judge without the mails that may still be there.")

UNASKED = (
    "the phase is neither closed nor judged, and its sheets stay sealed. Under Letters, send the letter "
    "again, to an address that works, and give this phase a later deadline on the game's page; or decide "
    "there to judge without these orders.")


@dataclass(frozen=True, slots=True)
class MailboxWait:
    """The check before a deadline. `empty` empties the mailbox after an instant (`MailboxDrain.empty`)."""

    store: Store
    clock: Clock
    desk: LetterContext
    empty: Callable[[datetime], DrainOutcome]

    def must_wait(self, phase_id: int) -> bool:
        """Empty the mailbox for a phase whose deadline has passed; whether the phase must wait for it. The
        coordinator then gets one notice a deadline."""
        with self.store.begin() as session:
            phase = session.get(PhaseRow, phase_id)
            if phase is None or phase.state != PhaseState.OPEN or phase.deadline > self.clock.now():
                return False
            wait = mailbox_waits.standing(session, phase_id)
            if wait is not None and wait.waived_at is not None:
                return False
            deadline = phase.deadline
        outcome = self.empty(deadline)
        with self.store.begin() as session:
            phase = session.get_one(PhaseRow, phase_id)
            unreached = self._unreached(session, phase)
            mailbox = _why(session, phase, outcome)
            why = " ".join(filter(None, (mailbox, _unasked_words(unreached))))
            wait = mailbox_waits.standing(session, phase_id) if why else None
            # Decided while the mailbox was being emptied.
            if not why or (wait is not None and wait.waived_at is not None):
                return False
            now = self.clock.now()
            # Another deadline's look is under way. Within a minute it has ended, or there is something to
            # tell: thousands of games would write a notice each, for a look of a quarter of a minute.
            if outcome.trouble == BUSY and wait is None and now - phase.deadline < turns.SOON:
                phase_looks.call_back(session, phase_id, now + turns.CALLED_BACK)
                return True
            if mailbox_waits.waits(session, phase, why, now):
                self._tell(session, phase, why, CONSEQUENCE if mailbox else UNASKED)
        return True

    def _unreached(self, session: Session, phase: PhaseRow) -> list[str]:
        """The names of the powers that were not asked in time."""
        variant = self.desk.load(session.get_one(GameRow, phase.game_id).variant)
        return [variant.powers[power].name for power in unasked(session, phase, variant)]

    def _tell(self, session: Session, phase: PhaseRow, why: str, consequence: str) -> None:
        game, base_url = session.get_one(GameRow, phase.game_id), self.desk.sender.base_url.rstrip("/")
        facts = NoticeFacts(
            # One notice a deadline, however often the mailbox is looked into.
            key=f"mailbox-{phase.id}-{phase.deadline.isoformat()}", event=why, since=phase.deadline,
            link=f"{base_url}/games/{game.id}" if base_url else "", consequence=consequence)
        notify(session, self.desk, game, facts, phase)


def _why(session: Session, phase: PhaseRow, outcome: DrainOutcome) -> str:
    """Why a phase must wait, in sentences; "" if everything that came in time is here."""
    if outcome.trouble:
        return f"The mailbox could not be emptied at the deadline. {outcome.trouble}"
    left = outcome.in_time(phase.deadline)
    if left:
        return f"{_mails(left)} that came in time could not be received yet."
    unread = mail_troubles.unread_between(session, phase.opens_at, phase.deadline)
    if unread:
        return (f"{_mails(unread)} that came in time cannot be fetched from the mail server; see Health, "
                "and check the mailbox with a mail program.")
    return ""


def _unasked_words(names: Sequence[str]) -> str:
    """Who was not asked in time, in a sentence; "" if everybody was."""
    return (f"No letter with the request for orders to {', '.join(names)} was accepted in time to answer."
            if names else "")


def _mails(count: int) -> str:
    return f"{count} mail{'' if count == 1 else 's'}"
