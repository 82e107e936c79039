"""The players' archive of a game: what a checker needs besides the player's own letters (docs/record.md)."""

from __future__ import annotations

import io
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from service.archive import export
from service.archive.export import Edition
from service.public import visits
from service.public.visits import VisitingPlayer
from service.version import version
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]


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
