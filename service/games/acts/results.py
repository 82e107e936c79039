"""Acts on what was sent: results corrected, and another coordinator who signs letters from now on. Every
player gets a letter of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, HandOver, LoggedEvent, ResultsCorrection
from service.games.options import with_options
from service.games.phases import phase_of
from service.store import records
from service.store.tables import CorrectionRow


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
