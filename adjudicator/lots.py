"""Chance as an argument: a tape of whole numbers that is handed in, and recorded as far as it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class TapeTooShortError(IndexError):
    """A lot must be drawn, and all numbers of the tape are used."""


@dataclass(frozen=True, slots=True)
class Lots:
    """A tape of numbers for draws; `used` counts the numbers taken.

    A value, not a generator: `draw` returns the tape that remains, so that the same tape gives the same game.
    """

    tape: Sequence[int] = ()
    used: int = 0

    def draw(self, count: int) -> tuple[int, Lots]:
        """The index drawn, 0 to count - 1 (the next number modulo count), and the tape after it.

        Raises ValueError for an empty choice, and TapeTooShortError at the end of the tape; both are our own
        faults.
        """
        if count < 1:
            raise ValueError("a draw needs at least one thing to choose from")
        if self.used >= len(self.tape):
            raise TapeTooShortError(f"the tape of lots holds {len(self.tape)} numbers and all are used")
        return self.tape[self.used] % count, Lots(self.tape, self.used + 1)
