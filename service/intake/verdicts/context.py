"""The facts for judging a mail: our own addresses, the games, their players and open phases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.errors import UserFacingError
from grammar.headings.names import GameList
from grammar.headings.values import W3K_STEPS, KnownGame, KnownPower
from service.games.ballots import RankedSubmission, version_after
from service.mail.authentication.providers import ProviderError
from service.mail.authentication.trust import Trust, trust_from_mapping
from service.store.addresses import folded_address


class ContextError(UserFacingError):
    """The context cannot be used; the sentence shows why."""


@dataclass(frozen=True, slots=True)
class AnnouncedPhase:
    """A phase that is not open yet: its orders count from `opens` (UTC) on. `asked`: the powers that it asks
    for orders, None for all of them or as long as no one can know. `is_due`: its hour has come, and it
    opens once the results before it are sent (PHA-01)."""

    phase: Phase
    opens: datetime
    asked: frozenset[str] | None = None
    is_due: bool = False


@dataclass(frozen=True, slots=True)
class NextSheet:
    """What the next sheet of a power is for, and its version. `opens`: None where the phase is open.
    `is_due`: see `AnnouncedPhase`."""

    phase: Phase
    version: int
    opens: datetime | None = None
    is_due: bool = False


@dataclass(frozen=True, slots=True)
class GameContext:
    """One game as the intake sees it.

    `known`: its names and its powers' names. `players`: power to registered addresses, as registered.
    `open_phase` and `deadline` (UTC, last instant in time): None between phases. `post_first`: the first
    movement orders must come by post (Q-04). `first_counts`: the first sheet of a power counts, and not the
    latest version (Q-60). `takes_typed_orders`: orders may be typed into the mail. `takes_commands`: a word
    in the subject may ask for an answer. `posted_powers`: those whose letter was logged. `past_phases`: those
    whose deadline had passed when the mail came. `is_over`: no phase of it takes orders any more.
    `announced`: the phases that open later, in playing order; a sheet for one of them is stored (Q-74).
    `asked`: the powers that the open phase requests orders, None for all of them. `on_file`: the sheets of
    each power for each phase that takes mail; None where the mails before this one decide.
    """

    known: KnownGame
    players: Mapping[str, tuple[str, ...]]
    open_phase: Phase | None = None
    deadline: datetime | None = None
    post_first: bool = False
    first_counts: bool = False
    takes_typed_orders: bool = False
    takes_commands: bool = False
    posted_powers: frozenset[str] = frozenset()
    past_phases: frozenset[Phase] = frozenset()
    is_over: bool = False
    announced: tuple[AnnouncedPhase, ...] = ()
    asked: frozenset[str] | None = None
    on_file: Mapping[Phase, Mapping[str, Sequence[RankedSubmission]]] | None = None

    @property
    def name(self) -> str:
        """The canonical name."""
        return self.known.name

    def next_sheet(self, power: str) -> NextSheet | None:
        """What the next sheet of a power is for: the open phase if that asks it for orders, else the first
        announced one that does; None if there is none."""
        phase = self.open_phase
        # After a deadline the phase is still the one that a mail is judged against, and takes no sheet.
        is_asked = phase not in self.past_phases and (self.asked is None or power in self.asked)
        if phase is not None and is_asked:
            return NextSheet(phase, self._version(phase, power))
        return next((self._announced_sheet(later, power) for later in self.announced
                     if later.asked is None or power in later.asked), None)

    def early_sheet(self, phase: Phase, power: str) -> NextSheet | None:
        """The next sheet of a power for an announced phase; None if it is not announced."""
        return next((self._announced_sheet(later, power) for later in self.announced
                     if later.phase == phase), None)

    def _announced_sheet(self, later: AnnouncedPhase, power: str) -> NextSheet:
        return NextSheet(later.phase, self._version(later.phase, power), later.opens, later.is_due)

    def _version(self, phase: Phase, power: str) -> int:
        return version_after((self.on_file or {}).get(phase, {}).get(power, ()))

    def registered_address(self, address: str, power: str | None = None) -> str | None:
        """`address` as registered for `power`, or for any power; None if it is not registered."""
        # Answers go to the address as registered. RFC 5321, 2.4 lets case matter before the @, but senders
        # and their programs change it.
        folded = folded_address(address)
        groups = self.players.values() if power is None else (self.players.get(power, ()),)
        return next((known for group in groups for known in group if folded_address(known) == folded), None)


@dataclass(frozen=True, slots=True)
class SentLetter:
    """A letter of ours that a mail may answer: to which address, about which game, for which power (None for
    a player of several), under which subject."""

    to: str
    game: str
    power: str | None
    subject: str = ""


@dataclass(frozen=True, slots=True)
class IntakeContext:
    """Everything the verdict on a mail depends on besides the mail, its time and the mails before it.

    `own_addresses`: ours, in any case. `sent_message_ids`: Message-IDs of letters of ours, in angle brackets;
    for one mail it is enough to have its own, if that is ours. `letters`: those that it may answer, by
    Message-ID.
    `trust`: whose word about a sender counts. `infer_game`: a subject without a game means
    the sender's one game with that power and phase open (Q-06); else such a subject is refused.
    `all_known`: the names of every game of the site, where `games` has only those that the mail may be about.
    """

    own_addresses: frozenset[str]
    trust: Trust
    games: tuple[GameContext, ...]
    infer_game: bool = False
    sent_message_ids: frozenset[str] = frozenset()
    all_known: GameList | None = None
    letters: Mapping[str, SentLetter] = field(default_factory=dict)

    @property
    def known(self) -> Sequence[KnownGame]:
        """The games for the parser of headings."""
        return tuple(game.known for game in self.games) if self.all_known is None else self.all_known

    def game(self, name: str | None) -> GameContext:
        """The game with a canonical name. Raises KeyError."""
        for game in self.games:
            if game.name == name:
                return game
        raise KeyError(name)

    def is_own(self, address: str) -> bool:
        """Whether a mail from this address is our own. `orders+receipt.1f3a@` is an address of `orders@`."""
        folded = address.casefold()
        site_addresses = {own_address.casefold() for own_address in self.own_addresses}
        if folded in site_addresses:
            return True
        local, _, domain = folded.rpartition("@")
        # A player may use a +form of the very mailbox that the site uses, and is then registered with it.
        plus_of_own = any(
            f"{local[:position]}@{domain}" in site_addresses
            for position, letter in enumerate(local) if letter == "+"
        )
        return plus_of_own and self.registered_address(address) is None

    def is_sent(self, message_id: str) -> bool:
        """Whether we gave out this Message-ID. Its domain has nothing: players may share ours."""
        folded = message_id.casefold()
        return any(folded == sent.casefold() for sent in self.sent_message_ids)

    def registered_address(self, address: str) -> str | None:
        """The address as registered in any game, or None."""
        registered = (game.registered_address(address) for game in self.games)
        return next((known for known in registered if known), None)


_BESIDE_CONTEXT = ("providers", "provider", "trusted_authserv_ids", "own_proof", "dns")
"""Keys that an index may have next to its "context" as well as in it."""


def context_from_json(
    value: Any, beside: Any = None, provider: str | None = None
) -> IntakeContext:
    """The `context` object of the fixtures' index, or of an index that has one under "context".

    Besides the keys of the index a game may have "aliases" (list), "powers" (power to list of aliases),
    "posted" and "post_first". `beside`: an index whose providers count where the context has none.
    `provider`: the one that a case names. Raises ContextError.
    """
    try:
        return _context(_with_outer(value, beside), provider)
    except ProviderError as error:
        raise ContextError(str(error)) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        missing = f": {error.args[0]} is missing" if isinstance(error, KeyError) and error.args else ""
        raise ContextError(f"the context does not have the format of docs/contract.md, "
                           f"intake{missing}") from error


def txt_records(value: Any, beside: Any = None) -> dict[str, tuple[str, ...]]:
    """The DNS of a context: its `dns`, name to a TXT record or a list of them; `beside` as above.
    Raises ContextError."""
    try:
        table = _with_outer(value, beside).get("dns", {})
        records = {
            str(name): (texts,) if isinstance(texts, str) else tuple(texts) for name, texts in table.items()
        }
    except (AttributeError, TypeError) as error:
        raise ContextError(_NO_TABLE) from error
    if not all(isinstance(text, str) for texts in records.values() for text in texts):
        raise ContextError(_NO_TABLE)
    return records


_NO_TABLE = "dns in the context is not a table; write each name with its TXT record or a list of them"


def _with_outer(value: Any, beside: Any) -> Mapping[str, Any]:
    """The context with what is next to it in its index, or in another one."""
    source = value.get("context", value) if isinstance(value, dict) else value
    indexes = [index for index in (beside, value) if isinstance(index, dict)]
    outer = {key: index[key] for index in indexes for key in _BESIDE_CONTEXT if key in index}
    return {**outer, **source}


def _context(source: Mapping[str, Any], provider: str | None) -> IntakeContext:
    aliases: Mapping[str, list[str]] = source.get("power_aliases", {})
    # One list of powers for all games, since the powers belong to the variant and not to the game.
    powers = dict.fromkeys(power for game in source["games"].values() for power in game["players"])
    powers |= dict.fromkeys(aliases)
    return IntakeContext(
        own_addresses=frozenset({source["submission_address"], *source.get("own_addresses", ())}),
        trust=trust_from_mapping(source, provider),
        games=tuple(_game(name, game, powers, aliases) for name, game in source["games"].items()),
        infer_game=bool(source.get("infer_game", False)),
        sent_message_ids=frozenset(map(str, source.get("sent_message_ids", ()))),
        letters={
            str(message_id): SentLetter(
                str(letter["to"]), str(letter["game"]), letter.get("power"), str(letter.get("subject", "")))
            for message_id, letter in source.get("letters", {}).items()
        },
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
        announced=tuple(sorted(
            (AnnouncedPhase(_named_phase(each), instant(each["opens"]))
             for each in source.get("announced", ())),
            key=lambda announced: announced.opens)),
    )


def _phase(source: Mapping[str, Any] | None) -> Phase | None:
    return None if source is None else _named_phase(source)


def _named_phase(source: Mapping[str, Any]) -> Phase:
    return Phase(int(source["year"]), str(source["season"]), PhaseKind(str(source["type"]).casefold()))


def instant(text: str) -> datetime:
    """An ISO 8601 instant in UTC; without a zone it is read as UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text.strip())
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
