"""How a player checks a game at home (docs/check.md): the page, the file that does it, and the players'
archive of a game, which it needs besides the player's own letters (docs/record.md)."""

from __future__ import annotations

import io
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response

from service.archive import export
from service.archive.export import Edition
from service.letters.language import Sentence
from service.public import visits
from service.public.page import show
from service.public.visits import VisitingPlayer
from service.record.references import CHECKER, checker_file
from service.version import version
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]


@router.get("/public/check")
def page(request: Request) -> Response:
    """The steps, in ten lines."""
    return show(request, "check.html", cache="max-age=3600")


@router.get(f"/public/{CHECKER}")
def checker() -> Response:
    """The independent checker. Raises 404 where this installation has none."""
    data = checker_file()
    if data is None:
        raise HTTPException(404, Sentence(
            "This site has no copy of the checker. It is in the source of Galloper, as tools/%(name)s.",
            name=CHECKER))
    return Response(data, media_type="text/x-python; charset=utf-8", headers={
        "Content-Disposition": f'attachment; filename="{CHECKER}"', "Cache-Control": "max-age=3600"})


@router.get("/public/{game_id}/archive.zip")
def players_archive(request: Request, visitor: Visitor, game_id: str) -> Response:
    """Everything that was sent to all players, and the digests of the rest, as a ZIP file."""
    ports: DeskPorts = request.app.state.ports
    out, now = io.BytesIO(), ports.clock.now()
    with ports.sessions() as session:
        visits.seat_of(session, visitor, game_id)
        export.write_archive(session, ports.blobs, game_id, Edition.PLAYERS, now, version(), out)
    return Response(out.getvalue(), media_type="application/zip", headers={
        "Content-Disposition": f'attachment; filename="{game_id}-{now:%Y-%m-%d}.zip"',
        "Cache-Control": "private, no-store"})
