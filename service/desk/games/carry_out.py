"""Runs an act about a game for a form: in one transaction, refused with a sentence, reported on the game's
page."""

from __future__ import annotations

from typing import Any

from fastapi import HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from service.games.acts.act import Act
from service.store.tables import GameRow
from service.web.acting import performed
from service.web.sessions import Visitor


def carry_out(request: Request, visitor: Visitor, game_id: str, act: Act[Any], notice: str) -> Response:
    """Perform an act about a game and redirect to the game's page with one of its notices. Raises 404 for
    what is not there, and 409 with the reason of a refusal."""
    performed(request.app.state.ports, visitor, act)
    return RedirectResponse(f"/games/{game_id}?notice={notice}", status_code=303)


def game_row(session: Session, game_id: str) -> GameRow:
    """A game. Raises 404 if there is none."""
    game = session.get(GameRow, game_id)
    if game is None:
        raise HTTPException(404, "There is no such game. Nothing was changed.")
    return game
