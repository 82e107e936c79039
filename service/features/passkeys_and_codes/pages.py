"""Signing in with a passkey, and a person's own passkeys and codes (SEC-04)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from service.desk.door.account import account_page
from service.desk.door.sign_in import BUSY, let_in, open_door
from service.features.passkeys_and_codes import code_app, passkeys
from service.features.passkeys_and_codes.code_app import ConfirmCodeApp, RemoveCodeApp
from service.features.passkeys_and_codes.passkeys import AddPasskey, Place, RemovePasskey
from service.games.refused import Refused
from service.store.tables import UserRow
from service.web import sessions, sign_in_tries
from service.web.access import PUBLIC, SIGNED_IN
from service.web.acting import or_refuse, performed
from service.web.page import require_token, show
from service.web.ports import DeskPorts
from service.web.public_limits import address_of
from service.web.sessions import Visitor

router = APIRouter()
Acting = Annotated[Visitor, Depends(require_token)]
_WRONG = ("Nothing was changed: the password is wrong, or a code of your app is missing, wrong or used "
          "already.")
_RESTING = "Nothing was changed: there were too many tries. Wait five minutes."


@router.post("/sign-in/passkey/begin", dependencies=[PUBLIC])
def begin_sign_in(request: Request) -> Response:
    """The challenge for the browser, as JSON."""
    ports: DeskPorts = request.app.state.ports
    place = _place(request)
    with ports.sessions.begin() as session:
        options = or_refuse(
            lambda: passkeys.ask(session, place, address_of(request), ports.wall.now()), 429)
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
    """The browser's request to make a key, as JSON, for anyone who shows the password again."""
    ports: DeskPorts = request.app.state.ports
    place, now = _place(request), ports.wall.now()
    # Counted before the password is looked at, as at the door.
    with ports.sessions.begin() as store:
        if not sign_in_tries.reserve(store, f"passkey of {visitor.name}", address_of(request), None, now):
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
        options = or_refuse(
            lambda: passkeys.ask_for_new(store, place, visitor.name, address_of(request), now))
    return Response(options, media_type="application/json")


@router.post("/account/passkey", dependencies=[SIGNED_IN])
def add(
    request: Request, visitor: Acting, answer: Annotated[str, Form(max_length=passkeys.LONGEST)],
    label: Annotated[str, Form()] = "",
) -> Response:
    """Keep the public half of a key that the person's browser made."""
    ports: DeskPorts = request.app.state.ports
    place, now = _place(request), ports.wall.now()
    # In a separate transaction: what was asked is used up by one answer, right or wrong.
    with ports.sessions.begin() as store:
        challenge = or_refuse(lambda: passkeys.use_challenge(store, answer, visitor.name, now), 400)
    performed(ports, visitor, AddPasskey(place, challenge, answer, label[:200], now), refused=400)
    return RedirectResponse("/account?notice=passkey-added", status_code=303)


@router.post("/account/passkey/remove", dependencies=[SIGNED_IN])
def remove(request: Request, visitor: Acting, key: Annotated[str, Form()]) -> Response:
    """Forget one of the person's keys."""
    performed(request.app.state.ports, visitor, RemovePasskey(key))
    return RedirectResponse("/account?notice=passkey-removed", status_code=303)


@router.post("/account/app", dependencies=[SIGNED_IN])
def begin_app(request: Request, visitor: Acting) -> Response:
    """A secret for an app, shown once."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as store:
        or_refuse(lambda: code_app.require_none(store, visitor.name))
        secret = code_app.begin(store, visitor.name, ports.wall.now())
    # The address is what the app reads, as a link or as a picture.
    address = code_app.address(visitor.name, ports.settings.title, secret)
    return account_page(request, visitor, secret=secret, address=address)


@router.post("/account/app/confirm", dependencies=[SIGNED_IN])
def confirm_app(request: Request, visitor: Acting, code: Annotated[str, Form()]) -> Response:
    """Ask for codes from now on, once the app has shown that it has the secret."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as store:
        or_refuse(lambda: code_app.require_none(store, visitor.name))
    performed(ports, visitor, ConfirmCodeApp(code[:20], ports.wall.now()), refused=400)
    return RedirectResponse("/account?notice=app-added", status_code=303)


@router.post("/account/app/remove", dependencies=[SIGNED_IN])
def remove_app(request: Request, visitor: Acting, code: Annotated[str, Form()]) -> Response:
    """Ask for no codes any more. It needs one: anyone who found a signed-in browser has none."""
    ports: DeskPorts = request.app.state.ports
    now = ports.wall.now()
    # Counted before the code is looked at, as at the door: six digits are guessed in a night.
    with ports.sessions.begin() as store:
        if not sign_in_tries.reserve(store, f"code of {visitor.name}", address_of(request), None, now):
            raise HTTPException(429, _RESTING)
    performed(ports, visitor, RemoveCodeApp(code[:20], now), refused=400)
    return RedirectResponse("/account?notice=app-removed", status_code=303)


def _place(request: Request) -> Place:
    """Where keys work; raises 409 with a sentence where they do not."""
    ports: DeskPorts = request.app.state.ports
    return or_refuse(
        lambda: passkeys.place_of(ports.settings.base_url, str(request.base_url), ports.settings.title))
