"""The faults of a board's files: every fault is a value that shows where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adjudicator.errors import UserFacingError


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One mistake in a board. `file` is its name in the folder, `row` the line of that file as an editor
    counts it (1 is the heading) or 0 where the fault belongs to the file as a whole, `message` one
    sentence."""

    file: str
    row: int
    message: str

    def __str__(self) -> str:
        where = f"{self.file}, row {self.row}" if self.row else self.file
        return f"{where}: {self.message}"


class MapError(UserFacingError):
    """A board that cannot be used. `faults` are all of them, not the first; the text names each on its own
    line."""

    def __init__(self, board: str, faults: Iterable[Fault]) -> None:
        self.board = board
        self.faults = tuple(faults)
        lines = "\n".join(f"  {fault}" for fault in self.faults)
        super().__init__(f"the board {board} has {len(self.faults)} fault(s):\n{lines}")


class NoSuchBoard(MapError):
    """There is no board of this name; the sentence names those there are, and the nearest."""

    def __init__(self, board: str, known: Sequence[str]) -> None:
        names = ", ".join(known)
        super().__init__(board, [Fault(board, 0, f"there is no such board; there are {names}")])
        near = difflib.get_close_matches(board.casefold(), known, 1, 0.6)
        offer = f" Did you mean {near[0]}?" if near else ""
        self.args = (f"There is no board {board}.{offer} The boards are {names}.",)


class Faults:
    """A growing list of faults for one folder."""

    def __init__(self) -> None:
        self._found: list[Fault] = []

    def add(self, file: str, row: int, message: str) -> None:
        """Note one fault."""
        self._found.append(Fault(file, row, message))

    def all(self) -> tuple[Fault, ...]:
        """Everything found so far, by file and row."""
        # One mistake may be met on several ways; it is reported once.
        return tuple(sorted(dict.fromkeys(self._found)))
