"""The seal: before the deadline the desk shows counts and technical state, never what is written (DESK-02,
Q-14).

It can be broken for one phase with a reason, which is logged, and printed in the next results.
"""

from __future__ import annotations

from service.store.tables import PhaseRow, PhaseState


def sealed(phase: PhaseRow) -> bool:
    """Whether a phase still takes orders, so that no one may look at them."""
    return phase.state == PhaseState.WAITING or (phase.state == PhaseState.OPEN and phase.unsealed_at is None)


def at_the_desk(phase: PhaseRow) -> bool:
    """Whether its lines may be decided: after the deadline or unsealed, and not yet sent."""
    return phase.state in {PhaseState.CLOSED, PhaseState.READY} or (
        phase.state == PhaseState.OPEN and not sealed(phase))
