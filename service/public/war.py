"""The war again, phase by phase, for the players of a game (BEY-01): a page that steps through its plates,
each plate as SVG, and each year as PDF.

Without a script the page is the list of plates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

import maps
from maps.variant import Variant
from service import pictures
from service.public import visits
from service.public.game_map import NOT_DRAWN, SVG_POLICY
from service.public.page import show
from service.public.visits import VisitingPlayer
from service.public.war_so_far import FoughtPhase, fought, is_over, rows_shown
from service.store.tables import GameRow
from service.web.ports import DeskPorts
from service.web.public_limits import DrawnOnce

router = APIRouter()
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]
PRIVATE = "private, no-store"
NONE = ("There is no such plate. Plates are shown of years that have ended, if the game has units on maps, "
        "and of the whole game once it is over.")
AFTER = "after"


@router.get("/public/{game_id}/war")
def page(request: Request, visitor: Visitor, game_id: str) -> Response:
    """All plates with the key to their lines."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game, variant, phases, over = _war(session, visitor, game_id)
    drawn = bool(maps.shapes(variant.slug))
    years = list(dict.fromkeys(phase.year for phase in phases))
    return show(request, "war.html", cache=PRIVATE, game=game, phases=phases, years=years, over=over,
                drawn=drawn, note=variant.note)


@router.get("/public/{game_id}/war/key.svg")
def key(request: Request, visitor: Visitor, game_id: str) -> Response:
    """What each line and mark means."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _, variant, _, _ = _war(session, visitor, game_id)
    return _svg(pictures.with_faces(pictures.key_svg(variant)).encode())


@router.get("/public/{game_id}/war/after.svg")
def last(request: Request, visitor: Visitor, game_id: str) -> Response:
    """The board as the last of these phases left it."""
    game, variant, phases, seats = _drawn(request, visitor, game_id)
    if not phases:
        raise HTTPException(404, NONE)
    phase = phases[-1]
    when = f"after {phase.title}"
    return _svg(_once(request, (AFTER, game.id, phase.number, seats), lambda: pictures.with_faces(
        pictures.board_plate(variant, phase.resolution.position, game.name, when)).encode()))


@router.get("/public/{game_id}/war/{number}.svg")
def plate(request: Request, visitor: Visitor, game_id: str, number: int) -> Response:
    """The orders of one phase."""
    game, variant, phases, seats = _drawn(request, visitor, game_id)
    phase = next((phase for phase in phases if phase.number == number), None)
    if phase is None:
        raise HTTPException(404, NONE)
    return _svg(_once(request, ("war", game.id, phase.number, seats), lambda: pictures.with_faces(
        pictures.orders_plate(variant, phase.before, phase.resolution, game.name, phase.title)).encode()))


@router.get("/public/{game_id}/war-{year}.pdf")
def as_pdf(request: Request, visitor: Visitor, game_id: str, year: int) -> Response:
    """The plates of one year, one on each page, and the key."""
    game, variant, phases, seats = _drawn(request, visitor, game_id)
    of_year = [phase for phase in phases if phase.year == year]
    if not of_year:
        raise HTTPException(404, NONE)

    def draw() -> bytes:
        pages = [pictures.orders_plate(variant, phase.before, phase.resolution, game.name, phase.title,
                                       pictures.A4) for phase in of_year]
        pages += [pictures.board_plate(variant, of_year[-1].resolution.position, game.name,
                                       f"after {of_year[-1].title}", pictures.A4), pictures.key_svg(variant)]
        return pictures.to_pdf(pages, title=f"{game.name}, the war of {year}")

    data = _once(request, ("war-pdf", game.id, year, len(of_year), seats), draw)
    return Response(data, media_type="application/pdf", headers={
        "Cache-Control": PRIVATE, "Content-Disposition": f'inline; filename="{game.id}-{year}.pdf"'})


def _war(
    session: Session, visitor: VisitingPlayer, game_id: str
) -> tuple[GameRow, Variant, list[FoughtPhase], bool]:
    seats = visits.seat_of(session, visitor, game_id)
    game = session.get_one(GameRow, game_id)
    variant, over = maps.load(game.variant), is_over(session, game_id)
    return game, variant, [fought(row, variant, seats, over=over) for row in rows_shown(session, game)], over


def _drawn(
    request: Request, visitor: VisitingPlayer, game_id: str
) -> tuple[GameRow, Variant, list[FoughtPhase], tuple[str, ...]]:
    """The phases that may be shown, and for whom their pictures are: the seats of this player where something
    is still hidden from others, else nobody in particular."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game, variant, phases, over = _war(session, visitor, game_id)
        seats = tuple(visits.seat_of(session, visitor, game_id))
    if not maps.shapes(variant.slug):
        raise HTTPException(404, NOT_DRAWN)
    return game, variant, phases, () if over else seats


def _once(request: Request, key: tuple[object, ...], draw: Callable[[], bytes]) -> bytes:
    drawn: DrawnOnce = request.app.state.drawn
    return drawn.get(key, draw)


def _svg(svg: bytes) -> Response:
    return Response(svg, media_type="image/svg+xml", headers={
        "Cache-Control": PRIVATE, "Content-Security-Policy": SVG_POLICY})
