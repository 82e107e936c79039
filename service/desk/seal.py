"""The seal: before the deadline the desk shows counts and technical state, never what is written."""

from __future__ import annotations

from service.store.tables import PhaseRow, PhaseState


def sealed(phase: PhaseRow) -> bool:
    """Whether a phase still takes orders, so that nobody may look at them (desk plan, rule 2)."""
    return phase.state in {PhaseState.WAITING, PhaseState.OPEN}


def at_the_desk(phase: PhaseRow) -> bool:
    """Whether its lines may be decided: after the deadline, and not yet sent."""
    return phase.state in {PhaseState.CLOSED, PhaseState.READY}
