"""Who a player is on the public pages: by a link that is mailed on request, works once, and opens a short
visit (LIST-04).

The link's page has a button, because mail scanners open every link in a mail before its reader does. The
answer does not show whether an address is registered. Of each secret only the SHA-256 is stored.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe

from fastapi import HTTPException, Request
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from service.letters.language import N_
from service.mail.sending.outbox import LETTER_LINK
from service.notices import links
from service.notices.links import LinkFacts
from service.store import records
from service.store.tables import AccessLinkRow, GameRow, PlayerRow, SeatRow
from service.web.ports import DeskPorts

COOKIE = "galloper_player"
LINK, VISIT = "entry", "visit"
LINK_HOURS = timedelta(hours=24)
"""How long a mailed link can be used."""
VISIT_HOURS = timedelta(hours=2)
STRANGER = N_("This page is for players. Request your own link with the button below; it comes by mail to "
              "your registered address and works once.")
# One sentence for used, ended and unknown links: no one learns which secrets existed.
USED = N_("This link was used before, or it has expired. Nothing was changed: request a new link with the "
          "button below.")


@dataclass(frozen=True, slots=True)
class VisitingPlayer:
    """A player on a visit. Each of their forms carries `token`, so that a form of another site cannot act
    for them."""

    player_id: int
    token: str


def send_link(session: Session, ports: DeskPorts, address: str, now: datetime) -> bool:
    """Mail a link to a registered address; True if one is sent. The page states the same either way."""
    # Nothing is sent to an address that is not registered, so the form cannot be used to write to a victim.
    registered = records.registered_address(session, address)
    if registered is None or not plays(session, registered.player_id):
        return False
    player_id, entry = registered.player_id, f"{ports.settings.base_url}/public/me/"
    # To the spelling that is registered: who typed another one has proved nothing (ARR-06).
    return links.mail_link(
        session, ports.letters, registered.email, now, lambda: LinkFacts(
            f"{entry}{_keep(session, player_id, LINK, now, LINK_HOURS)}", now + LINK_HOURS))


def new_link(session: Session, player_id: int, now: datetime) -> str:
    """The secret of a link for a player that no one has mailed."""
    return _keep(session, player_id, LINK, now, LINK_HOURS)


def begin(session: Session, secret: str, now: datetime) -> str:
    """Use a link up and start a visit: the secret for its cookie. Raises 404 for a link that was used or has
    ended."""
    # Claimed by an update: of two who press the button at once, one gets the visit.
    if not waits(session, secret, now) or not records.claim(
        session, AccessLinkRow, AccessLinkRow.token_hash == digest(secret), AccessLinkRow.used_at.is_(None),
        AccessLinkRow.until > now, used_at=now,
    ):
        raise HTTPException(404, USED)
    return _keep(session, session.get_one(AccessLinkRow, digest(secret)).player_id, VISIT, now, VISIT_HOURS)


def end(session: Session, secret: str, now: datetime) -> None:
    """End one visit, by the secret of its cookie."""
    row = session.get(AccessLinkRow, digest(secret))
    if row is not None and row.opens == VISIT:
        row.until = now


def end_all(session: Session, player_id: int, now: datetime) -> None:
    """End every visit of a player, and every link but those of letters: for anyone who lost a letter or a
    browser."""
    session.execute(update(AccessLinkRow).where(
        AccessLinkRow.player_id == player_id, AccessLinkRow.opens != LETTER_LINK,
        AccessLinkRow.until > now).values(until=now))


def waits(session: Session, secret: str, now: datetime) -> bool:
    """True if a link can still be used. A player without any seat has no link."""
    row = session.get(AccessLinkRow, digest(secret))
    return (row is not None and row.opens == LINK and row.used_at is None and row.until > now
            and plays(session, row.player_id))


def require_player(request: Request) -> VisitingPlayer:
    """The player of this visit. Raises 403 with a sentence that shows what to do."""
    ports: DeskPorts = request.app.state.ports
    secret = request.cookies.get(COOKIE, "")
    with ports.sessions() as session:
        row = session.get(AccessLinkRow, digest(secret)) if secret else None
        if (
            row is None
            or row.opens != VISIT
            or row.until <= ports.clock.now()
            or not plays(session, row.player_id)
        ):
            raise HTTPException(403, STRANGER)
        # A digest of the cookie's secret: the form's token needs no row, and the secret cannot be had from
        # it.
        return VisitingPlayer(row.player_id, digest(f"form {secret}")[:32])


def visiting(session: Session, request: Request, now: datetime) -> PlayerRow | None:
    """The player whose visit a request belongs to, for a page that everybody may see; None without one."""
    secret = request.cookies.get(COOKIE, "")
    row = session.get(AccessLinkRow, digest(secret)) if secret else None
    if row is None or row.opens != VISIT or row.until <= now:
        return None
    return session.get(PlayerRow, row.player_id)


def check(visitor: VisitingPlayer, token: str) -> None:
    """Raises 403 if a form does not carry this visit's token."""
    # In constant time, so that a token cannot be guessed letter by letter.
    if not hmac.compare_digest(visitor.token, token):
        raise HTTPException(403, N_(
            "This form is out of date. Nothing was changed: go back, reload, and send it again."))


def seat_of(session: Session, visitor: VisitingPlayer, game_id: str) -> list[str]:
    """The powers that a player holds in a game. Raises 403 for a game that is not theirs (LIST-05)."""
    powers = list(session.scalars(select(SeatRow.power).where(
        SeatRow.game_id == game_id, SeatRow.player_id == visitor.player_id).order_by(SeatRow.power)))
    if not powers:
        raise HTTPException(403, N_("This page is for the players of that game."))
    return powers


def plays(session: Session, player_id: int, game_id: str = "") -> bool:
    """True if a player holds a seat, in one game or in any. Checked on each request, so that links, visits
    and feed end together with the seat."""
    seat_query = select(SeatRow.power).where(SeatRow.player_id == player_id)
    return (
        session.scalar(
            (seat_query.where(SeatRow.game_id == game_id) if game_id else seat_query).limit(1)
        ) is not None
    )


def games_of(session: Session, visitor: VisitingPlayer) -> list[GameRow]:
    """The games in which a player holds a seat, by name."""
    return list(
        session.scalars(
            select(GameRow)
            .join(SeatRow)
            .where(SeatRow.player_id == visitor.player_id)
            .distinct()
            .order_by(GameRow.name)
        )
    )


def player(session: Session, visitor: VisitingPlayer) -> PlayerRow:
    """The player's own row."""
    return session.get_one(PlayerRow, visitor.player_id)


def digest(secret: str) -> str:
    """The stored form of a secret: its SHA-256."""
    return sha256(secret.encode()).hexdigest()


def _keep(session: Session, player_id: int, opens: str, now: datetime, span: timedelta) -> str:
    secret = token_urlsafe(32)
    session.add(
        AccessLinkRow(
            # Only the hash is stored: who reads the database holds no link that works.
            token_hash=digest(secret), player_id=player_id, opens=opens, made_at=now, until=now + span
        )
    )
    session.flush()
    return secret
