"""A game's deadlines as a page and as feeds (CAL-13, CAL-16). Anyone may read them, since they hold nothing
secret."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Header, HTTPException, Request
from fastapi.responses import Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.games import mailbox_waits
from service.games.ending import has_ended
from service.games.phases import phase_of
from service.letters.calendar_feed import DueDate, feed
from service.letters.language import N_
from service.public.page import show, site_address
from service.public.visits import plays
from service.store.tables import GameRow, PhaseRow, PlayerRow, SeatRow
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])

HISTORY = timedelta(days=60)
"""How long a past deadline stays in a feed."""

CACHE_CONTROL = "max-age=300"
"""Calendar programs that ask every second are answered from their own cache for five minutes."""

UNKNOWN = N_("There is no such calendar here. Check the address in your letters, or ask the coordinator "
             "for it.")


@router.get("/public/{game_id}/calendar.ics")
def game_feed(request: Request, game_id: str, if_none_match: Annotated[str, Header()] = "") -> Response:
    """The feed of one game."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = session.get(GameRow, game_id)
        if game is None:
            raise HTTPException(404, UNKNOWN)
        name, due = game.name, _deadlines(ports, session, [game])
    return _calendar(name, due, _host(ports), if_none_match)


@router.get("/public/calendar/{token}.ics")
def player_feed(request: Request, token: str, if_none_match: Annotated[str, Header()] = "") -> Response:
    """The feed of all games of one player. Its address is personal; it states no more than the games'
    pages."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        # The address is the only secret of a feed: calendar programs cannot sign in.
        player = session.scalar(select(PlayerRow).where(PlayerRow.feed == token))
        # What belonged to a seat ends with it, the feed too.
        if player is None or not plays(session, player.id):
            raise HTTPException(404, UNKNOWN)
        games = session.scalars(
            select(GameRow)
            .join(SeatRow)
            .where(SeatRow.player_id == player.id)
            # NON-05: one person may hold two powers of one game; its deadlines are due once.
            .distinct()
            .order_by(GameRow.id)
        ).all()
        due = _deadlines(ports, session, games)
    return _calendar("Orders due", due, _host(ports), if_none_match)


@router.get("/public/{game_id}/calendar")
def game_page(request: Request, game_id: str) -> Response:
    """The coming deadlines in GMT; a small script adds the visitor's own time."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        game = session.get(GameRow, game_id)
        if game is None:
            raise HTTPException(404, UNKNOWN)
        now = ports.clock.now()
        ahead = [due for due in _deadlines(ports, session, [game]) if due.instant >= now]
        name = game.name
        waiting = [f"{phase_of(phase)} Orders" for phase, _wait in mailbox_waits.all_standing(session)
                   if phase.game_id == game.id]
    address = f"{site_address(request)}/public/{game_id}/calendar.ics"
    return show(
        request, "calendar.html", game_name=name, game_id=game_id, ahead=ahead, feed=address,
        waiting=waiting,
        # The scheme by which a browser hands the feed to the calendar program.
        subscribe="webcal" + address.removeprefix("https").removeprefix("http"),
    )


def _deadlines(ports: DeskPorts, session: Session, games: Sequence[GameRow]) -> list[DueDate]:
    """Every coming deadline of these games, and those of the last 60 days. Of a game that is over, what was
    played."""
    since = ports.clock.now() - HISTORY
    deadlines = []
    for game in games:
        rows = session.scalars(select(PhaseRow).where(
            PhaseRow.game_id == game.id, PhaseRow.deadline >= since).order_by(PhaseRow.ordinal)).all()
        if has_ended(session, game.id):
            # What will not be played is due no more, and a calendar that comes back takes it off.
            rows = [row for row in rows if row.resolution is not None]
        deadlines += [
            DueDate(game.id, game.name, row.ordinal, f"{phase_of(row)} Orders", row.deadline,
                # CAL-15: a moved deadline keeps its UID; `moved` counts up as its SEQUENCE.
                row.moved_at or game.created_at, row.moved,
                f"{ports.settings.base_url}/public/{game.id}/calendar")
            for row in rows
        ]
    return deadlines


def _host(ports: DeskPorts) -> str:
    # RFC 2606 keeps .invalid free: the UIDs of a site without an address name no real host.
    return urlsplit(ports.settings.base_url).hostname or "galloper.invalid"


def _calendar(name: str, due: Sequence[DueDate], host: str, if_none_match: str) -> Response:
    tag, data = _tagged_feed(name, tuple(due), host)
    headers = {"Cache-Control": CACHE_CONTROL, "ETag": tag}
    # RFC 9110, 13.1.2: the header may list several tags, or say "*".
    if tag in if_none_match or if_none_match.strip() == "*":
        return Response(status_code=304, headers=headers)
    return Response(data, media_type="text/calendar; charset=utf-8", headers=headers)


@lru_cache(maxsize=64)
def _tagged_feed(name: str, due: tuple[DueDate, ...], host: str) -> tuple[str, bytes]:
    """The entity tag of a feed (RFC 9110, 8.8.3) and its bytes. Cached, because some programs ask every
    second and ignore the tag; the same deadlines give the same bytes."""
    data = feed(name, due, host)
    return f'"{hashlib.sha256(data).hexdigest()[:32]}"', data
