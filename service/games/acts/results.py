"""Acts on what was sent: results taken back or corrected in words, and another coordinator who signs letters
from now on. Every player gets a letter of each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from sqlalchemy import or_

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.position import Position
from adjudicator.serialize import codec
from maps.variant import Variant
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, HandOver, LoggedEvent, ReasonedAct, ResultsCorrection
from service.games.acts.phases import back_to_desk
from service.games.ending import has_ended
from service.games.options import with_options
from service.games.phases import phase_of, position_of
from service.games.refused import Refused
from service.games.taken_back import Differences, board_differences, times_taken_back
from service.games.written_board import read_board
from service.store import phase_looks, records
from service.store.tables import CorrectionRow, PhaseRow, PhaseState

SentResults = tuple[tuple[Phase, datetime], ...]


@dataclass(frozen=True, slots=True)
class TakeBackResults(ReasonedAct[SentResults]):
    """Takes the results of a phase back, so that it is judged and sent again: a line was read wrongly, or a
    sheet in time was passed over (PHA-04, Q-78).

    The phase is at the desk again. Phases after it have no board until its new results are sent, and ask
    again then; their sheets and decisions are stored, and count. Everybody gets a letter. The outcome is the
    phases whose results hold no more, in order, and when these had been sent.
    """

    # So that who, when and why fit into one sentence of a letter (`letters.LONGEST`).
    most_reason: ClassVar[int] = 300
    phase: int
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse results that were not sent, a game that is over, and later lots that are public."""
        table.must_write()
        phase = table.any_phase(self.phase)
        if phase.state != PhaseState.SENT or phase.resolution is None:
            raise Refused("Nothing was changed: only sent results can be taken back. Before sending, decide "
                          "the line again at the desk and judge again.")
        if has_ended(table.session, phase.game_id):
            raise Refused("Nothing was changed: the game is over, and all players have letters about its "
                          "end. Write a correction.")
        drawn = next((row for row in _later(table, phase) if row.resolution is not None
                      and codec.load_resolution(row.resolution).lots_used), None)
        if drawn is not None:
            raise Refused(f"Nothing was changed: the lots of {phase_of(drawn)} are drawn, and players could "
                          "use them for their orders. Correct the board instead.")

    def change(self, table: ActTable) -> SentResults:
        """Refuse a phase that another person took back meanwhile."""
        phase = table.any_phase(self.phase)
        sent = tuple((phase_of(row), row.sent_at) for row in [phase, *_later(table, phase)]
                     if row.sent_at is not None)
        later = [row.id for row in _later(table, phase)]
        if not records.claim_phase(table.session, phase.id, PhaseState.SENT, PhaseState.CLOSED,
                                   resolution=None, judged_at=None, sent_at=None):
            raise Refused("Nothing was changed: another person took these results back.")
        # The record enters each row that is written, so those that stay as they are are left alone.
        records.claim(table.session, PhaseRow, PhaseRow.id.in_(later), PhaseRow.resolution.is_not(None),
                      resolution=None, judged_at=None, sent_at=None)
        records.claim(table.session, PhaseRow, PhaseRow.id.in_(later), or_(
            PhaseRow.state != PhaseState.WAITING, PhaseRow.position.is_not(None)),
            state=PhaseState.WAITING, position=None, closed_at=None)
        for row in later:
            phase_looks.forget(table.session, row)
        return sent

    def event(self, table: ActTable, outcome: SentResults, letters: int) -> LoggedEvent:
        """The phase, when each of the results had been sent, and the reason."""
        phase = table.any_phase(self.phase)
        return LoggedEvent(Event.RESULTS_TAKEN_BACK, phase.game_id, {
            "phase": str(phase_of(phase)), "sent": {str(each): at.isoformat() for each, at in outcome},
            "why": self.reason})

    def letters(self, table: ActTable, outcome: SentResults) -> int:
        """One to each player."""
        phase = table.any_phase(self.phase)
        return table.must_write().results_taken_back(
            table.session, phase, [each for each, _ in outcome[1:]], self.reason,
            times_taken_back(table.session, phase))


def _later(table: ActTable, phase: PhaseRow) -> list[PhaseRow]:
    return [row for row in records.phases(table.session, phase.game_id) if row.ordinal > phase.ordinal]


@dataclass(frozen=True, slots=True)
class CorrectBoard(ReasonedAct[Differences]):
    """Puts units and centres of the board that is in play right, where an earlier phase is not to be judged
    again (PHA-04, Q-78). Everybody gets a letter. The outcome is what is different.

    `units` and `centres` as `written_board` writes them, all of them.
    """

    most_reason: ClassVar[int] = 300
    phase: int
    units: str
    centres: str
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a phase that is over or has no board, retreats, hidden units, and lines that make no
        board."""
        table.must_write()
        phase = table.any_phase(self.phase)
        if phase.position is None or phase.state == PhaseState.SENT:
            raise Refused("Nothing was changed: only the current board can be corrected, once the results "
                          "before it are sent.")
        variant, before, now = self._boards(table)
        if not all(is_correctable(phase, variant, board) for board in (before, now)):
            raise Refused("Nothing was changed: this board cannot be corrected by hand, since units "
                          "retreat, or hidden units would be named in a letter to all. Take the results "
                          "back instead.")
        if not board_differences(variant, before, now):
            raise Refused("Nothing was changed: this board has no difference.")

    def change(self, table: ActTable) -> Differences:
        """Keep the board; a phase that is judged on the old one goes back to the desk."""
        variant, before, now = self._boards(table)
        phase = table.any_phase(self.phase)
        back_to_desk(table.session, phase)
        phase.position = codec.dump_position(now)
        return Differences(board_differences(variant, before, now))

    def event(self, table: ActTable, outcome: Differences, letters: int) -> LoggedEvent:
        """The phase, the number of changes and the reason."""
        phase = table.any_phase(self.phase)
        return LoggedEvent(Event.BOARD_CORRECTED, phase.game_id, {
            "phase": str(phase_of(phase)), "changes": len(outcome.changes or ()), "why": self.reason})

    def letters(self, table: ActTable, outcome: Differences) -> int:
        """One to each player."""
        return table.must_write().board_corrected(
            table.session, table.any_phase(self.phase), outcome.changes or (), self.reason,
            f"{table.now:%Y%m%d%H%M%S}")

    def _boards(self, table: ActTable) -> tuple[Variant, Position, Position]:
        phase = table.any_phase(self.phase)
        variant, before = table.load(table.game(phase.game_id).variant), position_of(phase)
        return variant, before, read_board(variant, before, self.units, self.centres)


def is_correctable(phase: PhaseRow, variant: Variant, board: Position) -> bool:
    """Whether a board of a phase may be corrected by hand: no unit retreats on it, and none is hidden."""
    return phase.kind != PhaseKind.RETREAT and variant.rules.visible_position(
        variant.context(), board, None) == board


@dataclass(frozen=True, slots=True)
class CorrectResults(Act[bool]):
    """Puts an error in results that were sent on record. The position, the judged results and earlier letters
    stay as they are. The outcome is False if the form with this key came before."""

    letters_first: ClassVar[bool] = True
    phase: int
    error: ResultsCorrection
    key: str

    def change(self, table: ActTable) -> bool:
        """Keep the correction."""
        # A form that is sent twice has the same key, and the second one must send no second letter.
        return records.insert_once(
            table.session, CorrectionRow, key=self.key, phase_id=self.phase, said=self.error.wrong,
            right=self.error.right, effect=self.error.effect, found_by=self.error.found_by, by=table.by,
            at=table.now)

    def event(self, table: ActTable, outcome: bool, letters: int) -> LoggedEvent | None:
        """The phase and the number of letters."""
        if not outcome:
            return None
        phase = table.any_phase(self.phase)
        return LoggedEvent(
            Event.RESULTS_CORRECTED, phase.game_id, {"phase": str(phase_of(phase)), "letters": letters})

    def letters(self, table: ActTable, outcome: bool) -> int:
        """One to each address of each player."""
        if not outcome:
            return 0
        phase = table.any_phase(self.phase)
        return table.must_write().corrected(table.session, phase, self.error, self.key)


@dataclass(frozen=True, slots=True)
class ChangeCoordinator(Act[HandOver]):
    """Gives a game to another coordinator: `name` signs letters from now on, and every player gets a letter
    with the record's root before the change (section 5 of the mail plan)."""

    game: str
    name: str
    key: str

    def change(self, table: ActTable) -> HandOver:
        """Write the letters, which name the root before this change, then keep the name."""
        game = table.game(self.game)
        handed = table.must_write().handed_over(table.session, game, self.name, self.key)
        # No letter was new: the form was sent twice.
        if handed.letters:
            game.options = with_options(game, coordinator=self.name)
        return handed

    def event(self, table: ActTable, outcome: HandOver, letters: int) -> LoggedEvent | None:
        """Both names, the root and the number of letters."""
        if not outcome.letters:
            return None
        return LoggedEvent(Event.COORDINATOR_CHANGED, self.game, {
            "from": outcome.predecessor, "to": self.name, "digest": outcome.root, "letters": outcome.letters})

    def letters(self, table: ActTable, outcome: HandOver) -> int:
        """Those of the change."""
        return outcome.letters
