"""The page for signing in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from service.facts.roles import Role
from service.feature import FactorCheck, features
from service.store.tables import UserRow
from service.web import sessions, sign_in_tries
from service.web.access import PUBLIC, form_access, may
from service.web.game_roles import subject_of, with_role_for
from service.web.kept_form import form_owner, is_local, load
from service.web.page import show
from service.web.ports import DeskPorts
from service.web.public_limits import address_of

router = APIRouter(dependencies=[PUBLIC])
WRONG = "Wrong name or password. Nothing was changed; try again."
RESTING = ("There were too many tries. Nothing was changed. Wait five minutes and try again; if another "
           "person keeps trying, use a browser that you have signed in with before.")
BUSY = "Too many people are signing in at this moment. Nothing was changed; try again in a minute."


@router.get("/sign-in")
def sign_in_page(request: Request, to: str = "") -> Response:
    """The form. `to` is the page that was asked for."""
    return show(request, "sign_in.html", message="", person="", unsent_form="", to=to if is_local(to) else "",
                asks_code=False)


@router.post("/sign-in")
def sign_in(
    request: Request, name: Annotated[str, Form()], password: Annotated[str, Form()],
    to: Annotated[str, Form()] = "", unsent_form: Annotated[str, Form(alias="kept")] = "",
    code: Annotated[str, Form()] = "",
) -> Response:
    """Check a password and the second factors of features, and open a session. Scripts cannot read the
    cookie, and it is never sent across sites. Then go on to the page asked for, or to the form that was being
    sent when the last session ended."""
    ports: DeskPorts = request.app.state.ports
    # No one has a longer name (`accounts.LONGEST_NAME`).
    name, now = name[:80], ports.wall.now()
    browser = request.cookies.get(sign_in_tries.COOKIE)

    def again(status: int, message: str, *, code: bool = False) -> Response:
        return show(request, "sign_in.html", status=status, message=message, person=name,
                    unsent_form=unsent_form, to=to, asks_code=code)

    # Counted and committed before the password is looked at: of sixty at once five are looked at, and a right
    # one
    # during the pause opens nothing either.
    with ports.sessions.begin() as session:
        is_free = sign_in_tries.reserve(session, name, address_of(request), browser, now)
    if not is_free:
        return again(429, RESTING)
    with ports.sessions() as session:
        user = session.get(UserRow, name)
        stored = None if user is None else user.password
    try:
        fits = sessions.password_fits(stored, password[:1000])
    except sessions.TooMany:
        return again(503, BUSY)
    if not fits:
        return again(401, WRONG)
    with ports.sessions.begin() as session:
        if session.get(UserRow, name) is None:
            return again(401, WRONG)
        factors = second_factors(session, name, code[:20], now)
        if factors.passes is not True:
            return again(401, factors.sentence, code=True)
        opened = open_door(request, session, name, now)
    return let_in(request, opened, to, unsent_form)


def second_factors(session: Session, name: str, code: str, now: datetime) -> FactorCheck:
    """A second factor next to the password: the first check of a feature that they do not
    pass."""
    checks = (feature.second_factor(session, name, code, now) for feature in features())
    return next((check for check in checks if check.passes is not True), FactorCheck(passes=True))


@dataclass(frozen=True, slots=True)
class OpenDoor:
    """The secrets of a new session and of the browser that is known from now on."""

    token: str
    browser: str


def open_door(request: Request, session: Session, name: str, now: datetime) -> OpenDoor:
    """A new session of a person who has shown who they are."""
    # A new token at each sign-in, so that a session fixed beforehand is worth nothing.
    token = sessions.open_session(session, name, now, request.headers.get("user-agent", ""))
    known = request.cookies.get(sign_in_tries.COOKIE)
    return OpenDoor(token, sign_in_tries.succeeded(session, name, address_of(request), known, now))


def let_in(request: Request, opened: OpenDoor, to: str, unsent_form: str) -> Response:
    """The response after a sign-in, with its cookies."""
    ports: DeskPorts = request.app.state.ports
    response = _onward(request, opened.token, to, unsent_form)
    secure = ports.settings.secure_cookies
    response.set_cookie(
        sessions.COOKIE, opened.token, httponly=True, samesite="strict", secure=secure,
        path="/",
        max_age=int(sessions.MAX_SESSION.total_seconds()),  # a rest ends it earlier, on the server
    )
    response.set_cookie(sign_in_tries.COOKIE, opened.browser, httponly=True, samesite="strict", secure=secure,
                        path="/sign-in", max_age=int(sign_in_tries.KEPT.total_seconds()))
    return response


def _onward(request: Request, token: str, to: str, unsent_form: str) -> Response:
    """The response after a sign-in. A kept form is shown only to the person whose form it was."""
    ports: DeskPorts = request.app.state.ports
    form = load(unsent_form)
    access, named = (None, {}) if form is None else form_access(request.app, form.path)
    with ports.sessions() as session:
        visitor = sessions.visitor(session, token, ports.wall.now())
        owner = None if form is None else form_owner(session, form)
        acting = None if visitor is None else with_role_for(session, visitor, subject_of(named))
    # Another person may sign in at the same browser; their act must not be sent in another's name.
    if acting is not None and access is not None and owner == acting.name and may(acting, access):
        return show(request, "sent_again.html", visitor=acting, unsent_form=form, stale=False)
    home = "/health" if visitor is not None and visitor.role == Role.OPERATOR else "/"
    return RedirectResponse(to if is_local(to) else home, status_code=303)
