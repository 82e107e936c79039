"""The roots of a game's record on one page, as JSON and as a feed, for anyone: each player can see that all
are shown the same (docs/record.md, "What goes out")."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, replace
from datetime import datetime

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games.phases import phase_title
from service.letters.language import N_
from service.public.page import environment, show
from service.record.references import root_mark
from service.store import records
from service.store.tables import EventRow, GameRow, PhaseState
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
NO_STAMP = N_("This root has no time stamp. The page of the roots shows which have one.")
UNKNOWN = N_("There is no such game here. Check the address in your letters.")


@dataclass(frozen=True, slots=True)
class SentRoot:
    """The root up to the judging of a phase whose results were sent. `stamped_at`: when an authority outside
    saw it, `authority` its name and `reply` its answer in base64, where it was stamped."""

    phase: int
    title: str
    number: int
    digest: str
    words: str
    sent_at: datetime
    stamped_at: datetime | None = None
    authority: str = ""
    reply: str = ""

    @property
    def as_entry(self) -> dict[str, object]:
        """The root as the file shows it; a time stamp where there is one."""
        stamp = {} if self.stamped_at is None else {"stamp": {
            "time": self.stamped_at.isoformat(), "authority": self.authority, "reply": self.reply}}
        return {"phase": self.phase, "title": self.title, "entries": self.number, "root": self.digest,
                "words": self.words, "sent": self.sent_at.isoformat(), **stamp}


@router.get("/public/{game_id}/roots")
def page(request: Request, game_id: str) -> Response:
    """Each root with its four words, the newest first."""
    game, roots = _roots(request, game_id)
    return show(request, "roots.html", game=game, roots=roots)


@router.get("/public/{game_id}/roots.json")
def as_json(request: Request, game_id: str) -> Response:
    """The same as a file to keep."""
    game, roots = _roots(request, game_id)
    document = {"game": game.id, "name": game.name, "roots": [root.as_entry for root in roots]}
    return Response(json.dumps(document, indent=1, ensure_ascii=False) + "\n", media_type="application/json",
                    headers={"Cache-Control": "no-cache"})


@router.get("/public/{game_id}/roots/{phase}.tsr")
def stamp(request: Request, game_id: str, phase: int) -> Response:
    """The time stamp of a root as a file (TimeStampResp, RFC 3161)."""
    _, roots = _roots(request, game_id)
    root = next((root for root in roots if root.phase == phase and root.reply), None)
    if root is None:
        raise HTTPException(404, NO_STAMP)
    return Response(base64.b64decode(root.reply), media_type="application/timestamp-reply",
                    headers={"Content-Disposition": f'attachment; filename="{game_id}-{phase}.tsr"'})


@router.get("/public/{game_id}/roots.atom")
def feed(request: Request, game_id: str) -> Response:
    """The same as a feed (RFC 4287), so that a feed reader keeps what was shown when."""
    ports: DeskPorts = request.app.state.ports
    game, roots = _roots(request, game_id)
    base = ports.settings.base_url or str(request.base_url).rstrip("/")
    updated = max((root.sent_at for root in roots), default=game.created_at)
    text = environment().get_template("roots.atom").render(
        game=game, roots=roots, address=f"{base}/public/{game.id}/roots", updated=updated.isoformat())
    return Response(text, media_type="application/atom+xml", headers={"Cache-Control": "no-cache"})


def _roots(request: Request, game_id: str) -> tuple[GameRow, list[SentRoot]]:
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = session.get(GameRow, game_id)
        if game is None:
            raise HTTPException(404, UNKNOWN)
        return game, sent_roots(session, game_id)


def sent_roots(session: Session, game_id: str) -> list[SentRoot]:
    """The root of each phase whose results were sent, the newest first."""
    roots = []
    stamps = {row.detail.get("entry"): row.detail for row in session.scalars(
        select(EventRow).where(EventRow.game_id == game_id, EventRow.what == Event.ROOT_STAMPED))}
    for row in reversed(records.phases(session, game_id)):
        mark = root_mark(session, row) if row.state == PhaseState.SENT and row.sent_at is not None else None
        if mark is not None and row.sent_at is not None:
            root = SentRoot(row.ordinal, phase_title(row), mark.number, mark.digest, mark.words, row.sent_at)
            detail = stamps.get(mark.number)
            roots.append(root if detail is None else replace(
                root, stamped_at=datetime.fromisoformat(detail["time"]), authority=detail["authority"],
                reply=detail["reply"]))
    return roots
