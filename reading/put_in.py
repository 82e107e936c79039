"""A text put into a row's ink, as surely read: what a ticked box or the layout of a sheet states there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from ocr.page import Posteriors, Row, Strike

SURE = 0.999
"""Chance, 0..1, of a letter that is put in. By hand: as sure as the recogniser is of a clear one."""

Span: TypeAlias = tuple[int, int]
"""Frames that a text takes the place of: the first, and the first behind them; none where both are
the same."""


def put_in(row: Row, text: str, shown: str, span_of: Callable[[Posteriors], Span | None]) -> Row:
    """The row with a text in its ink, and `shown` for its own. As it is where an engine without posteriors
    read it, or sees no such span."""
    span = None if row.posteriors is None else span_of(row.posteriors)
    if row.posteriors is None or span is None:
        return row
    spans = [(other, span_of(other.posteriors)) for other in row.alternatives if other.posteriors is not None]
    return replace(
        row, text=" ".join(shown.split()), posteriors=_with_text(row.posteriors, text, span),
        alternatives=tuple(
            replace(other, text=" ".join(shown.split()), posteriors=_with_text(other.posteriors, text, place))
            for other, place in spans if other.posteriors is not None and place is not None),
        strike=_moved(row.strike, len(row.posteriors.log_probs), text, span),
        # Another look at the ink does not show it.
        looks=None)


def _with_text(posteriors: Posteriors, text: str, span: Span) -> Posteriors:
    """Posteriors with a text in the place of a span, a blank behind each of its letters."""
    width = posteriors.log_probs.shape[1]
    columns = [column for letter in text for column in (posteriors.letters.index(letter) + 1, 0)]
    frames = np.full((len(columns), width), (1 - SURE) / (width - 1), np.float32)
    frames[range(len(columns)), columns] = SURE
    parts = [posteriors.log_probs[: span[0]], np.log(frames), posteriors.log_probs[span[1]:]]
    return Posteriors(np.vstack(parts), posteriors.letters)


def _moved(strike: Strike, count: int, text: str, span: Span) -> Strike:
    """The places of struck words as shares of the row of `count` frames with the text in it."""
    more = 2 * len(text) - (span[1] - span[0])

    def place(share: float) -> float:
        return (share * count + (more if share * count >= span[0] else 0)) / (count + more)

    words = (replace(word, left=place(word.left), right=place(word.right)) for word in strike.words)
    return Strike(strike.score, tuple(words))
