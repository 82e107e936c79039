"""Signing in with a passkey, and a person's own passkeys (SEC-04)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from service.desk.door.sign_in import BUSY, let_in, open_door
from service.facts.events import Event
from service.games.refused import Refused
from service.store.records import log_event
from service.store.tables import UserRow
from service.web import code_app, passkeys, sessions, sign_in_tries
from service.web.access import PUBLIC, SIGNED_IN
from service.web.page import require_token, show
from service.web.passkeys import Place
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()
Acting = Annotated[Visitor, Depends(require_token)]
_WRONG = ("Nothing was changed: the password is wrong, or a code of your app is missing, wrong or used "
          "already.")
_RESTING = "Nothing was changed: there were too many tries. Wait five minutes."


@router.post("/sign-in/passkey/begin", dependencies=[PUBLIC])
def begin_sign_in(request: Request) -> Response:
    """What the browser is asked to sign, as JSON."""
    ports: DeskPorts = request.app.state.ports
    place = _place(request)
    try:
        with ports.sessions.begin() as session:
            options = passkeys.ask(session, place, _address(request), ports.wall.now())
    except Refused as fault:
        raise HTTPException(429, str(fault)) from fault
    return Response(options, media_type="application/json")


@router.post("/sign-in/passkey", dependencies=[PUBLIC])
def sign_in(
    request: Request, answer: Annotated[str, Form(max_length=passkeys.LONGEST)],
    to: Annotated[str, Form()] = "", unsent_form: Annotated[str, Form(alias="kept")] = "",
) -> Response:
    """Open a session for the person whose passkey signed, and go on like after a password."""
    ports: DeskPorts = request.app.state.ports
    place, now = _place(request), ports.wall.now()
    opened, message = None, ""
    with ports.sessions.begin() as session:
        # A refusal is committed too: what was asked is used up by one answer, right or wrong.
        try:
            opened = open_door(request, session, passkeys.person_of(session, place, answer, now), now)
        except Refused as fault:
            message = str(fault)
    if opened is None:
        return show(request, "sign_in.html", status=401, message=message, person="", unsent_form=unsent_form,
                    to=to, asks_code=False)
    return let_in(request, opened, to, unsent_form)


@router.post("/account/passkey/begin", dependencies=[SIGNED_IN])
def begin(
    request: Request, visitor: Acting, password: Annotated[str, Form()], code: Annotated[str, Form()] = ""
) -> Response:
    """What the browser is asked in order to make a key, as JSON, for whoever shows the password again."""
    ports: DeskPorts = request.app.state.ports
    place, now = _place(request), ports.wall.now()
    # Counted before the password is looked at, as at the door.
    with ports.sessions.begin() as store:
        address = _address(request)
        if not sign_in_tries.reserve(store, f"passkey of {visitor.name}", address, None, now):
            raise HTTPException(429, _RESTING)
    with ports.sessions() as store:
        stored = store.get_one(UserRow, visitor.name).password
    try:
        fits = sessions.password_fits(stored, password[:1000])
    except sessions.TooMany as fault:
        raise HTTPException(503, BUSY) from fault
    with ports.sessions.begin() as store:
        if not fits or not code_app.check(store, visitor.name, code[:20], now):
            raise HTTPException(400, _WRONG)
        try:
            options = passkeys.ask_for_new(store, place, visitor.name, _address(request), now)
        except Refused as fault:
            raise HTTPException(409, str(fault)) from fault
    return Response(options, media_type="application/json")


@router.post("/account/passkey", dependencies=[SIGNED_IN])
def add(
    request: Request, visitor: Acting, answer: Annotated[str, Form(max_length=passkeys.LONGEST)],
    label: Annotated[str, Form()] = "",
) -> Response:
    """Keep the public half of a key that the person's browser made."""
    ports: DeskPorts = request.app.state.ports
    place, message = _place(request), ""
    with ports.sessions.begin() as store:
        try:
            row = passkeys.add(store, place, visitor.name, answer, label[:200], ports.wall.now())
            log_event(store, ports.clock.now(), Event.PASSKEY_ADDED, actor=visitor.name,
                      detail={"person": visitor.name, "label": row.label})
        except Refused as fault:
            message = str(fault)
    if message:
        raise HTTPException(400, message)
    return RedirectResponse("/account?notice=passkey-added", status_code=303)


@router.post("/account/passkey/remove", dependencies=[SIGNED_IN])
def remove(request: Request, visitor: Acting, key: Annotated[str, Form()]) -> Response:
    """Forget one of the person's keys."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as store:
        if not passkeys.remove(store, visitor.name, key):
            raise HTTPException(404, "Nothing was changed: you have no such passkey any more.")
        log_event(store, ports.clock.now(), Event.PASSKEY_REMOVED, actor=visitor.name,
                  detail={"person": visitor.name})
    return RedirectResponse("/account?notice=passkey-removed", status_code=303)


def _place(request: Request) -> Place:
    """Where keys work; raises 409 with a sentence where they do not."""
    ports: DeskPorts = request.app.state.ports
    try:
        return passkeys.place_of(ports.settings.base_url, str(request.base_url), ports.settings.title)
    except Refused as fault:
        raise HTTPException(409, str(fault)) from fault


def _address(request: Request) -> str:
    return request.client.host if request.client is not None else ""
