"""Games in the formats of other programs: the package `diplomacy`, jDip, and test cases (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path

from adjudicator.formats import forms
from adjudicator.formats.classic import is_idle
from adjudicator.formats.game_log import MAX_BYTES, FormatFault, GameLog, LoggedPhase
from adjudicator.formats.judge_again import check, with_results
from galloper.boards import Board, as_board
from galloper.errors import FormatError
from galloper.games import Game
from galloper.orders import Order
from galloper.positions import Position
from maps.game_board import game_board

FORMATS = tuple(str(form) for form in forms.Format)
"""The formats of `export_game`."""


@dataclass(frozen=True, slots=True)
class ExportedGame:
    """A game in another format. `data` are the bytes of the file, `left_out` states in a sentence each what
    the format cannot hold, and `notes` what else its reader should know."""

    data: bytes = field(repr=False)
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedPhase:
    """One phase of a file: the position before it and everybody's orders. `unread` are orders that could not
    be read, as "FRANCE: A PAR X". The last phase of a game is the board as it is, without orders."""

    position: Position
    orders: tuple[Order, ...] = field(repr=False)
    unread: tuple[str, ...] = ()


class ImportedGame:
    """A game that another program saved, as its file states; nothing is judged yet.

    `compare` judges it phase by phase, and `play` makes a `Game` of it.
    """

    __slots__ = ("board", "inner")

    def __init__(self, board: Board, inner: GameLog) -> None:
        self.board = board
        self.inner = inner

    @property
    def name(self) -> str:
        """The game's name in the file, or the case's."""
        return self.inner.name

    @property
    def faults(self) -> tuple[str, ...]:
        """Why a game of the file could not be read; it has no phases then."""
        return self.inner.faults

    @property
    def phases(self) -> tuple[ImportedPhase, ...]:
        """The phases of the file, in order."""
        return tuple(
            ImportedPhase(
                Position(self.board, phase.position),
                tuple(Order(self.board, order) for order in phase.orders), phase.unread)
            for phase in self.inner.phases)

    def compare(self) -> tuple[str, ...]:
        """Judge every phase again from the file's own position and orders. A sentence for each phase after
        which the file's next position is another, or whose orders could not all be read; empty if all is
        the same."""
        return (*self.faults, *self._differences())

    def play(self) -> Game:
        """The game, judged phase by phase by Galloper's judge. Raises FormatError if the judge comes to
        another position than the file; the sentence shows where."""
        # A game that goes on from another position than its file states would be a third game, that of no
        # person.
        differences = self.compare()
        if differences:
            raise FormatError(f"{self.name}: the game cannot be played as in its file. {differences[0]}")
        if not self.inner.phases:
            raise FormatError(f"{self.name}: there is no phase in it.")
        game = Game(Position(self.board, self.inner.phases[0].position), self.name)
        for phase in self.inner.phases[:-1]:
            self._pass_over(game, phase)
            for order in phase.orders:
                before = game.orders.get(order.power, ())
                game.set_orders(order.power, [*before, Order(self.board, order)])
            # Files of other programs have no lots; boards whose rules draw them are not held by any.
            game.judge(phase.lots or None)
        # A case ends right after its phase, and has nothing of the next.
        if not game.is_over and len(self.inner.phases) > 1 and not self._is_case():
            self._pass_over(game, self.inner.phases[-1])
        return game

    def _is_case(self) -> bool:
        return self.inner.phases[-1].position.phase == self.inner.phases[-2].position.phase

    def _pass_over(self, game: Game, phase: LoggedPhase) -> None:
        """Judge phases without orders that other programs leave out, up to the phase given."""
        board = game_board(self.board.inner)
        while game.phase != phase.position.phase and is_idle(board, game.position.inner):
            game.judge()

    def _differences(self) -> Iterator[str]:
        for judged in check(game_board(self.board.inner), self.inner):
            sentences = (*judged.differences, *(f"an order cannot be read: {text}" for text in judged.unread))
            if sentences:
                yield f"{judged.phase}: {'; '.join(sentences)}."

    def __repr__(self) -> str:
        count = len(self.inner.phases)
        return f"<ImportedGame {self.name!r} on {self.board.name}: {count} phase{'' if count == 1 else 's'}>"


def import_games(
    file: str | PathLike[str] | bytes, *, board: str | Board = "standard"
) -> tuple[ImportedGame, ...]:
    """The games in a file of `diplomacy`, of jDip or of jDip's test cases, whose format is recognized.

    `file` is a file's name, or its bytes. Raises FormatError, which names line, phase or case, and
    BoardError. A single case that is faulty spoils itself only: see `ImportedGame.faults`.
    """
    games_board = as_board(board)
    data = _bytes_of(file)
    try:
        read = forms.READERS.get(forms.recognized(data))
        logs = () if read is None else read(game_board(games_board.inner), data)
    except FormatFault as fault:
        raise FormatError(str(fault)) from fault
    if read is None:
        raise FormatError("These are single cases of galloper adjudicate; Position.from_json reads one.")
    return tuple(ImportedGame(games_board, log) for log in logs)


def export_game(
    game: Game, path: str | PathLike[str] | None = None, *, form: str, lossy: bool = False
) -> ExportedGame:
    """A game for another program, written to `path` if there is one.

    `form` is one of "diplomacy", "jdip", "datc" and "cases" (docs/formats.md). Every phase is judged again,
    because these formats have more of a result than a game stores. What the format cannot hold is refused
    with FormatError; with `lossy` it is left out, and the answer shows what. Raises OSError if the file
    cannot be written.
    """
    if form not in FORMATS:
        raise FormatError(f"There is no format {form!r}; there are {', '.join(FORMATS)}.")
    inner_board = game_board(game.board.inner)
    played = [
        LoggedPhase(phase.position.inner, tuple(order.inner for order in phase.orders), lots=phase.lots)
        for phase in game.phases
    ]
    log = GameLog(game.name or game.board.title, game.board.name,
                  (*played, LoggedPhase(game.position.inner)), game.is_over)
    try:
        written = forms.write_log(
            inner_board, with_results(inner_board, log), forms.Format(form), lossy=lossy)
    except FormatFault as fault:
        # The judge's formats speak to the command line.
        raise FormatError(str(fault).replace("--lossy", "lossy=True")) from fault
    if path is not None:
        Path(path).write_bytes(written.data)
    return ExportedGame(written.data, written.left_out, written.notes)


def _bytes_of(file: str | PathLike[str] | bytes) -> bytes:
    if isinstance(file, bytes):
        data = file
    else:
        path = Path(fspath(file))
        try:
            with path.open("rb") as opened:
                data = opened.read(MAX_BYTES + 1)
        except OSError as error:
            raise FormatError(f"{path} cannot be read ({error.strerror}); check the name.") from error
    if len(data) > MAX_BYTES:
        raise FormatError(f"The file has more than the {MAX_BYTES:,} bytes allowed for a saved game; it was "
                          "not read.")
    return data
