"""A player on a visit makes, mails and ends links to the page that takes photographs (BEY-05)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from service.facts.events import Event
from service.letters.language import N_
from service.notices import upload_links
from service.public import visits
from service.public.visits import VisitingPlayer
from service.store.tables import GameRow
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]
NOT_MAILED = N_("No link was mailed: three were mailed in the last hour, or this site cannot write letters "
                "with links. Those that you have still work; try again later.")


@router.post("/public/me/do/upload-link/{game_id}")
def make(
    request: Request, visitor: Visitor, game_id: str, csrf: Annotated[str, Form()],
    do: Annotated[str, Form()] = "open",
) -> Response:
    """Open the page on this device, mail its link, or end every link for this game, as `do` says."""
    visits.check(visitor, csrf)
    ports: DeskPorts = request.app.state.ports
    now = ports.clock.now()
    with ports.sessions.begin() as session:
        powers = ", ".join(visits.seat_of(session, visitor, game_id))
        if do == "end":
            upload_links.end_links(session, visitor.player_id, now, game_id)
            upload_links.note(session, now, Event.UPLOAD_LINKS_ENDED, game_id, powers, "player")
            return RedirectResponse("/public/me?notice=upload-ended", status_code=303)
        upload_links.note(session, now, Event.UPLOAD_LINK_MADE, game_id, powers, "player")
        if do == "mail":
            circulars = ports.actions.circulars
            if circulars is None or not upload_links.mail_link(
                    session, circulars.letters, visitor.player_id, session.get_one(GameRow, game_id),
                    ports.settings.base_url, now):
                raise HTTPException(429, NOT_MAILED)
            return RedirectResponse("/public/me?notice=upload-mailed", status_code=303)
        secret = upload_links.make_link(session, visitor.player_id, game_id, now)
    return RedirectResponse(f"{upload_links.PATH}{secret}", status_code=303)
