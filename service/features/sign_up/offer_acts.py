"""Acts on a game that is to be: offer it, draw its powers, begin it, end it; and who waits
for a seat (BEY-04)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from grammar.fragments.languages import LANGUAGES
from service.config import ConfigError
from service.facts.events import Event
from service.facts.options import NO_OPTIONS, GameOptions
from service.features.sign_up import power_lots
from service.features.sign_up.lists import forget
from service.games.acts.act import Act, ActTable, LoggedEvent, perform
from service.games.acts.games import BeginGame
from service.games.acts.seats import Candidate, Holder
from service.games.create import GameSeat, NewGame
from service.games.refused import NotFound, Refused
from service.site_key import NoSiteKey
from service.store import records
from service.store.tables import GameRow, OfferRow, PostalAddressRow, SeatRow, SignUpRow

MOST_DATES = 6


@dataclass(frozen=True, slots=True)
class OfferGame(Act[str]):
    """Offers a game. `dates` are days like 2027-03-01, separated by blanks, commas or lines. The outcome is
    its id."""

    name: str
    variant: str
    dates: str
    note: str = ""

    def check(self, table: ActTable) -> None:
        """Refuse a board that is none, days that are none or past, and a name that is missing or taken."""
        name, dates = " ".join(self.name.split()), self._days()
        if not name or len(name) > 200 or len(self.note) > 2000:
            raise Refused("Nothing was offered: the game needs a name of at most 200 letters.")
        if not 1 <= len(dates) <= MOST_DATES or dates[0] <= table.now.date():
            raise Refused(f"Nothing was offered: propose 1 to {MOST_DATES} first days, all in the future.")
        slug = NewGame(name, self.variant, dates[0], ()).slug
        taken = (table.session.get(OfferRow, slug) or table.session.get(GameRow, slug)
                 or table.session.scalar(select(OfferRow).where(OfferRow.name == name)))
        if taken is not None:
            raise Refused("Nothing was offered: a game has this name already.")

    def change(self, table: ActTable) -> str:
        """Keep the offer, with the sealed seed of its lots. Refuses it without the site's key."""
        name, dates = " ".join(self.name.split()), self._days()
        slug = NewGame(name, self.variant, dates[0], ()).slug
        try:
            nonce, commitment = power_lots.seal(table.session, slug)
        except NoSiteKey as fault:
            raise Refused(f"Nothing was offered: {fault}") from fault
        table.session.add(OfferRow(
            id=slug, name=name, variant=maps.load(self.variant).slug, made_at=table.now, made_by=table.by,
            sealed=nonce, dates=[day.isoformat() for day in dates], note=self.note.strip(),
            commitment=commitment))
        return slug

    def event(self, table: ActTable, outcome: str, letters: int) -> LoggedEvent:
        """The offer."""
        return LoggedEvent(Event.GAME_OFFERED, None, {"offer": outcome})

    def _days(self) -> list[date]:
        try:
            maps.load(self.variant)
            return sorted({date.fromisoformat(day) for day in self.dates.replace(",", " ").split()})
        except maps.MapError as fault:
            raise Refused("Nothing was offered: there is no such board.") from fault
        except ValueError as fault:
            raise Refused("Nothing was offered: days are written like 2027-03-01.") from fault


@dataclass(frozen=True, slots=True)
class DrawPowers(Act[int]):
    """Draws the powers of an offer among the first on its list; it cannot be done twice. The outcome is how
    many were seated."""

    offer: str

    def change(self, table: ActTable) -> int:
        """Draw them. Refuses an empty list, and a site with another key."""
        row = standing_offer(table, self.offer)
        try:
            seating = power_lots.draw(table.session, row, list(maps.load(row.variant).powers), table.now)
        except NoSiteKey as fault:
            raise Refused(str(fault)) from fault
        return len(seating.seats)

    def event(self, table: ActTable, outcome: int, letters: int) -> LoggedEvent:
        """The offer and the number of seats."""
        return LoggedEvent(Event.POWERS_DRAWN, None, {"offer": self.offer, "seats": outcome})


@dataclass(frozen=True, slots=True)
class TakeOffList(Act[int | None]):
    """Takes one person off the list of an offer, and forgets them. The outcome is their number on the
    list."""

    offer: str
    person: int

    def change(self, table: ActTable) -> int | None:
        """Forget them. Refuses a person who is not on the list."""
        person = table.session.get(SignUpRow, self.person)
        if person is None or person.offer_id != standing_offer(table, self.offer).id:
            raise Refused("Nothing was changed: this person is no longer on the list.")
        number = person.number
        forget(table.session, [person])
        return number

    def event(self, table: ActTable, outcome: int | None, letters: int) -> LoggedEvent:
        """The offer and the number."""
        # By number, as lots name people: no name is a line of the log.
        return LoggedEvent(Event.SIGN_UP_REMOVED, None, {"offer": self.offer, "number": outcome})


@dataclass(frozen=True, slots=True)
class EndOffer(Act[None]):
    """Ends an offer, and forgets everybody on its list."""

    offer: str

    def change(self, table: ActTable) -> None:
        """Forget them."""
        row = standing_offer(table, self.offer)
        forget(table.session, table.session.scalars(
            select(SignUpRow).where(SignUpRow.offer_id == row.id)).all())
        row.ended_at = table.now

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The offer."""
        return LoggedEvent(Event.OFFER_ENDED, None, {"offer": self.offer})


def standing_offer(table: ActTable, offer_id: str) -> OfferRow:
    """An offer that has not ended. Raises NotFound."""
    row = table.session.get(OfferRow, offer_id)
    if row is None or row.ended_at is not None:
        raise NotFound("There is no such offer. Nothing was changed.")
    return row


def begin(
    session: Session, row: OfferRow, day: str, languages: Sequence[str], own_address: str, by: str,
    now: datetime,
) -> str:
    """Begin the game on one of the proposed days, or another one, with the drawn powers; its id. The seated
    leave the list, with their addresses; the others wait on it. `languages`: names of those whose order words
    it takes next to the English ones. Raises Refused."""
    if row.drawn is None or row.game_id is not None:
        raise Refused("No game was created: draw the powers first; a game can begin only once.")
    try:
        start = date.fromisoformat(day)
    except ValueError as fault:
        raise Refused("No game was created: the first day is written like 2027-03-01.") from fault
    variant = maps.load(row.variant)
    people = {person.number: person for person in power_lots.confirmed(session, row.id)}
    seated = {power: people[number] for power, number in row.drawn["seats"].items() if number in people}
    wrong = [person.name for person in seated.values() if person.email == own_address.lower()]
    if wrong or not seated:
        raise Refused("No game was created: the list is empty, or a person signed up with this site's own "
                      "address.")
    seats = [GameSeat(power, person.name, person.zone, (person.email,)) for power, person in seated.items()]
    try:
        named = tuple(name for name in languages if name in LANGUAGES)
        options = GameOptions(order_languages=named) if named else NO_OPTIONS
        new = NewGame(row.name, variant.slug, start, seats, (), options)
        perform(BeginGame(new, variant), ActTable(session, by, now))
    except ConfigError as fault:
        raise Refused(f"No game was created: {fault}.") from fault
    game = session.get_one(GameRow, NewGame(row.name, variant.slug, start, ()).slug)
    for power in variant.powers:
        if power not in seated:
            session.add(SeatRow(game_id=game.id, power=power, player_id=None))
    _keep_homes(session, seated, now)
    row.game_id = game.id
    # What is not needed any more is forgotten: who plays is a player now, and who never confirmed is no
    # person.
    numbers = [person.id for person in seated.values()]
    forget(session, session.scalars(select(SignUpRow).where(SignUpRow.offer_id == row.id).where(
        SignUpRow.id.in_(numbers) | SignUpRow.number.is_(None))).all())
    return game.id


def candidates(session: Session, game_id: str) -> list[Candidate]:
    """Who waits for a seat in a game, the first on the list first."""
    offers = session.scalars(select(OfferRow.id).where(
        OfferRow.game_id == game_id, OfferRow.ended_at.is_(None))).all()
    people = (person for offer_id in offers for person in power_lots.confirmed(session, offer_id))
    return [Candidate(person.id, person.number or 0, Holder(person.name, person.zone, (person.email,)),
                      partial(_leave_list, person)) for person in people]


def _leave_list(person: SignUpRow, table: ActTable) -> None:
    """Take a person who got a seat off the list; their postal address goes with them."""
    keep_home(table.session, person, table.now)
    forget(table.session, [person])


def _keep_homes(session: Session, seated: Mapping[str, SignUpRow], now: datetime) -> None:
    session.flush()
    for person in seated.values():
        keep_home(session, person, now)


def keep_home(session: Session, person: SignUpRow, now: datetime) -> None:
    """Give a player the language and the postal address of their sign-up, where they have none."""
    player = records.player_of(session, person.email)
    if player is None:
        return
    player.language = person.language
    has_home = session.scalar(select(PostalAddressRow.id).where(
        PostalAddressRow.player_id == player.id, PostalAddressRow.ended_at.is_(None)).limit(1))
    if person.home and has_home is None:
        session.add(PostalAddressRow(player_id=player.id, lines=list(person.home), first=None, last=None,
                                     made_at=now, made_by="player"))
