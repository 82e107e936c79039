"""Which lines a person must look at: by the site's limits, the line's neighbours, and the hand of its sheet.

The thresholds on a line's own ink are in `ocr.decoding.review_gate`. No rule here takes a line away from a
person.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from grammar.interpret import (
    ends_condition,
    ends_name,
    has_doubt,
    is_open_condition,
    is_separate_condition,
    may_be_order_fragment,
)
from grammar.lexicon import Lexicon
from grammar.order_traits import breaks_off, counts_otherwise, ends_in_help, has_verb
from grammar.remarks import is_harmless
from ocr.decoding.confidence import ConfidenceTable, Features, default_table
from ocr.decoding.open_reasons import OpenReason
from ocr.decoding.review_gate import is_crossed_out, is_surely_crossed_out, open_reasons
from ocr.layout.wrap import INDENT
from ocr.page import Box, ReadLine
from reading.line import InterpretedLine
from reading.status import LineState

LEAST_KINDLESS, KINDLESS = 3, 0.5
"""Orders without a word for their unit, and share of all orders of a sheet, 0..1, from which its writer
leaves it out. By hand."""

CLEARLY_READ = 0.93
"""Least score, 0..1, of a text that passes without a person though its ink was not decoded inside the
grammar. By hand."""

# "A Che H", the shortest order, is 2.5 heights or longer. A shorter box was a short order with a word
# inserted above it, read as a letter with a wave through it.
SHORT = 2.0
"""Length of a row's box, in its heights, below which it is too short for any order. By hand."""

BAD_NAME = 3.0
"""Nats lost a letter in a word, from which it is rather another word, or none. By hand, after two composed
sheets, seed 1009."""

END_WORDS = 7
"""The most words of a row that may be whereto the row above it moves: "To the reader: mark every one as
certain" is longer. By hand: "to Les Abers & Point de Corsen" has seven of them."""

GUESSED_KIND = 4.3
"""Nats to the same order with other kinds, below which a unit's letter may be guessed into a line. By
hand."""

LIKELY = 0.7
"""Confidence, 0..1, from which an order without its unit's kind is rather one of its own than the end of the
line above. By hand."""

# The end of a condition, whose beginning may be misread or rows above.
_ENDS_IN_THEN = re.compile(r"\bthen\W*$", re.IGNORECASE)
_HELPS = re.compile(r" [SC] ")
_HOLDS_ITSELF = re.compile(r"\b(?:h|holds?|stands?(?: fast)?)\W*$", re.IGNORECASE)
# What an order ends with, at the beginning of its own row.
_BEGINS_AS_END = re.compile(
    r"^\W*(?:to|into|towards|via|moving|going|entering|in attacking)\s", re.IGNORECASE)
_NEVER_HELPED = re.compile(r" proxy | R | disbands$|^(?:Build|Remove|Send) ")


@dataclass(frozen=True, slots=True)
class ReviewLimits:
    """The site's settings for lines that pass without a person. `score`: least confidence, 0..1. `margin`:
    least distance of a text's next different order, in letters."""

    score: float = 0.8
    margin: float = 1.3

    def is_plain(self, score: float) -> bool:
        """True for the score, 0..1, of a text that is plainly read though its ink was not decoded inside the
        grammar."""
        return score >= max(self.score, CLEARLY_READ)


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """What decides if a person must look at a line: the site's limits and the fitted table."""

    limits: ReviewLimits = ReviewLimits()
    table: ConfidenceTable = field(default_factory=default_table)

    def is_crossed_out(self, line: ReadLine, uncertainty: float = math.inf) -> bool:
        """True if the line is crossed out and no order. `uncertainty`: of the recogniser's letters, nats a
        frame, where it read them."""
        return is_crossed_out(line.strike, self.table.thresholds, uncertainty)

    def crossed_out_state(self, line: ReadLine) -> LineState:
        """The state of a crossed-out line: open if only a part may be out, if a word was inserted, or if the
        box is hardly longer than high."""
        is_short = max(row.box.width for row in line.rows) < SHORT * max(row.box.height for row in line.rows)
        has_insert = any(row.inserted for row in line.rows)
        is_surely_out = (
            is_surely_crossed_out(line.strike, self.table.thresholds) and not is_short and not has_insert
        )
        return LineState.NOT_ORDER if is_surely_out else LineState.OPEN

    def crossed_out_reasons(self, line: ReadLine) -> tuple[OpenReason, ...]:
        """Why a line that is crossed out is open, if it is."""
        has_insert = any(row.inserted for row in line.rows)
        return (OpenReason.CROSSED_OUT, *((OpenReason.INSERTED,) if has_insert else ()))

    def open_reasons(
        self, line: ReadLine, features: Features, confidence: float
    ) -> tuple[OpenReason, ...]:
        """Why a decoded line waits for a person, by its own ink and rows; empty for one that passes."""
        reasons = list(open_reasons(features, confidence, self.table.thresholds))
        if confidence < self.limits.score and OpenReason.UNSURE not in reasons:
            reasons.append(OpenReason.UNSURE)
        # A row at the edge of the sheet may lack letters; an inserted word is safe only in a plain
        # correction.
        if any(row.cut_off for row in line.rows):
            reasons.append(OpenReason.CUT_OFF)
        if any(row.runs_on for row in line.rows):
            reasons.append(OpenReason.RUNS_ON)
        words = [word for row in line.rows for word in row.inserted]
        if words and (not features.is_corrected or any(word.cut_off for word in words)):
            reasons.append(OpenReason.INSERTED)
        return tuple(reasons)


def review_uncertain_neighbours(
    line: InterpretedLine, before: InterpretedLine | None, after: InterpretedLine | None, lexicon: Lexicon
) -> InterpretedLine:
    """The line, opened if the one before may be its beginning or its condition, or the next one its end; and
    if its own number and word do not agree."""
    # "Cumberland" below "A Northampton S A County Waterford -" signs nothing.
    is_end = before is not None and before.status is LineState.OPEN and breaks_off(before.text)
    if line.kind == "other" and line.status is LineState.NOT_ORDER and not line.struck and is_end:
        return line.for_review(OpenReason.NEIGHBOUR)
    if line.status is not LineState.AUTO:
        return line
    if counts_otherwise(line.text):
        line = line.for_review(OpenReason.ODD_ORDER)
    # "If Hamilton attacks Fleet The Lennox then" is not an order, and "Fleet The Lennox holds" below it is
    # none that may be taken: on a composed sheet it was.
    is_conditional = (
        before is not None and not before.struck and before.status is LineState.OPEN
        and (_opens_condition(before, lexicon) or _ENDS_IN_THEN.search(before.text) is not None)
    )
    # "... if it is empty" below an order is its end.
    goes_on = (
        after is not None and not after.struck and _may_be_end(after, lexicon)
        and not _may_sign(after, line, lexicon)
    )
    is_broken = (before is not None and _goes_on_unread(before, line, before)) or (
        after is not None and _goes_on_unread(line, after, after))
    is_doubtful = _may_begin(before, line, lexicon) or is_conditional or goes_on or is_broken
    return line.for_review(OpenReason.NEIGHBOUR) if is_doubtful else line


def pass_kindless(lines: Sequence[InterpretedLine]) -> tuple[InterpretedLine, ...]:
    """The lines of a sheet, those let pass that wait for nothing but a word for their units, on a sheet whose
    writer leaves it out: "Kent to Surrey" (DATC 4.C.1)."""
    # By itself such a line may be the end of the one above it: "Army Essex supports", and "Kent to Surrey".
    orders = [line for line in lines if line.order is not None]
    kindless = [line for line in orders if line.why_open == (OpenReason.UNIT_LETTER,)
                and line.features is not None and line.features.is_kindless]
    if len(kindless) < max(LEAST_KINDLESS, KINDLESS * len(orders)):
        return tuple(lines)
    settled = [
        line in kindless or line.status is not LineState.OPEN or line.kind == "heading" for line in lines]
    return tuple(
        replace(line, status=LineState.AUTO, why_open=()) if line in kindless and is_settled_above else line
        for is_settled_above, line in zip([True, *settled], lines, strict=False))


def _goes_on_unread(above: InterpretedLine, below: InterpretedLine, doubtful: InterpretedLine) -> bool:
    """True if a line is indented below another, as the rest of an order is, and `doubtful`, one of the two,
    was not read well enough to tell."""
    # "Ymoess The clowm is Theee" was "unless The Crown is there", and its order passed without it. Of 1,700
    # right lines that passed two are so next to another.
    if doubtful.kind == "heading" or doubtful.order is not None or doubtful.status is not LineState.OPEN or (
        doubtful.confidence >= CLEARLY_READ
    ):
        return False
    upper, lower = Box(above.box), Box(below.box)
    (left, top), (right, foot) = upper.corners[:2]
    x, y = lower.corners[0]
    indent = ((x - left) * (right - left) + (y - top) * (foot - top)) / max(upper.width, 1.0)
    return INDENT * lower.height <= indent < upper.width


def _may_begin(above: InterpretedLine | None, line: InterpretedLine, lexicon: Lexicon) -> bool:
    """True if the line above may be the beginning of the order of `line`."""
    if above is None or above.kind != "order" or above.struck:
        return False
    # "A Dublin", and "& the Pale S F Exeter - Flanders" below it: no verb makes it hold.
    is_open = above.status is LineState.OPEN
    if is_open and (above.order or "").endswith(" H") and not has_verb(above.text, lexicon):
        return True
    if _is_complete(line):
        return False
    if above.order is None:
        return True
    return is_open and (ends_in_help(above.text) or _is_cut_short(above))


def _opens_condition(line: InterpretedLine, lexicon: Lexicon) -> bool:
    """True if a line begins a condition and gives no order itself."""
    # "then Army Mar holds" ends one.
    return is_open_condition(line.text, lexicon) and not (
        line.order is not None and ends_condition(line.text))


def _may_sign(line: InterpretedLine, above: InterpretedLine, lexicon: Lexicon) -> bool:
    """True if a line is a power's name, and the order above it states all without it."""
    # "Montrose" below "F Hastings & Pevensey R Fla". But "Newcastle" may be whereto the unit moves that the
    # line above supports.
    return (
        above.order is not None and (" - " in above.order or _NEVER_HELPED.search(above.order) is not None)
        and is_harmless(line.text, lexicon) and not ends_name(above.text, line.text, lexicon)
    )


def _may_be_end(line: InterpretedLine, lexicon: Lexicon) -> bool:
    """True if a line may be the end of the one above."""
    # What is left of an order, or an open order without a unit's kind: "Cork unless they come" after "Army
    # Mayo moves to". A condition or a ban with an order of its own speaks of that one.
    if line.kind == "other":
        return may_be_order_fragment(line.text, lexicon) and not is_separate_condition(line.text, lexicon)
    if line.order is None:
        return False
    # "Wigtownshire" below "A Wester Ross s A Limerick -" was for the ink a fleet there that holds.
    is_guessed = line.features is not None and line.features.unit_margin < GUESSED_KIND
    is_kindless = is_guessed or line.order.startswith(_place_names(lexicon))
    # "Castlebar h", a unit's letter lost, has its own verb, and so has "Knapdale S A Montrose".
    has_verb = _HOLDS_ITSELF.search(line.text) is not None or _HELPS.search(line.order) is not None
    # "Sea Area into Shropshire" was, hardly, one of Scarborough Castle that supports.
    is_own = has_verb and line.confidence >= LIKELY and not has_doubt(line.text, lexicon)
    # "to County Limerick." below a support: a unit's letter was guessed into it.
    begins_as_end = _BEGINS_AS_END.match(line.text) is not None and len(line.text.split()) <= END_WORDS
    return line.status is LineState.OPEN and (begins_as_end or (is_kindless and not is_own))


@lru_cache(maxsize=8)
def _place_names(lexicon: Lexicon) -> tuple[str, ...]:
    """The names of all provinces: canonical text of an order begins with one if its unit has no kind."""
    return tuple(province.name for province in lexicon.board.provinces.values())


def _is_cut_short(line: InterpretedLine) -> bool:
    """True if the unit or move that a line supports or convoys may be in the next line: its name is badly
    written."""
    # One that states whereto has its unit.
    return (line.features is not None and line.features.word_misfit >= BAD_NAME
            and line.order is not None and _HELPS.search(line.order) is not None and " - " not in line.order)


def _is_complete(line: InterpretedLine) -> bool:
    """True for an order that no other order ends with."""
    # A supported or convoyed unit only holds or moves, so no order ends in a support or a convoy.
    if line.order is None:
        return False
    return (_HELPS.search(line.order) or _NEVER_HELPED.search(line.order)) is not None
