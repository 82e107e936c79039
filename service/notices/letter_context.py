"""Parts that every writer of letters shares: photographs, the clock, the tables of the games, our
addresses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from maps.variant import Variant
from service.clock import Clock
from service.games import rulings
from service.games.deadlines import REHEARSAL_NOTICE
from service.games.options import options_of
from service.letters.facts import GameInfo, Recipient
from service.letters.kinds import AnyKind, LetterKinds
from service.letters.language import OwnWording, say_in
from service.mail.sending import outbox
from service.mail.sending.compose import OutLetter
from service.store import records
from service.store.blobs import Blobs
from service.store.tables import GameRow, PhaseRow, PlayerRow, SeatRow


@dataclass(frozen=True, slots=True)
class Sender:
    """The site's own addresses, as every letter needs them. `base_url` is the public address or "";
    `max_bytes` limits one letter; `contact` is where players reach a person, or ""; `deputy` gets the
    coordinator's mail about results that wait, or "". `links_copies`: copies of sheets are behind a link
    instead of attached. `checker_url`: where else than here the checker of records can be had, or "".
    `letters_a_day`: how many letters the relay lets out in a day, 0 where that is not known."""

    sender: str
    order_address: str
    coordinator: str
    max_bytes: int
    base_url: str = ""
    contact: str = ""
    deputy: str = ""
    links_copies: bool = False
    checker_url: str = ""
    letters_a_day: int = 0


@dataclass(frozen=True, slots=True)
class LetterContext:
    """Parts that every writer of letters needs: photographs, the clock, the games' tables, our addresses, and
    the kinds of letters that the site has."""

    blobs: Blobs
    clock: Clock
    load: Callable[[str], Variant]
    sender: Sender
    kinds: LetterKinds

    def put(self, session: Session, letter: OutLetter, phase: PhaseRow | None = None) -> bool:
        """Put the letter into the outbox in the caller's transaction, once for its key. False if its key is
        there already."""
        filed = letter if phase is None else replace(letter, phase_id=phase.id)
        return outbox.put(session, self.blobs, filed, sender=self.sender.sender,
                          reply_to=self.sender.order_address, now=self.clock.now(),
                          max_bytes=self.sender.max_bytes, base_url=self.sender.base_url.rstrip("/"),
                          say=say_in)

    def prepare(
        self, session: Session, letter: OutLetter, phase: PhaseRow | None = None
    ) -> Callable[[Session], object]:
        """Make the letter and keep its files, outside of any transaction that writes; what is returned puts
        it into one."""
        filed = letter if phase is None else replace(letter, phase_id=phase.id)
        now = self.clock.now()
        prepared = outbox.prepare(session, self.blobs, filed, sender=self.sender.sender,
                                  reply_to=self.sender.order_address, now=now,
                                  max_bytes=self.sender.max_bytes,
                                  base_url=self.sender.base_url.rstrip("/"), say=say_in)
        return lambda inside: outbox.file(inside, prepared, now)

    def kinds_of(self, game: GameRow) -> Mapping[str, AnyKind]:
        """The kinds of letters that a game has, by name, in the order of a game."""
        return self.kinds.of_game(kind for _, kind in self.load(game.variant).calendar.steps)

    def game_info(self, game: GameRow) -> GameInfo:
        """The game as letters name it."""
        options = options_of(game)
        coordinator = options.coordinator or "The Coordinator"
        base, path = self.sender.base_url.rstrip("/"), rulings.path_of(game.variant)
        variant = self.load(game.variant)
        return GameInfo(game.id, game.name, variant.title, self.sender.order_address,
                        coordinator, f"{base}{path}" if base and path else "",
                        REHEARSAL_NOTICE if options.is_rehearsal else "", self.sender.contact,
                        OwnWording.of_option(options.own_wording), variant.articled)

    def recipient(self, session: Session, address: str, power: str = "") -> Recipient:
        """An address with its player's name, time zone and language."""
        player = records.player_of(session, address)
        if player is None:
            return Recipient(address, power)
        mark = self.rehearsal_mark(session, player)
        return Recipient(address, power, player.zone, player.name, player.language, mark)

    def rehearsal_mark(self, session: Session, player: PlayerRow | None) -> str:
        """The first line of a letter that names no game, to or about a player who plays nothing but
        rehearsals; "" for anybody else."""
        if player is None:
            return ""
        games = session.scalars(
            select(GameRow).join(SeatRow, SeatRow.game_id == GameRow.id).where(SeatRow.player_id == player.id)
        ).all()
        return REHEARSAL_NOTICE if games and all(options_of(game).is_rehearsal for game in games) else ""
