"""The page of a signed-in person about themselves: where they are signed in, and what features add."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from service.feature import Slot, with_slot_values
from service.web import sessions
from service.web.access import SIGNED_IN
from service.web.accounts import SignOutElsewhere
from service.web.acting import performed
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(dependencies=[SIGNED_IN])
Seen = Annotated[Visitor, Depends(require_visitor)]
Acting = Annotated[Visitor, Depends(require_token)]


@router.get("/account")
def account(request: Request, visitor: Seen, notice: str = "") -> Response:
    """Where this person is signed in."""
    return account_page(request, visitor, notice=notice)


@router.post("/account/sessions")
def end_sessions(request: Request, visitor: Acting, session: Annotated[str, Form()]) -> Response:
    """End one session of this person, or with "others" all but this one."""
    performed(request.app.state.ports, visitor, SignOutElsewhere(visitor, session))
    return RedirectResponse("/account?notice=sessions-ended", status_code=303)


def account_page(request: Request, visitor: Visitor, *, notice: str = "", **values: Any) -> Response:
    """A person's own page. `values` are added to what the templates of features show on it."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as store:
        rows = [
            (sessions.session_key(row), row, row.csrf == visitor.csrf)
            for row in sessions.own_sessions(store, visitor, ports.wall.now())
        ]
        shown = with_slot_values(
            Slot.ACCOUNT, request, store, {"visitor": visitor, "rows": rows, "notice": notice})
        return show(request, "account.html", **shown | values)
