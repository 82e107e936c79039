"""A player on a visit, or a coordinator for one, makes, mails and ends links to the page that takes
photographs (BEY-05)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from service.features.uploads import links
from service.features.uploads.links import NO_LINK_MAILED, EndUploadLinks, MailUploadLink, MakeUploadLink
from service.games.acts.act import Act
from service.letters.language import N_
from service.public import visits
from service.public.acting import performed, seats_of
from service.public.visits import VisitingPlayer
from service.web.access import COORDINATOR, PUBLIC
from service.web.acting import carry_out
from service.web.page import require_token
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()
Player = Annotated[VisitingPlayer, Depends(visits.require_player)]
NOT_MAILED = N_("No link was mailed: three were mailed in the last hour, or this site cannot write letters "
                "with links. Your earlier links still work; try again later.")


@router.post("/public/me/do/upload-link/{game_id}", dependencies=[PUBLIC])
def make(
    request: Request, player: Player, game_id: str, csrf: Annotated[str, Form()],
    do: Annotated[str, Form()] = "open",
) -> Response:
    """Open the page on this device, mail its link, or end every link for this game, as `do` states."""
    powers = seats_of(request, player, game_id)
    if do == "end":
        performed(request, player, csrf, EndUploadLinks(game_id, powers))
        return RedirectResponse("/public/me?notice=upload-ended", status_code=303)
    if do == "mail":
        performed(request, player, csrf, _mail(request, game_id, powers, NOT_MAILED), refused=429)
        return RedirectResponse("/public/me?notice=upload-mailed", status_code=303)
    secret = performed(request, player, csrf, MakeUploadLink(game_id, powers)).outcome
    return RedirectResponse(f"{links.PATH}{secret}", status_code=303)


@router.post("/games/{game_id}/upload-link", dependencies=[COORDINATOR])
def make_for_player(
    request: Request, visitor: Annotated[Visitor, Depends(require_token)], game_id: str,
    power: Annotated[str, Form()], do: Annotated[str, Form()] = "mail",
) -> Response:
    """Mail the player of a power a link to the page that takes photographs, or end all such links of theirs
    for this game. No one at the desk sees a link."""
    ends = do == "end"
    act: Act[None] = EndUploadLinks(game_id, (power,)) if ends else _mail(request, game_id, (power,))
    return carry_out(request, visitor, game_id, act, "upload-links-ended" if ends else "upload-link")


def _mail(
    request: Request, game_id: str, powers: tuple[str, ...], not_mailed: str = NO_LINK_MAILED
) -> MailUploadLink:
    ports: DeskPorts = request.app.state.ports
    circulars = ports.actions.circulars
    writer = None if circulars is None else circulars.letters
    return MailUploadLink(game_id, powers, writer, ports.settings.base_url, not_mailed)
