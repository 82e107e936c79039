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


def put_in(
    row: Row, text: str, shown: str, span_of: Callable[[Posteriors], Span | None],
    ink: Posteriors | None = None,
) -> Row:
    """The row with a text in its ink, and `shown` for its own. As it is where an engine without posteriors
    read it, or sees no such span. `ink`: what the text repeats, as doubtful as it was there."""
    span = None if row.posteriors is None else span_of(row.posteriors)
    if row.posteriors is None or span is None:
        return row
    spans = [(other, span_of(other.posteriors)) for other in row.alternatives if other.posteriors is not None]
    posteriors, count = _with_text(row.posteriors, text, span, ink), len(row.posteriors.log_probs)
    return replace(
        row, text=" ".join(shown.split()), posteriors=posteriors,
        alternatives=tuple(
            replace(other, text=" ".join(shown.split()),
                    posteriors=_with_text(other.posteriors, text, place, ink))
            for other, place in spans if other.posteriors is not None and place is not None),
        strike=_moved(row.strike, count, len(posteriors.log_probs) - count, span),
        # Another look at the ink does not show it.
        looks=None)


def _with_text(posteriors: Posteriors, text: str, span: Span, ink: Posteriors | None) -> Posteriors:
    """Posteriors with a text in the place of a span, a blank behind each of its letters; its first letter as
    in `ink`, if that is of the same letters."""
    width = posteriors.log_probs.shape[1]
    columns = [column for letter in text for column in (posteriors.letters.index(letter) + 1, 0)]
    frames = np.full((len(columns), width), (1 - SURE) / (width - 1), np.float32)
    frames[range(len(columns)), columns] = SURE
    put = np.log(frames)
    if ink is not None and ink.letters == posteriors.letters:
        put = np.vstack([ink.log_probs, put[2:]])
    parts = [posteriors.log_probs[: span[0]], put, posteriors.log_probs[span[1]:]]
    return Posteriors(np.vstack(parts), posteriors.letters)


def _moved(strike: Strike, count: int, more: int, span: Span) -> Strike:
    """The places of struck words as shares of the row of `count` frames with `more` at a span."""
    def place(share: float) -> float:
        return (share * count + (more if share * count >= span[0] else 0)) / (count + more)

    words = (replace(word, left=place(word.left), right=place(word.right)) for word in strike.words)
    return Strike(strike.score, tuple(words))
