"""The web application: its parts put together, and the headers of every answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles

from service.desk import (
    corrections,
    images,
    mailroom,
    operation,
    pages,
    post,
    probes,
    quarantine,
    search,
)
from service.desk.door import account, passkeys, people, sign_in
from service.desk.games import ahead, boards, letters, seats, table
from service.desk.games import pages as games
from service.desk.reading import api, forms
from service.desk.reading.presence import Presence
from service.desk.sheet import pages as sheet
from service.feature import features, template_folders
from service.public import (
    archive,
    calendar,
    check,
    entry,
    game_map,
    game_page,
    left_out,
    lots,
    moves,
    my_file,
    players,
    results,
    roots,
    rules,
    sheet_form,
)
from service.public import page as public_page
from service.public.history import ending
from service.public.uploads import own_links
from service.public.uploads import pages as uploads
from service.web import error_pages
from service.web.access import closed_unless_declared
from service.web.head import HeadAsGet
from service.web.page import FOLDER, HEADERS, environment
from service.web.ports import DeskPorts, guarded
from service.web.public_limits import BodyLimit, DrawnOnce, RateLimit, limit_strangers


def create_app(ports: DeskPorts) -> FastAPI:
    """The desk over its doors."""
    # The framework would lead from "/sign-in/" to "/sign-in" at the host that the request names, anybody's.
    app = FastAPI(title=ports.settings.title, docs_url=None, redoc_url=None, openapi_url=None,
                  redirect_slashes=False, dependencies=[Depends(closed_unless_declared), Depends(guarded)])
    app.state.ports = ports
    app.state.templates = environment()
    app.state.public_limit, app.state.drawn = RateLimit(), DrawnOnce()
    app.state.presence = Presence()
    for feature in features():
        for router in feature.routers():
            app.include_router(router)
    app.include_router(sign_in.router)
    app.include_router(passkeys.router)
    app.include_router(moves.router)
    app.include_router(calendar.router)
    for pages_of in (
        check, left_out, uploads, own_links, entry, game_map, players, my_file, game_page,
        rules, lots, roots, results, ending, archive, sheet_form,
    ):
        app.include_router(pages_of.router)
    app.include_router(pages.router)
    app.include_router(mailroom.router)
    app.include_router(images.router)
    app.include_router(forms.router)
    app.include_router(corrections.router)
    app.include_router(api.router)
    app.include_router(sheet.router)
    app.include_router(quarantine.router)
    app.include_router(games.router)
    app.include_router(seats.router)
    app.include_router(table.router)
    app.include_router(people.router)
    app.include_router(account.router)
    app.include_router(operation.router)
    app.include_router(post.router)
    app.include_router(probes.router)
    app.include_router(search.router)
    app.include_router(letters.router)
    app.include_router(ahead.router)
    app.include_router(boards.router)
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


async def _headers(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await call_next(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not request.url.path.startswith("/static"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response
