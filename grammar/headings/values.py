"""The fields of a heading, what is needed to read it, and the complaint when it cannot be read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from adjudicator.calendar import PhaseKind
from grammar.order_starts import DEFAULT_STARTS, OrderStarts

W3K_STEPS: tuple[tuple[str, PhaseKind], ...] = (
    ("Winter", PhaseKind.ADJUSTMENT),
    ("Spring", PhaseKind.MOVEMENT),
    ("Spring", PhaseKind.RETREAT),
    ("Summer", PhaseKind.MOVEMENT),
    ("Summer", PhaseKind.RETREAT),
    ("Autumn", PhaseKind.MOVEMENT),
    ("Autumn", PhaseKind.RETREAT),
)
"""The seasons of the handbook with the kinds of paper due in each (CAL-11, CAL-12)."""


class Flag(StrEnum):
    """What the reader corrected or left out; every one is shown to the coordinator."""

    GAME_CORRECTED = "game_corrected"
    POWER_CORRECTED = "power_corrected"
    SEASON_CORRECTED = "season_corrected"
    TYPE_CORRECTED = "type_corrected"
    VERSION_MISSING = "version_missing"
    VERSION_UNCLEAR = "version_unclear"
    TRAILING_TEXT = "trailing_text"


class HeadingCode(StrEnum):
    """Why a heading could not be routed; the first that fails, in this order."""

    SUBJECT_UNPARSED = "subject_unparsed"
    UNKNOWN_GAME = "unknown_game"
    AMBIGUOUS_GAME = "ambiguous_game"
    UNKNOWN_POWER = "unknown_power"
    AMBIGUOUS_POWER = "ambiguous_power"


@dataclass(frozen=True, slots=True)
class KnownPower:
    """A power of a game, and its other names: short forms and the person who commands it (HEAD-02)."""

    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownGame:
    """A running game as the reader of headings must know it. `steps`: the variant's seasons and kinds of
    paper. `starts`: how its orders begin, which is where a heading ends."""

    name: str
    aliases: tuple[str, ...] = ()
    powers: tuple[KnownPower, ...] = ()
    steps: tuple[tuple[str, PhaseKind], ...] = W3K_STEPS
    starts: OrderStarts = DEFAULT_STARTS

    @property
    def seasons(self) -> tuple[str, ...]:
        """Season names in playing order, each once."""
        return tuple(dict.fromkeys(season for season, _ in self.steps))


@dataclass(frozen=True, slots=True)
class Heading:
    """The fields of a subject line. Names are canonical.

    `year` is None where none was written (SUBJ-06), `kind` None where only "Orders" was, `version` None where
    none was. `trailing`: the words after the version, as written. `game` and `power` are None only inside a
    complaint.
    """

    game: str | None
    power: str | None
    season: str | None
    year: int | None
    kind: PhaseKind | None
    version: int | None = None
    flags: frozenset[Flag] = frozenset()
    trailing: str = ""


@dataclass(frozen=True, slots=True)
class HeadingComplaint:
    """A heading that cannot be routed.

    `missing`: fields not found ("game", "power", "season", "type"). `written`: the words in doubt.
    `candidates`: the names they may mean, best first. `partial`: what could be read.
    """

    code: HeadingCode
    message: str
    partial: Heading
    missing: tuple[str, ...] = ()
    written: str = ""
    candidates: tuple[str, ...] = ()
