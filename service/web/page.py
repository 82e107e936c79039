"""What every page of the desk stands on: the signed-in visitor, the token of its forms, the templates and
headers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.responses import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import templates
from service.web import sessions, wording
from service.web.ports import DeskPorts
from service.web.roles import NOT_YOURS, may

FOLDER = Path(templates.__file__).parent / "desk"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class NotSignedIn(Exception):
    """The page needs a signed-in coordinator."""


class StaleForm(HTTPException):
    """A form without the token of this very session."""

    def __init__(self) -> None:
        super().__init__(403, ("This form is out of date. Nothing was changed: go back, reload, and send it "
                               "again."))


def environment() -> Environment:
    """Templates with autoescape always on and no silent blanks."""
    templates = Environment(loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined)
    templates.filters.update(wording.FILTERS)
    return templates


def require_visitor(request: Request) -> sessions.Visitor:
    """The signed-in person of this request, whose role may use this address; raises NotSignedIn, or 403."""
    visitor = signed_in(request)
    if not may(visitor.role, request.url.path):
        raise HTTPException(403, NOT_YOURS)
    return visitor


def signed_in(request: Request) -> sessions.Visitor:
    """The signed-in person of this request, whatever it is for; raises NotSignedIn."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        visitor = sessions.visitor(session, request.cookies.get(sessions.COOKIE), ports.wall.now())
    if visitor is None:
        raise NotSignedIn
    return visitor


async def require_token(
    request: Request, visitor: Annotated[sessions.Visitor, Depends(require_visitor)]
) -> sessions.Visitor:
    """The signed-in person, once the form has shown its token; else 403 (every form that changes
    anything)."""
    form = await request.form()
    if not sessions.same(str(form.get("csrf", "")), visitor.csrf):
        raise StaleForm
    return visitor


def show(request: Request, name: str, status: int = 200, **values: object) -> Response:
    """Render one template with what every page has."""
    ports: DeskPorts = request.app.state.ports
    template = request.app.state.templates.get_template(name)
    html = template.render(title=ports.title, now=ports.clock.now(), **{"visitor": None, **values})
    return Response(html, status_code=status, media_type="text/html; charset=utf-8")
