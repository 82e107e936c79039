"""The acts that begin a game, for the desk, the sign-ups, the command and the demo; and that change an option
of a running one, as a form or a command has its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maps.variant import Variant
from service.config import ConfigError
from service.facts.events import Event
from service.facts.options import THRESHOLDS, YES_OR_NO, ReviewMode, stored_form, threshold_words
from service.games import create
from service.games.acts.act import Act, ActTable, LoggedEvent, ReasonedAct
from service.games.agreement import Stage
from service.games.ballots import executed
from service.games.create import NewGame
from service.games.deadlines import PhaseWindow
from service.games.decisions import own_lines
from service.games.options import OptionFault, option_from_text, options_of, with_options
from service.games.refused import Refused
from service.games.turns import extend_calendar
from service.store.records import phases
from service.store.tables import GameRow, PhaseRow, PhaseState


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


@dataclass(frozen=True, slots=True)
class ChangeOption(ReasonedAct[Any]):
    """Changes an option of a running game. `text` is its value as a person writes it
    (`games.options.option_from_text`); empty text is the option's default. The outcome is the value of
    before.

    Another review holds for all phases that are not judged yet, another threshold for sheets that come from
    now on.
    """

    game: str
    name: str
    text: str
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a value that is none, the value of today, and another review while two people have read a
        line differently: no option decides which of them is right."""
        before, after = self._before(table), self._value()
        if before == after:
            raise Refused("Nothing was changed: the option has this value already.")
        if self.name == "review" and any(
            line.stage is Stage.DIFFERS
            for phase in self._unjudged(table)
            for sheet in executed(table.session, phase).values()
            for line in own_lines(table.session, sheet)
        ):
            raise Refused(
                "Nothing was changed: two people have read a line differently. First settle it at the desk "
                "or close it as void; an option cannot decide which reading is right.")

    def change(self, table: ActTable) -> Any:
        """Keep it with the game, and a review with its phases."""
        game, before, after = table.game(self.game), self._before(table), self._value()
        if self.name == "review":
            for phase in self._unjudged(table):
                phase.review = after
        # Without an entry the default holds: of a threshold the site's own, also if that is changed later.
        game.options = with_options(game, **{self.name: after})
        return before

    def event(self, table: ActTable, outcome: Any, letters: int) -> LoggedEvent:
        """The option, both values and the reason."""
        name, before, after = self.name, outcome, self._value()
        if name == "auto_score":
            name, before, after = "lines_without_a_look", threshold_words(before), threshold_words(after)
        return LoggedEvent(Event.OPTION_CHANGED, self.game, {
            "option": name, "from": before, "to": after, "why": self.reason})

    def _before(self, table: ActTable) -> Any:
        return getattr(options_of(table.game(self.game)), self.name, None)

    def _value(self) -> Any:
        try:
            value = option_from_text(self.name, self.text)
        except OptionFault as fault:
            raise Refused(f"Nothing was changed: {fault}.") from fault
        if self.name == "auto_score" and value not in THRESHOLDS:
            raise Refused("Nothing was changed: there is no such threshold.")
        usual: dict[str, Any] = {"review": ReviewMode.NONE, **dict.fromkeys(YES_OR_NO, False)}
        return usual.get(self.name) if value is None else value

    def _unjudged(self, table: ActTable) -> list[PhaseRow]:
        return [phase for phase in phases(table.session, self.game)
                if phase.state not in {PhaseState.READY, PhaseState.SENT}]
