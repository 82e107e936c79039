"""Whether the rows found on a sheet are writing at all, by how well they read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ocr.page import Row

LEAST_LETTERS = 5
"""Fewer letters than this on a whole sheet are eyes, knots and buttons taken for writing."""

FEW_LETTERS = 25
"""A sheet with fewer letters than this has not even a heading and one order ..."""

FEW_TRUST = 0.85
"""... and is a sheet only if they read this well: knots in wood and blurred words read worse."""

LISTED_ROWS, LISTED_LETTERS, ROW_WORDS = 5, 60, 1.5
"""A list has this many rows that begin below one another, this many letters, and this many words a row, which
notes on staves have not ..."""

BELOW = 0.03
"""... where rows begin below one another that are no farther apart than this share of the sheet's width, and
..."""

LISTED_TRUST = 0.4
"""... is writing even if it reads as badly as this: a cramped and hasty hand that any person makes out scored
0.55."""


def sheet_trust(rows: Sequence[Row]) -> float:
    """How well the rows read, 0..1, longer ones counting more; 0 where there are hardly any letters."""
    length = sum(len(row.text) for row in rows)
    return sum(row.score * len(row.text) for row in rows) / length if _letters(rows) >= LEAST_LETTERS else 0.0


def required_trust(rows: Sequence[Row], usual: float, *, clear: bool) -> float:
    """The trust, 0..1, from which rows are writing. `usual`: for rows of which nothing else is known.
    `clear`: nothing is wrong with the photograph, so that a list that reads badly is one in a bad hand, which
    is for a person and not to be sent again."""
    if _letters(rows) < FEW_LETTERS:
        return FEW_TRUST
    return min(usual, LISTED_TRUST) if clear and _listed(rows) else usual


def _listed(rows: Sequence[Row]) -> bool:
    written = [row.left for row in rows if len(row.text) > 1]
    words = sum(len(row.text.split()) for row in rows)
    if len(written) < LISTED_ROWS or _letters(rows) < LISTED_LETTERS or words < ROW_WORDS * len(rows):
        return False
    return int((np.abs(np.array(written) - np.median(written)) <= BELOW).sum()) >= max(
        LISTED_ROWS, 0.6 * len(written)
    )


def _letters(rows: Sequence[Row]) -> int:
    return sum(c.isalpha() for row in rows for c in row.text)
