"""A player's own entry: the link that opens it, addresses and journeys, reminders and time zone (LIST-02,
LIST-04, OUT-11).

Every change is recorded: rows are ended and never overwritten, and the log shows who changed which kind of
thing, without any address (LIST-05).
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.feature import Slot, with_slot_values
from service.games.acts.act import Act
from service.games.ending import has_ended
from service.letters import addresses, calendar_feed
from service.letters.addresses import BadAddress, Postal
from service.letters.language import LANGUAGES, Sentence, sentence_of
from service.notices import announcements
from service.notices.announcements import EndAbsence, NoteAbsence
from service.notices.postal_packs import addresses_of
from service.public import visits
from service.public.acting import performed, seats_of
from service.public.entry_acts import AddPostalAddress, ChangeSettings, EndPostalAddress, RenewFeed
from service.public.page import show, site_address
from service.public.visits import VisitingPlayer
from service.store.columns import row_number
from service.store.tables import AbsenceRow, PostalAddressRow, SeatRow
from service.web.access import PUBLIC
from service.web.ports import DeskPorts

router = APIRouter(dependencies=[PUBLIC])
Visitor = Annotated[VisitingPlayer, Depends(visits.require_player)]


@router.get("/public/entry")
def ask(request: Request, notice: str = "") -> Response:
    """The page on which a player requests a link."""
    return show(request, "entry_ask.html", notice=bool(notice))


@router.post("/public/entry")
def send(request: Request, mail: Annotated[str, Form()]) -> Response:
    """Mail a link if the address is registered. The answer is the same for everybody."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        # RFC 5321 allows 64 + 1 + 255 letters in an address; a longer one belongs to no person.
        visits.send_link(session, ports, mail[:320].strip(), ports.clock.now())
    # The redirect is the same too: it must not show whether a person plays here.
    return RedirectResponse("/public/entry?notice=1", status_code=303)


@router.get("/public/me/{secret}")
def arrive(request: Request, secret: str) -> Response:
    """The page of a mailed link, with one button. Opening it does not use the link up."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions() as session:
        # Only looked at: mail scanners open every link in a mail before its reader does.
        if not visits.waits(session, secret, ports.clock.now()):
            raise HTTPException(404, visits.USED)
    return show(request, "entry_open.html", secret=secret, cache="private, no-store")


@router.post("/public/me/{secret}")
def begin(request: Request, secret: str) -> Response:
    """Use the link up and start the visit."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        cookie = visits.begin(session, secret, ports.clock.now())
    response = RedirectResponse("/public/me", status_code=303)
    response.set_cookie(visits.COOKIE, cookie, httponly=True, samesite="strict",
        secure=ports.settings.secure_cookies,
                        # Bound to /public: the desk never gets a player's cookie.
                        path="/public", max_age=int(visits.VISIT_HOURS.total_seconds()))
    return response


@router.get("/public/me")
def entry(request: Request, visitor: Visitor, notice: str = "") -> Response:
    """The player's own entry."""
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        player = visits.player(session, visitor)
        rows = session.scalars(select(PostalAddressRow).where(
            PostalAddressRow.player_id == player.id,
            PostalAddressRow.ended_at.is_(None)).order_by(PostalAddressRow.id)).all()
        games, now = visits.games_of(session, visitor), ports.clock.now()
        values = {
            "me": visitor, "player": player, "rows": rows, "notice": notice, "languages": LANGUAGES,
            "games": games, "played": [game for game in games if not has_ended(session, game.id)],
            "absences": _absences(session, player.id, now.date()),
            "feed": f"{site_address(request)}{calendar_feed.feed_path(player)}",
            "now_at": addresses.addresses_on(addresses_of(session, player.id), now.date()),
        }
        return show(request, "entry.html", cache="private, no-store",
                    **with_slot_values(Slot.ENTRY, request, session, values))


@router.post("/public/me/do/address")
def add(request: Request, visitor: Visitor, csrf: Annotated[str, Form()], lines: Annotated[str, Form()],
        first: Annotated[str, Form()] = "", last: Annotated[str, Form()] = "") -> Response:
    """Add an address, permanent or for the days of a journey. Raises 400 for a bad address, 409 for one too
    many or for overlapping days."""
    try:
        address = Postal(addresses.address_lines(lines), *addresses.journey_days(first, last))
    except BadAddress as fault:
        raise HTTPException(400, Sentence("Nothing was changed. %(why)s", why=sentence_of(fault))) from fault
    performed(request, visitor, csrf, AddPostalAddress(visitor.player_id, address), refused=409)
    return RedirectResponse("/public/me?notice=added", status_code=303)


@router.post("/public/me/do/address/{row_id}/end")
def end(request: Request, visitor: Visitor, row_id: int, csrf: Annotated[str, Form()]) -> Response:
    """Take one of the player's own addresses off the list; its row stays."""
    performed(request, visitor, csrf, EndPostalAddress(visitor.player_id, row_id))
    return RedirectResponse("/public/me?notice=ended", status_code=303)


@router.post("/public/me/do/settings")
def settings(request: Request, visitor: Visitor, csrf: Annotated[str, Form()], zone: Annotated[str, Form()],
             reminders: Annotated[str, Form()] = "", language: Annotated[str, Form()] = "") -> Response:
    """Set time zone and language of the player's letters and pages, and whether they get reminders."""
    # A form that was opened before there was a choice of language does not name one.
    act = ChangeSettings(visitor.player_id, zone.strip(), bool(reminders), language)
    performed(request, visitor, csrf, act)
    return RedirectResponse("/public/me?notice=settings", status_code=303)


@router.post("/public/me/do/feed")
def new_feed(request: Request, visitor: Visitor, csrf: Annotated[str, Form()]) -> Response:
    """Give the player's calendar another secret address; the old one no longer works."""
    performed(request, visitor, csrf, RenewFeed(visitor.player_id))
    return RedirectResponse("/public/me?notice=feed", status_code=303)


@router.post("/public/me/do/leave")
def leave(
    request: Request, visitor: Visitor, csrf: Annotated[str, Form()], every: Annotated[str, Form()] = "",
) -> Response:
    """End the visit, or with `every` all visits of the player, and the links that no one has used."""
    visits.check(visitor, csrf)
    ports: DeskPorts = request.app.state.ports
    with ports.sessions.begin() as session:
        # Ended on the server too: a copy of the cookie opens nothing afterwards.
        if every:
            visits.end_all(session, visitor.player_id, ports.clock.now())
        else:
            visits.end(session, request.cookies.get(visits.COOKIE, ""), ports.clock.now())
    response = RedirectResponse("/public/entry", status_code=303)
    response.delete_cookie(visits.COOKIE, path="/public")
    return response


def _absences(session: Session, player_id: int, today: date) -> dict[str, list[AbsenceRow]]:
    """The absences of a player that are not over, by game."""
    return {game_id: [row for row in announcements.absences(session, game_id, today)
                      if row.player_id == player_id]
            for game_id in session.scalars(select(SeatRow.game_id).where(SeatRow.player_id == player_id))}


@router.post("/public/me/do/absence/{game_id}")
def absence(request: Request, visitor: Visitor, game_id: str, csrf: Annotated[str, Form()],
            first: Annotated[str, Form()] = "", last: Annotated[str, Form()] = "",
            row: Annotated[str, Form()] = "") -> Response:
    """Inform everybody in a game of days on which this player is away; with `row` take one back. Raises
    400."""
    visits.check(visitor, csrf)
    seats_of(request, visitor, game_id)
    act: Act[Any] = (EndAbsence(game_id, row_number(row), visitor.player_id) if row
                     else NoteAbsence(game_id, visitor.player_id, first, last))
    performed(request, visitor, csrf, act)
    return RedirectResponse("/public/me?notice=absence", status_code=303)
