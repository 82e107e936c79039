"""The switch by which a person stops all letters. It is in the database, so a restart does not release
them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent, ReasonedAct
from service.games.refused import Refused
from service.mail.sending.present_address import move_to_other_address
from service.store import records
from service.store.tables import OutboxRow, OutboxState, SendHoldRow

LETTERS = "letters"


def current_hold(session: Session) -> SendHoldRow | None:
    """Who stopped the letters, when and why; None while they are sent."""
    return session.get(SendHoldRow, LETTERS)


@dataclass(frozen=True, slots=True)
class HoldLetters(ReasonedAct[None]):
    """Stops sending until it is resumed. Letters are still written and keep their order."""

    why: str

    def change(self, table: ActTable) -> None:
        """Refuse it while letters are held back."""
        if not records.insert_once(
            table.session, SendHoldRow, name=LETTERS, by=table.by, why=self.reason, at=table.now
        ):
            raise Refused("Nothing was changed: letters are held back already.")

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The reason."""
        return LoggedEvent(Event.LETTERS_PAUSED, None, {"why": self.reason})


@dataclass(frozen=True, slots=True)
class ResumeLetters(Act[int]):
    """Sends letters again, the waiting ones first. The outcome is how many wait."""

    def change(self, table: ActTable) -> int:
        """Refuse it where nothing was stopped."""
        released = table.session.execute(
            delete(SendHoldRow).where(SendHoldRow.name == LETTERS).returning(SendHoldRow.name)
        ).scalar()
        if released is None:
            raise Refused("Nothing was changed: no letter is held back.")
        # Their two days of tries begin now, because we waited and not the mail server.
        waiting = table.session.scalars(
            update(OutboxRow)
            .where(OutboxRow.state == OutboxState.QUEUED, OutboxRow.due_at < table.now)
            .values(due_at=table.now)
            .returning(OutboxRow.id)
        ).all()
        return len(waiting)

    def event(self, table: ActTable, outcome: int, letters: int) -> LoggedEvent:
        """The number of letters that waited."""
        return LoggedEvent(Event.LETTERS_RESUMED, None, {"waiting": outcome})


@dataclass(frozen=True, slots=True)
class RetryLetters(Act[int]):
    """Sends one failed letter again, or with None all that certainly did not arrive, to an address that its
    player has now. The outcome is how many."""

    letter: int | None = None

    def change(self, table: ActTable) -> int:
        """Refuse it where none has failed."""
        # Letters that may have arrived are not among them: each of those is tried again by itself, by a
        # person.
        letter_ids = resendable_letters(table.session) if self.letter is None else [self.letter]
        # Before the first is queued: once it waits it has not failed.
        failing = failing_addresses(table.session)
        again = sum(retry(table.session, letter_id, table.now, failing) for letter_id in letter_ids)
        if not again:
            raise Refused("Nothing was changed: no such letter has failed.")
        return again

    def event(self, table: ActTable, outcome: int, letters: int) -> LoggedEvent:
        """The number of letters."""
        return LoggedEvent(Event.LETTERS_TRIED_AGAIN, None, {"number": outcome})


def resendable_letters(session: Session) -> list[int]:
    """Failed letters that may be sent again without asking anybody, because they certainly did not arrive."""
    return list(session.scalars(
        select(OutboxRow.id).where(OutboxRow.state == OutboxState.FAILED, OutboxRow.possibly_twice.is_(False))
        .order_by(OutboxRow.id)))


def retry(session: Session, letter_id: int, now: datetime, failing: Collection[str] | None = None) -> bool:
    """Queue a failed letter again, for a person who requests it; False if it is not a failed one. `failing`:
    as in `present_address.move_to_other_address`, None for the addresses of all letters that failed."""
    failing = failing_addresses(session) if failing is None else failing
    if not records.claim(
        session,
        OutboxRow,
        OutboxRow.id == letter_id,
        OutboxRow.state == OutboxState.FAILED,
        state=OutboxState.QUEUED,
        due_at=now,
        tries=0,
        error=None,
    ):
        return False
    move_to_other_address(session, session.get_one(OutboxRow, letter_id, populate_existing=True), failing)
    return True


def failing_addresses(session: Session) -> frozenset[str]:
    """The addresses, in lower case, of all letters that have failed."""
    addresses = session.scalars(
        select(OutboxRow.recipient).where(OutboxRow.state == OutboxState.FAILED).distinct())
    return frozenset(address.lower() for address in addresses)
