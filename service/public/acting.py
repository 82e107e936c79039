"""Performs an act of a player on a visit: in its own transaction, refused with a sentence in their own
language."""

from __future__ import annotations

from typing import TypeVar

from fastapi import HTTPException, Request

from service.games.acts.act import Act, Performed, perform
from service.games.refused import NotFound, Refused
from service.letters.language import sentence_of
from service.public import visits
from service.public.visits import VisitingPlayer
from service.web.ports import DeskPorts

Outcome = TypeVar("Outcome")
PLAYER = "player"
"""By whom it is done, in the log."""


def performed(
    request: Request, visitor: VisitingPlayer, token: str, act: Act[Outcome], refused: int = 400
) -> Performed[Outcome]:
    """The act, done. Raises 403 for a form without the visit's token, and the sentence of a refusal with
    status `refused`, or 404 for what is not there."""
    visits.check(visitor, token)
    ports: DeskPorts = request.app.state.ports
    try:
        with ports.sessions.begin() as session:
            return perform(act, ports.act_table(session, PLAYER))
    except Refused as fault:
        status = 404 if isinstance(fault, NotFound) else refused
        raise HTTPException(status, sentence_of(fault)) from fault


def seats_of(request: Request, visitor: VisitingPlayer, game_id: str) -> tuple[str, ...]:
    """The powers that a player holds in a game. Raises 403 for a game that is not theirs."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        return tuple(visits.seat_of(session, visitor, game_id))
