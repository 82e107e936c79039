"""A correction of the same misreading is offered again on the same sheet (desk plan, "Equal and doubtful
readings").

The same hand writes a word the same way, and the machine misreads it the same way: once a person has
corrected it on a sheet ("Easdale" to "Eskdale"), the next line of that sheet with the same misreading gets
the same correction as its first offer. This decides nothing; it is one more reading, and the page shows where
it comes from. It uses words only, never the board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from service.desk.queries import WorkLine
from service.games.lines import ranked_readings
from service.store.tables import LineState

Understand = Callable[[str], str | None]
"""Canonical text of the order that these words make, or None."""


@dataclass(frozen=True, slots=True)
class Echo:
    """A reading taken from another line of the sheet: its `text`, canonical `order` or None, the name of that
    line ("line 5") in `like`. `number`: which of the machine's readings it is (1 is the best), 0 for none."""

    text: str
    order: str | None
    like: str
    number: int


@dataclass(frozen=True, slots=True)
class _Correction:
    """Words the machine read, what a person corrected them to, and the name of that line."""

    read: tuple[str, ...]
    meant_words: tuple[str, ...]
    like: str


def echo(work: WorkLine, sheet: Iterable[WorkLine], understand: Understand) -> Echo | None:
    """The offer that a line gets from lines of its own sheet that a person has read, or None."""
    if not work.line.candidates or not work.line.needs_a_person:
        return None
    best = _best(work.line.candidates)
    for correction in _corrections(other for other in sheet if other.line.id != work.line.id):
        corrected = _replaced(best.split(), correction)
        if corrected is not None:
            return _as_offer(" ".join(corrected), work.line.candidates, correction.like, understand)
    return None


def _corrections(sheet: Iterable[WorkLine]) -> list[_Correction]:
    """People's corrections on a sheet, the longest misreadings first."""
    corrections: list[_Correction] = []
    for other in sheet:
        line = other.line
        # Only a person's decision is an example; what the machine was sure of corrects no person.
        if line.state is not LineState.READ or line.by is None or line.order is None or not line.candidates:
            continue
        machine_words, corrected_words = _best(line.candidates).split(), line.order.split()
        # Words that were only added or left out are not misreadings of the same marks.
        corrections += [
            _Correction(tuple(machine_words[a:b]), tuple(corrected_words[c:d]), other.place.name)
            for change, a, b, c, d in SequenceMatcher(
                None, machine_words, corrected_words, autojunk=False).get_opcodes()
            if change == "replace" and b > a and d > c
        ]
    return sorted(corrections, key=lambda correction: -len(correction.read))


def _best(candidates: Sequence[dict[str, Any]]) -> str:
    # The order, not the words of the hand: "Army" for "A" is not a misreading of the same marks.
    best = ranked_readings(candidates)[0][1]
    return str(best["order"] or best["text"])


def _replaced(words: Sequence[str], correction: _Correction) -> list[str] | None:
    size = len(correction.read)
    start = next(
        (n for n in range(len(words) - size + 1) if tuple(words[n : n + size]) == correction.read), None
    )
    return None if start is None else [*words[:start], *correction.meant_words, *words[start + size:]]


def _as_offer(
    text: str, candidates: Sequence[dict[str, Any]], like: str, understand: Understand
) -> Echo | None:
    order = understand(text)
    # A correction that makes no order here was for other words; it is not offered.
    if order is None:
        return None
    number = next((n for n, c in enumerate(candidates, start=1) if c["order"] == order), 0)
    return Echo(text, order, like, number)
