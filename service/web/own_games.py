"""Forms of no single game, sent by whoever coordinates single games (SEC-04): what they name must be of these
games."""

from __future__ import annotations

from fastapi import HTTPException, Request

from service.store.tables import PhaseRow
from service.web.mail_games import is_within
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

NOT_OF_YOUR_GAMES = ("Nothing was changed: this names something that is of none of the games that you "
                     "coordinate. Ask a coordinator of the site.")


def require_own_phase(request: Request, visitor: Visitor, phase_id: int) -> None:
    """Raises 403 unless the phase is of a game that this person coordinates."""
    if visitor.coordinates is None:
        return
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        # A number that no column holds is no phase; the database would refuse it as a fault.
        phase = session.get(PhaseRow, phase_id) if phase_id < 2**31 else None
        if phase is None or not is_within({phase.game_id}, visitor.coordinates):
            raise HTTPException(403, NOT_OF_YOUR_GAMES)


def require_any_game(visitor: Visitor) -> None:
    """Raises 403 for somebody with roles by game who coordinates none."""
    if visitor.coordinates is not None and not visitor.coordinates:
        raise HTTPException(403, NOT_OF_YOUR_GAMES)
