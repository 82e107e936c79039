"""Files that were too large for a letter, behind the link in that letter: for its reader only, for sixty
days, and as long as they hold a seat in the game."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from service.feature import features
from service.letters.language import N_, language
from service.mail.sending.outbox import LETTER_LINK
from service.public.page import language_of, show
from service.public.visits import plays
from service.store.blobs import BlobError
from service.store.tables import AccessLinkRow, OutboxRow
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
GONE = N_("This link has expired, or it is incomplete. Copy it again from your letter, or ask the "
          "coordinator for the files.")
# Anything else is only downloaded: an attachment could be a page with a script.
_SHOWN = frozenset({"image/png", "image/jpeg", "application/pdf"})
_KINDS = {
    "map": N_("the map"), "results": N_("the results as a picture"), "sheet": N_("a copy of a sheet"),
    "correction": N_("a correction as a picture"),
}
"""What a letter's file is, by a part of its name; features have more."""


@dataclass(frozen=True, slots=True)
class LeftOutFile:
    """A file behind the link of a letter."""

    name: str
    media_type: str
    data: bytes


@router.get("/public/letter/{token}")
def files(request: Request, token: str) -> Response:
    """The files of one letter, each with its size."""
    subject, left_out = _letter(request, token)
    known = dict(_KINDS)
    for feature in features():
        known |= feature.file_kinds
    kinds = [next((words for part, words in known.items() if part in file.name), N_("a file"))
             for file in left_out]
    named = [(index, file.name or f"file {index + 1}", len(file.data)) for index, file in enumerate(left_out)]
    return show(request, "left_out.html", subject=subject, token=token, files=named,
                kinds=[language(language_of(request)).say(kind) for kind in kinds],
                cache="private, no-store")


@router.get("/public/letter/{token}/{number}")
def one_file(request: Request, token: str, number: int) -> Response:
    """One file."""
    _, left_out = _letter(request, token)
    if not 0 <= number < len(left_out):
        raise HTTPException(404, GONE)
    file = left_out[number]
    name = quote(file.name or f"file-{number + 1}")
    return Response(
        file.data,
        media_type=file.media_type if file.media_type in _SHOWN else "application/octet-stream",
        headers={
            "Content-Disposition": f"inline; filename*=UTF-8''{name}", "Cache-Control": "private, no-store",
        },
    )


def _letter(request: Request, token: str) -> tuple[str, list[LeftOutFile]]:
    """The subject of the letter with this link, and the files behind it."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        row = session.get(AccessLinkRow, sha256(token.encode()).hexdigest())
        # Links of one table open different things: a link to a letter is not a visit, and the other way
        # round.
        if row is None or row.opens != LETTER_LINK or row.until <= ports.clock.now():
            raise HTTPException(404, GONE)
        try:
            letter = None if row.letter_id is None else session.get(OutboxRow, row.letter_id)
            subject, left_out = ("", []) if letter is None else (letter.subject, _kept(ports, letter))
        except (BlobError, ValueError) as fault:
            raise HTTPException(404, GONE) from fault
        # A link ends with the player's last seat in the letter's game, or, for a letter of no game, in any.
        if letter is None or not plays(session, row.player_id, letter.game_id or ""):
            raise HTTPException(404, GONE)
        return subject, left_out


def _kept(ports: DeskPorts, letter: OutboxRow) -> list[LeftOutFile]:
    return [LeftOutFile(str(file["name"]), str(file["type"]), ports.blobs.read(str(file["blob"])))
            for file in letter.files if file["at"] is None]
