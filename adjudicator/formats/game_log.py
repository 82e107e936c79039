"""A game as its phases, and the values that every format takes and gives; and names of powers and regions as
other programs write them, in any case."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudicator.context import Context
from adjudicator.errors import UserFacingError
from adjudicator.geo import Region
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.ruleset import Ruleset

MAX_BYTES = 64_000_000
"""A file to be read may have no more bytes, packed or unpacked; a long game of `diplomacy` has about 2 MB."""

_BLANKS = re.compile(r"\s+")
_BRACKETS = re.compile(r"\s*\(\s*([a-z]+)(?:\s+coast)?\s*\)")
_A_COAST = re.compile("[nsew]c|mv|xc")
_NO_COAST = frozenset({"mv", "xc"})
LONGEST = 160
"""Characters of one name or order; more is refused before anything is matched."""


class FormatFault(UserFacingError):
    """A game that a format cannot hold, or a file that is not in its format. The sentence shows which phase
    or field."""


@dataclass(frozen=True, slots=True)
class GameBoard:
    """The board of a game with the rules that judge it. `slug` is its name, `spellings` other names of its
    regions, in any case."""

    slug: str
    context: Context
    rules: Ruleset
    spellings: Mapping[str, Region] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LoggedPhase:
    """One phase: the board before it, everybody's orders, and what became of them, if that is known.

    `unread` are orders that could not be read, as "FRANCE: A PAR X". `lots` are the numbers that were drawn.
    """

    position: Position
    orders: tuple[Order, ...] = ()
    resolution: Resolution | None = None
    unread: tuple[str, ...] = ()
    lots: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class GameLog:
    """A game from its first phase to the board now. The last phase has no resolution: it is the board as it
    stands. `is_over`: nothing can be ordered any more. `faults`: why a game of a file could not be read; it
    has no phases then."""

    name: str
    board: str
    phases: tuple[LoggedPhase, ...]
    is_over: bool = False
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A file to be. `left_out` shows what the format cannot hold, a sentence each; `notes` what else a reader
    should know."""

    data: bytes
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class BoardNames:
    """Looks up powers and regions of one board."""

    def __init__(self, board: GameBoard) -> None:
        provinces = board.context.board.provinces
        self._regions = {_plain(text): region for text, region in board.spellings.items()}
        # An id wins over a name, and a name over another spelling.
        self._regions |= {_plain(p.name): Region(p.id) for p in provinces.values()}
        self._regions |= {_plain(p.id): Region(p.id) for p in provinces.values()}
        self._coasts = {p.id: p for p in provinces.values()}
        self._powers = {_plain(power): power for power in board.context.powers}
        self._powers |= {_plain(name): power for power, name in board.context.power_names.items()}

    def power(self, text: str) -> str | None:
        """The id of a power, or None."""
        return self._powers.get(_plain(text)) if len(text) <= LONGEST else None

    def region(self, text: str) -> Region | None:
        """The region that a text names: "STP/SC", "St. Petersburg (sc)", "lyo"; None if there is none."""
        if len(text) > LONGEST:
            return None
        plain = _BRACKETS.sub(r"/\1", _plain(text))
        named = self._regions.get(plain)
        if named is not None:
            return named
        name, _, coast = plain.rpartition("/")
        place = self._regions.get(name.strip())
        if place is None or place.coast is not None:
            return None
        coast_id = self._coasts[place.province].coast_id(coast.strip())
        if coast_id is None and _A_COAST.fullmatch(coast.strip()) is None:
            return None
        # jDip writes "mv" for an army on land and "xc" for a fleet on the only coast. Any other coast that
        # the province lacks is left to the judge (DATC 6.B.12).
        return Region(
            place.province, None if coast.strip() in _NO_COAST else coast_id or coast.strip().upper()
        )


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text.replace(".", " ")).strip().casefold()
