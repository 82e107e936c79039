"""A game that is played phase by phase."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from adjudicator.calendar import Phase
from galloper import saved_games
from galloper.boards import Board
from galloper.errors import GameOverError, SavedGameError
from galloper.orders import Order
from galloper.played_phase import Difference, PlayedPhase
from galloper.positions import Position, Resolution, SheetLike

_LOT_NUMBERS = 2**32
"""Numbers that a lot is drawn from: 0 up to this, without it."""


class Game:
    """A game: its position, the orders given for the phase in play, and the phases that were judged.

    `start` is a board or its name, for the board's opening position, or any position. `name` is free text.
    """

    def __init__(self, start: str | Board | Position, name: str = "") -> None:
        # Any position will do: a study begins in the middle of a game.
        self._position = start if isinstance(start, Position) else Position.opening(start)
        self._sheets: dict[str, tuple[Order, ...]] = {}
        self._phases: list[PlayedPhase] = []
        self.name = name

    # What there is

    @property
    def board(self) -> Board:
        """The board of the game."""
        return self._position.board

    @property
    def position(self) -> Position:
        """The position now."""
        return self._position

    @property
    def phase(self) -> Phase:
        """The phase that is judged next."""
        return self._position.phase

    @property
    def phases(self) -> tuple[PlayedPhase, ...]:
        """The phases that were judged, in order."""
        return tuple(self._phases)

    @property
    def orders(self) -> Mapping[str, tuple[Order, ...]]:
        """The orders of each power that has given any for the phase in play."""
        # In the board's order of powers and not in that of arrival, so that equal games save as equal files.
        return MappingProxyType({power: self._sheets[power] for power in self.board.powers
                                 if power in self._sheets})

    @property
    def winners(self) -> tuple[str, ...]:
        """The power that has won, or the powers that won together; empty while the game goes on."""
        return self._phases[-1].resolution.winners if self._phases else ()

    @property
    def is_over(self) -> bool:
        """True if a person has won, or the rules ended the game as a draw."""
        return bool(self._phases) and self._phases[-1].resolution.ends_game

    # What one does

    def set_orders(self, power: str, orders: SheetLike) -> tuple[Order, ...]:
        """Give the orders of a power, in place of those it gave before, as a later sheet replaces an earlier
        one: a text with an order a line, or a list of texts, JSON objects and values. Returns them as values.

        Raises OrderError, BoardError or MissingLibraryError; the earlier orders then stay.
        """
        # Read before anything is replaced: a faulty sheet leaves the earlier one in force.
        author = self.board.power(power)
        self._sheets[author] = self._position.read_orders(author, orders)
        return self._sheets[author]

    def clear_orders(self, power: str | None = None) -> None:
        """Take back the orders of a power, or of all. Raises BoardError for an unknown power."""
        if power is None:
            self._sheets.clear()
        else:
            self._sheets.pop(self.board.power(power), None)

    def judge(self, lots: Sequence[int] | None = None) -> Resolution:
        """Judge the phase in play and go on to the next. Units without an order hold.

        `lots` as in `Position.judge`; without them, they are drawn by the machine's source of chance. The
        numbers used are saved with the game. Raises GameOverError and LotsError.
        """
        if self.is_over:
            raise GameOverError(f"The game is over after {self._phases[-1].position.phase}; there is nothing "
                                f"to judge. undo() takes that phase back.")
        # More numbers than any phase draws. Those that were used are stored, and `replay` draws them again.
        tape = self._fresh_lots() if lots is None else tuple(lots)
        orders = self._given_orders()
        resolution = self._position.judge(orders, tape)
        self._phases.append(
            PlayedPhase(self._position, orders, tape[:resolution.lots_used], resolution))
        self._position = resolution.position
        self._sheets.clear()
        return resolution

    def undo(self) -> PlayedPhase:
        """Take back the last judged phase: its position and its orders are in play again. Raises IndexError
        if no phase was judged."""
        played = self._phases.pop()
        self._position = played.position
        self._give(played.orders)
        return played

    def replay(self) -> tuple[Difference, ...]:
        """Judge every phase again from its own position, orders and lots; each field in which the judge now
        states something else. Empty if all is the same."""
        return tuple(difference for number, played in enumerate(self._phases, 1)
                     for difference in played.judge_again(number))

    # There and back

    def to_json(self) -> dict[str, Any]:
        """The whole game as JSON, for docs/schemas/saved-game.json."""
        return saved_games.write_game(self._saved())

    @classmethod
    def from_json(cls, data: Any) -> Game:
        """The game in JSON; inverse of `to_json`. Every field is checked, and nothing is judged again: that
        is `replay`. Raises SavedGameError, which names the field at fault."""
        saved = saved_games.read_game(data)
        game = cls(saved.position, saved.name)
        game._phases = list(saved.phases)
        game._give(saved.orders)
        return game

    def save(self, path: str | PathLike[str]) -> None:
        """Write the game to a file of JSON. A file that is there is replaced only when the new one is
        complete. Raises OSError as any writing does."""
        file = Path(path)
        # A disk that fills up in the middle of writing must not cost the game that was saved before.
        part = file.with_name(f"{file.name}.part")
        part.write_text(saved_games.json_text(self._saved()), "utf-8")
        part.replace(file)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Game:
        """The game in a file that `save` wrote. Raises SavedGameError, which begins with the file's name, and
        OSError."""
        file = Path(path)
        try:
            return cls.from_json(saved_games.parse_json(file.read_bytes()))
        except SavedGameError as fault:
            raise SavedGameError(f"{file.name}: {fault}") from fault

    def _saved(self) -> saved_games.SavedGame:
        return saved_games.SavedGame(
            self.board, self.name, self.phases, self._position, self._given_orders())

    def _given_orders(self) -> tuple[Order, ...]:
        return tuple(order for sheet in self.orders.values() for order in sheet)

    def _give(self, orders: Iterable[Order]) -> None:
        self._sheets.clear()
        for order in orders:
            self._sheets[order.power] = (*self._sheets.get(order.power, ()), order)

    def _fresh_lots(self) -> tuple[int, ...]:
        # Not `random`, whose next numbers can be distinguished from earlier ones: a player might order by
        # them.
        return tuple(secrets.randbelow(_LOT_NUMBERS) for _ in range(self.board.inner.rules.LOTS))

    def __str__(self) -> str:
        return f"{self.name or self.board.title}\n{self._position}"

    def __repr__(self) -> str:
        state = "over" if self.is_over else str(self.phase)
        count = len(self._phases)
        return f"<Game {self.board.name}: {state}, {count} phase{'' if count == 1 else 's'} judged>"
