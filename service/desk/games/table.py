"""The forms for the table of a running game: absences, a pause, an agreed draw (BEY-04)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import Response

from service.desk.games.carry_out import carry_out
from service.games.acts.deadlines import Pause
from service.games.acts.ending import AgreeOnDraw
from service.notices.announcements import EndAbsence, NoteAbsence
from service.web.access import COORDINATOR
from service.web.page import require_token
from service.web.sessions import Visitor

router = APIRouter(prefix="/games", dependencies=[COORDINATOR])
Trusted = Annotated[Visitor, Depends(require_token)]


@router.post("/{game_id}/absence")
def absence(request: Request, visitor: Trusted, game_id: str, power: Annotated[str, Form()],
            first: Annotated[str, Form()], last: Annotated[str, Form()]) -> Response:
    """Note the days on which a player is away; everybody gets a letter."""
    return carry_out(request, visitor, game_id, NoteAbsence(game_id, power, first, last), "absence")


@router.post("/{game_id}/absence/{row_id}/end")
def end_absence(request: Request, visitor: Trusted, game_id: str, row_id: int) -> Response:
    """Take an absence back; everybody gets a letter."""
    return carry_out(request, visitor, game_id, EndAbsence(game_id, row_id), "absence-ended")


@router.post("/{game_id}/pause")
def pause(request: Request, visitor: Trusted, game_id: str, days: Annotated[str, Form()],
          why: Annotated[str, Form()] = "", shown: Annotated[str, Form()] = "") -> Response:
    """Pause the game; everybody gets a letter."""
    return carry_out(request, visitor, game_id, Pause(game_id, days, why, shown), "game-paused")


@router.post("/{game_id}/draw")
def draw(request: Request, visitor: Trusted, game_id: str, phase: Annotated[int, Form()],
         why: Annotated[str, Form()] = "") -> Response:
    """End the game in the draw that all survivors ask for, with the results of a phase."""
    return carry_out(request, visitor, game_id, AgreeOnDraw(game_id, phase, why), "draw-agreed")
