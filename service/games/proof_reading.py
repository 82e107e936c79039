"""Proof reading: every accepted line of a phase, compared with its ink by a person once more (DSK-03).

A proof holds for the lines as they were: its event has their digest, and a decision, another version or a
line that is cut again ends it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.ballots import executed
from service.games.lines import SettledLine, lines_of
from service.games.refused import Refused
from service.games.turns import JUDGEABLE
from service.store.tables import EventRow, LineState, PhaseRow

ACCEPTED = frozenset({LineState.AUTO, LineState.READ})
NOT_AT_THE_DESK = ("Nothing was noted: lines are proof read between the deadline and the sending of results.")
OPEN_LINES = "Nothing was noted: first read the lines that wait at the desk."
CHANGED = ("Nothing was noted: a line was decided after this page was shown. Check the lines again; the "
           "lines that you marked wait at the desk.")


@dataclass(frozen=True, slots=True)
class Proof:
    """Who proof read a phase, how many lines, and how many of them that person alone has read."""

    person: str
    lines: int
    alone: int

    @property
    def by_two(self) -> bool:
        """Whether another person, or the machine surely, read each line before."""
        return self.alone == 0


def accepted_lines(session: Session, phase: PhaseRow) -> list[SettledLine]:
    """The lines of the sheets that count which give an order, or words in place of one."""
    by_sheet = lines_of(session, list(executed(session, phase).values()))
    return [line for lines in by_sheet.values() for line in lines if is_accepted(line)]


def is_accepted(line: SettledLine) -> bool:
    """Whether a line counts as an order: as the machine read it surely, or as a person read it."""
    return line.state in ACCEPTED and (line.order is not None or line.by is not None)


def digest_of(lines: Sequence[SettledLine]) -> str:
    """The SHA-256 of lines with their orders, whatever their order on the sheets."""
    written = "\n".join(sorted(f"{line.id} {line.order or line.text}" for line in lines))
    return hashlib.sha256(written.encode()).hexdigest()


def proof_of(session: Session, phase: PhaseRow) -> Proof | None:
    """The newest proof of a phase, if it still holds for every line of it."""
    rows = session.scalars(
        select(EventRow).where(EventRow.game_id == phase.game_id, EventRow.what == Event.PHASE_PROOF_READ)
        .order_by(EventRow.id.desc()))
    newest = next((row for row in rows if row.detail.get("phase_id") == phase.id), None)
    lines = accepted_lines(session, phase)
    if newest is None or newest.detail["digest"] != digest_of(lines):
        return None
    return Proof(newest.actor, int(newest.detail["lines"]), read_alone(lines, newest.actor))


def read_alone(lines: Sequence[SettledLine], person: str) -> int:
    """How many lines were decided by this person, and by no other (`SettledLine.by` names both of two)."""
    return sum(line.by == person for line in lines)


def chance_wrong(line: SettledLine) -> float:
    """The chance, 0..1, that the ink of a line states something else, by what the machine gives to the
    reading that was accepted: 1 for words that a person typed and the machine does not have."""
    scores = [float(reading["score"]) for reading in line.candidates if reading["order"] == line.order]
    if scores:
        return 1.0 - max(scores)
    return 1.0 if line.by is not None else 1.0 - line.confidence


@dataclass(frozen=True, slots=True)
class ProofRead(Act[int]):
    """Notes that a person compared every accepted line of a phase with its ink; results name it.
    `digest_seen`: the digest of the lines that were shown. The outcome is their number."""

    phase: int
    digest_seen: str

    def change(self, table: ActTable) -> int:
        """Refuse a phase that is not at the desk or has open lines, and lines that are not those that were
        shown."""
        phase = table.any_phase(self.phase)
        if phase.state not in JUDGEABLE:
            raise Refused(NOT_AT_THE_DESK)
        by_sheet = lines_of(table.session, list(executed(table.session, phase).values()))
        if any(line.needs_a_person for lines in by_sheet.values() for line in lines):
            raise Refused(OPEN_LINES)
        lines = accepted_lines(table.session, phase)
        if not lines or self.digest_seen != digest_of(lines):
            raise Refused(CHANGED)
        return len(lines)

    def event(self, table: ActTable, outcome: int, letters: int) -> LoggedEvent:
        """The phase, the number of its lines and their digest."""
        return LoggedEvent(Event.PHASE_PROOF_READ, table.any_phase(self.phase).game_id, {
            "phase_id": self.phase, "lines": outcome, "digest": self.digest_seen})
