"""The forms for the table of a running game: absences, a pause, an agreed draw (BEY-04)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from service.desk.games import table_acts
from service.desk.games.carry_out import act_on_game, carry_out
from service.games.acts.deadlines import Pause
from service.store.tables import GameRow, PhaseRow
from service.web.page import require_token
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(prefix="/games")
Trusted = Annotated[Visitor, Depends(require_token)]


@router.post("/{game_id}/absence")
def absence(request: Request, visitor: Trusted, game_id: str, power: Annotated[str, Form()],
            first: Annotated[str, Form()], last: Annotated[str, Form()]) -> Response:
    """Note the days on which a player is away; everybody gets a letter."""
    ports: DeskPorts = request.app.state.ports
    return act_on_game(request, game_id, "absence", lambda session, row: table_acts.absence(
        session, row, power, first, last, ports.actions.circulars, by=visitor.name, now=ports.clock.now()))


@router.post("/{game_id}/absence/{row_id}/end")
def end_absence(request: Request, visitor: Trusted, game_id: str, row_id: int) -> Response:
    """Take an absence back; everybody gets a letter."""
    ports: DeskPorts = request.app.state.ports
    return act_on_game(request, game_id, "absence-ended", lambda session, row: table_acts.end_absence(
        session, row, row_id, ports.actions.circulars, by=visitor.name, now=ports.clock.now()))


@router.post("/{game_id}/pause")
def pause(request: Request, visitor: Trusted, game_id: str, days: Annotated[str, Form()],
          why: Annotated[str, Form()] = "", shown: Annotated[str, Form()] = "") -> Response:
    """Pause the game; everybody gets a letter."""
    return carry_out(request, visitor, game_id, Pause(game_id, days, why, shown), "game-paused")


@router.post("/{game_id}/draw")
def draw(request: Request, visitor: Trusted, game_id: str, phase: Annotated[int, Form()],
         why: Annotated[str, Form()] = "") -> Response:
    """End the game in the draw that all survivors ask for, with the results of a phase."""
    ports: DeskPorts = request.app.state.ports

    def act(session: Session, row: GameRow) -> None:
        phase_row = session.get(PhaseRow, phase)
        if phase_row is None or phase_row.game_id != row.id:
            raise HTTPException(404, "There is no such phase of this game. Nothing was changed.")
        table_acts.agree_on_draw(session, row, phase_row, why, ports.actions.circulars, by=visitor.name,
                                 now=ports.clock.now())

    return act_on_game(request, game_id, "draw-agreed", act)
