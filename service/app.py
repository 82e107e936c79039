"""The web application: its parts put together, and the headers of every answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.desk import corrections, front, images, mailroom, operation, pages, probes, proof, quarantine
from service.desk.door import account, people, sign_in
from service.desk.games import ahead, boards, letters, pages as games, seats
from service.desk.inbox import waiting_for
from service.desk.reading import api, forms
from service.desk.reading.api import Presence
from service.desk.sheet import pages as sheet
from service.feature import features, template_folders
from service.public import (
    archive,
    calendar,
    entry,
    game_map,
    game_page,
    left_out,
    lots,
    moves,
    my_file,
    page as public_page,
    players,
    results,
    roots,
    rules,
    sheet_form,
)
from service.web import error_pages
from service.web.access import closed_unless_declared, guarded
from service.web.page import FOLDER, HEADERS, environment
from service.web.ports import DeskPorts
from service.web.public_limits import BodyLimit, DrawnOnce, RateLimit, limit_strangers


class HeadAsGet:
    """Answers HEAD as GET and leaves the body out (an ASGI application). No page of the site changes anything
    on GET, so none does on HEAD."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; of a HEAD as GET."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, without_body)


def create_app(ports: DeskPorts) -> FastAPI:
    """The desk over its doors."""
    # The framework would lead from "/sign-in/" to "/sign-in" at the host that the request names, anybody's.
    app = FastAPI(title=ports.settings.title, docs_url=None, redoc_url=None, openapi_url=None,
                  redirect_slashes=False, dependencies=[Depends(closed_unless_declared), Depends(guarded)])
    app.state.ports = ports
    app.state.templates = environment()
    app.state.waiting_for = waiting_for
    app.state.public_limit, app.state.drawn = RateLimit(), DrawnOnce()
    app.state.presence = Presence()
    app.router.routes.extend(_routes())
    for feature in features():
        for address, mounted in feature.mounts(app).items():
            app.mount(address, mounted)
    static = StaticFiles(directory=FOLDER / "static")
    static.all_directories += template_folders("static")
    app.mount("/static", static, name="static")
    app.add_middleware(BodyLimit)
    app.add_middleware(HeadAsGet)
    app.middleware("http")(limit_strangers)
    app.middleware("http")(_headers)
    error_pages.install(app, public_page.show_error)
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """The routes of the desk, which every application of this process shares.

    The framework resolves what each route needs at the first request, which takes 0.3 s for all of them.
    """
    whole = FastAPI(docs_url=None, redoc_url=None, openapi_url=None,
                    dependencies=[Depends(closed_unless_declared), Depends(guarded)])
    for feature in features():
        for router in feature.routers():
            whole.include_router(router)
    for pages_of in (
        sign_in, moves, calendar,
        archive, left_out, entry, game_map, players, my_file, game_page,
        rules, lots, roots, results, sheet_form,
        front, pages, mailroom, images, forms, corrections, proof, api, sheet, quarantine, games, seats,
        people, account, operation, probes, letters, ahead, boards,
    ):
        whole.include_router(pages_of.router)
    return tuple(whole.router.routes)


async def _headers(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await call_next(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not request.url.path.startswith("/static"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response
