"""A player lets everybody see a game that is over."""

from __future__ import annotations

from dataclasses import dataclass

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.options import options_of, with_options


@dataclass(frozen=True, slots=True)
class AgreeToShow(Act[tuple[str, ...]]):
    """A player agrees that the public may see the whole of a game that is over, or takes it back. It is open
    once all agree. `powers`: those that the player holds. The outcome is who had agreed before."""

    game: str
    powers: tuple[str, ...]
    agrees: bool

    def change(self, table: ActTable) -> tuple[str, ...]:
        """Keep the agreement with the game."""
        game = table.game(self.game)
        before = tuple(sorted(options_of(game).opened_by))
        game.options = with_options(game, opened_by=self._after(before))
        return before

    def event(self, table: ActTable, outcome: tuple[str, ...], letters: int) -> LoggedEvent:
        """Who agreed before and who agrees now, as an option that was changed."""
        # A player is no person of the desk; the record's checkers know this act and who does it (C8, C13).
        return LoggedEvent(Event.OPTION_CHANGED, self.game, {
            "option": "opened_by", "from": list(outcome), "to": self._after(outcome),
            "why": f"the player of {', '.join(sorted(self.powers))} decided so"})

    def _after(self, before: tuple[str, ...]) -> list[str]:
        powers = set(before) | set(self.powers) if self.agrees else set(before) - set(self.powers)
        return sorted(powers)
