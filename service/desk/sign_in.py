"""Pages for anyone: signing in, and each game's map at its permanent address (MAP-01)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from service.web import sessions
from service.web.kept_form import form_owner, is_local, load
from service.web.page import show
from service.web.ports import DeskPorts
from service.web.roles import may

router = APIRouter()
WRONG = "Wrong name or password. Nothing was changed; try again."
RESTING = "Too many wrong passwords for this name. Wait five minutes and try again."


@router.get("/sign-in")
def sign_in_page(request: Request, to: str = "") -> Response:
    """The form. `to` is the page that was asked for."""
    return show(request, "sign_in.html", message="", person="", unsent_form="", to=to if is_local(to) else "")


@router.post("/sign-in")
def sign_in(
    request: Request, name: Annotated[str, Form()], password: Annotated[str, Form()],
    to: Annotated[str, Form()] = "", unsent_form: Annotated[str, Form(alias="kept")] = "",
) -> Response:
    """Check a password and open a session. Scripts cannot read the cookie, and it is never sent across
    sites. Then go on to the page asked for, or to the form that was being sent when the last session
    ended."""
    ports: DeskPorts = request.app.state.ports
    guesses: sessions.Guesses = request.app.state.guesses
    # No person has a longer name (`people.LONGEST_NAME`).
    name, now = name[:80], ports.wall.now()

    def again(status: int, message: str) -> Response:
        return show(request, "sign_in.html", status=status, message=message, person=name,
                    unsent_form=unsent_form, to=to)

    # Before the password is looked at: a right guess during the pause opens nothing either.
    if guesses.resting(name, now):
        return again(429, RESTING)
    with ports.sessions.begin() as session:
        # A new token at each sign-in, so that a session fixed beforehand is worth nothing.
        token = sessions.sign_in(session, name, password[:1000], now)
    if token is None:
        guesses.note(name, now)
        return again(401, WRONG)
    response = _onward(request, token, to, unsent_form)
    response.set_cookie(
        sessions.COOKIE, token, httponly=True, samesite="strict", secure=ports.settings.secure_cookies,
        path="/",
        max_age=int(sessions.MAX_SESSION.total_seconds()),  # a rest ends it earlier, on the server
    )
    return response


def _onward(request: Request, token: str, to: str, unsent_form: str) -> Response:
    """The response after a sign-in. A kept form is shown only to the person whose form it was."""
    ports: DeskPorts = request.app.state.ports
    form = load(unsent_form)
    with ports.sessions() as session:
        visitor = sessions.visitor(session, token, ports.wall.now())
        owner = None if form is None else form_owner(session, form)
    # Somebody else may sign in at the same browser; their act must not be sent in another's name.
    if form is not None and visitor is not None and owner == visitor.name and may(visitor.role, form.path):
        return show(request, "sent_again.html", visitor=visitor, unsent_form=form, stale=False)
    return RedirectResponse(to if is_local(to) else "/", status_code=303)


@router.get("/public/{game_id}/map.pdf")
def public_map(request: Request, game_id: str) -> Response:
    """The current map of control of one game, replaced at the end of each Winter."""
    ports: DeskPorts = request.app.state.ports
    pdf = ports.actions.map_pdf(game_id)
    if pdf is None:
        raise HTTPException(404, "There is no such game here. Check the address in your letters.")
    return Response(pdf, media_type="application/pdf", headers={"Cache-Control": "max-age=300"})
