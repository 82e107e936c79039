"""A game's map at addresses that stay: a page with the table of control, and the picture as PDF on two
papers, as SVG and as PNG (MAP-01, MAP-02, MAP-03, MAP-05, OUT-09). Control only, unless the game asks for
units too; of the newest year-end that was sent.
"""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

import maps
from maps.variant import Power
from service import pictures
from service.games.results import unit_text
from service.notices.current_map import Control, control
from service.public.doorway import show
from service.web.ports import DeskPorts

router = APIRouter()
UNKNOWN = "There is no such game here. Check the address in your letters."
NOT_DRAWN = ("The board of this game comes without drawn shapes, so there is no picture of it; the table has "
             "the same.")
KEPT = {"Cache-Control": "max-age=300"}
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


@router.get("/public/{game_id}/map")
def page(request: Request, game_id: str) -> Response:
    """The picture, and in words who holds which centre: the same for a screen reader as for the eye."""
    found = _control(request, game_id)
    board = found.variant.board
    rows = [
        (
            power,
            *_held(found, power),
            [unit_text(found.variant, one) for one in sorted(found.units) if one.power == power.id],
        )
        for power in found.variant.powers.values()
    ]
    owned = {region for regions in found.centres.values() for region in regions}
    free = sorted(board.provinces[one].name for one in board.centres() if one not in owned)
    return show(
        request,
        "map.html",
        game_id=game_id,
        game_name=found.game,
        when=found.when,
        rows=rows,
        free=free,
        drawn=bool(maps.shapes(found.variant.slug)),
        note=found.variant.note,
        units=bool(found.units),
    )


@router.get("/public/{game_id}/map-a4.pdf")
def on_a4(request: Request, game_id: str) -> Response:
    """The map on A4, for a printer at home."""
    found = _drawn(request, game_id)
    pdf = pictures.board_pdf(found.variant, found.centres, found.game, found.when, pictures.A4, found.units)
    return Response(pdf, media_type="application/pdf", headers=KEPT)


@router.get("/public/{game_id}/map.svg")
def as_svg(request: Request, game_id: str) -> Response:
    """The map as SVG, which can be made larger for ever."""
    found = _drawn(request, game_id)
    svg = pictures.board_svg(found.variant, found.centres, found.game, found.when, found.units)
    return Response(svg, media_type="image/svg+xml", headers={**KEPT, "Content-Security-Policy": SVG_POLICY})


@router.get("/public/{game_id}/map.png")
def as_png(request: Request, game_id: str) -> Response:
    """The map as a picture for a screen."""
    found = _drawn(request, game_id)
    png = pictures.board_png(found.variant, found.centres, found.game, found.when, found.units)
    return Response(png, media_type="image/png", headers=KEPT)


def _held(found: Control, power: Power) -> tuple[int, list[str]]:
    """How many centres a power has, and the names of what it holds."""
    provinces = found.variant.board.provinces
    regions = found.centres.get(power.id, frozenset())
    return sum(provinces[one].centre for one in regions), sorted(provinces[one].name for one in regions)


def _control(request: Request, game_id: str) -> Control:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        found = control(session, game_id)
    if found is None:
        raise HTTPException(404, UNKNOWN)
    return found


def _drawn(request: Request, game_id: str) -> Control:
    found = _control(request, game_id)
    if not maps.shapes(found.variant.slug):
        raise HTTPException(404, NOT_DRAWN)
    return found
