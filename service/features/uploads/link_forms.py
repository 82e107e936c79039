"""A player on a visit, or a coordinator for one, makes, mails and ends links to the page that takes
photographs (BEY-05)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from service.desk.games.carry_out import carry_out
from service.facts.events import Event
from service.features.uploads import links
from service.features.uploads.links import EndUploadLinks, MailUploadLink
from service.letters.language import N_
from service.public import visits
from service.public.visits import VisitingPlayer
from service.store.tables import GameRow
from service.web.access import COORDINATOR, PUBLIC
from service.web.page import require_token
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()
Player = Annotated[VisitingPlayer, Depends(visits.require_player)]
NOT_MAILED = N_("No link was mailed: three were mailed in the last hour, or this site cannot write letters "
                "with links. Those that you have still work; try again later.")


@router.post("/public/me/do/upload-link/{game_id}", dependencies=[PUBLIC])
def make(
    request: Request, player: Player, game_id: str, csrf: Annotated[str, Form()],
    do: Annotated[str, Form()] = "open",
) -> Response:
    """Open the page on this device, mail its link, or end every link for this game, as `do` says."""
    visits.check(player, csrf)
    ports: DeskPorts = request.app.state.ports
    now = ports.clock.now()
    with ports.sessions.begin() as session:
        powers = ", ".join(visits.seat_of(session, player, game_id))
        if do == "end":
            links.end_links(session, player.player_id, now, game_id)
            links.note(session, now, Event.UPLOAD_LINKS_ENDED, game_id, powers, "player")
            return RedirectResponse("/public/me?notice=upload-ended", status_code=303)
        links.note(session, now, Event.UPLOAD_LINK_MADE, game_id, powers, "player")
        if do == "mail":
            circulars = ports.actions.circulars
            if circulars is None or not links.mail_link(
                    session, circulars.letters, player.player_id, session.get_one(GameRow, game_id),
                    ports.settings.base_url, now):
                raise HTTPException(429, NOT_MAILED)
            return RedirectResponse("/public/me?notice=upload-mailed", status_code=303)
        secret = links.make_link(session, player.player_id, game_id, now)
    return RedirectResponse(f"{links.PATH}{secret}", status_code=303)


@router.post("/games/{game_id}/upload-link", dependencies=[COORDINATOR])
def make_for_player(
    request: Request, visitor: Annotated[Visitor, Depends(require_token)], game_id: str,
    power: Annotated[str, Form()], do: Annotated[str, Form()] = "mail",
) -> Response:
    """Mail the player of a power a link to the page that takes photographs, or end all such links of theirs
    for this game. Nobody at the desk sees a link."""
    ports: DeskPorts = request.app.state.ports
    ends = do == "end"
    notice = "upload-links-ended" if ends else "upload-link"
    circulars = ports.actions.circulars
    act = EndUploadLinks(game_id, power) if ends else MailUploadLink(
        game_id, power, None if circulars is None else circulars.letters, ports.settings.base_url)
    return carry_out(request, visitor, game_id, act, notice)
