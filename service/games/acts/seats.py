"""Acts on the seats of a running game: who holds a power, and from which addresses they write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent, LoggedEvents, ReasonedAct
from service.games.create import known_zone
from service.games.names import pseudonym
from service.games.refused import Refused
from service.store import records
from service.store.addresses import is_address
from service.store.digests import digest
from service.store.records import seats
from service.store.tables import AddressRow, PlayerRow, SeatRow


@dataclass(frozen=True, slots=True)
class Holder:
    """The new holder of a seat; an empty name without addresses leaves the seat empty."""

    name: str
    zone: str
    mail: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A person who waits for a seat in a game, as a feature lists them. `number`: their place on its list.
    `seated`: called after the seat is given, in the same transaction."""

    id: int
    number: int
    holder: Holder
    seated: Callable[[ActTable], None]


@dataclass(frozen=True, slots=True)
class AddAddress(Act[None]):
    """Adds an address of the player who holds a power."""

    game: str
    power: str
    mail: str

    def check(self, table: ActTable) -> None:
        """Refuse an empty seat, a player of another coordinator's game, and an address that is none or
        a person's."""
        _refuse_elsewhere(table, holder_of(table, self.game, self.power))
        if not is_address(self._address) or self._address == table.order_address.lower():
            raise Refused("Nothing was changed: this cannot be a player's mail address.")
        known = records.player_of(table.session, self._address)
        if known is not None:
            # Anyone who coordinates single games is not shown the players of others.
            owner = "somebody" if table.coordinates is not None else known.name
            raise Refused(f"Nothing was changed: this mailbox is registered for {owner} already.")

    def change(self, table: ActTable) -> None:
        """Add it."""
        player = holder_of(table, self.game, self.power)
        table.session.add(AddressRow(email=self._address, player_id=player))

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvents:
        """The power and the digest of the address, in each game of the player."""
        return _of_address(table, Event.ADDRESS_ADDED, holder_of(table, self.game, self.power), self._address)

    @property
    def _address(self) -> str:
        return self.mail.strip().lower()


@dataclass(frozen=True, slots=True)
class RemoveAddress(Act[None]):
    """Removes an address; orders from it are refused from now on. A player keeps at least one."""

    game: str
    power: str
    mail: str

    def check(self, table: ActTable) -> None:
        """Refuse an address of another person, and the last one: no one could answer its player."""
        player = seats(table.session, table.game(self.game).id).get(self.power)
        address = table.session.get(AddressRow, self._address)
        if address is None or player is None or address.player_id != player:
            raise Refused("Nothing was changed: the player of this power has no such address.")
        _refuse_elsewhere(table, player)
        left = table.session.scalars(
            select(func.count()).select_from(AddressRow).where(AddressRow.player_id == player)).one()
        if left < 2:
            raise Refused("Nothing was changed: this is their only address. Add the new one first, or give "
                          "the seat to another person.")

    def change(self, table: ActTable) -> None:
        """Remove it."""
        table.session.delete(table.session.get_one(AddressRow, self._address))

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvents:
        """The power and the digest of the address, in each game of the player."""
        return _of_address(
            table, Event.ADDRESS_REMOVED, holder_of(table, self.game, self.power), self._address)

    @property
    def _address(self) -> str:
        return self.mail.strip().lower()


def _of_address(table: ActTable, kind: Event, player: int, address: str) -> list[LoggedEvent]:
    # By its digest the player sees whether it is theirs; the address itself is in no letter.
    mark = digest(address)[:12]
    return [LoggedEvent(kind, game, {"power": power, "address": mark})
            for game, power in records.seats_of(table.session, player)]


@dataclass(frozen=True, slots=True)
class SeatChanged:
    """The holders of a seat before and after; None where it was or is empty. `added`: addresses that a player
    who was known already has now."""

    before: PlayerRow | None
    after: PlayerRow | None
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GiveSeat(ReasonedAct[SeatChanged]):
    """Gives a power to another player, or leaves its seat empty; everybody in the game gets a letter.

    What was sent in for the power still counts. A person known by one of the addresses is that player, in
    this game too (NON-05).
    """

    game: str
    power: str
    holder: Holder
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a power that the game has not, and a holder without name, address or time zone."""
        if table.session.get(SeatRow, (table.game(self.game).id, self.power)) is None:
            raise Refused("Nothing was changed: the game has no such power.")
        if not self._is_empty:
            _check_holder(table, self.holder)

    def change(self, table: ActTable) -> SeatChanged:
        """Refuse the player who holds it already."""
        session, seat = table.session, table.session.get_one(SeatRow, (self.game, self.power))
        before = None if seat.player_id is None else session.get_one(PlayerRow, seat.player_id)
        # NON-05: a known address is a known person, who may play in two games.
        after, added = (None, ()) if self._is_empty else _player(table, self.holder)
        if (None if after is None else after.id) == seat.player_id:
            raise Refused("Nothing was changed: this player has this power already.")
        seat.player_id = None if after is None else after.id
        return SeatChanged(before, after, added)

    def event(self, table: ActTable, outcome: SeatChanged, letters: int) -> LoggedEvents:
        """The power, both holders and the reason; each new address of a known player, in all their games."""
        # Not their names: this is entered in the record, where a name could never be forgotten.
        before, after = ("nobody" if player is None else pseudonym(player)
                         for player in (outcome.before, outcome.after))
        changed = LoggedEvent(Event.SEAT_CHANGED, self.game,
                              {"power": self.power, "from": before, "to": after, "why": self.reason})
        return [changed, *(event for mail in outcome.added if outcome.after is not None
                           for event in _of_address(table, Event.ADDRESS_ADDED, outcome.after.id, mail))]

    def letters(self, table: ActTable, outcome: SeatChanged) -> int:
        """One to each player."""
        if table.circulars is None:
            return 0
        return table.circulars.seat_changed(table.session, table.game(self.game), self.power, table.now,
                                            is_empty=outcome.after is None)

    @property
    def _is_empty(self) -> bool:
        return not self.holder.name and not self.holder.mail


def addresses_in(text: str) -> tuple[str, ...]:
    """The mail addresses of a text, separated by blanks or commas, in lower case."""
    return tuple(address.lower() for address in text.replace(",", " ").split())


def holder_of(table: ActTable, game_id: str, power: str) -> int:
    """The id of the player who holds a power. Raises Refused for an empty seat."""
    player = seats(table.session, table.game(game_id).id).get(power)
    if player is None:
        raise Refused("Nothing was changed: this power has no player.")
    return player


def _check_holder(table: ActTable, holder: Holder) -> None:
    if not holder.name or len(holder.name) > 200 or not holder.mail:
        raise Refused("Nothing was changed: a player needs a name and a mail address. To leave the seat "
                      "empty, leave both empty.")
    if not known_zone(holder.zone):
        raise Refused(f"Nothing was changed: the time zone {holder.zone!r} is unknown; write it like "
                      "Europe/London.")
    wrong = [mail for mail in holder.mail if not is_address(mail) or mail == table.order_address.lower()]
    if wrong:
        raise Refused(f"Nothing was changed: {wrong[0]!r} cannot be a player's mail address.")
    known = _known(table.session, holder.mail)
    if known is not None:
        _refuse_elsewhere(table, known.id)


def _player(table: ActTable, holder: Holder) -> tuple[PlayerRow, tuple[str, ...]]:
    """The player that a holder is, and the addresses that one who was known has now."""
    session, known = table.session, _known(table.session, holder.mail)
    player = known or PlayerRow(name=holder.name, zone=holder.zone)
    session.add(player)
    session.flush()
    added = []
    for mail in holder.mail:
        if records.player_of(session, mail) is None:
            session.add(AddressRow(email=mail, player_id=player.id))
            session.flush()
            added.append(mail)
    return player, tuple(added) if known else ()


def _refuse_elsewhere(table: ActTable, player_id: int) -> None:
    """A player has their addresses in every game. Anyone who coordinates one game could else write orders for
    a power of another, from an address added here. Raises Refused."""
    if table.coordinates is None:
        return
    games = set(table.session.scalars(select(SeatRow.game_id).where(SeatRow.player_id == player_id)))
    if not games <= table.coordinates:
        raise Refused("Nothing was changed: this player also plays in another game, and an address counts "
                      "in both. Ask a coordinator of the site.")


def _known(session: Session, mails: Sequence[str]) -> PlayerRow | None:
    owners = {player.id for mail in mails if (player := records.player_of(session, mail)) is not None}
    # Two known players cannot be distinguished by what was typed, so no one is guessed.
    if len(owners) > 1:
        raise Refused("Nothing was changed: these addresses are registered for different players.")
    return session.get_one(PlayerRow, owners.pop()) if owners else None
