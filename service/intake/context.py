"""What the intake must know to judge a mail: our own names, the games, who plays what, and the open
phases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.errors import UserFacingError
from grammar.headings.values import W3K_STEPS, KnownGame, KnownPower


class ContextError(UserFacingError):
    """The context cannot be used; the sentence names the place and what is wrong."""


@dataclass(frozen=True, slots=True)
class GameContext:
    """One game as the intake sees it.

    `known`: its names and its powers' names. `players`: power to registered addresses, as registered.
    `open_phase` and `deadline` (UTC, last instant in time) are None between phases. `first_counts`: the
    first paper of a power counts, and not the latest version (Q-60). `typed`: orders may be typed
    into the mail. `post_first`: the strict
    mode of Q-04, where the first movement orders must come by post; `posted`: powers whose letter was logged.
    `over`: phases whose deadline had passed when the mail came; a mail for one of them is late.
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
        """The address as registered, for `power` or for any; case does not matter. None where it is not."""
        wanted = address.casefold()
        powers = self.players if power is None else {power: self.players.get(power, ())}
        return next((own for group in powers.values() for own in group if own.casefold() == wanted), None)


@dataclass(frozen=True, slots=True)
class IntakeContext:
    """Everything the verdict on a mail depends on besides the mail, its time and the mails before it.

    `own_addresses`: ours, any case. `own_domain`: the right side of our Message-IDs. `trusted_authserv_id`:
    the server whose Authentication-Results count. `infer_game`: a subject without a game is taken for the
    sender's one game with that power and phase open (Q-06); without it such a subject is refused.
    """

    own_addresses: frozenset[str]
    own_domain: str
    trusted_authserv_id: str
    games: tuple[GameContext, ...]
    infer_game: bool = False

    @property
    def known(self) -> tuple[KnownGame, ...]:
        """The games as the reader of headings wants them."""
        return tuple(game.known for game in self.games)

    def game(self, name: str) -> GameContext:
        """The game of a canonical name. Raises KeyError where there is none."""
        for game in self.games:
            if game.name == name:
                return game
        raise KeyError(name)

    def is_own(self, address: str) -> bool:
        """Whether a mail from this address is our own."""
        return address.casefold() in {own.casefold() for own in self.own_addresses}

    def registered_address(self, address: str) -> str | None:
        """The address as registered in any game, or None."""
        return next((own for game in self.games if (own := game.registered_address(address))), None)


def context_from_json(value: Any) -> IntakeContext:
    """Read the `context` object of the fixtures' index, or an index that has one under "context".

    Besides the keys of the index a game may have "aliases" (list), "powers" (power to list of aliases) and
    "post_first". Raises ContextError.
    """
    source = value.get("context", value) if isinstance(value, dict) else value
    try:
        return _context(source)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ContextError(f"the context is not in the form of the contract: {error!r}") from error


def _context(source: Mapping[str, Any]) -> IntakeContext:
    aliases: Mapping[str, list[str]] = source.get("power_aliases", {})
    # one list of powers for all games: their powers belong to the variant, whoever plays them in which game
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
    own: Mapping[str, list[str]] = source.get("powers", {})
    return GameContext(
        known=KnownGame(
            name,
            tuple(source.get("aliases", ())),
            tuple(
                KnownPower(power, (*aliases.get(power, ()), *own.get(power, ())))
                for power in dict.fromkeys((*powers, *own))
            ),
            W3K_STEPS,
        ),
        players={power: tuple(group) for power, group in source["players"].items()},
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
    """An ISO 8601 instant in UTC. One without a zone is taken as UTC. Raises ValueError."""
    found = datetime.fromisoformat(text.strip())
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
