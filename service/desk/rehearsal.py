"""The Rehearsal page: a dry run of a deadline, compared with the last one."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from service.desk.access import Visitor
from service.desk.doorway import require_token, require_visitor, show
from service.desk.outcomes import grouped, totals
from service.desk.ports import DeskPorts
from service.desk.queries import phase_title
from service.desk.seal import sealed
from service.rehearsal import Rehearsal, last_rehearsal
from service.store.tables import GameRow, PhaseRow
from service.turns import NotReady

router = APIRouter()


@router.get("/rehearsal/{phase_id}")
def look(request: Request, visitor: Annotated[Visitor, Depends(require_visitor)], phase_id: int) -> Response:
    """When it was last rehearsed, and the button that does it again."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        return show(request, "rehearsal.html", visitor=visitor, found=None, **_about(ports, session, phase_id))


@router.post("/rehearsal/{phase_id}")
def run(request: Request, visitor: Annotated[Visitor, Depends(require_token)], phase_id: int) -> Response:
    """Rehearse now. Nothing leaves; the digest of what was found is kept for the next one."""
    ports: DeskPorts = request.app.state.ports
    if ports.rehearse is None:
        raise HTTPException(503, "Nothing was rehearsed: this site has no rehearsal joined to its desk. Tell the operator.")
    with ports.sessions() as session:
        values = _about(ports, session, phase_id)
    try:
        found: Rehearsal = ports.rehearse(phase_id, visitor.name)
    except NotReady as why:
        raise HTTPException(409, f"Nothing was rehearsed: {why}. Nothing left and nothing was changed.") from why
    return show(request, "rehearsal.html", visitor=visitor, found=found, powers=[grouped(one) for one in found.powers],
                totals=totals(found.powers), **values)


def _about(ports: DeskPorts, session: Session, phase_id: int) -> dict[str, Any]:
    phase = session.get(PhaseRow, phase_id)
    if phase is None:
        raise HTTPException(404, "There is no such phase. Nothing is lost: everything starts from Today.")
    game = session.get_one(GameRow, phase.game_id)
    return {"phase": phase, "game": game.name, "phase_title": phase_title(phase), "sealed": sealed(phase),
            "last": last_rehearsal(session, phase),
            "name_of": lambda power: ports.power_name(game.variant, power) if power else ""}
