"""Changes of a player to their own entry: addresses and journeys, reminders and time zone, the calendar's
address (LIST-02, LIST-04, OUT-11). Each change is an event in every game of theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.create import known_zone
from service.games.refused import NotFound, Refused
from service.letters import addresses, calendar_feed
from service.letters.addresses import Postal
from service.letters.language import LANGUAGES, N_, Sentence
from service.notices.postal_packs import addresses_of
from service.store import records
from service.store.tables import GameRow, PlayerRow, PostalAddressRow, SeatRow

MOST_ADDRESSES = 12
"""Most addresses of one player at a time."""


@dataclass(frozen=True, slots=True)
class AddPostalAddress(Act[None]):
    """Adds an address, permanent or for the days of a journey."""

    player: int
    address: Postal

    def check(self, table: ActTable) -> None:
        """Refuse one too many, and overlapping days."""
        known = addresses_of(table.session, self.player)
        if len(known) >= MOST_ADDRESSES:
            raise Refused(Sentence(
                "Nothing was changed. %(number)s addresses are on the list; remove one first.",
                number=MOST_ADDRESSES))
        other = addresses.overlapping(known, self.address)
        if other is not None:
            raise Refused(Sentence(
                "Nothing was changed. On some of these days another journey is already on the list: "
                "%(days)s. Remove it first, or choose other days.", days=_days_of(other)))

    def change(self, table: ActTable) -> None:
        """Add it."""
        table.session.add(PostalAddressRow(
            player_id=self.player, lines=list(self.address.lines), first=self.address.first,
            last=self.address.last, made_at=table.now, made_by=table.by))

    def event(self, table: ActTable, outcome: None, letters: int) -> Sequence[LoggedEvent]:
        """That there is one more."""
        return _in_each_game(table, self.player, "an address was added")


@dataclass(frozen=True, slots=True)
class EndPostalAddress(Act[None]):
    """Takes an address off the list; its row stays."""

    player: int
    address: int

    def change(self, table: ActTable) -> None:
        """Refuse one that is not on the player's list."""
        # Claimed with its owner and its state: no one takes off another's address, and no row is ended
        # twice.
        if not records.claim(
            table.session, PostalAddressRow, PostalAddressRow.id == self.address,
            PostalAddressRow.player_id == self.player, PostalAddressRow.ended_at.is_(None),
            ended_at=table.now, ended_by=table.by,
        ):
            raise NotFound(N_("Nothing was changed: this address is not on your list."))

    def event(self, table: ActTable, outcome: None, letters: int) -> Sequence[LoggedEvent]:
        """That there is one less."""
        return _in_each_game(table, self.player, "an address was taken off")


@dataclass(frozen=True, slots=True)
class ChangeSettings(Act[PlayerRow]):
    """Sets time zone and language of a player's letters and pages, and whether they get reminders.
    `language`: "" for the one that they have."""

    player: int
    zone: str
    has_reminders: bool
    language: str = ""

    def check(self, table: ActTable) -> None:
        """Refuse a time zone and a language that are none."""
        if not known_zone(self.zone):
            raise Refused(Sentence(
                "Nothing was changed: the time zone “%(zone)s” is unknown; write it like Europe/London.",
                zone=self.zone[:60]))
        if self.language and self.language not in LANGUAGES:
            raise Refused(N_("Nothing was changed: there are no letters in this language."))

    def change(self, table: ActTable) -> PlayerRow:
        """Set them."""
        player = table.session.get_one(PlayerRow, self.player)
        player.zone, player.reminders = self.zone, self.has_reminders
        player.language = self.language or player.language
        return player

    def event(self, table: ActTable, outcome: PlayerRow, letters: int) -> Sequence[LoggedEvent]:
        """The present values."""
        return _in_each_game(table, self.player, f"reminders {'on' if outcome.reminders else 'off'}, clock "
                                                 f"{outcome.zone}, language {outcome.language}")


@dataclass(frozen=True, slots=True)
class RenewFeed(Act[None]):
    """Gives a player's calendar another secret address; the old one no longer works."""

    player: int

    def change(self, table: ActTable) -> None:
        """Renew it."""
        calendar_feed.renew_feed_path(table.session.get_one(PlayerRow, self.player))

    def event(self, table: ActTable, outcome: None, letters: int) -> Sequence[LoggedEvent]:
        """That there is another."""
        return _in_each_game(table, self.player, "another calendar address")


def _in_each_game(table: ActTable, player: int, change: str) -> list[LoggedEvent]:
    """The event of a change, in each game of a player with the powers that they hold there."""
    seats = table.session.execute(
        select(SeatRow.game_id, SeatRow.power).join(GameRow, GameRow.id == SeatRow.game_id)
        .where(SeatRow.player_id == player).order_by(GameRow.name, SeatRow.power)).all()
    powers: dict[str, list[str]] = {}
    for game_id, power in seats:
        powers.setdefault(game_id, []).append(power)
    # LIST-05: the log names the power and the kind of change, and no address.
    return [LoggedEvent(Event.ENTRY_CHANGED, game_id, {"power": ", ".join(held), "change": change})
            for game_id, held in powers.items()]


def _days_of(validity: Postal) -> str:
    if validity.first is None:
        return Sentence("until %(last)s", last=validity.last)
    if validity.last is None:
        return Sentence("from %(first)s on", first=validity.first)
    return Sentence("from %(first)s to %(last)s", first=validity.first, last=validity.last)
