"""Where the operator notes backups that were made with other tools, on the page Health."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from service.facts.events import Event
from service.store import records
from service.web.access import OPERATOR
from service.web.page import require_token
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()
NOTED = (Event.BACKUP_MADE, Event.RESTORE_TESTED)


@router.post("/health/note", dependencies=[OPERATOR])
def note(
    request: Request, visitor: Annotated[Visitor, Depends(require_token)],
    event_kind: Annotated[str, Form(alias="what")] = "",
) -> Response:
    """Log that the operator made a backup, or tested one, with tools of their own."""
    ports: DeskPorts = request.app.state.ports
    # Backups are made with tools of the operator's own, so their age is known only if it is noted.
    noted = next((each for each in NOTED if each == event_kind), None)
    if noted is None:
        raise HTTPException(400, "Nothing was noted: this is neither a backup nor a test of one.")
    with ports.sessions.begin() as session:
        records.log_event(session, ports.clock.now(), noted, actor=visitor.name)
    return RedirectResponse("/health?notice=noted", status_code=303)
