"""Who may use each route: declared next to the route, and closed where nothing is declared (SEC-04).

A route states `dependencies=[COORDINATOR]`, or its router does for all of its routes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match

from service.facts.roles import Role
from service.store.tables import PhaseRow
from service.web import sessions
from service.web.game_roles import subject_of, with_role_for
from service.web.mail_games import is_within
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

NOT_YOURS = ("This page is the coordinator's. Nothing was shown or changed. A second reader reads lines at "
             "the desk, see the inbox; an operator has the page Health; the coordinator of one game has the "
             "pages of that game.")

NOT_OF_YOUR_GAMES = ("Nothing was changed: part of this belongs to none of your games. Ask a coordinator of "
                     "the site.")


class NotSignedIn(Exception):
    """The page needs a signed-in person."""


class Access(StrEnum):
    """Who may use a route. A coordinator of the whole site may use every one.

    PUBLIC: anybody, without signing in. SIGNED_IN: everybody who signs in. READER: second readers and
    coordinators of the game that the address names; of an address without a game, no matter who reads in any.
    COORDINATOR: coordinators of the game that the address names. OWN_GAMES: anyone who has a role in a game:
    the page shows and changes only what belongs to their own games. OPERATOR: operators. SITE: coordinators
    of the whole site alone. """

    PUBLIC = "public"
    SIGNED_IN = "signed in"
    READER = "reader"
    COORDINATOR = "coordinator"
    OWN_GAMES = "own games"
    OPERATOR = "operator"
    SITE = "site"


_ROLES: Mapping[Access, frozenset[Role]] = {
    Access.SIGNED_IN: frozenset(Role),
    Access.READER: frozenset({Role.COORDINATOR, Role.SECOND_READER, Role.BY_GAME}),
    Access.COORDINATOR: frozenset({Role.COORDINATOR}),
    Access.OWN_GAMES: frozenset({Role.COORDINATOR, Role.BY_GAME}),
    Access.OPERATOR: frozenset({Role.COORDINATOR, Role.OPERATOR}),
    Access.SITE: frozenset({Role.COORDINATOR}),
}
"""The roles for which a route is open. `by game` counts only where an address names no game; elsewhere the
role in that game counts."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The access of a route, as a dependency that lets in anyone who may use it and notes the person for
    `service.web.page.require_visitor`."""

    access: Access

    def __call__(self, request: Request) -> None:
        """Raises NotSignedIn, or 403 if the person's role may not use this address."""
        if self.access is Access.PUBLIC:
            return
        ports: DeskPorts = request.app.state.ports
        visitor = signed_in(request)
        if visitor.site_role == Role.BY_GAME:
            with ports.sessions() as session:
                visitor = with_role_for(session, visitor, subject_of(request.path_params))
        if not may(visitor, self.access):
            raise HTTPException(403, NOT_YOURS)
        request.state.visitor = visitor
        # The number in the bar, before the handler opens its session: within it each page would hold two
        # connections, and the tabs of one browser that starts again would wait for each other.
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            request.app.state.waiting_for(request, visitor)


PUBLIC, SIGNED_IN, READER, COORDINATOR, OWN_GAMES, OPERATOR, SITE = (
    Depends(Opening(access)) for access in Access)


def may(visitor: sessions.Visitor, access: Access) -> bool:
    """Whether a person whose role counts at an address may use it."""
    if access is Access.SITE and visitor.site_role != Role.COORDINATOR:
        return False
    return access is Access.PUBLIC or visitor.role in _ROLES[access]


def signed_in(request: Request) -> sessions.Visitor:
    """The signed-in person of this request, whatever the address. Raises NotSignedIn."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        # A transaction, since a page in use moves the end of an idle session on (once a minute).
        visitor = sessions.visitor(session, request.cookies.get(sessions.COOKIE), ports.wall.now())
    if visitor is None:
        raise NotSignedIn
    return visitor


def closed_unless_declared(request: Request) -> None:
    """A dependency of the whole application: a route that declares no access is closed to everybody."""
    if access_of(request.scope["route"]) is None:
        raise HTTPException(403, NOT_YOURS)


def access_of(route: BaseRoute) -> Access | None:
    """The access that a route or its router declares; None for a route that declares none."""
    openings = [each.dependency for each in getattr(route, "dependencies", ())]
    # The route's own declaration is behind its router's and wins.
    return next((each.access for each in reversed(openings) if isinstance(each, Opening)), None)


def routes_of(app: FastAPI) -> Iterator[APIRoute]:
    """Every route of the application but those of mounted ones, in the order in which they are tried."""
    return _api_routes(app.routes)


def _api_routes(routes: Sequence[BaseRoute]) -> Iterator[APIRoute]:
    for route in routes:
        # Newer versions of FastAPI keep an included router as one route.
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from _api_routes(included.routes)
        elif isinstance(route, APIRoute):
            yield route


def form_access(app: FastAPI, path: str) -> tuple[Access | None, Mapping[str, Any]]:
    """The access of the form that is sent to an address, and what the address names; None for an address that
    takes no form."""
    scope = {"type": "http", "method": "POST", "path": path, "root_path": "", "headers": []}
    for route in routes_of(app):
        match, matched = route.matches(scope)
        if match is Match.FULL:
            return access_of(route), matched["path_params"]
    return None, {}


def guarded(request: Request) -> None:
    """A dependency of every page and of what programs read: the guards of the site's features."""
    ports: DeskPorts = request.app.state.ports
    for guard in ports.guards:
        guard(request)


def require_own_phase(request: Request, visitor: Visitor, phase_id: int) -> None:
    """Raises 403 unless the phase is of a game that this person coordinates."""
    if visitor.coordinates is None:
        return
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        # A number that no column holds is not a phase; the database would refuse it as a fault.
        phase = session.get(PhaseRow, phase_id) if phase_id < 2**31 else None
        if phase is None or not is_within({phase.game_id}, visitor.coordinates):
            raise HTTPException(403, NOT_OF_YOUR_GAMES)


def require_any_game(visitor: Visitor) -> None:
    """Raises 403 for a person with roles by game who coordinates none."""
    if visitor.coordinates is not None and not visitor.coordinates:
        raise HTTPException(403, NOT_OF_YOUR_GAMES)
