"""The secret links by which players send sheets from a page (BEY-05): one player, one game, sixty days. They
end with the player's seat in that game, when the player or a coordinator ends them, and when newer ones take
their place. Of each only the SHA-256 is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from secrets import token_urlsafe

from sqlalchemy import CursorResult, Select, func, select, update
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games.acts import seats
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.refused import Refused
from service.mail.sending.outbox import LINK_DAYS
from service.notices import links as link_letters
from service.notices.letter_context import LetterContext
from service.notices.links import LinkFacts
from service.store.tables import AccessLinkRow, AddressRow, GameRow, SeatRow

UPLOAD = "upload"
"""`AccessLinkRow.opens` of these links."""
MOST_LINKS = 3
"""Links of one player for one game that work at a time: a telephone, a tablet, a neighbour's."""
PATH = "/public/send/"
NO_LINK_MAILED = ("No link was mailed: the player has no mail address or got three links in the last hour, "
                  "or the site has no base_url under [web].")


@dataclass(frozen=True, slots=True)
class LinkHolder:
    """Whom a link is for. `powers`: the powers that the player holds in the game, by id; `mark`: the link's
    digest; `token`: for the page's form."""

    player_id: int
    game_id: str
    powers: tuple[str, ...]
    mark: str
    token: str


def make_link(session: Session, player_id: int, game_id: str, now: datetime) -> str:
    """A new link's secret. The oldest ends where there would be more than MOST_LINKS."""
    alive = session.scalars(_alive(player_id, game_id, now).order_by(AccessLinkRow.made_at.desc())).all()
    for row in alive[MOST_LINKS - 1:]:
        row.until = now
    secret = token_urlsafe(32)
    session.add(AccessLinkRow(token_hash=_digest(secret), player_id=player_id, opens=UPLOAD, made_at=now,
                              until=now + LINK_DAYS, game_id=game_id))
    session.flush()
    return secret


def holder_of(session: Session, secret: str, now: datetime) -> LinkHolder | None:
    """Whom a link is for; None if it was never one, has ended, or its player has no seat in its game."""
    row = session.get(AccessLinkRow, _digest(secret))
    # Links of one table open different things: a link to the entry sends no sheet, and the other way round.
    if row is None or row.opens != UPLOAD or row.until <= now or row.game_id is None:
        return None
    powers = tuple(session.scalars(select(SeatRow.power).where(
        SeatRow.game_id == row.game_id, SeatRow.player_id == row.player_id).order_by(SeatRow.power)))
    if not powers:
        return None
    return LinkHolder(row.player_id, row.game_id, powers, row.token_hash, _digest(f"form {secret}")[:32])


def count_links(session: Session, player_id: int, game_id: str, now: datetime) -> int:
    """How many links of a player for a game work now."""
    return session.scalar(
        select(func.count()).select_from(_alive(player_id, game_id, now).subquery())) or 0


def end_links(session: Session, player_id: int, now: datetime, game_id: str = "") -> int:
    """End every link of a player, for one game or for all; how many."""
    ended = update(AccessLinkRow).where(
        AccessLinkRow.player_id == player_id, AccessLinkRow.opens == UPLOAD, AccessLinkRow.until > now)
    result = session.execute(ended.where(AccessLinkRow.game_id == game_id).values(until=now) if game_id
                             else ended.values(until=now))
    return result.rowcount if isinstance(result, CursorResult) else 0


def mail_link(
    session: Session, letters: LetterContext, player_id: int, game: GameRow, base_url: str, now: datetime
) -> bool:
    """Mail a new link to a player's first address, so that it opens on the telephone that gets the letter.
    `base_url`: where the site is, "" if it is not on the web. False if it is not, if the player has no
    address, or had three such letters in an hour."""
    to = session.scalar(select(AddressRow.email).where(AddressRow.player_id == player_id)
                        .order_by(AddressRow.email).limit(1))
    if to is None or not base_url:
        return False
    return link_letters.mail_link(session, letters, to, now, lambda: LinkFacts(
        f"{base_url}{PATH}{make_link(session, player_id, game.id, now)}", now + LINK_DAYS, game.name))


@dataclass(frozen=True, slots=True)
class MakeUploadLink(Act[str]):
    """Makes a link for the player of powers, who opens it at once. The outcome is its secret."""

    game: str
    powers: tuple[str, ...]

    def change(self, table: ActTable) -> str:
        """Refuse an empty seat."""
        player = seats.holder_of(table, self.game, self.powers[0])
        return make_link(table.session, player, self.game, table.now)

    def event(self, table: ActTable, outcome: str, letters: int) -> LoggedEvent:
        """The powers, and not the link."""
        return _event(Event.UPLOAD_LINK_MADE, self.game, self.powers)


@dataclass(frozen=True, slots=True)
class MailUploadLink(Act[None]):
    """Mails the player of powers a link to the page that takes sheets (BEY-05). `writer`: None where the
    site writes no letters. `base_url`: where the site is, "" if it is not on the web. `not_mailed`: the
    sentence for anyone who asked."""

    game: str
    powers: tuple[str, ...]
    writer: LetterContext | None
    base_url: str
    not_mailed: str = NO_LINK_MAILED

    def change(self, table: ActTable) -> None:
        """Refuse an empty seat, a player without an address or with three links in an hour, and a site
        without an address."""
        player = seats.holder_of(table, self.game, self.powers[0])
        if self.writer is None or not mail_link(
            table.session, self.writer, player, table.game(self.game), self.base_url, table.now
        ):
            raise Refused(self.not_mailed)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The powers, and neither the link nor an address."""
        return _event(Event.UPLOAD_LINK_MADE, self.game, self.powers)


@dataclass(frozen=True, slots=True)
class EndUploadLinks(Act[None]):
    """Ends every link of the player of powers for a game."""

    game: str
    powers: tuple[str, ...]

    def change(self, table: ActTable) -> None:
        """Refuse an empty seat."""
        end_links(table.session, seats.holder_of(table, self.game, self.powers[0]), table.now, self.game)

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The powers."""
        return _event(Event.UPLOAD_LINKS_ENDED, self.game, self.powers)


@dataclass(frozen=True, slots=True)
class EndUploadLink(Act[None]):
    """Ends one link, whose holder has it open."""

    holder: LinkHolder

    def change(self, table: ActTable) -> None:
        """End it."""
        table.session.get_one(AccessLinkRow, self.holder.mark).until = table.now

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The powers."""
        return _event(Event.UPLOAD_LINK_ENDED, self.holder.game_id, self.holder.powers)


def _event(kind: Event, game_id: str, powers: Sequence[str]) -> LoggedEvent:
    return LoggedEvent(kind, game_id, {"power": ", ".join(powers)})


def _alive(player_id: int, game_id: str, now: datetime) -> Select[AccessLinkRow]:
    return select(AccessLinkRow).where(
        AccessLinkRow.player_id == player_id, AccessLinkRow.game_id == game_id,
        AccessLinkRow.opens == UPLOAD, AccessLinkRow.until > now)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
