"""What a coordinator does to the seats of a running game: who holds a power, and from which addresses they
write."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.desk.games import offer_acts
from service.desk.sheet.acts import ActRefused, reason_of
from service.facts.events import Event
from service.games.create import known_zone
from service.notices import announcements, upload_links
from service.notices.broadcasts import Broadcasts
from service.notices.sign_ups import forget
from service.record.entries import pseudonym
from service.site_folder import is_address
from service.store.engine import Store
from service.store.records import log_event, seats
from service.store.row_numbers import row_number
from service.store.tables import AddressRow, GameRow, PlayerRow, SeatRow

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Holder:
    """The new holder of a seat; an empty name without addresses leaves the seat empty."""

    name: str
    zone: str
    mail: tuple[str, ...]


def add_address(
    session: Session, game: GameRow, power: str, mail: str, own_address: str, *, by: str, now: datetime,
    only: frozenset[str] | None = None,
) -> None:
    """Add an address of the player who holds a power. `only`: the games that whoever acts coordinates, None
    for all. Raises ActRefused."""
    address = mail.strip().lower()
    player = seats(session, game.id).get(power)
    if player is None:
        raise ActRefused("Nothing was changed: nobody holds this power.")
    _refuse_elsewhere(session, player, only)
    if not is_address(address) or address == own_address.lower():
        raise ActRefused("Nothing was changed: this is no mail address of a player.")
    known = session.get(AddressRow, address)
    if known is not None:
        owner = "somebody" if only is not None else session.get_one(PlayerRow, known.player_id).name
        raise ActRefused(f"Nothing was changed: this address is registered for {owner} already.")
    session.add(AddressRow(email=address, player_id=player))
    log_event(session, now, Event.ADDRESS_ADDED, game_id=game.id, actor=by, detail={"power": power})


def remove_address(
    session: Session, game: GameRow, power: str, mail: str, *, by: str, now: datetime,
    only: frozenset[str] | None = None,
) -> None:
    """Remove an address; orders from it are refused from now on. A player keeps at least one, or nobody
    could answer them. Raises ActRefused."""
    address = session.get(AddressRow, mail.strip().lower())
    player = seats(session, game.id).get(power)
    if address is None or player is None or address.player_id != player:
        raise ActRefused("Nothing was changed: the player of this power has no such address.")
    _refuse_elsewhere(session, player, only)
    left = (
        session.scalar(select(func.count()).select_from(AddressRow).where(AddressRow.player_id == player))
        or 0
    )
    if left < 2:
        raise ActRefused(
            "Nothing was changed: this is their only address. Add the new one first, or give the seat to "
            "somebody else."
        )
    session.delete(address)
    log_event(session, now, Event.ADDRESS_REMOVED, game_id=game.id, actor=by, detail={"power": power})


def hand_over(
    session: Session, game: GameRow, power: str, holder: Holder, own_address: str, why: str, *, by: str,
    now: datetime, only: frozenset[str] | None = None,
) -> bool:
    """Give a power to another player, or leave its seat empty; True if somebody holds it now.

    What was sent in for the power still counts. A person known by one of the addresses is that player, in
    this game too (NON-05). Raises ActRefused.
    """
    why = reason_of(why)
    seat = session.get(SeatRow, (game.id, power))
    if seat is None:
        raise ActRefused("Nothing was changed: the game has no such power.")
    before = None if seat.player_id is None else session.get_one(PlayerRow, seat.player_id)
    # NON-05: a known address is a known person, who may play in two games.
    after = _player(session, holder, own_address, only) if holder.name or holder.mail else None
    if (None if after is None else after.id) == seat.player_id:
        raise ActRefused("Nothing was changed: they hold this power already.")
    seat.player_id = None if after is None else after.id
    log_event(session, now, Event.SEAT_CHANGED, game_id=game.id, actor=by, detail={
        # Not their names: this is entered in the record, where a name could never be forgotten.
        "power": power, "from": "nobody" if before is None else pseudonym(before),
        "to": "nobody" if after is None else pseudonym(after), "why": why})
    return after is not None


def replace(
    session: Session, game: GameRow, power: str, holder: Holder, own_address: str, why: str, *, by: str,
    now: datetime, only: frozenset[str] | None, waiting: str, circulars: Broadcasts | None,
) -> bool:
    """`hand_over` in one act with all that belongs to it: `waiting` names somebody on the game's waiting
    list, who leaves it and brings their postal address; everybody in the game is told. Raises ActRefused."""
    person = None
    if waiting:
        person = offer_acts.take_from_list(session, game.id, row_number(waiting))
        holder = Holder(person.name, person.zone, (person.email,))
    has_holder = hand_over(session, game, power, holder, own_address, why, by=by, now=now, only=only)
    if person is not None:
        offer_acts.keep_home(session, person, now)
        forget(session, [person])
    if circulars is not None:
        announcements.tell_of_new_player(
            session, circulars.letters, game, power, f"{now:%Y%m%d%H%M%S}", is_empty=not has_holder)
    return has_holder


def upload_link(
    session: Session, game: GameRow, power: str, circulars: Broadcasts | None, base_url: str, *, by: str,
    now: datetime, ends: bool,
) -> None:
    """Mail the player of a power a link by which sheets are sent from a page (BEY-05), or end every such link
    of theirs for this game. Raises ActRefused."""
    player = seats(session, game.id).get(power)
    if player is None:
        raise ActRefused("Nothing was changed: nobody holds this power.")
    if ends:
        upload_links.end_links(session, player, now, game.id)
    elif circulars is None or not upload_links.mail_link(session, circulars.letters, player, game,
                                                           base_url, now):
        raise ActRefused("No link was mailed: the player has no mail address or got three links in the last "
                         "hour, or the site has no base_url under [web].")
    upload_links.note(session, now, Event.UPLOAD_LINKS_ENDED if ends else Event.UPLOAD_LINK_MADE, game.id,
                      power, by)


def welcome(store: Store, circulars: Broadcasts | None, game_id: str, power: str = "") -> int:
    """Write to the players of a game, or of one power; the number of letters, 0 also where they cannot be
    written. The change is committed before, so a map that cannot be drawn loses nothing."""
    if circulars is None:
        return 0
    try:
        with store.begin() as session:
            return circulars.welcome(session, game_id, power)
    except Exception:
        log.exception("the welcome to %s could not be written", game_id)
        return 0


def addresses_in(text: str) -> tuple[str, ...]:
    """The mail addresses of a text, separated by blanks or commas, in lower case."""
    return tuple(address.lower() for address in text.replace(",", " ").split())


def _player(
    session: Session, holder: Holder, own_address: str, only: frozenset[str] | None
) -> PlayerRow:
    if not holder.name or len(holder.name) > 200 or not holder.mail:
        raise ActRefused(
            "Nothing was changed: a player needs a name and a mail address. To leave the seat empty, leave "
            "both empty."
        )
    if not known_zone(holder.zone):
        raise ActRefused(f"Nothing was changed: the time zone {holder.zone!r} is unknown; write it like "
                      f"Europe/London.")
    wrong = [mail for mail in holder.mail if not is_address(mail) or mail == own_address.lower()]
    if wrong:
        raise ActRefused(f"Nothing was changed: {wrong[0]!r} is no mail address of a player.")
    known = _known(session, holder.mail)
    if known is not None:
        _refuse_elsewhere(session, known.id, only)
    else:
        known = PlayerRow(name=holder.name, zone=holder.zone)
        session.add(known)
        session.flush()
    for mail in holder.mail:
        if session.get(AddressRow, mail) is None:
            session.add(AddressRow(email=mail, player_id=known.id))
    session.flush()
    return known


def _refuse_elsewhere(session: Session, player_id: int, only: frozenset[str] | None) -> None:
    """A player has their addresses in every game. Whoever coordinates one game could else write orders for a
    power of another, from an address added here. Raises ActRefused."""
    if only is None:
        return
    games = set(session.scalars(select(SeatRow.game_id).where(SeatRow.player_id == player_id)))
    if not games <= only:
        raise ActRefused("Nothing was changed: this player plays in another game too, and an address "
                         "counts in both. A coordinator of the site can do it.")


def _known(session: Session, mails: Sequence[str]) -> PlayerRow | None:
    owners = set(session.scalars(select(AddressRow.player_id).where(AddressRow.email.in_(mails))))
    # Two known players cannot be told apart by what was typed, so nobody is guessed.
    if len(owners) > 1:
        raise ActRefused("Nothing was changed: these addresses are registered for different players.")
    return session.get_one(PlayerRow, owners.pop()) if owners else None
