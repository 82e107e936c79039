"""The web application: middleware, the signed-in visitor, and the parts put together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined

import templates
from service.desk import access, wording
from service.desk.ports import DeskPorts

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


def environment() -> Environment:
    """Templates with autoescape always on and no silent blanks."""
    made = Environment(loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined)
    made.filters.update(wording.FILTERS)
    return made


def require_visitor(request: Request) -> access.Visitor:
    """The signed-in person of this request; raises NotSignedIn."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        found = access.visitor(session, request.cookies.get(access.COOKIE), ports.wall.now())
    if found is None:
        raise NotSignedIn
    return found


async def require_token(
    request: Request, visitor: Annotated[access.Visitor, Depends(require_visitor)]
) -> access.Visitor:
    """The signed-in person, once the form has shown its token; else 403 (every form that changes anything)."""
    form = await request.form()
    if not access.same(str(form.get("csrf", "")), visitor.csrf):
        raise HTTPException(403, "This form is out of date. Nothing was changed: go back, reload, and send it again.")
    return visitor


def show(request: Request, name: str, status: int = 200, **values: object) -> Response:
    """Render one template with what every page has."""
    ports: DeskPorts = request.app.state.ports
    template = request.app.state.templates.get_template(name)
    html = template.render(title=ports.title, now=ports.clock.now(), **{"visitor": None, **values})
    return Response(html, status_code=status, media_type="text/html; charset=utf-8")


def create_app(ports: DeskPorts) -> FastAPI:
    """The desk over its doors."""
    from service.desk import faults, forms, images, mailroom, pages, public

    app = FastAPI(title=ports.title, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.ports = ports
    app.state.templates = environment()
    app.state.guesses = access.Guesses()
    app.include_router(public.router)
    app.include_router(pages.router)
    app.include_router(mailroom.router)
    app.include_router(images.router)
    app.include_router(forms.router)
    app.mount("/static", StaticFiles(directory=FOLDER / "static"), name="static")
    app.middleware("http")(_headers)
    faults.install(app)
    return app


async def _headers(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await call_next(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not request.url.path.startswith("/static"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response
