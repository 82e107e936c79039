"""The heading of a page by its ink: rows decoded inside the automaton of headings, read as text where that
explains them better than free letters.

Lexical only: the games' names, powers and seasons, and nothing of what stands on the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from grammar.headings.automaton import heading_automaton
from grammar.headings.sheet import MAX_HEADING_LINES, SheetHeading, parse_sheet_heading
from grammar.headings.values import KnownGame
from ocr.decoding.alignment import best_free_path
from ocr.decoding.decoder import Decoder
from ocr.page import ReadLine
from reading.decode import align_best, best_text, opinions

PLAIN = 0.9
"""Nats a letter by which a row must beat free letters to be plainly a heading; at most `decoding.LETTER` can
be had."""
LIKELY = 2.3
"""Nats by which a row must beat free letters to be taken for a heading where nothing else tells: odds of ten
to one. "string" is Spring by less than one."""

_FIELDS = ("game", "power", "season", "year", "kind")


@dataclass(frozen=True, slots=True)
class DecodedHeadingRow:
    """One row as a heading. `text`: what was written, in the ink's own case. `gain`: nats by which it beats
    free letters, above 0. `letters`: how many free reading shows."""

    text: str
    gain: float
    letters: int

    @property
    def plain(self) -> bool:
        """Does it fit so well that nothing else need be tried?"""
        return self.gain >= PLAIN * self.letters

    @property
    def likely(self) -> bool:
        """Is it much rather a heading than other words?"""
        return self.gain >= LIKELY


def inked_heading(line: ReadLine, games: Sequence[KnownGame]) -> DecodedHeadingRow | None:
    """A row as a heading; None where it is rather none, or has no posteriors."""
    seen = opinions(line)
    if not seen:
        return None
    decoder = heading_decoder(tuple(games))
    found = best_text(decoder, seen)
    if found is None or found[1] <= 0:
        return None
    return DecodedHeadingRow(
        align_best(decoder, seen, found[0]).text, found[1],
        max(best_free_path(decoder, each)[1] for each in seen)
    )


@lru_cache(maxsize=8)
def heading_decoder(games: tuple[KnownGame, ...]) -> Decoder:
    """The decoder of some games' headings; made once and kept."""
    return Decoder(heading_automaton(games))


def read_heading(
    lines: Sequence[ReadLine], inked: Sequence[DecodedHeadingRow | None], games: Sequence[KnownGame]
) -> SheetHeading:
    """The heading that the first lines of a page say, `inked` beside them. What the ink says counts, and is
    sure only where free letters say the same."""
    top = lines[:MAX_HEADING_LINES]
    free = parse_sheet_heading([line.text for line in top], games)
    texts = [line.text if ink is None else ink.text for line, ink in zip(top, inked, strict=False)]
    found = parse_sheet_heading([*texts, *(line.text for line in top[len(texts) :])], games)
    unsure = {field for field in _FIELDS if getattr(found, field) is not None and (
        getattr(free, field) != getattr(found, field) or field in free.unsure)}
    return replace(found, unsure=frozenset(unsure))


def same_digits(one: str, other: str) -> bool:
    """Do two readings of a row hold the same figures? A version or year that only one of them has is not
    clearly read."""
    return [c for c in one if c.isdigit()] == [c for c in other if c.isdigit()]
