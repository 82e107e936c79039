"""Acts that end a game: a draw or a concession declared, and a draw that all survivors ask for on their
sheets agreed on (BEY-03, BEY-04, Q-30)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import update

from service.facts.events import Event
from service.games import draw_votes
from service.games.acts.act import CANNOT_WRITE, ActTable, LoggedEvent, ReasonedAct
from service.games.ending import DECLARED, EndKind, GameEnd, is_over
from service.games.options import options_of, with_options
from service.games.refused import Refused
from service.store import records
from service.store.tables import PhaseRow, PhaseState


@dataclass(frozen=True, slots=True)
class DeclareEnd(ReasonedAct[PhaseRow]):
    """Ends a game by a draw or a concession; every player gets a letter. No phase takes orders any more; the
    sheets of a phase in play are stored and never judged.

    The outcome is the last phase whose results were sent.
    """

    game: str
    kind: str
    powers: tuple[str, ...]
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse another end than a draw or a concession, before results or with a phase at the desk, and
        powers that do not fit."""
        if self.kind not in {kind.value for kind in DECLARED}:
            raise Refused("Nothing was changed: choose a draw or a concession.")
        rows = records.phases(table.session, table.game(self.game).id)
        if is_over(rows):
            raise Refused("Nothing was changed: the game is over already.")
        if not any(row.state == PhaseState.SENT and row.resolution is not None for row in rows):
            raise Refused("Nothing was changed: no results were sent yet.")
        if any(row.state in {PhaseState.CLOSED, PhaseState.READY} for row in rows):
            raise Refused("Nothing was changed: a phase is at the desk. Send its results first.")
        known, powers = table.load(table.game(self.game).variant).powers, self.end.powers
        if not powers or any(power not in known for power in powers):
            raise Refused("Nothing was changed: choose the powers that share the draw or won by concession.")
        if self.end.kind is EndKind.CONCESSION and len(powers) > 1:
            raise Refused("Nothing was changed: the others concede to one power.")

    def change(self, table: ActTable) -> PhaseRow:
        """Close every phase, and keep the end with the game."""
        game, end = table.game(self.game), self.end
        sent = [row for row in records.phases(table.session, game.id)
                if row.state == PhaseState.SENT and row.resolution is not None]
        table.session.execute(
            update(PhaseRow).where(PhaseRow.game_id == game.id, PhaseRow.state != PhaseState.SENT)
            .values(state=PhaseState.SENT))
        game.options = with_options(
            game, ended={"kind": end.kind.value, "powers": list(end.powers), "why": end.why})
        return sent[-1]

    def event(self, table: ActTable, outcome: PhaseRow, letters: int) -> LoggedEvent:
        """The end as an option that was changed: an act that both checkers know (C13)."""
        return LoggedEvent(Event.OPTION_CHANGED, self.game,
                     {"option": "ended", "from": False, "to": self.end.kind.value, "why": self.reason})

    def letters(self, table: ActTable, outcome: PhaseRow) -> int:
        """One to each address of each player."""
        if table.circulars is None:
            return 0
        return table.circulars.game_ended(table.session, table.game(self.game), self.end, outcome)

    @property
    def end(self) -> GameEnd:
        """How the game ends, each power once."""
        return GameEnd(EndKind(self.kind), tuple(dict.fromkeys(self.powers)), self.reason)


@dataclass(frozen=True, slots=True)
class AgreeOnDraw(ReasonedAct[tuple[str, ...]]):
    """Lets a game end in a draw with the results of a phase, which all survivors ask for on their sheets of
    its season (Q-30). The outcome is the powers that share it."""

    game: str
    phase: int
    why: str

    def check(self, table: ActTable) -> None:
        """Refuse a draw that is not open, or that a survivor does not ask for."""
        game = table.game(self.game)
        votes = draw_votes.votes(table.session, table.phase(self.game, self.phase))
        if votes is None:
            raise Refused("Nothing was changed: no draw is open, or this phase is not judged or is sent.")
        if votes.missing or table.circulars is None:
            names = table.load(game.variant).powers
            missing = CANNOT_WRITE if table.circulars is None else ", ".join(
                names[power].name for power in votes.missing)
            raise Refused(f"Nothing was changed: not every survivor requests the draw on a sheet of this "
                          f"season. Missing: {missing}.")
        if options_of(game).draw_agreed == table.phase(self.game, self.phase).ordinal:
            raise Refused("Nothing was changed: the draw is agreed already.")

    def change(self, table: ActTable) -> tuple[str, ...]:
        """Keep the agreement with the game."""
        game, phase = table.game(self.game), table.phase(self.game, self.phase)
        votes = draw_votes.votes(table.session, phase)
        game.options = with_options(game, draw_agreed=phase.ordinal)
        return () if votes is None else votes.open_to

    def event(self, table: ActTable, outcome: tuple[str, ...], letters: int) -> LoggedEvent:
        """The agreement as an option that was changed, and the reason."""
        return LoggedEvent(Event.OPTION_CHANGED, self.game,
                     {"option": "draw_agreed", "from": False, "to": True, "why": self.reason})

    def letters(self, table: ActTable, outcome: tuple[str, ...]) -> int:
        """One to each player."""
        return table.must_write().draw_agreed(
            table.session, table.phase(self.game, self.phase), outcome)
