"""The People page: who may sign in at the desk, and with which role."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import select

from service.facts.roles import GAME_ROLES, Role
from service.store import records
from service.store.tables import UserRow
from service.web import accounts, game_roles
from service.web.access import SITE
from service.web.acting import performed
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(dependencies=[SITE])
SHORTEST = 10
"""Least characters of a password."""


@router.get("/people")
def people(
    request: Request, visitor: Annotated[Visitor, Depends(require_visitor)], notice: str = ""
) -> Response:
    """Everybody who may sign in."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        users = session.scalars(select(UserRow).order_by(UserRow.name)).all()
        return show(request, "people.html", visitor=visitor, people=users, roles=list(Role), notice=notice,
                    last_seen=accounts.last_seen(session), games=records.games(session),
                    game_roles=records.roles_in_games(session), roles_in_a_game=GAME_ROLES)


@router.post("/people/add")
def add(request: Request, visitor: Annotated[Visitor, Depends(require_token)], name: Annotated[str, Form()],
        password: Annotated[str, Form()], role: Annotated[str, Form()]) -> Response:
    """Let a person sign in. Raises 409 for a name that exists already, or looks like one that does."""
    ports: DeskPorts = request.app.state.ports
    person = name.strip()
    if len(password) < SHORTEST:
        raise HTTPException(400, f"Nothing was changed: a password has at least {SHORTEST} letters.")
    performed(ports, visitor, accounts.AddPerson(person, password, _role(role)))
    return RedirectResponse("/people?notice=person-added", status_code=303)


@router.post("/people/role")
def change_role(
    request: Request, visitor: Annotated[Visitor, Depends(require_token)], name: Annotated[str, Form()],
    role: Annotated[str, Form()],
) -> Response:
    """Give a person another role. Raises 409 for the last coordinator: there is always one."""
    performed(request.app.state.ports, visitor, accounts.ChangeRole(name, _role(role)))
    return RedirectResponse("/people?notice=role", status_code=303)


@router.post("/people/game-role")
def change_game_role(
    request: Request, visitor: Annotated[Visitor, Depends(require_token)], name: Annotated[str, Form()],
    game: Annotated[str, Form()], role: Annotated[str, Form()] = "",
) -> Response:
    """Give a person a role in one game, or with an empty role take it."""
    act = game_roles.ChangeGameRole(name, game, _role(role) if role else None)
    performed(request.app.state.ports, visitor, act)
    return RedirectResponse("/people?notice=game-role", status_code=303)


@router.post("/people/remove")
def remove(
    request: Request, visitor: Annotated[Visitor, Depends(require_token)], name: Annotated[str, Form()]
) -> Response:
    """Let a person sign in no longer, and end their sessions. Raises 409 for the last coordinator."""
    performed(request.app.state.ports, visitor, accounts.RemovePerson(name))
    return RedirectResponse("/people?notice=person-removed", status_code=303)


@router.post("/people/sign-out")
def end_sessions(
    request: Request, visitor: Annotated[Visitor, Depends(require_token)], name: Annotated[str, Form()]
) -> Response:
    """End every session of a person, who may sign in again."""
    performed(request.app.state.ports, visitor, accounts.SignPersonOut(name))
    return RedirectResponse("/people?notice=person-signed-out", status_code=303)


def _role(role: str) -> Role:
    try:
        return Role(role)
    except ValueError as fault:
        raise HTTPException(400, "Nothing was changed: choose one of the roles.") from fault
