"""The same ink by the same hand, already decided once, is offered first (desk plan, "Equal and doubtful
readings").

What the eye made of a word stands for its ink: where a person has corrected it once on a sheet ("Easdale" to
"Eskdale"), the next line of that sheet with the same misreading gets the same correction as its first offer.
Nothing is decided by it; it is one more reading among the readings, and the page says where it comes from.
Words only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from service.desk.queries import WorkLine
from service.games.lines import arranged
from service.store.tables import LineState

Understand = Callable[[str], str | None]
"""Canonical text of the order that words make, or None."""


@dataclass(frozen=True, slots=True)
class Echo:
    """A reading as another line of the same sheet was read: its `text`, canonical `order` or None, the number
    of that line, and which of the eye's own readings it is (1 is the best), or 0 for none of them."""

    text: str
    order: str | None
    like: int
    number: int


@dataclass(frozen=True, slots=True)
class _Correction:
    """Words the eye read, and what a person said they are, on the line with this number."""

    read: tuple[str, ...]
    meant: tuple[str, ...]
    like: int


def echo(work: WorkLine, sheet: Iterable[WorkLine], understand: Understand) -> Echo | None:
    """The offer that a line gets from lines of its own sheet that a person has read; None where there is
    none."""
    if not work.line.candidates or not work.line.needs_a_person:
        return None
    best = _best(work.line.candidates)
    for correction in _corrections(other for other in sheet if other.line.id != work.line.id):
        corrected = _replaced(best.split(), correction)
        if corrected is not None:
            return _as_offer(" ".join(corrected), work.line.candidates, correction.like, understand)
    return None


def _corrections(sheet: Iterable[WorkLine]) -> list[_Correction]:
    """What people corrected on a sheet, the longest misreadings first."""
    corrections: list[_Correction] = []
    for other in sheet:
        line = other.line
        if line.state is not LineState.READ or line.by is None or line.order is None or not line.candidates:
            continue
        eye, hand = _best(line.candidates).split(), line.order.split()
        corrections += [
            _Correction(tuple(eye[a:b]), tuple(hand[c:d]), other.number)
            for change, a, b, c, d in SequenceMatcher(None, eye, hand, autojunk=False).get_opcodes()
            if change == "replace" and b > a and d > c
        ]
    return sorted(corrections, key=lambda correction: -len(correction.read))


def _best(candidates: Sequence[dict[str, Any]]) -> str:
    return str(arranged(candidates)[0][1]["text"])


def _replaced(words: Sequence[str], correction: _Correction) -> list[str] | None:
    size = len(correction.read)
    start = next((n for n in range(len(words) - size + 1) if tuple(words[n:n + size]) == correction.read), None)
    return None if start is None else [*words[:start], *correction.meant, *words[start + size:]]


def _as_offer(
    text: str, candidates: Sequence[dict[str, Any]], like: int, understand: Understand
) -> Echo | None:
    order = understand(text)
    if order is None:
        return None
    number = next((n for n, c in enumerate(candidates, start=1) if c["order"] == order), 0)
    return Echo(text, order, like, number)
