"""The seal: before the deadline the desk shows counts and technical state, never what is written (DESK-02,
Q-14).

It can be broken for one phase with a reason, which is logged, and printed in the next results.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import update
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.store.records import log_event
from service.store.tables import PhaseRow, PhaseState

LEAST_REASON = 10
"""Letters of a reason: less than a sentence tells the players nothing."""
MOST_REASON = 300
"""So that who, when and why fit into one sentence of a letter (`letters.LONGEST`)."""


def sealed(phase: PhaseRow) -> bool:
    """Whether a phase still takes orders, so that nobody may look at them."""
    return phase.state == PhaseState.WAITING or (phase.state == PhaseState.OPEN and phase.unsealed_at is None)


def at_the_desk(phase: PhaseRow) -> bool:
    """Whether its lines may be decided: after the deadline or unsealed, and not yet sent."""
    return phase.state in {PhaseState.CLOSED, PhaseState.READY} or (
        phase.state == PhaseState.OPEN and not sealed(phase))


def unseal(session: Session, phase: PhaseRow, by: str, why: str, now: datetime) -> bool:
    """Break the seal of an open phase, once; False when it is not open or was unsealed before.

    `why` has at least `LEAST_REASON` letters, else ValueError.
    """
    why = " ".join(why.split())[:MOST_REASON]
    if len(why) < LEAST_REASON:
        raise ValueError("an unsealing needs a reason")
    # The claim names both conditions: of two who unseal at once, one reason is stored and printed.
    unsealed_id = session.execute(
        update(PhaseRow)
        .where(PhaseRow.id == phase.id, PhaseRow.state == PhaseState.OPEN, PhaseRow.unsealed_at.is_(None))
        .values(unsealed_at=now, unsealed_by=by, unsealed_why=why).returning(PhaseRow.id)).scalar()
    if unsealed_id is None:
        return False
    log_event(session, now, Event.PHASE_UNSEALED, game_id=phase.game_id, actor=by,
              detail={"phase_id": phase.id, "why": why})
    session.refresh(phase)
    return True


def unsealing_note(phase: PhaseRow) -> str:
    """The sentence that results print of a phase unsealed before its deadline; "" of any other."""
    if phase.unsealed_at is None:
        return ""
    return (f"{phase.unsealed_by} opened the sheets before the deadline, "
            f"{phase.unsealed_at:%a %-d %b %Y, %H:%M} GMT. Reason given: {phase.unsealed_why}")
