"""Files that were too large for a letter, behind the link in that letter: for its reader only, for sixty
days, and as long as they hold a seat in the game."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage
from hashlib import sha256
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.public.page import show
from service.public.visits import plays
from service.store.blobs import BlobError
from service.store.tables import AccessLinkRow, OutboxRow
from service.web.ports import DeskPorts

router = APIRouter()
GONE = ("This link has ended, or it is incomplete. Copy it again from your letter, or ask the coordinator "
        "for the files.")
# Anything else is only downloaded: an attachment could be a page with a script.
_SHOWN = frozenset({"image/png", "image/jpeg", "application/pdf"})


@router.get("/public/letter/{token}")
def files(request: Request, token: str) -> Response:
    """The files of one letter, each with its size."""
    message = _letter(request, token)
    named = [(index, part.get_filename() or f"file {index + 1}", len(part.get_payload(decode=True) or b""))
             for index, part in enumerate(message.iter_attachments())]
    return show(request, "left_out.html", subject=str(message["Subject"] or ""), token=token, files=named)


@router.get("/public/letter/{token}/{number}")
def one_file(request: Request, token: str, number: int) -> Response:
    """One file."""
    parts = list(_letter(request, token).iter_attachments())
    if not 0 <= number < len(parts):
        raise HTTPException(404, GONE)
    part = parts[number]
    kind = part.get_content_type()
    name = quote(part.get_filename() or f"file-{number + 1}")
    return Response(
        part.get_payload(decode=True),
        media_type=kind if kind in _SHOWN else "application/octet-stream",
        headers={
            "Content-Disposition": f"inline; filename*=UTF-8''{name}", "Cache-Control": "private, no-store",
        },
    )


def _letter(request: Request, token: str) -> EmailMessage:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        row = session.get(AccessLinkRow, sha256(token.encode()).hexdigest())
        # Links of one table open different things: a link to a letter is no visit, and the other way round.
        if row is None or row.opens != "letter" or row.until <= ports.clock.now():
            raise HTTPException(404, GONE)
        try:
            data = ports.blobs.read(token)
        except (BlobError, ValueError) as fault:
            raise HTTPException(404, GONE) from fault
        # The token is the digest of the letter's bytes, so a link cannot lead to a changed letter.
        message = email.message_from_bytes(data, policy=email.policy.default)
        if not _still_theirs(session, row.player_id, str(message["Message-ID"] or "")):
            raise HTTPException(404, GONE)
        return message


def _still_theirs(session: Session, player_id: int, message_id: str) -> bool:
    """True if the player still holds a seat in the letter's game, or, for a letter of no game, in any."""
    letter = session.scalar(select(OutboxRow).where(OutboxRow.message_id == message_id))
    return letter is not None and plays(session, player_id, letter.game_id or "")
