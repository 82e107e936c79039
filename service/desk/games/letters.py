"""A game's letters: which there are, what its paper states, and the letter that hands the game over to
another coordinator."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from service.games.acts.act import perform
from service.games.acts.results import ChangeCoordinator
from service.games.options import options_of
from service.letters import addresses
from service.letters.addresses import BadAddress, name_line
from service.mail.sending.compose import one_line
from service.notices.postal_packs import SetAccommodation, SetReturnAddress
from service.store import records
from service.web.access import COORDINATOR
from service.web.acting import game_row, performed
from service.web.look import first_look
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(dependencies=[COORDINATOR])
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]


@router.get("/previews/{game_id}")
def letters(
    request: Request, visitor: SignedIn, game_id: str, power: str = "", notice: str = ""
) -> Response:
    """Every kind of letter with who gets it and when."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = game_row(session, game_id)
        seats = sorted(records.seats(session, game_id))
        chosen = power if power in seats else seats[0]
        return show(
            request, "game_letters.html", visitor=visitor, game=game,
            kinds=ports.letters.kinds_of(game), power=chosen, notice=notice,
            powers=[(power_id, ports.power_name(game.variant, power_id)) for power_id in seats],
            coordinator=ports.letters.game_info(game).coordinator,
            return_lines=options_of(game).return_address,
        )


@router.post("/previews/{game_id}/hand-over")
def hand_over(request: Request, visitor: Trusted, game_id: str, name: Annotated[str, Form()],
              key: Annotated[str, Form()]) -> Response:
    """Inform all players that another coordinator has the game from now on."""
    ports: DeskPorts = request.app.state.ports
    # The name is in every later letter, so it is one line whatever was entered.
    successor = name_line(name)
    if not successor or not key:
        raise HTTPException(400, "Nothing was changed or announced: write the new coordinator's name.")
    act = ChangeCoordinator(game_id, successor, key[:40])
    page = first_look(request, visitor, game_id, partial(perform, act), "Hand the game over",
                      back=f"/previews/{game_id}")
    if page is not None:
        return page
    notified = performed(ports, visitor, act).letters
    return RedirectResponse(
        f"/previews/{game_id}?notice={'handed-over' if notified else 'again'}", status_code=303
    )


@router.post("/previews/{game_id}/return-address")
def return_address(
    request: Request, visitor: Trusted, game_id: str, lines: Annotated[str, Form()] = ""
) -> Response:
    """Set the coordinator's name and address for the envelopes of the year-end pack; empty for none."""
    ports: DeskPorts = request.app.state.ports
    try:
        address = addresses.address_lines(lines) if lines.strip() else ()
    except BadAddress as fault:
        raise HTTPException(400, f"Nothing was changed. {fault}") from fault
    performed(ports, visitor, SetReturnAddress(game_id, tuple(address)))
    return RedirectResponse(f"/previews/{game_id}?notice=paper", status_code=303)


@router.post("/previews/{game_id}/accommodation")
def accommodation(request: Request, visitor: Trusted, game_id: str, power: Annotated[str, Form()],
                  words: Annotated[str, Form()] = "") -> Response:
    """Set an agreed exception for one player, shown in the list of players and in the pack (POST-06); empty
    for none."""
    performed(request.app.state.ports, visitor, SetAccommodation(game_id, power, one_line(words, 300)),
              refused=404)
    return RedirectResponse(f"/previews/{game_id}?notice=paper", status_code=303)
