"""Chance as an argument: a tape of whole numbers, given, and recorded as it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lots:
    """A tape of draws. A draw among n things takes the next number modulo n; `used` counts the numbers taken.

    Values, not a generator: `draw` gives the index and the tape that remains, so the same tape replays the
    same result. Raises IndexError when the tape is empty, which is our own fault: the caller must hand in
    enough.
    """

    tape: Sequence[int] = ()
    used: int = 0

    def draw(self, among: int) -> tuple[int, Lots]:
        """Index 0..among-1 of the thing drawn, and the tape after it. Raises ValueError for an empty
        choice."""
        if among < 1:
            raise ValueError("a draw needs at least one thing to choose from")
        if self.used >= len(self.tape):
            raise IndexError(f"the tape of lots holds {len(self.tape)} numbers and all are used")
        return self.tape[self.used] % among, Lots(self.tape, self.used + 1)
