"""The gazette on a page for the players of a game, and as PDF (BEY-02): a number for each game year, told
from what its results say to anybody."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from markupsafe import Markup
from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from service import pictures
from service.features.gazette.compose import compose
from service.features.gazette.game_gazette import file_name, gazette_pdf, gazette_years, has_gazette
from service.features.gazette.values import YearFacts
from service.letters.language import N_
from service.public import visits
from service.public.page import language_of, show
from service.public.visits import VisitingPlayer
from service.store.tables import GameRow
from service.web.access import PUBLIC
from service.web.ports import DeskPorts
from service.web.public_limits import DrawnOnce

router = APIRouter(dependencies=[PUBLIC])
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]
PRIVATE = "private, no-store"
NONE = N_("There is no such issue: its year has not ended, or this game has no gazette.")


@router.get("/public/{game_id}/gazette")
def index(request: Request, visitor: Visitor, game_id: str) -> Response:
    """All numbers so far."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game, _, years = _years(session, visitor, game_id)
        code = language_of(request)
        return show(request, "gazette/numbers.html", cache=PRIVATE, game=game, printed=has_gazette(game),
                    gazettes=[compose(year, code) for year in years])


@router.get("/public/{game_id}/gazette/{number}")
def page(request: Request, visitor: Visitor, game_id: str, number: int) -> Response:
    """One number; each dispatch leads to the results from which it was written."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game, variant, years = _years(session, visitor, game_id)
    year = _number(years, number)
    gazette = compose(year, language_of(request))
    chart = pictures.centre_chart(variant, year.years, year.chart, gazette.code)
    return show(request, "gazette/number.html", cache=PRIVATE, game=game, gazette=gazette, facts=year,
                words=gazette.words, chart=Markup(chart), last=len(years))  # noqa: S704 - our own drawing


@router.get("/public/{game_id}/gazette-{number}.pdf")
def as_pdf(request: Request, visitor: Visitor, game_id: str, number: int) -> Response:
    """The printed sheet, in the reader's language."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _, variant, years = _years(session, visitor, game_id)
    year, code = _number(years, number), language_of(request)
    drawn: DrawnOnce = request.app.state.drawn
    data = drawn.get(("gazette", game_id, number, code, len(year.statements), year.has_omens),
                     lambda: gazette_pdf(compose(year, code), variant))
    return Response(data, media_type="application/pdf", headers={
        "Cache-Control": PRIVATE, "Content-Disposition": f'inline; filename="{file_name(game_id, year)}"'})


def _years(
    session: Session, visitor: VisitingPlayer, game_id: str
) -> tuple[GameRow, Variant, tuple[YearFacts, ...]]:
    visits.seat_of(session, visitor, game_id)
    game = session.get_one(GameRow, game_id)
    variant = maps.load(game.variant)
    return game, variant, gazette_years(session, game, variant) if has_gazette(game) else ()


def _number(years: tuple[YearFacts, ...], number: int) -> YearFacts:
    if not 1 <= number <= len(years):
        raise HTTPException(404, NONE)
    return years[number - 1]
