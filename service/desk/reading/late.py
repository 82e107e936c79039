"""A version that came in time but after people had begun to read its sheet: shown on the page, compared,
settled by a person.

This happens if a phase was unsealed, or if a mail server delivers late what it stamped in time. It does not
block the work; results wait until each such version is settled (desk plan, "Late mail while working").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.sheets import SheetFlag
from service.games import decisions
from service.games.agreement import Stage
from service.games.ballots import executed
from service.games.decisions import Decision, DecisionKind, ReviewAction
from service.games.lines import SettledLine, lines_of
from service.store.tables import (
    LineRow,
    LineState,
    PageRow,
    PhaseRow,
    ReviewActionRow,
    ReviewRow,
    SubmissionRow,
)


@dataclass(frozen=True, slots=True)
class LateVersion:
    """A sheet that counts, received at `received_at` after lines of another sheet of the same power were
    read.

    `new_id` and `old_id` are submission ids, with their names ("version 3"). `read` lines of the old one
    were decided; `same` lines of the new one say the same and can keep those decisions.
    """

    power: str
    new_id: int
    name: str
    received_at: datetime
    old_id: int
    old_name: str
    read: int
    same: int


def late_versions(session: Session, phase: PhaseRow) -> list[LateVersion]:
    """The late versions that are not settled yet, by power."""
    counting = executed(session, phase)
    submissions = {
        row.id: row
        for row in session.scalars(select(SubmissionRow).where(SubmissionRow.phase_id == phase.id))
    }
    # Each settlement is an act that names the new sheet, so undo brings the banner back.
    settled = set(session.scalars(select(ReviewActionRow.target).where(
        ReviewActionRow.phase_id == phase.id, ReviewActionRow.kind == DecisionKind.CARRY,
        ReviewActionRow.undone_at.is_(None))))
    begun = set(session.scalars(
        select(PageRow.submission_id).join(LineRow, LineRow.page_id == PageRow.id)
        .join(ReviewRow, ReviewRow.line_id == LineRow.id)
        .where(PageRow.submission_id.in_(submissions), ReviewRow.undone_at.is_(None))))
    late = []
    for power, key in counting.items():
        new = submissions[key]
        # Only sheets that came before it: the reading of a later one is not overtaken by it.
        old = max((submissions[n] for n in begun if n != key and submissions[n].power == power
                   and submissions[n].received_at < new.received_at), key=lambda row: row.id, default=None)
        # A version chosen by hand is settled by that choice; one not read yet has no lines to compare.
        if old is None or key in settled or SheetFlag.CHOSEN in new.flags or new.read_at is None:
            continue
        by_sheet = lines_of(session, [old.id, key])
        read = [line for line in by_sheet[old.id] if line.by is not None]
        same = _unchanged(session, by_sheet[old.id], by_sheet[key])
        late.append(LateVersion(power, key, _name(new), new.received_at, old.id, _name(old), len(read),
                                 len({decision.line_id for decision in same})))
    return late


def use(session: Session, act: ReviewAction, phase: PhaseRow, submission_id: int) -> bool:
    """Settle a late version by using it: decisions about lines that say the same are carried over, the
    others stay open. It is one act and can be undone like any other. False if there is nothing to settle or
    the act was filed before."""
    late = next((version for version in late_versions(session, phase) if version.new_id == submission_id),
        None)
    if late is None or not decisions.begin(session, act, DecisionKind.CARRY, submission_id):
        return False
    by_sheet = lines_of(session, [late.old_id, late.new_id])
    carried = _unchanged(session, by_sheet[late.old_id], by_sheet[late.new_id])
    decisions.end(session, act, carried)
    return True


def _unchanged(session: Session, old: Sequence[SettledLine], new: Sequence[SettledLine]) -> list[Decision]:
    """Decisions of the old sheet for lines of the new one that no one has decided, if the machine read the
    same text with the same readings. Each old line is used once."""
    ids = [line.id for line in (*old, *new)]
    raw = {
        row.id: row.text
        for row in session.execute(select(LineRow.id, LineRow.text).where(LineRow.id.in_(ids)))
    }
    left = [line for line in old if _carried(line)]
    carried = []
    for line in new:
        # Two lines without any text would be equal to every other blank line.
        if line.by is not None or not raw[line.id].strip():
            continue
        like = next(
            (
                candidate
                for candidate in left
                if raw[candidate.id] == raw[line.id] and _orders(candidate) == _orders(line)
            ),
            None,
        )
        if like is not None:
            left.remove(like)  # two equal lines of the new sheet need two equal lines of the old one
            carried += [replace(candidate, line_id=line.id) for candidate in _carried(like)]
    return carried


def _carried(line: SettledLine) -> list[Decision]:
    """The decisions carried over from a line: its decision, or, if two people must agree, those of both."""
    if line.stage is Stage.ONE:
        is_decided = (
            line.by is not None and line.state in decisions.DECISIONS and line.state is not LineState.SKIPPED
        )
        return [Decision(line.id, line.state, line.text, line.order)] if is_decided else []
    return [
        Decision(line.id, vote.state, vote.text, vote.order, vote.by, vote.settles) for vote in line.votes
    ]


def _orders(line: SettledLine) -> list[object]:
    return [candidate["order"] for candidate in line.candidates]


def _name(row: SubmissionRow) -> str:
    return "the sheet without a number" if row.version is None else f"version {row.version}"
