"""The heading of a page by its ink: rows decoded inside the automaton of headings, where that explains them
better than free letters.

Lexical only: the games' names, powers and seasons, and nothing of the position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from grammar.headings.automaton import heading_automaton
from grammar.headings.sheet import MAX_HEADING_LINES, SheetHeading, parse_sheet_heading
from grammar.headings.values import KnownGame
from grammar.order_starts import OrderStarts
from ocr.decoding.alignment import best_free_path
from ocr.decoding.decoder import Decoder, Text
from ocr.page import Posteriors, ReadLine
from reading.decode import align_best, best_text, opinions

CERTAIN = 0.9
"""Nats a letter, 0..1.3 (`decode.FREE_LETTER`), by which a row must beat free letters to be certainly a
heading. By hand on the sample sheets."""

# On a shopping list "string" beat free letters as Spring by less than 1.
LIKELY = 2.3
"""Nats by which a row must beat free letters to be a heading if nothing else shows it: odds of ten to one."""

_FIELDS = ("game", "power", "season", "year", "kind")


@dataclass(frozen=True, slots=True)
class DecodedHeadingRow:
    """One row as a heading. `text`: as written, in the ink's own case. `gain`: nats, above 0, by which it
    beats free letters. `letters`: how many free reading shows."""

    text: str
    gain: float
    letters: int

    @property
    def is_certain(self) -> bool:
        """True if it fits so well that nothing else is tried."""
        return self.gain >= CERTAIN * self.letters

    @property
    def is_likely(self) -> bool:
        """True if it is much rather a heading than other words."""
        return self.gain >= LIKELY


def decode_heading_rows(
    rows: Sequence[ReadLine], games: Sequence[KnownGame], starts: OrderStarts
) -> dict[int, DecodedHeadingRow]:
    """The rows at the top of a page that read as a heading, by their index: at most MAX_HEADING_LINES, and
    none from the first row on that begins like an order."""
    top = list(takewhile(lambda row: not starts.looks_like_order(row.text), rows[:MAX_HEADING_LINES]))
    inks, decoder = [opinions(row) for row in top], heading_decoder(tuple(games))
    texts = iter(decoder.decode_rows([posteriors for ink in inks for posteriors in ink]))
    decoded = [_heading_row(ink, [next(texts) for _ in ink], decoder) for ink in inks]
    return {index: row for index, row in enumerate(decoded) if row is not None}


def _heading_row(
    ink: Sequence[Posteriors], texts: Sequence[tuple[Text, ...]], decoder: Decoder
) -> DecodedHeadingRow | None:
    best = best_text(decoder, ink, texts) if ink else None
    if best is None or best[1] <= 0:
        return None
    text, gain = best
    letters = max(best_free_path(decoder, posteriors)[1] for posteriors in ink)
    return DecodedHeadingRow(align_best(decoder, ink, text).text, gain, letters)


@lru_cache(maxsize=8)
def heading_decoder(games: tuple[KnownGame, ...]) -> Decoder:
    """The decoder of some games' headings, made once and cached."""
    return Decoder(heading_automaton(games))


def read_heading(
    lines: Sequence[ReadLine], rows: Sequence[DecodedHeadingRow | None], games: Sequence[KnownGame]
) -> SheetHeading:
    """The heading in the first lines of a page. `rows`: the first of these lines as headings, None for
    others."""
    # What the ink states counts, and is sure only where free letters say the same.
    top = lines[:MAX_HEADING_LINES]
    free = parse_sheet_heading([line.text for line in top], games)
    texts = [line.text if row is None else row.text for line, row in zip(top, rows, strict=False)]
    heading = parse_sheet_heading([*texts, *(line.text for line in top[len(texts) :])], games)
    unsure = {field for field in _FIELDS if getattr(heading, field) is not None and (
        getattr(free, field) != getattr(heading, field) or field in free.unsure)}
    return replace(heading, unsure=frozenset(unsure))


def same_digits(text: str, other: str) -> bool:
    """True if two readings of a row have the same digits."""
    # A version or year that only one of them has is not clearly read.
    return [letter for letter in text if letter.isdigit()] == [letter for letter in other if letter.isdigit()]
