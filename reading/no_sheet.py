"""Whether a page that was read is a page of orders at all (ARR-03): a logo, a letterhead or an empty form is
none. Lexical and visual only: no board and no position is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from rapidfuzz.distance import OSA

from grammar.headings.sheet import SheetHeading
from grammar.headings.sheet_code import OWN_WORDS
from grammar.order_starts import OrderStarts
from grammar.respellings import has_order_word

HARDLY_READ = 0.75
"""Score, 0..1, of a line below which it may be anything. By hand: bad writing of orders is taken for orders
all the same."""
LEAST_FIELDS = 2
"""Fields of a heading that make a page a sheet: many a letterhead has the name of a power or
a season. By hand."""
OWN_LIKENESS = 0.85
"""Likeness, 0..1, from which a line is one of our own words in type. By hand."""
_SHORT_ORDER = re.compile(r"^\W*[AF]\b|[A-Za-z)]\s*[-–—→>]+\s*[A-Za-z(]")
"""A sign of the short style: a unit's letter, or a dash between two names."""


class PageKind(Enum):
    """What a page is. SHEET: it may have orders. OURS: a picture of a letter of ours. BLANK: a printed sheet
    with nothing written on it. OTHER: it has no heading, no code, and no line that may be an order."""

    SHEET = "sheet"
    OURS = "ours"
    BLANK = "blank"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """A line of a page: its text, how surely it was read (0..1), whether it is part of the heading, and
    whether it was taken for an order."""

    text: str
    score: float
    is_heading: bool
    is_order: bool = False


def kind_of_page(
    lines: Sequence[WrittenLine], heading: SheetHeading, starts: OrderStarts, *, is_form: bool
) -> PageKind:
    """What a page is, by its ink: `heading` as it was read, `starts` how an order begins in its game.
    `is_form`: it is a printed sheet.

    In doubt it is a sheet: a needless one costs a glance, and a sheet that is passed over costs a turn."""
    if any(map(_is_ours, lines)):
        return PageKind.OURS
    below = [line for line in lines if not line.is_heading]
    if is_form:
        # The print gives the heading; whatever else is on the paper its sender wrote.
        return PageKind.SHEET if below else PageKind.BLANK
    # "All units hold", alone on a page, is taken for a heading, since nothing is above it.
    below += [line for line in lines if line.is_heading and has_order_word(line.text, starts)]
    if _names_a_phase(heading) or any(_may_be_order(line, starts) for line in below):
        return PageKind.SHEET
    return PageKind.OTHER


def _is_ours(line: WrittenLine) -> bool:
    return any(OSA.normalized_similarity(line.text, words) >= OWN_LIKENESS for words in OWN_WORDS)


def _names_a_phase(heading: SheetHeading) -> bool:
    fields = (heading.game, heading.power, heading.season, heading.kind, heading.requested_version)
    return sum(field is not None for field in fields) >= LEAST_FIELDS or heading.is_partial


def _may_be_order(line: WrittenLine, starts: OrderStarts) -> bool:
    """Whether a line may be an order: it was taken for one, it has a word or a sign of one, or it is hardly
    read, so that it may be anything."""
    has_sign = _SHORT_ORDER.search(line.text) is not None or starts.looks_like_order(line.text)
    return line.is_order or line.score < HARDLY_READ or has_order_word(line.text, starts) or has_sign
