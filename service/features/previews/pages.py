"""The pages of one letter of a game before anybody gets it, as one power would read it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from service.letters.kinds import AnyKind
from service.mail.sending.compose import whole_paragraphs
from service.notices.previews import Previews
from service.store import records
from service.web.access import COORDINATOR
from service.web.acting import game_row
from service.web.page import require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter(dependencies=[COORDINATOR])
SignedIn = Annotated[Visitor, Depends(require_visitor)]
MAIL_POLICY = ("default-src 'none'; style-src 'unsafe-inline'; sandbox; base-uri 'none'; frame-ancestors "
               "'none'")
"""For a letter on its own page: its inline style is allowed, as in mail programs, and nothing is
loaded."""


@router.get("/previews/{game_id}/{kind}.html")
def as_mail(request: Request, game_id: str, kind: str, power: str) -> Response:
    """The HTML part of one letter, alone on its page."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        writer, shown = _writer(session, ports, game_id, power, kind)
        html = writer.of(shown).letter.html or ""
    return Response(
        html, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": MAIL_POLICY}
    )


@router.get("/previews/{game_id}/{kind}")
def preview(request: Request, visitor: SignedIn, game_id: str, kind: str, power: str) -> Response:
    """The text of one letter."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        writer, shown = _writer(session, ports, game_id, power, kind)
        preview = writer.of(shown)
        kinds = list(writer.letters.kinds_of(writer.game).values())
        index = kinds.index(shown)
        return show(
            request, "previews/preview.html", visitor=visitor, game=writer.game, kind=shown, power=power,
            letter=preview.letter, basis=preview.basis,
            words=whole_paragraphs(preview.letter.text),
            before=kinds[index - 1] if index else None,
            after=kinds[index + 1] if index + 1 < len(kinds) else None,
        )


def _writer(
    session: Session, ports: DeskPorts, game_id: str, power: str, kind: str
) -> tuple[Previews, AnyKind]:
    letters, game = ports.letters, game_row(session, game_id)
    shown = letters.kinds_of(game).get(kind)
    if shown is None or power not in records.seats(session, game_id):
        raise HTTPException(404, "There is no such letter, or no such power in this game.")
    return Previews(letters, session, game, power), shown
