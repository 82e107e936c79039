"""Copies of a game made while sheets are sealed: an archive, or a backup of the whole site.

Anyone who holds one can read the sheets before the deadline, so each is entered, and all players are informed
(docs/record.md, C15)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent, perform
from service.games.phases import phase_of
from service.games.refused import LEAST_REASON, MOST_REASON, Refused
from service.games.seal import sealed
from service.store.tables import LotContributionRow, PhaseRow, PhaseState, SubmissionRow


class Copy(StrEnum):
    """The result."""

    ARCHIVE = "archive"
    BACKUP = "backup"
    ENCRYPTED = "encrypted backup"


def phases_with_sealed_sheets(session: Session, game_id: str) -> list[PhaseRow]:
    """The phases of a game that are sealed and have a sheet, or a word for the lots."""
    sheets = exists().where(SubmissionRow.phase_id == PhaseRow.id)
    words = exists().where(LotContributionRow.phase_id == PhaseRow.id)
    rows = session.scalars(select(PhaseRow).where(
        PhaseRow.game_id == game_id, PhaseRow.state.in_([PhaseState.WAITING, PhaseState.OPEN]),
        sheets | words).order_by(PhaseRow.ordinal))
    return [row for row in rows if sealed(row)]


@dataclass(frozen=True, slots=True)
class CopySheets(Act[None]):
    """Makes a copy of the sealed sheets of a phase. `why` is needed for an archive alone: anyone who makes
    one chooses the moment, and a backup is made every night."""

    phase: int
    how: Copy
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse an archive without a reason."""
        phase = table.any_phase(self.phase)
        if self.how is Copy.ARCHIVE and len(self.why) < LEAST_REASON:
            raise Refused(
                f"Nothing was written: sheets of {phase_of(phase)} are sealed until "
                f"{phase.deadline:%-d %b %Y, %H:%M} GMT, and the whole archive would show them. Wait until "
                "then, write the players' archive with --players, or give a reason with --reason: the "
                "record has it, and all players read that the copy was made.")

    def change(self, table: ActTable) -> None:
        """Nothing: the copy is a file."""

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The phase, the kind of copy and the reason."""
        return LoggedEvent(Event.OPEN_PHASE_COPIED, table.any_phase(self.phase).game_id,
                           {"phase_id": self.phase, "as": self.how.value, "why": self.why})


def enter_archive(table: ActTable, game_id: str, reason: str) -> None:
    """Enter that a whole archive of a game is made while sheets are sealed, for each phase of them. Raises
    Refused without a reason."""
    why = " ".join(reason.split())[:MOST_REASON]
    for phase in phases_with_sealed_sheets(table.session, game_id):
        perform(CopySheets(phase.id, Copy.ARCHIVE, why), table)
