"""Phases whose hour has come and that the clockwork has not looked at yet: bounded questions, whose cost does
not grow with what is in the queue already.

Every function takes the caller's session and never commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from service.store.tables import (
    MailRow,
    MailState,
    OutboxRow,
    OutboxState,
    PhaseLookRow,
    PhaseRow,
    PhaseState,
)

# A look further ahead than this was written before the clock was set back.
FURTHEST = timedelta(minutes=6)


@dataclass(frozen=True, slots=True)
class DuePhase:
    """A phase whose hour has come. `turn`: how often it was called back for this work."""

    id: int
    instant: datetime
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """Which phases to look at: those with no look at `now` or later, at most `limit`. `clock_set`: when the
    machine's clock was last set, or ""."""

    now: datetime
    clock_set: str = ""
    limit: int = 200


def is_anything_due(session: Session, now: datetime) -> bool:
    """Whether a phase may open or close, a letter may leave, or a mail is to be tried again."""
    return bool(session.scalar(_ANYTHING_DUE, {"now": now}))


def to_open(session: Session, look: Look) -> list[DuePhase]:
    """Waiting phases whose time has come and whose board is known, with no earlier phase of their game
    waiting or open, oldest first."""
    return _due(session, "open", PhaseRow.opens_at, look, *_may_open(look.now))


def may_open(session: Session, phase_id: int, now: datetime) -> bool:
    """Whether one phase is among those that open, looked at or not."""
    return session.scalar(select(PhaseRow.id).where(PhaseRow.id == phase_id, *_may_open(now))) is not None


def past_deadline(session: Session, look: Look) -> list[DuePhase]:
    """Open phases whose deadline has come, oldest first."""
    return _due(session, "deadline", PhaseRow.deadline, look, PhaseRow.state == PhaseState.OPEN,
                PhaseRow.deadline <= look.now)


def before_deadline(session: Session, look: Look, span: timedelta) -> list[DuePhase]:
    """Open phases whose deadline comes within `span`, the nearest first."""
    return _due(session, "remind", PhaseRow.deadline, look, PhaseRow.state == PhaseState.OPEN,
                PhaseRow.deadline > look.now, PhaseRow.deadline <= look.now + span)


def note(
    session: Session, work: str, looks: Sequence[tuple[DuePhase, datetime]], clock_set: str = ""
) -> None:
    """Remember when each phase is looked at again."""
    if not looks:
        return
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    statement: Any = insert(PhaseLookRow).values([
        {"phase_id": phase.id, "work": work, "instant": phase.instant, "next_at": next_at,
         "clock_set": clock_set, "turn": phase.turn}
        for phase, next_at in looks
    ])
    session.execute(statement.on_conflict_do_update(
        index_elements=["phase_id", "work"],
        set_={name: statement.excluded[name] for name in ("instant", "next_at", "clock_set")}))


def call_back(session: Session, phase_id: int, instant: datetime) -> None:
    """Have the deadline of a phase looked at again at an instant, and not only after its minutes; nothing if
    the clockwork has not looked at it yet. No one waits for the answer: an earlier call remains."""
    # The number makes its own key, so that the queue takes the same work once more.
    session.execute(
        update(PhaseLookRow)
        .where(PhaseLookRow.phase_id == phase_id, PhaseLookRow.work == "deadline",
               PhaseLookRow.next_at > instant)
        .values(next_at=instant, turn=PhaseLookRow.turn + 1),
        execution_options={"synchronize_session": False})


def forget(session: Session, phase_id: int) -> None:
    """Have a phase looked at again at once."""
    session.execute(delete(PhaseLookRow).where(PhaseLookRow.phase_id == phase_id))


def coming(session: Session, until: datetime) -> dict[str, datetime]:
    """The hours up to `until` at which phases open or close: {"open:7": instant, "deadline:8": instant}."""
    instants: dict[str, datetime] = {}
    for work, state, column in (("open", PhaseState.WAITING, PhaseRow.opens_at),
                                ("deadline", PhaseState.WAITING, PhaseRow.deadline),
                                ("deadline", PhaseState.OPEN, PhaseRow.deadline)):
        rows = session.execute(select(PhaseRow.id, column).where(PhaseRow.state == state, column <= until))
        instants |= {f"{work}:{phase_id}": instant for phase_id, instant in rows}
    return instants


# Made once: to build it takes longer than to ask it.
_NOW: BindParameter[datetime] = bindparam("now")
_ANYTHING_DUE = select(or_(
    exists().where(PhaseRow.state == PhaseState.WAITING, PhaseRow.opens_at <= _NOW,
                   PhaseRow.position.is_not(None)),
    exists().where(PhaseRow.state == PhaseState.OPEN, PhaseRow.deadline <= _NOW),
    exists().where(OutboxRow.state == OutboxState.QUEUED, OutboxRow.due_at <= _NOW),
    exists().where(OutboxRow.state == OutboxState.SENDING, OutboxRow.claimed_until <= _NOW),
    exists().where(MailRow.state == MailState.STORED, MailRow.try_again_at <= _NOW),
))


def _may_open(now: datetime) -> tuple[ColumnElement[bool], ...]:
    earlier = aliased(PhaseRow)
    blocked = exists().where(
        earlier.game_id == PhaseRow.game_id,
        earlier.ordinal < PhaseRow.ordinal,
        earlier.state.in_([PhaseState.WAITING, PhaseState.OPEN]),
    )
    # A phase has its board once the results before it are sent, which ask for its orders (PHA-01).
    return (PhaseRow.state == PhaseState.WAITING, PhaseRow.opens_at <= now, PhaseRow.position.is_not(None),
            ~blocked)


def _due(
    session: Session, work: str, instant: InstrumentedAttribute[datetime], look: Look,
    *where: ColumnElement[bool],
) -> list[DuePhase]:
    query = (
        select(PhaseRow.id, instant, func.coalesce(PhaseLookRow.turn, 0))
        .outerjoin(PhaseLookRow, and_(PhaseLookRow.phase_id == PhaseRow.id, PhaseLookRow.work == work))
        .where(*where, or_(
            PhaseLookRow.phase_id.is_(None), PhaseLookRow.next_at <= look.now,
            PhaseLookRow.next_at > look.now + FURTHEST, PhaseLookRow.instant != instant,
            PhaseLookRow.clock_set != look.clock_set,
        ))
        .order_by(instant, PhaseRow.id).limit(look.limit)
    )
    return [DuePhase(phase_id, due_at, turn) for phase_id, due_at, turn in session.execute(query)]
