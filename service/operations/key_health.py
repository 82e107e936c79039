"""Whether the site's key is here, and is the one that the seeds of its lots were made with."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.games import sealed_lots
from service.operations.findings import Finding, FindingState
from service.site_key import IN_SESSION
from service.store.tables import PhaseRow, PhaseState

NOT_JUDGED = (PhaseState.WAITING, PhaseState.OPEN, PhaseState.CLOSED)
ADVICE = ("Put the copy from the setup of the site there, and start the site again. If it is lost for good, "
          "`galloper game lots --without seed` continues without it, and all players are informed.")


def key_finding(session: Session, name: str) -> Finding:
    """The sentence about the key that this session was opened with. A phase of each game is tried, the next
    that is not judged, in the database's order: a key opens all seeds of a game or none."""
    sealed = session.scalars(
        select(PhaseRow).where(PhaseRow.state.in_(NOT_JUDGED))
        .order_by(PhaseRow.game_id, PhaseRow.ordinal)).all()
    by_game = {phase.game_id: phase for phase in reversed(sealed) if _needs_its_seed(phase)}
    if not by_game:
        return Finding(name, FindingState.WELL, "No sealed lots need it now.")
    if session.info.get(IN_SESSION) is None:
        return Finding(
            name, FindingState.TROUBLE,
            "The file site.key is missing. No receipt is signed, and no phase with lots can be judged.",
            ADVICE)
    strange = sorted(game for game, phase in by_game.items()
                     if sealed_lots.opened_seed(session, phase) is None)
    if strange:
        return Finding(
            name, FindingState.TROUBLE,
            f"The file site.key does not belong to {', '.join(strange)}: no lots can be drawn there.",
            ADVICE)
    return Finding(name, FindingState.WELL, "It fits the sealed lots of the games.")


def _needs_its_seed(phase: PhaseRow) -> bool:
    return not sealed_lots.draw_of(phase).seed_lost
