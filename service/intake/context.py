"""What the intake must know to judge a mail: our own addresses, the games, their players and open phases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.errors import UserFacingError
from grammar.headings.values import W3K_STEPS, KnownGame, KnownPower


class ContextError(UserFacingError):
    """The context cannot be used; the sentence says why."""


@dataclass(frozen=True, slots=True)
class GameContext:
    """One game as the intake sees it.

    `known`: its names and its powers' names. `players`: power to registered addresses, as registered.
    `open_phase` and `deadline` (UTC, last instant in time): None between phases. `post_first`: the first
    movement orders must come by post (Q-04). `first_counts`: the first sheet of a power counts, and not the
    latest version (Q-60). `takes_typed_orders`: orders may be typed into the mail. `posted_powers`: those
    whose letter was logged. `past_phases`: those whose deadline had passed when the mail came.
    """

    known: KnownGame
    players: Mapping[str, tuple[str, ...]]
    open_phase: Phase | None = None
    deadline: datetime | None = None
    post_first: bool = False
    first_counts: bool = False
    takes_typed_orders: bool = False
    posted_powers: frozenset[str] = frozenset()
    past_phases: frozenset[Phase] = frozenset()

    @property
    def name(self) -> str:
        """The canonical name."""
        return self.known.name

    def registered_address(self, address: str, power: str | None = None) -> str | None:
        """`address` as registered for `power`, or for any power; None if it is not registered."""
        # Answers go to the address as registered. RFC 5321, 2.4 lets case matter before the @, but senders
        # and their programs change it.
        folded = address.casefold()
        groups = self.players.values() if power is None else (self.players.get(power, ()),)
        return next((known for group in groups for known in group if known.casefold() == folded), None)


@dataclass(frozen=True, slots=True)
class IntakeContext:
    """Everything the verdict on a mail depends on besides the mail, its time and the mails before it.

    `own_addresses`: ours, in any case. `own_domain`: the right side of our Message-IDs.
    `trusted_authserv_id`: the server whose Authentication-Results count. `infer_game`: a subject without a
    game means the sender's one game with that power and phase open (Q-06); else such a subject is refused.
    """

    own_addresses: frozenset[str]
    own_domain: str
    trusted_authserv_id: str
    games: tuple[GameContext, ...]
    infer_game: bool = False

    @property
    def known(self) -> tuple[KnownGame, ...]:
        """The games for the parser of headings."""
        return tuple(game.known for game in self.games)

    def game(self, name: str) -> GameContext:
        """The game with a canonical name. Raises KeyError."""
        for game in self.games:
            if game.name == name:
                return game
        raise KeyError(name)

    def is_own(self, address: str) -> bool:
        """Whether a mail from this address is our own."""
        return address.casefold() in {own_address.casefold() for own_address in self.own_addresses}

    def registered_address(self, address: str) -> str | None:
        """The address as registered in any game, or None."""
        registered = (game.registered_address(address) for game in self.games)
        return next((known for known in registered if known), None)


def context_from_json(value: Any) -> IntakeContext:
    """The `context` object of the fixtures' index, or of an index that has one under "context".

    Besides the keys of the index a game may have "aliases" (list), "powers" (power to list of aliases),
    "posted" and "post_first". Raises ContextError.
    """
    source = value.get("context", value) if isinstance(value, dict) else value
    try:
        return _context(source)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        missing = f": {error.args[0]} is missing" if isinstance(error, KeyError) and error.args else ""
        raise ContextError(f"the context is not in the form of the contract{missing}; docs/contract.md has "
                           "it, under intake") from error


def _context(source: Mapping[str, Any]) -> IntakeContext:
    aliases: Mapping[str, list[str]] = source.get("power_aliases", {})
    # One list of powers for all games, since the powers belong to the variant and not to the game.
    powers = dict.fromkeys(power for game in source["games"].values() for power in game["players"])
    powers |= dict.fromkeys(aliases)
    return IntakeContext(
        own_addresses=frozenset({source["submission_address"], *source.get("own_addresses", ())}),
        own_domain=source["own_domain"],
        trusted_authserv_id=source["trusted_authserv_id"],
        games=tuple(_game(name, game, powers, aliases) for name, game in source["games"].items()),
        infer_game=bool(source.get("infer_game", False)),
    )


def _game(
    name: str, source: Mapping[str, Any], powers: Iterable[str], aliases: Mapping[str, list[str]]
) -> GameContext:
    game_powers: Mapping[str, list[str]] = source.get("powers", {})
    return GameContext(
        known=KnownGame(
            name,
            tuple(source.get("aliases", ())),
            tuple(
                KnownPower(power, (*aliases.get(power, ()), *game_powers.get(power, ())))
                for power in dict.fromkeys((*powers, *game_powers))
            ),
            W3K_STEPS,
        ),
        players={power: tuple(addresses) for power, addresses in source["players"].items()},
        open_phase=_phase(source.get("open_phase")),
        deadline=instant(source["deadline"]) if source.get("deadline") else None,
        post_first=bool(source.get("post_first", False)),
        posted_powers=frozenset(source.get("posted", ())),
    )


def _phase(source: Mapping[str, Any] | None) -> Phase | None:
    if source is None:
        return None
    return Phase(int(source["year"]), str(source["season"]), PhaseKind(str(source["type"]).casefold()))


def instant(text: str) -> datetime:
    """An ISO 8601 instant in UTC; without a zone it is read as UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text.strip())
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
