"""A game as its phases, and the values that every format takes and gives."""

from __future__ import annotations

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


class FormatFault(UserFacingError):
    """A game that a format cannot hold, or a file that is not in its format. The sentence says which phase or
    field."""


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
    """A file to be. `left_out` says what the format cannot hold, a sentence each; `notes` what else a reader
    should know."""

    data: bytes
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
