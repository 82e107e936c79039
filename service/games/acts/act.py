"""The shape of an act, and the one function that performs it.

`perform` holds an act to its order: reason, check, change, event, letters, all in the caller's transaction. A
refusal raises before anything is changed, or rolls the transaction back. The event is entered by `perform`
alone, so no act leaves a game without one.

Letters are above this floor: an act names what is to be announced, and the door `Circulars`, handed in with
the table, writes it. `service.notices.broadcasts.Broadcasts` is that door.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import Phase
from maps.variant import Variant
from service.facts.events import Event
from service.games.deadlines import DeadlineExtension
from service.games.ending import GameEnd
from service.games.refused import MOST_REASON, NO_REASON, NotFound, Refused, reason_of
from service.games.taken_back import Difference
from service.store.records import log_act
from service.store.tables import AbsenceRow, GameRow, PhaseRow

CANNOT_WRITE = "Nothing was changed: this site cannot write to the players, who must be informed."

Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class ResultsCorrection:
    """An error in results that were sent, as the coordinator writes it down; every field a sentence or
    two."""

    wrong: str
    right: str
    effect: str
    found_by: str


@dataclass(frozen=True, slots=True)
class HandOver:
    """Letters that another coordinator has a game: their number, who had it before, and the root of the
    record that they name."""

    letters: int
    predecessor: str
    root: str


class Circulars(Protocol):
    """Writes what an act informs everybody in a game, in the act's transaction. Each function returns the
    number of letters that are new."""

    def deadline_moved(self, session: Session, phase: PhaseRow, extension: DeadlineExtension) -> int:
        """Old and new instant of a deadline, the reason, what else moves and what does not."""
        ...

    def seat_changed(
        self, session: Session, game: GameRow, power: str, now: datetime, *, is_empty: bool
    ) -> int:
        """Another player for a power, or none."""
        ...

    def game_ended(self, session: Session, game: GameRow, end: GameEnd, last: PhaseRow) -> int:
        """The end of a game; `last` is the phase whose results came last."""
        ...

    def draw_agreed(self, session: Session, phase: PhaseRow, powers: Sequence[str]) -> int:
        """A draw between powers, with the results of a phase."""
        ...

    def corrected(self, session: Session, phase: PhaseRow, error: ResultsCorrection, key: str) -> int:
        """An error in the results of a phase."""
        ...

    def results_taken_back(
        self, session: Session, phase: PhaseRow, later: Sequence[Phase], why: str, times: int
    ) -> int:
        """The results of a phase, for the `times`-th time, and with them those of `later` ones: they are
        judged and sent again."""
        ...

    def board_corrected(
        self, session: Session, phase: PhaseRow, changes: Sequence[Difference], why: str, key: str
    ) -> int:
        """Another board of a phase than the one in its players' letters."""
        ...

    def handed_over(self, session: Session, game: GameRow, name: str, key: str) -> HandOver:
        """Another coordinator, with the record's root; the letters are signed by the new one."""
        ...

    def absent(self, session: Session, row: AbsenceRow) -> int:
        """Days on which a player is away, or that they are not away after all."""
        ...

    def paused(self, session: Session, phase: PhaseRow, days: int, why: str) -> int:
        """The pause of a game by so many days; `phase` has the next deadline."""
        ...

    def coordinator_away(self, session: Session, phase: PhaseRow, first: date, last: date) -> int:
        """Days on which the coordinator is away; `phase` is the first whose deadline they move."""
        ...


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """The entry of an act. `detail` never holds order text, names or addresses."""

    kind: Event
    game_id: str | None
    detail: Mapping[str, Any] = field(default_factory=dict)


LoggedEvents = LoggedEvent | Sequence[LoggedEvent] | None
"""The entry of an act: one event as a rule, several where it is one of several games or papers, none
where the act was done before."""


@dataclass(frozen=True, slots=True)
class ActTable:
    """Where an act is performed: the transaction, who acts, and when.

    `circulars`: the door of letters, None where the site writes none. `order_address`: the address that takes
    orders, which no player can have. `coordinates`: the games that the person who acts coordinates, None for
    all. """

    session: Session
    by: str
    now: datetime
    load: Callable[[str], Variant] = maps.load
    circulars: Circulars | None = None
    order_address: str = ""
    coordinates: frozenset[str] | None = None

    def game(self, game_id: str) -> GameRow:
        """A game. Raises NotFound."""
        game = self.session.get(GameRow, game_id)
        if game is None:
            raise NotFound("There is no such game. Nothing was changed.")
        return game

    def phase(self, game_id: str, phase_id: int) -> PhaseRow:
        """A phase of a game. Raises NotFound."""
        phase = self.session.get(PhaseRow, phase_id)
        if phase is None or phase.game_id != game_id:
            raise NotFound("There is no such phase of this game. Nothing was changed.")
        return phase

    def any_phase(self, phase_id: int) -> PhaseRow:
        """A phase of any game. Raises NotFound."""
        phase = self.session.get(PhaseRow, phase_id)
        if phase is None:
            raise NotFound("There is no such phase. Nothing was changed.")
        return phase

    def must_write(self) -> Circulars:
        """The door of letters, for an act that is never done in silence. Raises Refused."""
        if self.circulars is None:
            raise Refused(CANNOT_WRITE)
        return self.circulars


class Act(ABC, Generic[Outcome]):
    """An act of a person on a game. Subclasses are frozen dataclasses whose fields are what the form, the
    command or the mail brought. `Outcome` is what the change leaves for event, letters and caller."""

    __slots__ = ()
    letters_first: ClassVar[bool] = False
    """Whether the letters are put before the event is entered, which then may count them."""

    def check(self, table: ActTable) -> None:
        """Raise Refused if the act cannot be done. Changes nothing."""

    @abstractmethod
    def change(self, table: ActTable) -> Outcome:
        """Change the rows. Raises Refused where another person was faster."""

    @abstractmethod
    def event(self, table: ActTable, outcome: Outcome, letters: int) -> LoggedEvents:
        """The event, or one for each game that it is of; None where the act was done before (a form sent
        twice), and no letter is due.

        `letters`: the number of letters, 0 unless `letters_first`.
        """

    def letters(self, table: ActTable, outcome: Outcome) -> int:
        """Put the letters; their number."""
        return 0


class ReasonedAct(Act[Outcome]):
    """An act that needs a reason in a sentence, which `perform` checks first."""

    __slots__ = ()
    most_reason: ClassVar[int] = MOST_REASON
    no_reason: ClassVar[str] = NO_REASON
    why: str

    @property
    def reason(self) -> str:
        """The reason as it is entered. Raises Refused for less than a sentence."""
        return reason_of(self.why, self.most_reason, self.no_reason)


@dataclass(frozen=True, slots=True)
class Performed(Generic[Outcome]):
    """An act that was done: what its change left, its events (none if it was done before), and the number of
    letters."""

    outcome: Outcome
    events: tuple[LoggedEvent, ...]
    letters: int


def perform(act: Act[Outcome], table: ActTable) -> Performed[Outcome]:
    """Perform an act in the table's transaction. Raises Refused, and the caller must roll back."""
    if isinstance(act, ReasonedAct):
        reason_of(act.why, act.most_reason, act.no_reason)
    act.check(table)
    outcome = act.change(table)
    table.session.flush()
    letters = act.letters(table, outcome) if act.letters_first else 0
    entered = act.event(table, outcome, letters) or ()
    events = (entered,) if isinstance(entered, LoggedEvent) else tuple(entered)
    if not events:
        return Performed(outcome, (), 0)
    for event in events:
        log_act(table.session, table.now, table.by, event.kind, game_id=event.game_id,
                detail=dict(event.detail))
    if not act.letters_first:
        letters = act.letters(table, outcome)
    return Performed(outcome, events, letters)
