"""Creating a game: from a small TOML file to rows, with the first phase open."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.serialize import codec
from maps.files import toml_table
from maps.variant import Power, Variant
from service.config import ConfigError, no_toml, plain_faults
from service.facts.options import BEACON, NO_OPTIONS, GameOptions, stored_form
from service.games import sealed_lots
from service.games.deadlines import REHEARSAL_PREFIX, GameClock, PhaseWindow
from service.games.names import UnknownName, power_called
from service.games.options import stored_options
from service.games.rulings import rules_to_keep
from service.store import records
from service.store.tables import AddressRow, GameRow, PhaseRow, PhaseState, PlayerRow, SeatRow


class _Player(BaseModel):
    """A person who plays, or who shares a power with others."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
    name: str = Field(min_length=1, max_length=200)
    """The player's name, as `seats` and letters have it."""
    zone: str = "Europe/London"
    """The time zone in which deadlines are shown to the player, by its name in the IANA list."""
    mail: list[str] = Field(min_length=1)
    """The addresses that orders come from; letters go to all of them."""


class GameFile(BaseModel):
    """A coordinator's entries to begin a game. `start` is T+0, the day the first season begins."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
    name: str = Field(min_length=1, max_length=200)
    """The game's name, as players write it in the subject of a mail."""
    aliases: list[str] = []
    """Other names that a subject may have."""
    variant: str
    """The board, by the name of its folder."""
    start: date
    """T+0, the day on which the first season begins."""
    player: list[_Player]
    """Everybody who plays."""
    seats: dict[str, str]
    """A line for each power of the board: the power, and the player who commands it."""
    options: GameOptions = NO_OPTIONS
    """Options of the game, as the desk's page Games names them."""


@dataclass(frozen=True, slots=True)
class GameSeat:
    """Who plays a power."""

    power: str
    player: str
    zone: str = "Europe/London"
    mail: tuple[str, ...] = ()


NOT_GAMES = frozenset(("calendar", "entry", "letter", "me", "moves", "send", "sign-up"))
"""Names of public pages, which are where a game's id is in an address."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """A game about to begin."""

    name: str
    variant: str
    start: date
    seats: Sequence[GameSeat]
    aliases: Sequence[str] = ()
    options: GameOptions = NO_OPTIONS
    # Of a rehearsal only: `start` is an instant then.
    hours: float | None = None

    @property
    def clock(self) -> GameClock:
        """When its phases open and close."""
        return GameClock(self.start, self.hours)

    @property
    def slug(self) -> str:
        """The game's id: its name in lower-case letters, digits and hyphens, at most 80 of them."""
        # NFKD splits an accent from its letter, so that "Niño" gives "nino" and not "ni-o".
        plain = unicodedata.normalize("NFKD", self.name).encode("ascii", "ignore").decode().lower()
        slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:80] or "game"
        # /public/calendar is a page of the site: a game of that name would never be reached.
        return f"{slug}-game" if slug in NOT_GAMES else slug


def read_game_file(path: Path, powers: Mapping[str, Power] | None = None) -> NewGame:
    """A game from its file. Raises ConfigError naming the file and the entry.

    `powers`, when given, are the variant's: every seat must name one, by any name that a mail may give it,
    and every power must have a player.
    """
    try:
        spec = GameFile.model_validate(toml_table(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}); give a file with a game, as in "
                          "README.md") from error
    except ValidationError as error:
        faults = "; ".join(f"{place}: {words}" for place, words in plain_faults(error, GameFile))
        raise ConfigError(f"{path}: {faults}") from error
    # Last, since pydantic's error is a ValueError too.
    except ValueError as error:
        raise ConfigError(no_toml(path, error)) from error
    players = {p.name: p for p in spec.player}
    wrong = [f"seats.{power}: there is no player {name}" for power, name in spec.seats.items()
             if name not in players]
    wrong += [f"player {p.name}: the zone {p.zone} is unknown" for p in spec.player if not known_zone(p.zone)]
    seats_by_power, strange = _powers_of(spec, powers)
    wrong += strange
    if powers is not None and not strange:
        wrong += [f"seats: {power} has no player" for power in powers if power not in seats_by_power]
    if wrong:
        raise ConfigError(f"{path}: " + "; ".join(wrong))
    seats = [
        GameSeat(power, name, players[name].zone, tuple(m.lower() for m in players[name].mail))
        for power, name in seats_by_power.items()
    ]
    return NewGame(spec.name, spec.variant, spec.start, seats, tuple(spec.aliases), spec.options)


def _powers_of(
    spec: GameFile, powers: Mapping[str, Power] | None
) -> tuple[dict[str, str], list[str]]:
    """The seats by the power's id, and what is wrong with the names of powers. Without `powers` names are
    taken as they are."""
    if powers is None:
        return dict(spec.seats), []
    seats: dict[str, str] = {}
    wrong: list[str] = []
    for text, player in spec.seats.items():
        try:
            power = power_called(powers.values(), spec.variant, text).id
        except UnknownName as fault:
            wrong.append(f"seats.{text}: {fault}".removesuffix("."))
            continue
        if power in seats:
            wrong.append(f"seats.{text}: {power} is named twice")
        seats[power] = player
    return seats, wrong


def known_zone(name: str) -> bool:
    """Whether this is the IANA name of a time zone."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def create(
    session: Session, new: NewGame, variant: Variant, first: PhaseWindow, now: datetime
) -> PhaseRow:
    """Write a game with its first phase open (`games.acts.begin.BeginGame` begins one). Raises ConfigError
    when its name is taken, or is that of a rehearsal and the game is none, and NoSiteKey."""
    if new.name.startswith(REHEARSAL_PREFIX) != (new.hours is not None):
        raise ConfigError(
            f"a name that begins with {REHEARSAL_PREFIX}belongs to a rehearsal; choose another name")
    if session.get(GameRow, new.slug) is not None:
        raise ConfigError(f"a game called {new.name} exists already; choose another name")
    # Only what is true is stored: an option that is missing is off, also in games made before it existed.
    usual = {"first_counts": variant.rules.first_version_counts(),
             "typed_orders": variant.rules.accepts_typed_orders()}
    options: dict[str, Any] = {option: True for option, is_so in usual.items() if is_so}
    # A rehearsal is over before a round of its beacon would matter to anybody.
    beacon = session.info.get(BEACON) if new.hours is None else None
    of_the_site = {"beacon": beacon, "house_rules": rules_to_keep(variant)}
    options |= {name: value for name, value in of_the_site.items() if value}
    options |= {**stored_form(new.options), **new.clock.as_options()}
    stored_options(options)
    game = GameRow(id=new.slug, name=new.name, aliases=list(new.aliases), variant=new.variant,
                   options=options, created_at=now)
    session.add(game)
    session.flush()
    for seat in new.seats:
        session.add(SeatRow(game_id=new.slug, power=seat.power, player_id=_player(session, seat)))
    start = variant.start
    phase = PhaseRow(
        game_id=new.slug, ordinal=1, year=start.phase.year, season=start.phase.season, kind=start.phase.kind,
        opens_at=first.opens, deadline=first.deadline, state=PhaseState.OPEN,
        position=codec.dump_position(start), review=new.options.review,
    )
    sealed_lots.seal(session, phase, game)
    session.add(phase)
    session.flush()
    return phase


def _player(session: Session, seat: GameSeat) -> int:
    # NON-05: the same person may sit in two games, and is known by any address that is on file.
    for mail in seat.mail:
        known = records.player_of(session, mail)
        if known is not None:
            return known.id
    player = session.scalar(select(PlayerRow).where(PlayerRow.name == seat.player)) if not seat.mail else None
    if player is None:
        player = PlayerRow(name=seat.player, zone=seat.zone)
        session.add(player)
        session.flush()
    for mail in seat.mail:
        session.add(AddressRow(email=mail, player_id=player.id))
    session.flush()
    return player.id
