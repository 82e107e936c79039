"""Pages for anyone: signing in, and each game's map at its stable address (MAP-01)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from service.desk import access
from service.desk.doorway import show
from service.desk.ports import DeskPorts

router = APIRouter()
WRONG = "That name and password do not go together. Nothing was changed; try again."
RESTING = "Too many wrong passwords for this name. Wait five minutes and try again."


@router.get("/sign-in")
def sign_in_page(request: Request) -> Response:
    """The form."""
    return show(request, "sign_in.html", said="")


@router.post("/sign-in")
def sign_in(request: Request, name: Annotated[str, Form()], password: Annotated[str, Form()]) -> Response:
    """Check a password and open a session; the cookie is unreadable to scripts and never sent across sites."""
    ports: DeskPorts = request.app.state.ports
    guesses: access.Guesses = request.app.state.guesses
    name, now = name[:80], ports.wall.now()
    if guesses.resting(name, now):
        return show(request, "sign_in.html", status=429, said=RESTING)
    with ports.sessions.begin() as session:
        token = access.sign_in(session, name, password[:1000], now)
    if token is None:
        guesses.note(name, now)
        return show(request, "sign_in.html", status=401, said=WRONG)
    response = RedirectResponse("/", status_code=303)
    response.set_cookie(
        access.COOKIE, token, httponly=True, samesite="strict", secure=ports.secure_cookies, path="/",
        max_age=int(access.IDLE.total_seconds()),
    )
    return response


@router.get("/public/{game_id}/map.pdf")
def public_map(request: Request, game_id: str) -> Response:
    """The current map of control of one game, replaced at the end of each Winter."""
    ports: DeskPorts = request.app.state.ports
    pdf = ports.map_pdf(game_id)
    if pdf is None:
        raise HTTPException(404, "There is no such game here. Check the address in your letters.")
    return Response(pdf, media_type="application/pdf", headers={"Cache-Control": "max-age=300"})
