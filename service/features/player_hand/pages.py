"""The page Hands: what the reader learnt of how each player writes, and how it is forgotten (INK-05)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import func, select

from service.features.player_hand.hand import ForgetHand, newest
from service.store.tables import HandRow, PlayerRow, SubmissionRow
from service.web.access import SITE
from service.web.acting import performed
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(dependencies=[SITE])


@router.get("/hands")
def hands(
    request: Request, visitor: Annotated[Visitor, Depends(require_visitor)], notice: str = ""
) -> Response:
    """Every player's newest hand that is not forgotten, by name, and how many sheets it read."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        players = session.execute(
            select(PlayerRow.id, PlayerRow.name).where(
                PlayerRow.id.in_(select(HandRow.player_id).where(HandRow.forgotten_at.is_(None))))
            .order_by(PlayerRow.name, PlayerRow.id)
        ).all()
        read = select(SubmissionRow.player_id, func.count()).where(SubmissionRow.hand.is_not(None))
        sheets = {row[0]: row[1] for row in session.execute(read.group_by(SubmissionRow.player_id))}
        by_player = {player: newest(session, player) for player, _ in players}
        return show(request, "player_hand/hands.html", visitor=visitor, notice=notice, players=players,
                    newest=by_player, sheets=sheets)


@router.post("/hands/forget")
def forget(
    request: Request, visitor: Annotated[Visitor, Depends(require_token)], player: Annotated[int, Form()]
) -> Response:
    """Forget how a player writes. Raises 404 for a player of whom nothing is known."""
    ports: DeskPorts = request.app.state.ports
    if not performed(ports, visitor, ForgetHand(player)).outcome:
        raise HTTPException(404, "Nothing was changed: the machine has learnt nothing of this player's hand.")
    return RedirectResponse("/hands?notice=hand-forgotten", status_code=303)
