"""The act that begins a game: of the desk, the sign-ups, the command and the demo."""

from __future__ import annotations

from dataclasses import dataclass

from maps.variant import Variant
from service.config import ConfigError
from service.facts.events import Event
from service.facts.options import stored_form
from service.games import create
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.create import NewGame
from service.games.deadlines import PhaseWindow
from service.games.turns import extend_calendar
from service.store.tables import GameRow, PhaseRow


@dataclass(frozen=True, slots=True)
class BeginGame(Act[PhaseRow]):
    """Begins a game: its first phase open, the rest of its year waiting. The outcome is the first phase.

    Raises ConfigError, in place of Refused, for a first deadline that is past and a name that is taken, and
    NoSiteKey.
    """

    new: NewGame
    variant: Variant

    def check(self, table: ActTable) -> None:
        """A first deadline that is past: the phase would close at once, with no orders."""
        deadline = self._first().deadline
        if deadline <= table.now:
            raise ConfigError(f"the first deadline, {deadline:%a %-d %b %Y, %H:%M GMT}, is past; choose a "
                              "later day")

    def change(self, table: ActTable) -> PhaseRow:
        """Write the game and the phases of its first year."""
        phase = create.create(table.session, self.new, self.variant, self._first(), table.now)
        # The feed shows a whole year (CAL-16), so the phases to come are rows from the first day.
        extend_calendar(table.session, table.session.get_one(GameRow, self.new.slug), self.variant)
        return phase

    def event(self, table: ActTable, outcome: PhaseRow, letters: int) -> LoggedEvent:
        """The names of the options that differ from the usual."""
        return LoggedEvent(
            Event.GAME_CREATED, self.new.slug, {"options": sorted(stored_form(self.new.options))})

    def _first(self) -> PhaseWindow:
        return self.new.clock.windows(self.variant.calendar, self.variant.start.phase, 1)[0]
