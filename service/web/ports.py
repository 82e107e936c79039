"""The needs of the desk from the rest of the service, as one value handed in by `service.bootstrap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from sqlalchemy.orm import Session, sessionmaker

import maps
from maps.variant import Variant
from service.clock import Clock, SystemClock
from service.games.acts.act import ActTable
from service.games.approval.approve import AnswerBy
from service.games.phases import power_name
from service.letters.kinds import LetterKinds
from service.operations.findings import Finding

if TYPE_CHECKING:  # workers serve no pages
    from fastapi import Request

    from service.notices.broadcasts import Broadcasts
    from service.notices.letter_context import LetterContext


DoorT = TypeVar("DoorT")


class BlobReader(Protocol):
    """Where photographs and finished mails lie, by SHA-256."""

    def read(self, key: str) -> bytes:
        """The bytes; raises `service.store.blobs.BlobError` when they are missing or damaged."""
        ...

    def __hash__(self) -> int:
        """Two doors to the same place are equal, so that pictures cut from it may be stored."""
        ...


@dataclass(slots=True)
class ApiTokens:
    """SHA-256 of each token with which programs may read. It may change while the site runs: a token that got
    into wrong hands ends at once."""

    digests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageSettings:
    """What pages take from the site's settings.

    `title` heads every page; `base_url` is the address at which players reach the site. Metrics need
    `metrics_token` as bearer token; with an empty token they are off. `api_tokens` are those with which
    programs may read.
    """

    title: str = "Galloper"
    base_url: str = ""
    secure_cookies: bool = True
    metrics_token: str = ""
    api_tokens: ApiTokens = field(default_factory=ApiTokens)


@dataclass(frozen=True, slots=True)
class DeskActions:
    """What pages ask other parts of the service to do.

    `judge_when_read(phase_id)` judges a phase once its last doubtful line is decided; False if something is
    still to be read. `approve(phase_id, by)` sends the results, or raises `service.games.turns.NotReady`.
    `read_again(session, line_id)` has the machine read a line that a person cut again, once that transaction
    is committed. `map_pdf(game_id)` is the current public map. `circulars` writes to all players of a game,
    `judge_again(session, sha256)` queues a mail that was taken back.
    """

    judge_when_read: Callable[[int], object]
    approve: Callable[[int, str, AnswerBy | None], None]
    map_pdf: Callable[[str], bytes | None]
    read_again: Callable[[Session, int], None]
    judge_again: Callable[[Session, str], None]
    circulars: Broadcasts


@dataclass(frozen=True, slots=True)
class SiteChecks:
    """The state of the site's parts: `health()` as findings, `metrics()` as text for Prometheus."""

    health: Callable[[], Sequence[Finding]]
    metrics: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class DeskPorts:
    """The needs of pages from the rest of the service.

    `letter_kinds` are those of the site; `load` gives a board by its name. `wall` is the clock by which
    people stay signed in, also where the game's clock is simulated. `guards` are called before each page and
    may raise an HTTPException (`guarded`). `doors`: what pages of features work with.
    """

    sessions: sessionmaker[Session]
    blobs: BlobReader
    clock: Clock
    actions: DeskActions
    checks: SiteChecks
    letter_kinds: LetterKinds
    settings: PageSettings = PageSettings()
    load: Callable[[str], Variant] = maps.load
    wall: Clock = field(default_factory=SystemClock)
    guards: Sequence[Callable[[Request], None]] = ()
    doors: Sequence[object] = ()

    def door(self, kind: type[DoorT]) -> DoorT:
        """The door of a feature, by its class. Raises LookupError naming it, if no feature opened one."""
        for door in self.doors:
            if isinstance(door, kind):
                return door
        raise LookupError(f"no feature provides {kind.__name__}")

    @property
    def letters(self) -> LetterContext:
        """Writers of letters."""
        return self.actions.circulars.letters

    @property
    def order_address(self) -> str:
        """The address that takes orders, which no player can have."""
        return self.letters.sender.order_address

    def act_table(self, session: Session, by: str, coordinates: frozenset[str] | None = None) -> ActTable:
        """Where a person performs an act of a page, in this transaction. `coordinates`: the games that they
        coordinate, None for all."""
        return ActTable(session, by, self.clock.now(), self.load, self.actions.circulars, self.order_address,
                        coordinates)

    def power_name(self, variant: str, power: str) -> str:
        """A power's name on its board; the id where the board does not know it."""
        return power_name(variant, power, self.load)
