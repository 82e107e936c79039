"""The kind of a unit that is ticked beside a line of a printed sheet (LET-12): ticked or written, both are
read, and a tick that says otherwise than the line is for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from grammar.order_starts import OrderStarts
from ocr.decoding.open_reasons import OpenReason
from ocr.page import Posteriors, Row, Strike
from reading.line import InterpretedLine

_KINDS = frozenset({"A", "F"})
_FRAMES = 4  # frames that a ticked letter takes: the letter, a blank, the space after it, a blank
_SURE = 0.999
"""Chance, 0..1, of a ticked letter. By hand: as sure as the recogniser is of a clear one."""


def read_tick(row: Row, starts: OrderStarts) -> Row:
    """The row as if the letter that is ticked beside it were written before it; as it is without a tick, and
    where it begins like an order already."""
    if row.tick not in _KINDS or not row.text or starts.looks_like_order(row.text):
        return row
    return replace(
        row, text=f"{row.tick} {row.text}", posteriors=_with_letter(row.posteriors, row.tick),
        alternatives=tuple(
            replace(other, text=f"{row.tick} {other.text}",
                    posteriors=_with_letter(other.posteriors, row.tick)) for other in row.alternatives),
        strike=_moved(row.strike, row.posteriors))


def with_tick(line: InterpretedLine, rows: Sequence[Row]) -> InterpretedLine:
    """The line, for a person if what is ticked beside the first of its rows is not the kind that it names:
    another one, both boxes, or a tick beside an order that names no unit."""
    tick = rows[0].tick if rows else ""
    if not tick or line.kind != "order" or line.struck:
        return line
    written = _kind_of(line.order)
    if tick in _KINDS and written == "":
        return replace(
            line, order=f"{tick} {line.order}",
            candidates=tuple(_ticked(candidate, tick) for candidate in line.candidates))
    return line if written == tick else line.for_review(OpenReason.UNIT_LETTER)


def _with_letter(posteriors: Posteriors | None, letter: str) -> Posteriors | None:
    if posteriors is None or letter not in posteriors.letters or " " not in posteriors.letters:
        return posteriors
    width = posteriors.log_probs.shape[1]
    frames = np.full((_FRAMES, width), (1 - _SURE) / (width - 1), np.float32)
    columns = (posteriors.letters.index(letter) + 1, 0, posteriors.letters.index(" ") + 1, 0)
    frames[range(_FRAMES), columns] = _SURE
    return Posteriors(np.vstack([np.log(frames), posteriors.log_probs]), posteriors.letters)


def _moved(strike: Strike, posteriors: Posteriors | None) -> Strike:
    """The places of struck words as shares of the longer row."""
    if posteriors is None or not strike.words:
        return strike
    count = int(posteriors.log_probs.shape[0])

    def place(share: float) -> float:
        return (share * count + _FRAMES) / (count + _FRAMES)

    words = (replace(word, left=place(word.left), right=place(word.right)) for word in strike.words)
    return Strike(strike.score, tuple(words))


def _kind_of(order: str | None) -> str | None:
    """The kind that a canonical order begins with, "" where it begins with a place, None without an order."""
    if order is None or order.startswith(("Build ", "Remove ", "Send ")):
        return None
    first, _, rest = order.partition(" ")
    return first if rest and len(first) <= 3 and first.replace("/", "").isupper() else ""


def _ticked(candidate: Mapping[str, object], tick: str) -> dict[str, object]:
    order = candidate.get("order")
    if isinstance(order, str) and _kind_of(order) == "":
        return {**candidate, "order": f"{tick} {order}"}
    return dict(candidate)
