"""Performs an act for a page: in its own transaction, refused with a sentence and a status."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from service.games.acts.act import Act, Performed, perform
from service.games.acts.sheets import NotAtTheDesk, SheetSealed
from service.games.refused import NoReason, NotFound, Refused
from service.store.tables import GameRow, PhaseRow
from service.web.game_roles import NotInAGame
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

Outcome = TypeVar("Outcome")
_STATUS: dict[type[Refused], int] = {
    NotFound: 404, SheetSealed: 403, NotAtTheDesk: 409, NotInAGame: 400}
"""The status of a kind of refusal; of any other the one that the page gives."""


def performed(
    ports: DeskPorts, visitor: Visitor, act: Act[Outcome], refused: int = 409, no_reason: int = 0
) -> Performed[Outcome]:
    """The act, done. Raises an HTTP error with the sentence of a refusal, with status `refused` unless it has
    its own, and `no_reason`, if it is given, where the act lacks a reason; then nothing was changed."""
    with ports.sessions.begin() as session:
        table = ports.act_table(session, visitor.name, visitor.coordinates)
        return or_refuse(lambda: perform(act, table), refused, no_reason)


def or_refuse(act: Callable[[], Outcome], refused: int = 409, no_reason: int = 0) -> Outcome:
    """The act's result. Raises an HTTP error with the sentence of a refusal, so that the caller's transaction
    ends without a change."""
    try:
        return act()
    except Refused as fault:
        without_reason = isinstance(fault, NoReason) and no_reason
        raise refusal(fault, without_reason or refused) from fault


def refusal(fault: Refused, refused: int = 409) -> HTTPException:
    """A refusal as the answer of a page."""
    status = next((_STATUS[kind] for kind in type(fault).__mro__ if kind in _STATUS), refused)
    return HTTPException(status, str(fault))


def carry_out(request: Request, visitor: Visitor, game_id: str, act: Act[Any], notice: str) -> Response:
    """Perform an act about a game and redirect to the game's page with one of its notices. Raises 404 for
    what is not there, and 409 with the reason of a refusal."""
    performed(request.app.state.ports, visitor, act)
    return RedirectResponse(f"/games/{game_id}?notice={notice}", status_code=303)


def phase_row(session: Session, phase_id: int) -> PhaseRow:
    """A phase of any game. Raises 404 if there is none."""
    phase = session.get(PhaseRow, phase_id)
    if phase is None:
        raise HTTPException(404, "There is no such phase. Nothing is lost: the page Games lists every game.")
    return phase


def game_row(session: Session, game_id: str) -> GameRow:
    """A game. Raises 404 if there is none."""
    game = session.get(GameRow, game_id)
    if game is None:
        raise HTTPException(404, "There is no such game. Nothing was changed.")
    return game
