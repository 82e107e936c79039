"""The forms for a game's seats, who holds a power and from which addresses they write; and for its table:
absences, a pause, an agreed draw (BEY-04)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from service.desk.games import seat_acts
from service.games.acts.deadlines import Pause
from service.games.acts.ending import AgreeOnDraw
from service.games.acts.seats import AddAddress, GiveSeat, Holder, RemoveAddress, addresses_in
from service.notices.announcements import EndAbsence, NoteAbsence
from service.store.records import seats
from service.web.access import COORDINATOR
from service.web.acting import carry_out, or_refuse
from service.web.look import first_look, look_then_do
from service.web.page import require_token
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(prefix="/games", dependencies=[COORDINATOR])
Trusted = Annotated[Visitor, Depends(require_token)]
WELCOME = "The new player also gets a welcome, with the map and a blank sheet."


@router.post("/{game_id}/address")
def address(request: Request, visitor: Trusted, game_id: str, power: Annotated[str, Form()],
            mail: Annotated[str, Form()]) -> Response:
    """Add an address of a player."""
    return carry_out(request, visitor, game_id, AddAddress(game_id, power, mail), "address")


@router.post("/{game_id}/address/remove")
def remove(request: Request, visitor: Trusted, game_id: str, power: Annotated[str, Form()],
           mail: Annotated[str, Form()]) -> Response:
    """Remove an address."""
    return carry_out(request, visitor, game_id, RemoveAddress(game_id, power, mail), "address-removed")


@router.post("/{game_id}/seat")
def seat(
    request: Request, visitor: Trusted, game_id: str, power: Annotated[str, Form()],
    name: Annotated[str, Form()] = "",
    mail: Annotated[str, Form()] = "", zone: Annotated[str, Form()] = "Europe/London",
    why: Annotated[str, Form()] = "", waiting: Annotated[str, Form()] = "",
) -> Response:
    """Give a power to another player, by name or from the waiting list, or leave its seat empty. The player
    gets a welcome, and everybody is informed."""
    ports: DeskPorts = request.app.state.ports
    act = GiveSeat(game_id, power, Holder(name.strip(), zone.strip(), addresses_in(mail)), why)
    page = first_look(
        request, visitor, game_id, lambda table: seat_acts.give(table, act, waiting), "Hand the power over",
        besides=WELCOME if act.holder.mail or waiting else "")
    if page is not None:
        return page
    with ports.sessions.begin() as session:
        table = ports.act_table(session, visitor.name, visitor.coordinates)
        or_refuse(lambda: seat_acts.give(table, act, waiting))
        has_holder = seats(session, game_id)[power] is not None
    notice = "seat-empty" if not has_holder else "seat" if welcome(ports, game_id, power) else "seat-untold"
    return RedirectResponse(f"/games/{game_id}?notice={notice}", status_code=303)


def welcome(ports: DeskPorts, game_id: str, power: str = "") -> bool:
    """Write to the players of a game, or of one power; True if any letter is queued (`seat_acts.welcome`)."""
    return seat_acts.welcome(ports.sessions, ports.actions.circulars, game_id, power) > 0


@router.post("/{game_id}/absence")
def absence(request: Request, visitor: Trusted, game_id: str, power: Annotated[str, Form()],
            first: Annotated[str, Form()], last: Annotated[str, Form()]) -> Response:
    """Note the days on which a player is away; everybody gets a letter."""
    act = NoteAbsence(game_id, power, first, last)
    return look_then_do(request, visitor, game_id, act, "absence", "Announce the absence to all players")


@router.post("/{game_id}/absence/{row_id}/end")
def end_absence(request: Request, visitor: Trusted, game_id: str, row_id: int) -> Response:
    """Take an absence back; everybody gets a letter."""
    act = EndAbsence(game_id, row_id)
    return look_then_do(request, visitor, game_id, act, "absence-ended", "Take the absence back")


@router.post("/{game_id}/pause")
def pause(request: Request, visitor: Trusted, game_id: str, days: Annotated[str, Form()],
          why: Annotated[str, Form()] = "") -> Response:
    """Pause the game; everybody gets a letter."""
    return look_then_do(
        request, visitor, game_id, Pause(game_id, days, why), "game-paused", "Pause the game")


@router.post("/{game_id}/draw")
def draw(request: Request, visitor: Trusted, game_id: str, phase: Annotated[int, Form()],
         why: Annotated[str, Form()] = "") -> Response:
    """End the game in the draw that all survivors ask for, with the results of a phase."""
    act = AgreeOnDraw(game_id, phase, why)
    return look_then_do(request, visitor, game_id, act, "draw-agreed", "Agree on the draw")
