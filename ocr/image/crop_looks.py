"""A row's ink as its crop, kept so that its letters can be looked at as pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ocr.image.letter_shape import letter_shape
from ocr.image.letter_view import ViewedRow
from ocr.page import Image, LetterShape, RowLetters


@dataclass(frozen=True, slots=True, eq=False)
class CropLooks:
    """The looks of one row's crop."""

    crop: Image

    def letter_shape(self, before: float, start: float, end: float, after: float) -> LetterShape | None:
        """See `RowLooks`."""
        return letter_shape(self.crop, before, start, end, after)

    def row_letters(self, middles: Sequence[float], spacing: float) -> RowLetters:
        """See `RowLooks`."""
        return ViewedRow(self.crop, middles, spacing)
