"""The Letters pages. A receipt may show each line as the machine read it, so before the deadline it is
sealed like the sheet (DESK-02)."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import Response

from service.desk import queries
from service.games.seal import sealed
from service.letters.kinds import Contents
from service.mail.sending.compose import words_of
from service.store.blobs import BlobError
from service.store.letter_parts import finished
from service.store.tables import OutboxRow, PhaseRow
from service.web.access import COORDINATOR, OWN_GAMES
from service.web.page import require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()
SignedIn = Annotated[Visitor, Depends(require_visitor)]
NOT_SHOWN = "This letter has a player's own link, which opens their sheets. Only its reader can see it."
SEALED = ("This receipt is sealed until the deadline, since it may show the sheet's orders. Its reader has "
          "it.")
# An attachment of another kind could be HTML with a script; it is only handed out as a download.
_SHOWN = frozenset({"image/png", "image/jpeg", "application/pdf"})
"""Kinds of attachments that a browser may open; everything else is only downloaded."""


@router.get("/letters", dependencies=[OWN_GAMES])
def letters(request: Request, visitor: SignedIn) -> Response:
    """Letters that were sent or wait to be sent."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        return show(request, "letters.html", visitor=visitor,
                    letters=queries.letters(session, games=visitor.coordinates),
                    numbers=queries.letters_by_state(session, visitor.coordinates))


@router.get("/letters/{letter_id}", dependencies=[COORDINATOR])
def letter(request: Request, visitor: SignedIn, letter_id: int) -> Response:
    """One letter as its receiver sees it: text and attached pictures."""
    message, row, phase = _message(request, letter_id)
    if phase is not None or _has_link(request, row):
        return show(request, "letter.html", visitor=visitor, letter=row, parts=(), sealed=phase, text="",
                    has_link=_has_link(request, row))
    body = message.get_body(("plain",))
    parts = [(index, part.get_filename() or f"part {index + 1}", part.get_content_type(),
              len(part.get_payload(decode=True) or b""))
             for index, part in enumerate(message.iter_attachments())]
    return show(request, "letter.html", visitor=visitor, letter=row, parts=parts, sealed=None, has_link=False,
                text=words_of(body))


@router.get("/letters/{letter_id}/part/{number}", dependencies=[COORDINATOR])
def letter_part(request: Request, letter_id: int, number: int) -> Response:
    """One attachment of a letter."""
    message, row, phase = _message(request, letter_id)
    if phase is not None:
        raise HTTPException(403, SEALED)
    if _has_link(request, row):
        raise HTTPException(403, NOT_SHOWN)
    parts = list(message.iter_attachments())
    if not 0 <= number < len(parts):
        raise HTTPException(404, "This letter has no such attachment.")
    part = parts[number]
    is_shown = part.get_content_type() in _SHOWN
    # RFC 5987: a file name with quotation marks or other letters goes percent-encoded into `filename*`.
    name = quote(part.get_filename() or f"part-{number + 1}")
    return Response(
        part.get_payload(decode=True),
        media_type=part.get_content_type() if is_shown else "application/octet-stream",
        headers={"Content-Disposition": f"{'inline' if is_shown else 'attachment'}; filename*=UTF-8''{name}"})


def _message(request: Request, letter_id: int) -> tuple[EmailMessage, OutboxRow, PhaseRow | None]:
    """A letter, its row, and the phase that still seals it, or None."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        row = session.get(OutboxRow, letter_id)
        phase = (
            None
            if row is None or row.phase_id is None
            or ports.letter_kinds.contents_of(row.kind) is not Contents.SHEET
            else session.get(PhaseRow, row.phase_id)
        )
    if row is None:
        raise HTTPException(404, "There is no such letter.")
    message = email.message_from_bytes(_bytes(ports, row), policy=email.policy.default)
    return message, row, phase if phase is not None and sealed(phase) else None


def _has_link(request: Request, row: OutboxRow) -> bool:
    # It opens what its player sent, before the deadline too: anyone who reads it here would walk around the
    # seal.
    ports: DeskPorts = request.app.state.ports
    return ports.letter_kinds.contents_of(row.kind) is Contents.LINK


def _bytes(ports: DeskPorts, row: OutboxRow) -> bytes:
    try:
        return finished(ports.blobs, row)
    except BlobError as error:
        raise HTTPException(503, f"This cannot be shown: {error}. Everything else is safe.") from error
