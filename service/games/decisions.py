"""Acts at the desk: decide a line, or several at once, take that back, and do it again.

An act is what one key press did. Reviews are never deleted: an act that is taken back marks its reviews as
undone, so the review before them counts again. Undo and redo are acts too, so a repeated delivery of one
changes nothing.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from service.games.lines import PART, SettledLine, lines_by_id, lines_of
from service.store.records import insert_once
from service.store.tables import LineRow, LineState, ReviewActionRow, ReviewRow, SubmissionRow

DECISIONS = frozenset({LineState.READ, LineState.VOID, LineState.NOT_ORDER, LineState.SKIPPED})
KEY_LENGTH = 48
"""Characters of a browser's id for a request; what an act files about several lines has the line behind
it."""


class DecisionKind(StrEnum):
    """What an act did. BOX: the box of a line was redrawn. ASK: a line was put aside for a second reader.
    CARRY: a late version is used, with what was decided about the same lines before; its target is the
    submission. CLOSE: lines that two people read differently became void."""

    DECIDE = "decide"
    ACCEPT = "accept"
    ASK = "ask"
    CARRY = "carry"
    JOIN = "join"
    BREAK = "break"
    BOX = "box"
    CLOSE = "close"
    UNDO = "undo"
    REDO = "redo"


BACK_AND_FORTH = (DecisionKind.UNDO, DecisionKind.REDO)
SHAPES = (DecisionKind.JOIN, DecisionKind.BREAK, DecisionKind.BOX)


@dataclass(frozen=True, slots=True)
class ReviewAction:
    """Who does what: `key` is the browser's id of the request; the same key twice is once."""

    key: str
    phase_id: int
    by: str
    acted_at: datetime


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's statement about one line. `order` is canonical text or None. `by` is who said it, where
    that is not who does the act; `settles` that it needs no one else where two people must agree."""

    line_id: int
    state: LineState
    text: str
    order: str | None = None
    by: str = ""
    settles: bool = False


class Overtaken(Exception):
    """A person decided a line after it was shown, so this decision was not filed. `line_id` is the line."""

    def __init__(self, line_id: int) -> None:
        super().__init__(f"line {line_id} was decided meanwhile")
        self.line_id = line_id


def file(
    session: Session, act: ReviewAction, decisions: Sequence[Decision],
    shown_versions: Mapping[int, str] | None = None,
    kind: DecisionKind = DecisionKind.DECIDE,
) -> bool:
    """File decisions next to the readings. False when this act was filed before (a repeated delivery).

    `shown_versions`: line to the version (`SettledLine.version`) that the person saw; lines left out are
    not compared. Raises Overtaken, and the caller must roll back, where one of them has changed since.
    """
    # AUTO is the machine's own state, and OPEN is filed only by acts that cut lines, through `end`.
    for decision in decisions:
        if decision.state not in DECISIONS:
            raise ValueError(f"{decision.state!r} is not a decision of a person")
    if not begin(session, act, kind):
        return False
    check(session, shown_versions or {}, act.by)
    end(session, act, decisions)
    return True


def begin(session: Session, act: ReviewAction, kind: DecisionKind, target: int | None = None) -> bool:
    """Note an act; False when its key was filed before."""
    return insert_once(
        session,
        ReviewActionRow,
        key=act.key,
        phase_id=act.phase_id,
        kind=kind,
        by=act.by,
        at=act.acted_at,
        target=target,
        reviews=[],
    )


def known(session: Session, key: str) -> bool:
    """Whether an act with this key was filed before."""
    return session.scalar(select(ReviewActionRow.id).where(ReviewActionRow.key == key)) is not None


def check(session: Session, shown_versions: Mapping[int, str], me: str) -> None:
    """Raise Overtaken where a line is no longer as `me` saw it. Locks the lines."""
    if not shown_versions:
        return
    # In one order, so that two people who take the same lines cannot deadlock.
    line_ids = select(LineRow.id).where(LineRow.id.in_(shown_versions))
    session.execute(line_ids.order_by(LineRow.id).with_for_update())
    lines = lines_by_id(session, list(shown_versions))
    for line_id, version in shown_versions.items():
        if line_id not in lines or lines[line_id].version(me) != version:
            raise Overtaken(line_id)


def end(session: Session, act: ReviewAction, decisions: Sequence[Decision]) -> None:
    """File the reviews of an act that was begun."""
    rows = [
        ReviewRow(
            line_id=decision.line_id,
            key=review_key(act.key, f"{decision.line_id}{decision.by and f'.{index}'}", len(decisions)),
            decision=decision.state,
            text=decision.text,
            order=decision.order,
            by=decision.by or act.by,
            at=act.acted_at,
            settles=decision.settles,
        )
        for index, decision in enumerate(decisions)
    ]
    session.add_all(rows)
    session.flush()
    session.execute(
        update(ReviewActionRow).where(ReviewActionRow.key == act.key).values(reviews=[row.id for row in rows])
    )


def review_key(act_key: str, line: str, lines: int) -> str:
    """The key of what an act states about one of its lines; the browser makes the same."""
    return act_key if lines == 1 else f"{act_key}.{line}"


def undo(session: Session, act: ReviewAction, target: str | None = None) -> list[int]:
    """Take back one act of this phase, without `target` this person's newest; the lines that changed.

    The list is empty when there is nothing to take back, or when this request was filed before.
    """
    action = _standing(session, act, target)
    # Lines that the act cut out may have been decided since. Those decisions must be taken back first, or
    # they would be about lines that are gone.
    if action is None or _built_upon(session, action):
        return []
    if not begin(session, act, DecisionKind.UNDO, action.id):
        return []
    return _mark(session, action, act.acted_at)


def redo(session: Session, act: ReviewAction, target: str | None = None) -> list[int]:
    """Do again what this person took back last, if nothing new was done since; the lines that changed.

    With `target` only if that act is the one to do again.
    """
    stack = undone(session, act.phase_id, act.by)
    if (
        not stack
        or target not in {None, stack[-1].key}
        or not begin(session, act, DecisionKind.REDO, stack[-1].id)
    ):
        return []
    return _mark(session, stack[-1], None)


def undo_review(session: Session, act: ReviewAction, line_ids: Sequence[int], review_id: int) -> list[int]:
    """Take back the act that filed a review about one of these lines, no matter who made it."""
    review = session.get(ReviewRow, review_id)
    if review is None or review.line_id not in line_ids or review.undone_at is not None:
        return []
    acts = session.scalars(
        select(ReviewActionRow).where(
            ReviewActionRow.phase_id == act.phase_id, ReviewActionRow.undone_at.is_(None)
        )
    )
    owner = next((row for row in acts if review_id in row.reviews), None)
    return [] if owner is None else undo(session, act, owner.key)


def standing(session: Session, phase_id: int, by: str) -> list[ReviewActionRow]:
    """Acts that this person could undo, oldest first."""
    return list(
        session.scalars(
            select(ReviewActionRow)
            .where(
                ReviewActionRow.phase_id == phase_id,
                ReviewActionRow.by == by,
                ReviewActionRow.undone_at.is_(None),
                ReviewActionRow.kind.not_in(BACK_AND_FORTH),
            )
            .order_by(ReviewActionRow.id)
        )
    )


def undone(session: Session, phase_id: int, by: str) -> list[ReviewActionRow]:
    """Acts that this person could redo, the next one last."""
    # Any new act empties the stack, as in text editors.
    rows = session.scalars(
        select(ReviewActionRow)
        .where(ReviewActionRow.phase_id == phase_id, ReviewActionRow.by == by)
        .order_by(ReviewActionRow.id)
    ).all()
    known = {row.id: row for row in rows}
    stack: list[ReviewActionRow] = []
    for row in rows:
        if row.kind == DecisionKind.UNDO and row.target in known:
            stack.append(known[row.target])
        elif row.kind == DecisionKind.REDO and stack:
            stack.pop()
        elif row.kind not in BACK_AND_FORTH:
            stack = []
    return [row for row in stack if row.undone_at is not None]


def make_room(session: Session, page_id: int, after: int, rows: int) -> None:
    """Move the lines below `after` down by `rows` places. They pass through negative numbers, since each
    place of a page can be taken only once."""
    below = (LineRow.page_id == page_id, LineRow.ordinal > after)
    session.execute(update(LineRow).where(*below).values(ordinal=-LineRow.ordinal - rows))
    session.execute(update(LineRow).where(LineRow.page_id == page_id, LineRow.ordinal < 0)
                    .values(ordinal=-LineRow.ordinal))


def set_aside(session: Session, phase_id: int) -> tuple[set[int], dict[str, str], set[str]]:
    """Ids of lines that were cut into others; for each decision that requests a second reader, who asked;
    and the decisions carried over from an earlier version of a sheet."""
    acts = session.execute(
        select(ReviewActionRow.kind, ReviewActionRow.reviews, ReviewActionRow.by)
        .where(ReviewActionRow.phase_id == phase_id, ReviewActionRow.undone_at.is_(None),
               ReviewActionRow.kind.in_([*SHAPES, DecisionKind.ASK, DecisionKind.CARRY]))).all()
    filed = {key: (kind, by) for kind, keys, by in acts for key in keys}
    if not filed:
        return set(), {}, set()
    rows = [
        (line, key, decision, *filed[number])
        for number, line, key, decision in session.execute(
            select(ReviewRow.id, ReviewRow.line_id, ReviewRow.key, ReviewRow.decision).where(
                ReviewRow.id.in_(filed)
            )
        )
    ]
    away = {line for line, _, decision, kind, _ in rows if kind in SHAPES and decision == LineState.NOT_ORDER}
    asked_by = {key: by for _, key, _, kind, by in rows if kind == DecisionKind.ASK}
    return away, asked_by, {key for _, key, _, kind, _ in rows if kind == DecisionKind.CARRY}


def own_lines(session: Session, submission_id: int) -> list[SettledLine]:
    """The lines of a sheet as they count now; see `present`."""
    away, _, _ = set_aside(session, session.get_one(SubmissionRow, submission_id).phase_id)
    return present(lines_of(session, [submission_id])[submission_id], away)


def present(lines: Iterable[SettledLine], away: Container[int]) -> list[SettledLine]:
    """The lines without those that a person cut into others (`away`, by id), and without parts whose cut was
    taken back."""
    # A part without a decision is one whose cut was taken back.
    return [line for line in lines if line.id not in away and not (line.kind == PART and line.by is None)]


def from_candidate(line: LineRow, number: int) -> tuple[str, str | None] | None:
    """Text and order of the reading with this number (1 is the best), or None when there is no such
    reading."""
    if not 1 <= number <= len(line.candidates):
        return None
    chosen = line.candidates[number - 1]
    return str(chosen["text"]), chosen["order"]


def _standing(session: Session, act: ReviewAction, target: str | None) -> ReviewActionRow | None:
    if target is None:
        return next(iter(standing(session, act.phase_id, act.by)[::-1]), None)
    return session.scalar(
        select(ReviewActionRow).where(
            ReviewActionRow.key == target,
            ReviewActionRow.phase_id == act.phase_id,
            ReviewActionRow.undone_at.is_(None),
            ReviewActionRow.kind.not_in(BACK_AND_FORTH),
        )
    )


def _built_upon(session: Session, action: ReviewActionRow) -> bool:
    """Whether lines that an act cut out of others carry decisions of their own."""
    if action.kind not in SHAPES:
        return False
    parts = select(ReviewRow.line_id).where(
        ReviewRow.id.in_(action.reviews), ReviewRow.decision == LineState.OPEN
    )
    later = select(ReviewRow.id).where(ReviewRow.line_id.in_(parts), ReviewRow.id.not_in(action.reviews),
                                       ReviewRow.undone_at.is_(None))
    return session.scalar(later.limit(1)) is not None


def _mark(session: Session, action: ReviewActionRow, undone_at: datetime | None) -> list[int]:
    session.execute(
        update(ReviewActionRow).where(ReviewActionRow.id == action.id).values(undone_at=undone_at))
    lines = session.scalars(
        update(ReviewRow)
        .where(ReviewRow.id.in_(action.reviews))
        .values(undone_at=undone_at)
        .returning(ReviewRow.line_id)
    )
    changed = list(lines)
    session.refresh(action)
    return changed
