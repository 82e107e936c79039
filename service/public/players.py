"""The list of a game's players with their postal addresses, for its players only, and envelopes for it
(LIST-01 to LIST-05, POST-01, POST-06)."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from service import pictures
from service.letters import addresses
from service.letters.language import N_
from service.notices.postal_packs import PlayerPost, addresses_of, by_hand, envelopes, post_of
from service.public import visits
from service.public.page import show
from service.public.visits import VisitingPlayer
from service.store.tables import GameRow
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]
PRIVATE = "private, no-store"


@router.get("/public/{game_id}/players")
def players(request: Request, visitor: Visitor, game_id: str, day: str = "") -> Response:
    """Who plays which power, and the address of each for a letter posted on a given day, by default today."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        own_powers = visits.seat_of(session, visitor, game_id)
        game = session.get_one(GameRow, game_id)
        when = _day(ports, day)
        listed = [
            (ports.power_name(game.variant, posted.power), posted)
            for posted in post_of(session, game_id, when)
        ]
        return show(request, "players.html", game=game, day=when, listed=listed, own_powers=own_powers,
            cache=PRIVATE,
                    by_hand={posted.power for _, posted in listed if by_hand(posted.player, posted.reach)})


@router.get("/public/{game_id}/envelopes.pdf")
def covers(request: Request, visitor: Visitor, game_id: str, day: str = "") -> Response:
    """An envelope to each other player, with the visitor's name and address as return address (POST-01)."""
    return _covers_pdf(request, visitor, game_id, day, labels=False)


@router.get("/public/{game_id}/labels.pdf")
def labels(request: Request, visitor: Visitor, game_id: str, day: str = "") -> Response:
    """The same as adhesive labels."""
    return _covers_pdf(request, visitor, game_id, day, labels=True)


def _covers_pdf(request: Request, visitor: VisitingPlayer, game_id: str, day: str, *,
        labels: bool) -> Response:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        own_powers = visits.seat_of(session, visitor, game_id)
        when = _day(ports, day)
        # A player with two powers writes to neither of them.
        others = [posted for posted in post_of(session, game_id, when) if posted.power not in own_powers]
        covers = envelopes(_one_per_person(others), _sender(session, visitor, when))
    if not covers:
        raise HTTPException(404, N_("No other player of this game has a postal address on the list yet."))
    # Nothing of the game is on the outside (POST-01).
    pdf = pictures.labels_pdf(covers) if labels else pictures.envelopes_pdf(covers)
    return Response(pdf, media_type="application/pdf", headers={"Cache-Control": PRIVATE})


def _one_per_person(posted: list[PlayerPost]) -> list[PlayerPost]:
    """One entry per person and address: a person with two powers gets one envelope."""
    by_address: dict[tuple[str, object], PlayerPost] = {}
    for entry in posted:
        by_address.setdefault((entry.player, entry.reach), entry)
    return list(by_address.values())


def _sender(session: Session, visitor: VisitingPlayer, day: date) -> tuple[str, ...]:
    player = visits.player(session, visitor)
    # The address where answers reach the sender on that day (LIST-02); the permanent one without a journey.
    address_lines = addresses.addresses_on(addresses_of(session, player.id), day).addresses
    return (addresses.name_line(player.name), *address_lines[0].lines) if address_lines else ()


def _day(ports: DeskPorts, day: str) -> date:
    try:
        return date.fromisoformat(day) if day else ports.clock.now().date()
    except ValueError as fault:
        raise HTTPException(400, N_("Write the day like 2027-03-14.")) from fault
