"""The web application: its parts put together, and the headers of every answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.routing import BaseRoute

from service.desk import (
    corrections,
    correspondence,
    hands,
    images,
    mailroom,
    operation,
    pages,
    post,
    previews,
    probes,
    quarantine,
    rehearsal,
    search,
)
from service.desk.door import account, passkeys, people, sign_in
from service.desk.games import ahead, boards, offers, own_wording, seats, table
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
from service.public.history import ending, gazette
from service.public.sign_up import pages as sign_up_pages
from service.public.uploads import own_links
from service.public.uploads import pages as uploads
from service.web import error_pages
from service.web.access import closed_unless_declared
from service.web.head import HeadAsGet
from service.web.page import FOLDER, HEADERS, environment
from service.web.ports import DeskPorts
from service.web.public_limits import BodyLimit, DrawnOnce, RateLimit, limit_strangers
from service.web.shelved import be_here


def create_app(ports: DeskPorts) -> FastAPI:
    """The desk over its doors."""
    # The framework would lead from "/sign-in/" to "/sign-in" at the host that the request names, anybody's.
    app = FastAPI(title=ports.settings.title, docs_url=None, redoc_url=None, openapi_url=None,
                  redirect_slashes=False)
    app.state.ports = ports
    app.state.templates = environment()
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
                    dependencies=[Depends(closed_unless_declared), Depends(be_here)])
    for feature in features():
        for router in feature.routers():
            whole.include_router(router)
    whole.include_router(sign_in.router)
    whole.include_router(passkeys.router)
    whole.include_router(moves.router)
    whole.include_router(calendar.router)
    for pages_of in (
        check, left_out, uploads, own_links, sign_up_pages, entry, game_map, players, my_file, game_page,
        rules, lots, roots, results, gazette, ending, archive, sheet_form,
    ):
        whole.include_router(pages_of.router)
    whole.include_router(pages.router)
    whole.include_router(mailroom.router)
    whole.include_router(images.router)
    whole.include_router(forms.router)
    whole.include_router(corrections.router)
    whole.include_router(api.router)
    whole.include_router(sheet.router)
    whole.include_router(quarantine.router)
    whole.include_router(correspondence.router)
    whole.include_router(rehearsal.router)
    whole.include_router(games.router)
    whole.include_router(seats.router)
    whole.include_router(table.router)
    whole.include_router(offers.router)
    whole.include_router(hands.router)
    whole.include_router(people.router)
    whole.include_router(account.router)
    whole.include_router(operation.router)
    whole.include_router(post.router)
    whole.include_router(probes.router)
    whole.include_router(search.router)
    whole.include_router(previews.router)
    whole.include_router(own_wording.router)
    whole.include_router(ahead.router)
    whole.include_router(boards.router)
    return tuple(whole.router.routes)


async def _headers(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await call_next(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not request.url.path.startswith("/static"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response
