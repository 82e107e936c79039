"""What a coordinator does to a game that is to be: offer it, draw its powers, begin it, end it; and who waits
for a seat (BEY-04)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from grammar.fragments.languages import LANGUAGES
from service.config import ConfigError
from service.desk.sheet.acts import ActRefused
from service.facts.events import Event
from service.facts.options import NO_OPTIONS, GameOptions
from service.games import sign_ups
from service.games.begin import begin_game
from service.games.create import GameSeat, NewGame
from service.games.sign_ups import SignUpFault
from service.notices.sign_ups import forget
from service.site_key import NoSiteKey
from service.store.records import log_event
from service.store.tables import (
    AddressRow,
    GameRow,
    OfferRow,
    PlayerRow,
    PostalAddressRow,
    SeatRow,
    SignUpRow,
)

MOST_DATES = 6


@dataclass(frozen=True, slots=True)
class OfferForm:
    """An offer as typed: `dates` are days like 2027-03-01, separated by blanks, commas or lines."""

    name: str
    variant: str
    dates: str
    note: str = ""


def offer(session: Session, form: OfferForm, by: str, now: datetime) -> str:
    """Offer a game; its id. Raises ActRefused."""
    name = " ".join(form.name.split())
    try:
        variant = maps.load(form.variant)
        dates = sorted({date.fromisoformat(day) for day in form.dates.replace(",", " ").split()})
    except maps.MapError as fault:
        raise ActRefused("Nothing was offered: there is no such board.") from fault
    except ValueError as fault:
        raise ActRefused("Nothing was offered: days are written like 2027-03-01.") from fault
    if not name or len(name) > 200 or len(form.note) > 2000:
        raise ActRefused("Nothing was offered: the game needs a name of at most 200 letters.")
    if not 1 <= len(dates) <= MOST_DATES or dates[0] <= now.date():
        raise ActRefused(f"Nothing was offered: propose 1 to {MOST_DATES} first days, all of them to come.")
    slug = NewGame(name, variant.slug, dates[0], ()).slug
    taken = session.get(OfferRow, slug) or session.get(GameRow, slug) or session.scalar(
        select(OfferRow).where(OfferRow.name == name))
    if taken is not None:
        raise ActRefused("Nothing was offered: a game has this name already.")
    try:
        nonce, commitment = sign_ups.seal(session, slug)
    except NoSiteKey as fault:
        raise ActRefused(f"Nothing was offered: {fault}") from fault
    session.add(OfferRow(id=slug, name=name, variant=variant.slug, made_at=now, made_by=by, sealed=nonce,
                         dates=[day.isoformat() for day in dates], note=form.note.strip(),
                         commitment=commitment))
    log_event(session, now, Event.GAME_OFFERED, actor=by, detail={"offer": slug})
    return slug


def draw(session: Session, row: OfferRow, by: str, now: datetime) -> None:
    """Draw the powers among the first on the list. Raises ActRefused."""
    try:
        seating = sign_ups.draw(session, row, list(maps.load(row.variant).powers), now)
    except (SignUpFault, NoSiteKey) as fault:
        raise ActRefused(str(fault)) from fault
    log_event(session, now, Event.POWERS_DRAWN, actor=by,
              detail={"offer": row.id, "seats": len(seating.seats)})


def begin(
    session: Session, row: OfferRow, day: str, languages: Sequence[str], own_address: str, by: str,
    now: datetime,
) -> str:
    """Begin the game on one of the proposed days, or another one, with the drawn powers; its id. The seated
    leave the list, with their addresses; the others wait on it. `languages`: names of those whose order words
    it takes beside the English ones. Raises ActRefused."""
    if row.drawn is None or row.game_id is not None:
        raise ActRefused("No game was created: draw the powers first; and a game begins once.")
    try:
        start = date.fromisoformat(day)
    except ValueError as fault:
        raise ActRefused("No game was created: the first day is written like 2027-03-01.") from fault
    variant = maps.load(row.variant)
    people = {person.number: person for person in sign_ups.confirmed(session, row.id)}
    seated = {power: people[number] for power, number in row.drawn["seats"].items() if number in people}
    wrong = [person.name for person in seated.values() if person.email == own_address.lower()]
    if wrong or not seated:
        raise ActRefused("No game was created: nobody is left on the list, or somebody signed up with this "
                         "site's own address.")
    seats = [GameSeat(power, person.name, person.zone, (person.email,)) for power, person in seated.items()]
    try:
        named = tuple(name for name in languages if name in LANGUAGES)
        options = GameOptions(order_languages=named) if named else NO_OPTIONS
        new = NewGame(row.name, variant.slug, start, seats, (), options)
        begin_game(session, new, variant, by=by, now=now)
    except ConfigError as fault:
        raise ActRefused(f"No game was created: {fault}.") from fault
    game = session.get_one(GameRow, NewGame(row.name, variant.slug, start, ()).slug)
    for power in variant.powers:
        if power not in seated:
            session.add(SeatRow(game_id=game.id, power=power, player_id=None))
    _keep_homes(session, seated, now)
    row.game_id = game.id
    # What is not needed any more is forgotten: who plays is a player now, and who never confirmed is nobody.
    numbers = [person.id for person in seated.values()]
    forget(session, session.scalars(select(SignUpRow).where(SignUpRow.offer_id == row.id).where(
        SignUpRow.id.in_(numbers) | SignUpRow.number.is_(None))).all())
    return game.id


def take_off(session: Session, row: OfferRow, person_id: int, by: str, now: datetime) -> None:
    """Take one person off the list, and forget them. Raises ActRefused."""
    person = session.get(SignUpRow, person_id)
    if person is None or person.offer_id != row.id:
        raise ActRefused("Nothing was changed: this person is not on the list any more.")
    number = person.number
    forget(session, [person])
    # By number, as lots name people: no name is a line of the log.
    log_event(session, now, Event.SIGN_UP_REMOVED, actor=by, detail={"offer": row.id, "number": number})


def end(session: Session, row: OfferRow, by: str, now: datetime) -> None:
    """End an offer, and forget everybody on its list."""
    forget(session, session.scalars(select(SignUpRow).where(SignUpRow.offer_id == row.id)).all())
    row.ended_at = now
    log_event(session, now, Event.OFFER_ENDED, actor=by, detail={"offer": row.id})


def waiting(session: Session, game_id: str) -> list[SignUpRow]:
    """Who waits for a seat in a game, the first on the list first."""
    offers = session.scalars(select(OfferRow.id).where(
        OfferRow.game_id == game_id, OfferRow.ended_at.is_(None))).all()
    return [person for offer_id in offers for person in sign_ups.confirmed(session, offer_id)]


def take_from_list(session: Session, game_id: str, person_id: int) -> SignUpRow:
    """Somebody who waits for a seat in this game. Raises ActRefused."""
    person = next((each for each in waiting(session, game_id) if each.id == person_id), None)
    if person is None:
        raise ActRefused("Nothing was changed: this person is not on the waiting list any more.")
    return person


def _keep_homes(session: Session, seated: Mapping[str, SignUpRow], now: datetime) -> None:
    session.flush()
    for person in seated.values():
        keep_home(session, person, now)


def keep_home(session: Session, person: SignUpRow, now: datetime) -> None:
    """Give a player the language and the postal address of their sign-up, where they have none."""
    known = session.get(AddressRow, person.email)
    if known is None:
        return
    player = session.get_one(PlayerRow, known.player_id)
    player.language = person.language
    has_home = session.scalar(select(PostalAddressRow.id).where(
        PostalAddressRow.player_id == player.id, PostalAddressRow.ended_at.is_(None)).limit(1))
    if person.home and has_home is None:
        session.add(PostalAddressRow(player_id=player.id, lines=list(person.home), first=None, last=None,
                                     made_at=now, made_by="player"))
