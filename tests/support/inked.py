"""Rows of ink without a picture: posteriors that show a text letter by letter, as a recogniser would give
them."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence

import numpy as np

from ocr.layout.wrap import as_line
from ocr.page import Box, Page, Posteriors, Row, Strike

LETTERS = string.ascii_letters + string.digits + " -/()&,.:'"
SURE = 0.98
UNTOUCHED = Strike()


def ink(text: str, also: Mapping[int, str] | None = None) -> Posteriors:
    """A frame a letter with a blank after each. `also`: by place in the text a letter that the ink shows half
    as much."""
    rest = (1 - SURE) / len(LETTERS)
    chances = np.full((2 * len(text), len(LETTERS) + 1), rest)
    # Every second frame is CTC's blank: without one between them two equal letters would be read as one.
    chances[1::2, 0] = SURE
    for index, letter in enumerate(text):
        second = (also or {}).get(index)
        column = LETTERS.index(letter) + 1
        chances[2 * index, column] = SURE if second is None else SURE * 2 / 3
        if second is not None:
            chances[2 * index, LETTERS.index(second) + 1] = SURE / 3
    return Posteriors(np.log(chances).astype(np.float32), LETTERS)


def row(
    text: str,
    number: int = 0,
    also: Mapping[int, str] | None = None,
    *,
    right: float = 0.6,
    indent: float = 0.0,
    strike: Strike = UNTOUCHED,
) -> Row:
    """One row, 60 pixels below the one before; a row without text is one that no engine could read."""
    top = 100.0 + 60.0 * number
    box = Box(((50, top), (700, top), (700, top + 40), (50, top + 40)))
    posteriors = ink(text, also) if text else ink(" ")
    return Row(box, text, 0.99 if text else 0.0, 0.1, right, indent, strike, (), posteriors)


def page(texts: Sequence[str | Row]) -> Page:
    """A page of rows, one a line."""
    rows = [row(text, number) if isinstance(text, str) else text for number, text in enumerate(texts)]
    return Page(1, 0, 0.0, tuple(as_line([ink_row]) for ink_row in rows))
