"""The page of games that are to be: offers, their lists, the draw of powers and the beginning (BEY-04)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import select

import maps
from grammar.fragments.languages import LANGUAGES
from service.desk.games.boards import titles
from service.desk.games.seats import welcome
from service.features.sign_up import offer_acts, power_lots
from service.features.sign_up.lists import days_of
from service.features.sign_up.offer_acts import DrawPowers, EndOffer, OfferGame, TakeOffList, standing_offer
from service.letters.language import ENGLISH, language
from service.store.tables import OfferRow
from service.web.access import SITE
from service.web.acting import or_refuse, performed
from service.web.page import require_token, require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(prefix="/new-games", dependencies=[SITE])
SignedIn = Annotated[Visitor, Depends(require_visitor)]
Trusted = Annotated[Visitor, Depends(require_token)]


@router.get("")
def offers(request: Request, visitor: SignedIn, notice: str = "") -> Response:
    """Every offer with its list."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        rows = session.scalars(select(OfferRow).where(OfferRow.ended_at.is_(None)).order_by(OfferRow.name))
        shown = []
        for row in rows:
            people = power_lots.confirmed(session, row.id)
            names = {power.id: power.name for power in maps.load(row.variant).powers.values()}
            seats = {number: names.get(power, power)
                     for power, number in (row.drawn or {}).get("seats", {}).items()}
            fits = Counter(day for person in people for day in person.dates)
            days = [(day, language(ENGLISH).value(each), fits[day])
                    for day, each in zip(row.dates, days_of(row.dates), strict=True)]
            shown.append((row, people, seats, names, days))
        return show(request, "sign_up/offers.html", visitor=visitor, notice=notice, offers=shown,
                    boards=titles(), languages=list(LANGUAGES.values()), base_url=ports.settings.base_url)


@router.post("")
def offer(request: Request, visitor: Trusted, name: Annotated[str, Form()], variant: Annotated[str, Form()],
          dates: Annotated[str, Form()], note: Annotated[str, Form()] = "") -> Response:
    """Offer a game."""
    performed(request.app.state.ports, visitor, OfferGame(name, variant, dates, note))
    return RedirectResponse("/new-games?notice=offered", status_code=303)


@router.post("/{offer_id}/draw")
def draw(request: Request, visitor: Trusted, offer_id: str) -> Response:
    """Draw the powers among the first on the list; it cannot be done twice."""
    performed(request.app.state.ports, visitor, DrawPowers(offer_id))
    return RedirectResponse("/new-games?notice=powers-drawn", status_code=303)


@router.post("/{offer_id}/begin")
def begin(request: Request, visitor: Trusted, offer_id: str, day: Annotated[str, Form()],
          language: Annotated[Sequence[str], Form()] = ()) -> Response:
    """Begin the game with the powers as they were drawn."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        table = ports.act_table(session, visitor.name)
        slug = or_refuse(lambda: offer_acts.begin(
            session, standing_offer(table, offer_id), day, language, ports.order_address, visitor.name,
            table.now))
    notice = "created" if welcome(ports, slug) else "created-untold"
    return RedirectResponse(f"/games/{slug}?notice={notice}", status_code=303)


@router.post("/{offer_id}/remove")
def remove(request: Request, visitor: Trusted, offer_id: str, person: Annotated[int, Form()]) -> Response:
    """Take one person off the list."""
    performed(request.app.state.ports, visitor, TakeOffList(offer_id, person))
    return RedirectResponse("/new-games?notice=sign-up-removed", status_code=303)


@router.post("/{offer_id}/end")
def end(request: Request, visitor: Trusted, offer_id: str) -> Response:
    """End an offer and forget its list."""
    performed(request.app.state.ports, visitor, EndOffer(offer_id))
    return RedirectResponse("/new-games?notice=offer-ended", status_code=303)
