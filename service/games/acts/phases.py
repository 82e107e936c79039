"""Acts on one phase: its seal broken, its mailbox not waited for, its results taken back to the desk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import update
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games import mailbox_waits
from service.games.acts.act import ActTable, LoggedEvent, ReasonedAct
from service.games.phases import phase_of
from service.games.refused import Refused
from service.store.records import claim_phase
from service.store.tables import PhaseRow, PhaseState


@dataclass(frozen=True, slots=True)
class Unseal(ReasonedAct[None]):
    """Breaks the seal of an open phase, once, for a reason that the next results print (DESK-02, Q-14)."""

    # So that who, when and why fit into one sentence of a letter (`letters.LONGEST`).
    most_reason: ClassVar[int] = 300
    no_reason: ClassVar[str] = ("The sheets stay sealed: unsealing needs a reason in a sentence. It is "
                                "logged, and the next results show it to the players.")
    phase: int
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a phase that is not there."""
        table.any_phase(self.phase)

    def change(self, table: ActTable) -> None:
        """Refuse a phase that is not open, or was unsealed before."""
        # The claim names both conditions: of two who unseal at once, one reason is stored and printed.
        unsealed_id = table.session.execute(
            update(PhaseRow)
            .where(PhaseRow.id == self.phase, PhaseRow.state == PhaseState.OPEN,
                   PhaseRow.unsealed_at.is_(None))
            .values(unsealed_at=table.now, unsealed_by=table.by, unsealed_why=self.reason)
            .returning(PhaseRow.id)).scalar()
        if unsealed_id is None:
            raise Refused("This phase is not sealed. Nothing was changed.")
        table.session.refresh(table.any_phase(self.phase))

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The phase and the reason."""
        return LoggedEvent(Event.PHASE_UNSEALED, table.any_phase(self.phase).game_id,
                     {"phase_id": self.phase, "why": self.reason})


@dataclass(frozen=True, slots=True)
class JudgeWithoutMailbox(ReasonedAct[None]):
    """Lets a phase that waits for the mailbox close without the mails that may still be in it."""

    game: str
    phase: int
    why: str

    def change(self, table: ActTable) -> None:
        """Refuse a phase that does not wait."""
        phase = table.phase(self.game, self.phase)
        row = mailbox_waits.standing(table.session, phase.id)
        if row is None or row.waived_at is not None:
            raise Refused("Nothing was changed: this phase does not wait for the mailbox, or this was "
                          "decided already.")
        row.waived_at, row.waived_by, row.waived_why = table.now, table.by, self.reason

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The phase and the reason."""
        phase = table.phase(self.game, self.phase)
        return LoggedEvent(Event.JUDGED_WITHOUT_MAILBOX, self.game,
                           {"phase": str(phase_of(phase)), "why": self.reason})


@dataclass(frozen=True, slots=True)
class RollBack(ReasonedAct[None]):
    """Takes a judged phase whose results were not sent back to the desk; every decision is stored."""

    game: str
    phase: int
    why: str

    def change(self, table: ActTable) -> None:
        """Refuse a phase that is not judged, or whose results were sent."""
        if not back_to_desk(table.session, table.phase(self.game, self.phase)):
            raise Refused(
                "Nothing was changed: only a phase that is judged and not sent can be rolled back. Sent "
                "results stay; a correction puts an error right.")

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The phase and the reason."""
        return LoggedEvent(Event.PHASE_ROLLED_BACK, self.game, {"phase_id": self.phase, "why": self.reason})


def back_to_desk(session: Session, phase: PhaseRow) -> bool:
    """Take a judged phase whose results are not sent back to the desk; decisions are stored. False if it was
    not judged."""
    return claim_phase(
        session, phase.id, PhaseState.READY, PhaseState.CLOSED, resolution=None, judged_at=None
    )
