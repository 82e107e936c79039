"""A game's letters before anybody gets them, each as one power would read it, and the letter that hands the
game over to another coordinator."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy.orm import Session

from service.desk.games.carry_out import game_row
from service.games.acts.results import ChangeCoordinator
from service.games.options import options_of
from service.letters import addresses
from service.letters.addresses import BadAddress, name_line
from service.letters.kinds import AnyKind
from service.mail.sending.compose import one_line, whole_paragraphs
from service.notices.letter_context import LetterContext
from service.notices.postal_packs import SetAccommodation, SetReturnAddress
from service.notices.previews import Previews
from service.store import records
from service.web.access import COORDINATOR
from service.web.acting import performed
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(dependencies=[COORDINATOR])
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]
MAIL_POLICY = ("default-src 'none'; style-src 'unsafe-inline'; sandbox; base-uri 'none'; frame-ancestors "
               "'none'")
"""For a letter on a page of its own: its inline style is allowed, as in mail programs, and nothing is
loaded."""

NO_MAIL = "This site has no mail joined to its desk, so there are no letters to show. Tell the operator."


@router.get("/previews/{game_id}")
def previews(
    request: Request, visitor: SignedIn, game_id: str, power: str = "", notice: str = ""
) -> Response:
    """Every kind of letter with who gets it and when."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = game_row(session, game_id)
        seats = sorted(records.seats(session, game_id))
        chosen = power if power in seats else seats[0]
        return show(
            request, "previews.html", visitor=visitor, game=game,
            kinds=_letter_context(ports).kinds_of(game), power=chosen, notice=notice,
            powers=[(power_id, ports.power_name(game.variant, power_id)) for power_id in seats],
            coordinator=_letter_context(ports).game_info(game).coordinator,
            return_lines=options_of(game).return_address,
        )


@router.get("/previews/{game_id}/{kind}.html")
def as_mail(request: Request, game_id: str, kind: str, power: str) -> Response:
    """The HTML part of one letter, alone on its page."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        writer, shown = _writer(session, ports, game_id, power, kind)
        html = writer.of(shown).letter.html or ""
    return Response(
        html, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": MAIL_POLICY}
    )


@router.get("/previews/{game_id}/{kind}")
def preview(request: Request, visitor: SignedIn, game_id: str, kind: str, power: str) -> Response:
    """The text of one letter."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        writer, shown = _writer(session, ports, game_id, power, kind)
        preview = writer.of(shown)
        kinds = list(writer.letters.kinds_of(writer.game).values())
        index = kinds.index(shown)
        return show(
            request, "preview.html", visitor=visitor, game=writer.game, kind=shown, power=power,
            letter=preview.letter, basis=preview.basis,
            words=whole_paragraphs(preview.letter.text),
            before=kinds[index - 1] if index else None,
            after=kinds[index + 1] if index + 1 < len(kinds) else None,
        )


@router.post("/previews/{game_id}/hand-over")
def hand_over(request: Request, visitor: Trusted, game_id: str, name: Annotated[str, Form()],
              key: Annotated[str, Form()]) -> Response:
    """Tell all players that another coordinator has the game from now on."""
    ports: DeskPorts = request.app.state.ports
    # The name stands in every later letter, so it is one line whatever was entered.
    successor = name_line(name)
    if not successor or not key:
        raise HTTPException(400, "Nothing was changed and nobody was told: write the new coordinator's name.")
    if ports.actions.circulars is None:
        raise HTTPException(503, NO_MAIL)
    notified = performed(ports, visitor, ChangeCoordinator(game_id, successor, key[:40])).letters
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


def _letter_context(ports: DeskPorts) -> LetterContext:
    if ports.actions.circulars is None:
        raise HTTPException(503, NO_MAIL)
    return ports.actions.circulars.letters


def _writer(
    session: Session, ports: DeskPorts, game_id: str, power: str, kind: str
) -> tuple[Previews, AnyKind]:
    game = game_row(session, game_id)
    shown = _letter_context(ports).kinds_of(game).get(kind)
    if shown is None or power not in records.seats(session, game_id):
        raise HTTPException(404, "There is no such letter, or no such power in this game.")
    return Previews(_letter_context(ports), session, game, power), shown
