"""Filing a decision about a line, and taking it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from service.store.records import insert_once
from service.store.tables import LineRow, LineState, ReviewRow

DECISIONS = frozenset({LineState.READ, LineState.VOID, LineState.NOT_ORDER, LineState.SKIPPED})


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person says about one line. `key` is the browser's id of the request; the same key twice is once."""

    line_id: int
    key: str
    state: LineState
    text: str
    order: str | None
    by: str
    at: datetime


def file(session: Session, decision: Decision) -> bool:
    """Lay a decision beside the reading. False when this key was filed before (a repeated delivery)."""
    if decision.state not in DECISIONS:
        raise ValueError(f"{decision.state!r} is no decision of a person")
    return insert_once(session, ReviewRow, line_id=decision.line_id, key=decision.key, decision=decision.state,
                       text=decision.text, order=decision.order, by=decision.by, at=decision.at)


def undo_last(session: Session, line_ids: Sequence[int], by: str, now: datetime) -> int | None:
    """Take back this person's newest standing decision among these lines; the id of its line, or None."""
    last = session.scalar(
        select(ReviewRow)
        .where(ReviewRow.line_id.in_(line_ids), ReviewRow.undone_at.is_(None), ReviewRow.by == by)
        .order_by(ReviewRow.id.desc())
        .limit(1)
    )
    return None if last is None else undo_one(session, line_ids, last.id, now)


def undo_one(session: Session, line_ids: Sequence[int], review_id: int, now: datetime) -> int | None:
    """Take back one standing decision about one of these lines, whoever made it; the id of its line, or None."""
    row = session.get(ReviewRow, review_id)
    if row is None or row.line_id not in line_ids:
        return None
    undone = session.execute(
        update(ReviewRow).where(ReviewRow.id == review_id, ReviewRow.undone_at.is_(None)).values(undone_at=now)
        .returning(ReviewRow.line_id))
    return undone.scalar()


def from_candidate(line: LineRow, number: int) -> tuple[str, str | None] | None:
    """Text and order of the reading with this number (1 is the best), or None when there is no such reading."""
    if not 1 <= number <= len(line.candidates):
        return None
    chosen = line.candidates[number - 1]
    return str(chosen["text"]), chosen["order"]
