"""The Log and Health pages: what happened, and how the site is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from sqlalchemy import select

from service.desk.access import Visitor
from service.desk.doorway import require_visitor, show
from service.desk.ports import DeskPorts
from service.desk.wording import REASONS
from service.store import records
from service.store.tables import EventRow

router = APIRouter()
SignedIn = Annotated[Visitor, Depends(require_visitor)]
AT_ONCE = 100
_NOT_SHOWN = frozenset({"phase_id", "digest", "sheets", "powers", "letters", "result", "sealed"})
"""Details that are for programs: ids and the digests of a rehearsal."""


@router.get("/log")
def log(request: Request, visitor: SignedIn, game: str = "", before: int | None = None) -> Response:
    """What happened, newest first, of one game or of all; `before` goes on behind an entry."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        wanted = select(EventRow).order_by(EventRow.id.desc()).limit(AT_ONCE + 1)
        if game:
            wanted = wanted.where(EventRow.game_id == game)
        if before is not None:
            wanted = wanted.where(EventRow.id < before)
        found = session.scalars(wanted).all()
        games = records.games(session)
        return show(request, "log.html", visitor=visitor, games=games, game=game,
                    events=[(row, details(row.detail)) for row in found[:AT_ONCE]],
                    names={row.id: row.name for row in games},
                    more=found[AT_ONCE - 1].id if len(found) > AT_ONCE else None)


@router.get("/health")
def health(request: Request, visitor: SignedIn) -> Response:
    """How mailbox, queue, reading, disk, clock and backup are."""
    ports: DeskPorts = request.app.state.ports
    return show(request, "health.html", visitor=visitor, facts=None if ports.health is None else ports.health())


def details(detail: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The details of an event as people read them. A word with an address in it is left out, should one ever come in."""
    return [
        (key.replace("_", " "), _said(REASONS.get(value, value) if isinstance(value, str) else value)) for key, value in detail.items()
        if key not in _NOT_SHOWN and value not in (None, "", [])
    ]


def _said(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(_said(one) for one in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_said(one)}" for key, one in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join("(an address)" if "@" in word else word for word in str(value).split())
