"""The war again, phase by phase, for the players of a game (BEY-01): a page that steps through its plates,
each plate as SVG, and each year, or the whole, as PDF.

Without a script the page is the list of plates.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

import maps
from adjudicator.orders import Move
from adjudicator.outcome import Result
from maps.variant import Variant
from service import pictures
from service.features.replay.war_so_far import FoughtPhase, fought, is_over, rows_shown
from service.letters.language import N_, Sentence
from service.public import visits
from service.public.game_map import NOT_DRAWN, SVG_POLICY
from service.public.page import show
from service.public.visits import VisitingPlayer
from service.store.tables import GameRow
from service.web.access import PUBLIC
from service.web.ports import DeskPorts
from service.web.public_limits import DrawnOnce

router = APIRouter(dependencies=[PUBLIC])
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]
PRIVATE = "private, no-store"
NONE = N_("There is no such plate. There are plates for years that have ended, if the game shows units on "
          "maps, and for the whole game once it is over.")
AFTER = "after"
PATIENCE_SECONDS = 25
"""After so long a request for the whole war stops drawing and is asked again."""
_BETWEEN = "\x1f"
"""Between the plates of a year; no XML has it."""
DRAWN_SO_FAR = N_("%(number)s of %(years)s years of this war are drawn. Nothing is wrong: the page reloads "
                  "by itself in a few seconds.")


@router.get("/public/{game_id}/war")
def page(request: Request, visitor: Visitor, game_id: str) -> Response:
    """All plates with the key to their lines."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game, variant, phases, over = _war(session, visitor, game_id)
    drawn = bool(maps.shapes(variant.slug))
    years = list(dict.fromkeys(phase.year for phase in phases))
    return show(request, "replay/war.html", cache=PRIVATE, game=game, phases=phases, years=years, over=over,
                drawn=drawn, note=variant.note)


@router.get("/public/{game_id}/war/key.svg")
def key(request: Request, visitor: Visitor, game_id: str) -> Response:
    """The meaning of each line and mark."""
    # What draws plates is imported where one is drawn: an idle site needs none of it.
    from service.features.replay.war_plates import key_svg

    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        _, variant, _, _ = _war(session, visitor, game_id)
    return _svg(pictures.with_faces(key_svg(variant)).encode())


@router.get("/public/{game_id}/war/after.svg")
def last(request: Request, visitor: Visitor, game_id: str) -> Response:
    """The board as the last of these phases left it."""
    from service.features.replay.war_plates import board_plate

    game, variant, phases, seats = _drawn(request, visitor, game_id)
    if not phases:
        raise HTTPException(404, NONE)
    phase = phases[-1]
    when = f"after {phase.title}"
    return _svg(_once(request, (AFTER, game.id, phase.number, seats), lambda: pictures.with_faces(
        board_plate(variant, phase.resolution.position, game.name, when)).encode()))


@router.get("/public/{game_id}/war/{number}.svg")
def plate(request: Request, visitor: Visitor, game_id: str, number: int) -> Response:
    """The orders of one phase."""
    from service.features.replay.war_plates import orders_plate

    game, variant, phases, seats = _drawn(request, visitor, game_id)
    phase = next((phase for phase in phases if phase.number == number), None)
    if phase is None:
        raise HTTPException(404, NONE)
    return _svg(_once(request, ("war", game.id, phase.number, seats), lambda: pictures.with_faces(
        orders_plate(variant, phase.before, phase.resolution, game.name, phase.title)).encode()))


@router.get("/public/{game_id}/war-{year}.pdf")
def as_pdf(request: Request, visitor: Visitor, game_id: str, year: int) -> Response:
    """The plates of one year, one on each page, the board that was left, and the key."""
    game, variant, phases, seats = _drawn(request, visitor, game_id)
    of_year = [phase for phase in phases if phase.year == year]
    if not of_year:
        raise HTTPException(404, NONE)
    plates = _year_plates(request, game, variant, of_year, seats)
    return _pdf(request, game, variant, of_year, plates, seats, f"{game.name}, the war of {year}",
                f"{game.id}-{year}.pdf")


@router.get("/public/{game_id}/war.pdf")
def whole_pdf(request: Request, visitor: Visitor, game_id: str) -> Response:
    """The war so far: the plates of all years, the board that was left, and the key. A long war is drawn a
    year at a time: until all are drawn it answers 503, and the browser reloads by itself."""
    game, variant, phases, seats = _drawn(request, visitor, game_id)
    years = list(dict.fromkeys(phase.year for phase in phases))
    if not years:
        raise HTTPException(404, NONE)
    plates: list[str] = []
    began = time.monotonic()
    for number, year in enumerate(years):
        # A web server in front gives up after a minute. Years that are drawn are stored.
        if time.monotonic() - began > PATIENCE_SECONDS:
            raise HTTPException(503, Sentence(DRAWN_SO_FAR, number=number, years=len(years)),
                                {"Retry-After": "5", "Refresh": "5"})
        plates += _year_plates(
            request, game, variant, [phase for phase in phases if phase.year == year], seats)
    return _pdf(request, game, variant, phases, plates, seats, f"{game.name}, the war so far",
                f"{game.id}-war.pdf")


def _year_plates(
    request: Request, game: GameRow, variant: Variant, phases: Sequence[FoughtPhase], seats: tuple[str, ...]
) -> list[str]:
    """The plates of the phases of one year, as SVG. They are stored packed: drawing takes longest."""
    from service.features.replay.war_plates import orders_plate

    def draw() -> bytes:
        plates = [orders_plate(variant, phase.before, phase.resolution, game.name, phase.title,
                               pictures.A4) for phase in phases]
        return zlib.compress(_BETWEEN.join(plates).encode())

    packed = _once(request, ("war-plates", game.id, phases[0].year, len(phases), seats), draw)
    return zlib.decompress(packed).decode().split(_BETWEEN)


def _pdf(
    request: Request, game: GameRow, variant: Variant, phases: Sequence[FoughtPhase], plates: Sequence[str],
    seats: tuple[str, ...], title: str, name: str
) -> Response:
    """Plates of phases with the board that was left and the key, as one file: a file that is put together of
    others has neither a title nor tags."""
    from service.features.replay.war_plates import board_plate, key_svg

    last_phase, left = phases[-1], f"The board after {phases[-1].title}"

    def draw() -> bytes:
        board = board_plate(variant, last_phase.resolution.position, game.name,
                            f"after {last_phase.title}", pictures.A4)
        return pictures.to_pdf(
            [*plates, board, key_svg(variant)], title=title,
            descriptions=[*map(_described, phases), left, "The key to the lines and marks of the plates"])

    data = _once(request, ("war-pdf", game.id, title, last_phase.number, len(phases), seats), draw)
    return Response(data, media_type="application/pdf", headers={
        "Cache-Control": PRIVATE, "Content-Disposition": f'inline; filename="{name}"'})


def _described(phase: FoughtPhase) -> str:
    """A plate for who does not see it."""
    resolution = phase.resolution
    moves = [outcome.result for outcome in resolution.outcomes if isinstance(outcome.order, Move)]
    removed = [*resolution.removed, *resolution.removed_by_lot, *resolution.removed_by_disorder]
    counts = (
        (len(resolution.outcomes), "order", "orders"), (len(moves), "move", "moves"),
        (moves.count(Result.FAILS), "turned back", "turned back"),
        (len(resolution.dislodged), "dislodged", "dislodged"), (len(resolution.built), "built", "built"),
        (len(resolution.disbanded), "disbanded", "disbanded"), (len(removed), "removed", "removed"))
    counted = ", ".join(
        f"{number} {singular if number == 1 else plural}" for number, singular, plural in counts if number)
    return (f"{phase.title}: the board with its orders as lines: {counted or 'no orders'}. "
            "The results list them")


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
    is still hidden from others, else no one in particular."""
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
