"""What a game of states and grain is made of: its orders, its state between turns, and the record of its
battles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from adjudicator.context import Context
from adjudicator.geo import Region
from adjudicator.orders import Order
from adjudicator.position import Extension

K = TypeVar("K", bound=str)
V = TypeVar("V")


class FrozenMap(Mapping[K, V]):
    """The entries of a mapping, sorted by key. Equal to any mapping with the same entries."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[K, V]) -> None:
        self._entries = dict(sorted(entries.items()))

    def __getitem__(self, key: K) -> V:
        return self._entries[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __hash__(self) -> int:
        return hash(tuple(self._entries.items()))

    def __repr__(self) -> str:
        return f"FrozenMap({self._entries!r})"


KING = "K"
"""The letter of a king among the units of a position."""
YIELD = 10
"""What a state yields a turn until a power invests in it or conquers it (brit-043)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend(Order):
    """Grain for one state. `grain` is 1 or more in a good order."""

    grain: int
    state: Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Defend(Spend):
    """`5 Grain for Defense of Essex` (WSB-03)."""

    WORD: ClassVar[str] = "defend"
    TERSE: ClassVar[str] = "{grain} Grain for Defense of {state}"
    PROSE: ClassVar[str] = TERSE


@dataclass(frozen=True, slots=True, kw_only=True)
class Invest(Spend):
    """`5 Grain for Investing of Essex` (WSB-03, WSB-09)."""

    WORD: ClassVar[str] = "invest"
    TERSE: ClassVar[str] = "{grain} Grain for Investing of {state}"
    PROSE: ClassVar[str] = TERSE


@dataclass(frozen=True, slots=True, kw_only=True)
class Conquer(Spend):
    """`10 Grain for Conquest of Kent`, `king` when he is to be with the army (WSB-03, WSB-14)."""

    WORD: ClassVar[str] = "conquer"
    TERSE: ClassVar[str] = "{grain} Grain for Conquest of {state}{king}"
    PROSE: ClassVar[str] = TERSE
    FLAGS: ClassVar[Mapping[str, str]] = {"king": " with the King"}

    king: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveKing(Order):
    """`King to Kent` (WSB-14)."""

    WORD: ClassVar[str] = "move_king"
    TERSE: ClassVar[str] = "King to {state}"
    PROSE: ClassVar[str] = "The King goes to {state}"

    state: Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Ally(Order):
    """`5 Grain for Alliance with Gold` (WSB-16)."""

    WORD: ClassVar[str] = "ally"
    TERSE: ClassVar[str] = "{grain} Grain for Alliance with {to_power}"
    PROSE: ClassVar[str] = TERSE

    grain: int
    to_power: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap(Order):
    """`5 Grain for Swap of Oxford for Essex`: the first is one's own (WSB-17)."""

    WORD: ClassVar[str] = "swap"
    TERSE: ClassVar[str] = "{grain} Grain for Swap of {give} for {get}"
    PROSE: ClassVar[str] = TERSE

    grain: int
    give: Region
    get: Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Send(Order):
    """`Send 5 Grain to Gold` (WSB-18)."""

    WORD: ClassVar[str] = "send_grain"
    TERSE: ClassVar[str] = "Send {grain} Grain to {to_power}"
    PROSE: ClassVar[str] = TERSE

    grain: int
    to_power: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Order):
    """`Capital: Essex`: a power without a state picks an independent one, at the start or after its fall
    (WSB-01)."""

    WORD: ClassVar[str] = "claim"
    TERSE: ClassVar[str] = "Capital {state}"
    PROSE: ClassVar[str] = "{state} is picked as capital"

    state: Region


def pair(power: str, other: str) -> tuple[str, str]:
    """Two powers, sorted, as alliances are stored."""
    return (power, other) if power <= other else (other, power)


@dataclass(frozen=True, slots=True)
class Realm(Extension):
    """What every power has next to its states and its king, which are the centres and units of the position.

    `grain` is what each may spend in the coming turn; `output` the yield a turn of each state that does not
    yield 10; `capitals` the state each began in, held or not; `kingdoms` are the powers with a kingdom,
    `alliances` pairs of powers, each pair sorted.
    """

    grain: Mapping[str, int] = field(default_factory=dict)
    output: Mapping[str, int] = field(default_factory=dict)
    capitals: Mapping[str, str] = field(default_factory=dict)
    kingdoms: frozenset[str] = frozenset()
    alliances: frozenset[tuple[str, str]] = frozenset()

    def __post_init__(self) -> None:
        for name in ("grain", "output", "capitals"):
            object.__setattr__(self, name, FrozenMap(getattr(self, name)))
        object.__setattr__(self, "alliances", frozenset(pair(*two) for two in self.alliances))

    def yields(self, state: str) -> int:
        """What a state yields a turn."""
        return self.output.get(state, YIELD)

    def allied(self, power: str, other: str) -> bool:
        """Whether two powers are in a formal alliance."""
        return pair(power, other) in self.alliances


def check_realm(context: Context, realm: Realm) -> None:
    """Raises ValueError, naming the field, for a power or state that the board does not have, and for grain
    or a yield below 0."""
    states = set(context.board.centres())
    named_powers = {
        "grain": realm.grain, "capitals": realm.capitals, "kingdoms": realm.kingdoms,
        "alliances": [power for two in realm.alliances for power in two],
    }
    for key, powers in named_powers.items():
        for power in sorted(set(powers) - set(context.powers)):
            raise ValueError(f"{key}: there is no power {power!r}")
    for key, named_states in (("output", realm.output), ("capitals", realm.capitals.values())):
        for state in sorted(set(named_states) - states):
            raise ValueError(f"{key}: there is no state {state!r}")
    for key, counts in (("grain", realm.grain), ("output", realm.output)):
        for name, count in counts.items():
            if count < 0:
                raise ValueError(f"{key}.{name}: {count} is less than 0")


@dataclass(frozen=True, slots=True)
class Fight:
    """One attacker against its share of a state's defence (WSB-20). `grain` is what fights, without what a
    crossing cost, `king` the 2 that a king brings or 0, `die` 1 to 10; `against` and `defence_die` the same
    on the other side, the king's 2 among them. Both dice are 0 where no unit defended."""

    attacker: str
    grain: int
    king: int
    die: int
    against: int
    defence_die: int

    @property
    def won(self) -> bool:
        """Whether the attacker is higher (WSB-11), or met no unit (WSB-10)."""
        # 6 + 19 = 25 beats 4 + 12 = 16; 15 against 15 does not (WSB-11).
        return not self.die or self.grain + self.king + self.die > self.against + self.defence_die


@dataclass(frozen=True, slots=True)
class Battle:
    """All fights for one state in one turn. `defender` is "" for an independent state; `defence` its grain
    and its king's 2; `winner` who has it afterwards, "" where the defence held; `drawn` when a lot chose
    between attackers of equal grain."""

    state: str
    defender: str
    defence: int
    fights: tuple[Fight, ...]
    winner: str = ""
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Chronicle(Extension):
    """The battles of a turn, by the name of the state."""

    battles: tuple[Battle, ...] = ()
