"""The forms for a game's seats: who holds a power, and from which addresses they write."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from service.desk.games import seat_acts
from service.desk.games.carry_out import carry_out
from service.games.acts.seats import AddAddress, GiveSeat, Holder, RemoveAddress, addresses_in
from service.notices.upload_links import EndUploadLinks, MailUploadLink
from service.store.records import seats
from service.web.access import COORDINATOR
from service.web.acting import or_refuse
from service.web.page import require_token
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(prefix="/games", dependencies=[COORDINATOR])
Trusted = Annotated[Visitor, Depends(require_token)]


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
    gets a welcome, and everybody is told."""
    ports: DeskPorts = request.app.state.ports
    holder = Holder(name.strip(), zone.strip(), addresses_in(mail))
    with ports.sessions.begin() as session:
        table = ports.act_table(session, visitor.name, visitor.coordinates)
        or_refuse(lambda: seat_acts.give(table, GiveSeat(game_id, power, holder, why), waiting))
        has_holder = seats(session, game_id)[power] is not None
    notice = "seat-empty" if not has_holder else "seat" if welcome(ports, game_id, power) else "seat-untold"
    return RedirectResponse(f"/games/{game_id}?notice={notice}", status_code=303)


@router.post("/{game_id}/upload-link")
def upload_link(request: Request, visitor: Trusted, game_id: str, power: Annotated[str, Form()],
                do: Annotated[str, Form()] = "mail") -> Response:
    """Mail the player of a power a link to the page that takes photographs, or end all such links of theirs
    for this game. Nobody at the desk sees a link."""
    ports: DeskPorts = request.app.state.ports
    ends = do == "end"
    notice = "upload-links-ended" if ends else "upload-link"
    circulars = ports.actions.circulars
    act = EndUploadLinks(game_id, power) if ends else MailUploadLink(
        game_id, power, None if circulars is None else circulars.letters, ports.settings.base_url)
    return carry_out(request, visitor, game_id, act, notice)


def welcome(ports: DeskPorts, game_id: str, power: str = "") -> bool:
    """Write to the players of a game, or of one power; True if any letter is queued (`seat_acts.welcome`)."""
    return seat_acts.welcome(ports.sessions, ports.actions.circulars, game_id, power) > 0
