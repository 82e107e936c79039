"""Are the rows found on a sheet writing at all? Decided by how well they read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ocr.page import Row

# Tuning values. "By hand": no measurement on record. See also `read.ReadOptions.min_score`.
LEAST_LETTERS = 5
"""Letters, 1..20: fewer on a whole sheet are eyes, knots and buttons taken for writing. By hand."""
FEW_LETTERS = 25  # letters, 10..60: fewer are not even a heading and one order ... By hand, commit 9b92aae
FEW_TRUST = 0.85
"""Trust, 0..1: ... and must read this well: knots in wood and blurred words read worse. Commit 9b92aae."""
# A list of orders. Music has one long word a row and no list (commit df80766).
LISTED_ROWS = 5  # rows, 3..10, that begin below one another, at least ... By hand
LISTED_SHARE = 0.6  # share, 0..1, of the rows with more than one letter that do so ... By hand
BELOW = 0.03
"""Of the sheet's width, 0..0.1: ... where starts no farther from the median are below one another. By
hand."""
LISTED_LETTERS = 60  # letters, 20..200, at least. By hand
ROW_WORDS = 1.5  # words a row, 1..5, at least. By hand
LISTED_TRUST = 0.4
"""Trust, 0..1, from which a list is writing: a cramped, hasty hand that any person can read scored 0.55
(commit fdd7e5b)."""


# A short sheet: a heading and an order, or two orders.
SHORT_ROWS = 2  # rows, 2..4, of at least two words, on paper. By hand
SHORT_LETTERS = 4  # letters, 3..8, of such a row at least. By hand


def sheet_trust(rows: Sequence[Row]) -> float:
    """How well the rows read, 0..1: their scores weighted by length; 0 if there are hardly any letters."""
    length = sum(len(row.text) for row in rows)
    return sum(row.score * len(row.text) for row in rows) / length if _letters(rows) >= LEAST_LETTERS else 0.0


def required_trust(
    rows: Sequence[Row], usual: float, *, photo_is_good: bool, is_on_paper: bool = False
) -> float:
    """The trust, 0..1, from which rows are writing. `usual`: for rows of which nothing else is known.

    `photo_is_good`: nothing is wrong with the photograph. Then a list that reads badly is one in a bad hand,
    which is for a person and must not be asked for again; so are two rows of words on paper (`is_on_paper`:
    the edges of a sheet show). Knots in wood are on no paper, and notes of music are not words.
    """
    if photo_is_good and (_is_list(rows) or (is_on_paper and _is_short_sheet(rows))):
        return min(usual, LISTED_TRUST)
    return FEW_TRUST if _letters(rows) < FEW_LETTERS else usual


def _is_short_sheet(rows: Sequence[Row]) -> bool:
    """True if nearly all rows are of several words, and there are at least two such."""
    worded = [
        row for row in rows
        if len(row.text.split()) > 1 and sum(map(str.isalpha, row.text)) >= SHORT_LETTERS
    ]
    return len(worded) >= max(SHORT_ROWS, len(rows) / 2)


def _is_list(rows: Sequence[Row]) -> bool:
    starts = [row.left for row in rows if len(row.text) > 1]
    words = sum(len(row.text.split()) for row in rows)
    if len(starts) < LISTED_ROWS or _letters(rows) < LISTED_LETTERS or words < ROW_WORDS * len(rows):
        return False
    aligned = int((np.abs(np.array(starts) - np.median(starts)) <= BELOW).sum())
    return aligned >= max(LISTED_ROWS, LISTED_SHARE * len(starts))


def _letters(rows: Sequence[Row]) -> int:
    return sum(character.isalpha() for row in rows for character in row.text)
