"""A game's map at permanent addresses: a page with a table of control, and the picture as PDF on two paper
sizes, as SVG and as PNG (MAP-01, MAP-02, MAP-03, MAP-05, OUT-09). It shows control only, unless the game's
options ask for units too, as of the newest year-end that was sent."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

import maps
from maps.variant import Power
from service import pictures
from service.games.results import unit_text
from service.letters.language import N_, language
from service.notices.current_map import Control, control
from service.public import large_print
from service.public.large_print import Form, Table
from service.public.page import language_of, show
from service.web.access import PUBLIC
from service.web.ports import DeskPorts
from service.web.public_limits import DrawnOnce

router = APIRouter(dependencies=[PUBLIC])
UNKNOWN = N_("There is no such game here. Check the address in your letters.")
NOT_DRAWN = N_("The board of this game has no drawn shapes, so there is no picture of it; the table shows "
               "the same.")
CACHE_HEADERS = {"Cache-Control": "max-age=300"}
# An SVG is a document that may hold scripts; ours has inline style and its own type only.
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; sandbox"


@router.get("/public/{game_id}/map")
def page(request: Request, game_id: str) -> Response:
    """The picture, and the same in words for a screen reader: who holds which centre."""
    board_control = _control(request, game_id)
    board = board_control.variant.board
    rows = [
        (
            power, *_holdings(board_control, power),
            [
                unit_text(board_control.variant, unit)
                for unit in sorted(board_control.units) if unit.power == power.id
            ],
        )
        for power in board_control.variant.powers.values()
    ]
    # Centres that no one holds are listed too: the table states all that the picture does.
    owned = {region for regions in board_control.centres.values() for region in regions}
    free = sorted(board.provinces[item].name for item in board.centres() if item not in owned)
    return show(
        request, "map.html", game_id=game_id, game_name=board_control.game, when=board_control.when,
        rows=rows, free=free, drawn=bool(maps.shapes(board_control.variant.slug)),
        note=board_control.variant.note,
        units=bool(board_control.units),
    )


@router.get("/public/{game_id}/map-table.{form}")
def as_table(request: Request, game_id: str, form: Form) -> Response:
    """Who holds what as a table, in large print or as text: all that the picture states (BEY-08)."""
    board_control = _control(request, game_id)
    say = language(language_of(request)).say
    board, units = board_control.variant.board, bool(board_control.units)
    rows = []
    for power in board_control.variant.powers.values():
        count, names = _holdings(board_control, power)
        own = [unit_text(board_control.variant, unit) for unit in sorted(board_control.units)
               if unit.power == power.id]
        none = say("none")
        rows.append((power.name, str(count), ", ".join(names) or none,
                     *((", ".join(own) or none,) if units else ())))
    owned = {region for regions in board_control.centres.values() for region in regions}
    free = sorted(board.provinces[item].name for item in board.centres() if item not in owned)
    rows.append((say("No power"), str(len(free)), ", ".join(free) or say("none"),
                 *(("",) if units else ())))
    columns = (say("Power"), say("Centres"), say("Held"), *((say("Units"),) if units else ()))
    title = f"{board_control.game}: {say('Who holds what, %(when)s', when=board_control.when)}"
    return large_print.answer_with(request, form, title, [], [
        Table(say("Who holds which centre"), columns, tuple(rows))], CACHE_HEADERS["Cache-Control"])


@router.get("/public/{game_id}/map.pdf")
def as_pdf(request: Request, game_id: str) -> Response:
    """The current map of control of one game, replaced at the end of each Winter."""
    board_control = _control(request, game_id)
    ports: DeskPorts = request.app.state.ports
    pdf = _drawn(request, "pdf", board_control, lambda: ports.actions.map_pdf(game_id) or b"")
    return Response(pdf, media_type="application/pdf", headers=CACHE_HEADERS)


@router.get("/public/{game_id}/map-a4.pdf")
def on_a4(request: Request, game_id: str) -> Response:
    """The map on A4, for a home printer."""
    board_control = _drawn_control(request, game_id)
    pdf = _drawn(request, "a4", board_control, lambda: pictures.board_pdf(
        board_control.variant, board_control.centres, board_control.game,
        board_control.when, pictures.A4, board_control.units))
    return Response(pdf, media_type="application/pdf", headers=CACHE_HEADERS)


@router.get("/public/{game_id}/map.svg")
def as_svg(request: Request, game_id: str) -> Response:
    """The map as SVG, which can be enlarged without loss."""
    board_control = _drawn_control(request, game_id)
    svg = _drawn(request, "svg", board_control, lambda: pictures.with_faces(pictures.board_svg(
        board_control.variant, board_control.centres, board_control.game,
        board_control.when, board_control.units)).encode()).decode()
    return Response(svg, media_type="image/svg+xml",
        headers={**CACHE_HEADERS, "Content-Security-Policy": SVG_POLICY})


@router.get("/public/{game_id}/map.png")
def as_png(request: Request, game_id: str) -> Response:
    """The map as a picture for a screen."""
    board_control = _drawn_control(request, game_id)
    png = _drawn(request, "png", board_control, lambda: pictures.board_png(
        board_control.variant, board_control.centres, board_control.game,
        board_control.when, board_control.units))
    return Response(png, media_type="image/png", headers=CACHE_HEADERS)


def _holdings(board_control: Control, power: Power) -> tuple[int, list[str]]:
    """The number of centres of a power, and the names of the provinces it holds."""
    provinces = board_control.variant.board.provinces
    regions = board_control.centres.get(power.id, frozenset())
    return sum(provinces[region].centre for region in regions), sorted(
        provinces[region].name for region in regions
    )


def _control(request: Request, game_id: str) -> Control:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        board_control = control(session, game_id)
    if board_control is None:
        raise HTTPException(404, UNKNOWN)
    return board_control


def _drawn_control(request: Request, game_id: str) -> Control:
    board_control = _control(request, game_id)
    if not maps.shapes(board_control.variant.slug):
        raise HTTPException(404, NOT_DRAWN)
    return board_control


def _drawn(request: Request, kind: str, shown: Control, draw: Callable[[], bytes]) -> bytes:
    """The picture of what a game shows, drawn once for everybody."""
    drawn: DrawnOnce = request.app.state.drawn
    return drawn.get((kind, *shown.drawn_as), draw)
