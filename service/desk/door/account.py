"""The page of a signed-in person about themselves: where they are signed in, codes beside the
password, and passkeys."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from service.facts.events import Event
from service.store.records import log_event
from service.web import code_app, passkeys, sessions, sign_in_tries
from service.web.access import SIGNED_IN
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(dependencies=[SIGNED_IN])
Seen = Annotated[Visitor, Depends(require_visitor)]
Acting = Annotated[Visitor, Depends(require_token)]


@router.get("/account")
def account(request: Request, visitor: Seen, notice: str = "") -> Response:
    """Where this person is signed in."""
    return _page(request, visitor, notice=notice)


@router.post("/account/sessions")
def end_sessions(request: Request, visitor: Acting, session: Annotated[str, Form()]) -> Response:
    """End one session of this person, or with "others" all but this one."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as store:
        count = sessions.end_own(store, visitor, session)
        if count:
            log_event(
                store,
                ports.clock.now(),
                Event.SIGNED_OUT_ELSEWHERE,
                actor=visitor.name,
                detail={"sessions": count},
            )
    return RedirectResponse("/account?notice=sessions-ended", status_code=303)


@router.post("/account/app")
def begin_app(request: Request, visitor: Acting) -> Response:
    """A secret for an app, shown once."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as store:
        if code_app.is_asked_for(store, visitor.name):
            raise HTTPException(409, "Nothing was changed: you have an app already. Remove it first.")
        secret = code_app.begin(store, visitor.name, ports.wall.now())
    return _page(request, visitor, secret=secret)


@router.post("/account/app/confirm")
def confirm_app(request: Request, visitor: Acting, code: Annotated[str, Form()]) -> Response:
    """Ask for codes from now on, once the app has shown that it has the secret."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as store:
        if code_app.is_asked_for(store, visitor.name):
            raise HTTPException(409, "Nothing was changed: you have an app already. Remove it first.")
        if not code_app.confirm(store, visitor.name, code[:20], ports.wall.now()):
            raise HTTPException(
                400,
                "Nothing was changed: this is not the code that your app should show now. Go "
                "back, check the key and the telephone's clock, and write the next code.",
            )
        log_event(
            store, ports.clock.now(), Event.CODE_APP_ADDED, actor=visitor.name,
            detail={"person": visitor.name}
        )
    return RedirectResponse("/account?notice=app-added", status_code=303)


@router.post("/account/app/remove")
def remove_app(request: Request, visitor: Acting, code: Annotated[str, Form()]) -> Response:
    """Ask for no codes any more. It wants one: whoever found a signed-in browser has none."""
    ports: DeskPorts = request.app.state.ports
    address = request.client.host if request.client is not None else ""
    # Counted before the code is looked at, as at the door: six digits are guessed in a night.
    with ports.sessions.begin() as store:
        if not sign_in_tries.reserve(store, f"code of {visitor.name}", address, None, ports.wall.now()):
            raise HTTPException(429, "Nothing was changed: there were too many tries. Wait five minutes.")
    with ports.sessions.begin() as store:
        if not code_app.check(store, visitor.name, code[:20], ports.wall.now()):
            raise HTTPException(400, "Nothing was changed: this code is wrong or was used already.")
        code_app.remove(store, visitor.name)
        log_event(
            store, ports.clock.now(), Event.CODE_APP_REMOVED, actor=visitor.name,
            detail={"person": visitor.name}
        )
    return RedirectResponse("/account?notice=app-removed", status_code=303)


def _page(request: Request, visitor: Visitor, *, secret: str = "", notice: str = "") -> Response:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as store:
        rows = [
            (sessions.session_key(row), row, row.csrf == visitor.csrf)
            for row in sessions.own_sessions(store, visitor, ports.wall.now())
        ]
        has_app = code_app.is_asked_for(store, visitor.name)
        address = code_app.address(visitor.name, ports.settings.title, secret) if secret else ""
        keys = [(passkeys.form_key(row), row) for row in passkeys.own_keys(store, visitor.name)]
        return show(
            request,
            "account.html",
            visitor=visitor,
            rows=rows,
            has_app=has_app,
            secret=secret,
            address=address,
            notice=notice,
            keys=keys,
        )
