"""Where the operator notes backups that were made with other tools, on the page Health."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from service.features.backup.health import NoteBackup
from service.web.access import OPERATOR
from service.web.acting import performed
from service.web.page import require_token
from service.web.sessions import Visitor

router = APIRouter()


@router.post("/health/note", dependencies=[OPERATOR])
def note(
    request: Request, visitor: Annotated[Visitor, Depends(require_token)],
    event_kind: Annotated[str, Form(alias="what")] = "",
) -> Response:
    """Log that the operator made a backup, or tested one, with tools of their own."""
    # Backups are made with tools of the operator's own, so their age is known only if it is noted.
    performed(request.app.state.ports, visitor, NoteBackup(event_kind), refused=400)
    return RedirectResponse("/health?notice=noted", status_code=303)
