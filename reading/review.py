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

import numpy as np

from grammar.interpret import (
    ends_condition,
    ends_name,
    has_doubt,
    is_open_condition,
    is_separate_condition,
    may_be_order_fragment,
)
from grammar.lexicon import POWER, Lexicon, name_key
from grammar.order_starts import order_starts
from grammar.order_traits import counts_otherwise, ends_in_help
from grammar.remarks import is_harmless
from ocr.decoding.confidence import ConfidenceTable, Features, default_table
from ocr.decoding.open_reasons import OpenReason
from ocr.decoding.review_gate import (
    are_kinds_doubtful,
    is_crossed_out,
    is_surely_crossed_out,
    leaves_kinds_out,
    open_reasons,
)
from ocr.page import ReadLine
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

KNOWN_MISFIT = 1.1
"""Nats a letter, at most: `word_misfit_mean` of a line that waited for an unknown name and is read again.
Well within the threshold of the gate."""

SHARED_HEIGHT = 0.35
"""Share of a word's height, 0..1, from which it is in another line's row. By hand: boxes of separate rows
share 0.1 to 0.2."""

INDENTED = 0.75
"""Heights of a row by which it begins to the right of the one above, from which it may be its end. By hand:
of 1,200 lines of writers for calibration that pass, two wrong ones have such a row below them, by 0.9 and 1.1
heights, and one right one, by 0.7."""

SCRAP, FEW_WORDS = 0.7, 2
"""Lengths of a line, 0..1, below which a row beside it may hold no more than a word of it, and the most words
of such a row that is crossed out. By hand: of 666 right lines of writers for calibration that pass none has
such a row beside it."""

FAR_RIGHT = 6.0
"""Heights of a row beyond which it is rather a word by itself at the end of the row above. By hand."""

END_WORDS = 7
"""The most words of a row that may be whereto the row above it moves: "To the reader: mark every one as
certain" is longer. By hand: "to Les Abers & Point de Corsen" has seven of them."""

LIKELY = 0.7
"""Confidence, 0..1, from which an order without its unit's kind is rather one of its own than the end of the
line above. By hand."""

_ENDS_IN_CONVERTS = re.compile(r"\bconverts?\W*$", re.IGNORECASE)
# The end of a condition, whose beginning may be misread or rows above.
_ENDS_IN_THEN = re.compile(r"\bthen\W*$", re.IGNORECASE)
# A possessive, plain or with its apostrophe read twice, before a word.
_OWNER = re.compile(r"^\W*(?:the\s+)?\w+['’]+s?\s+\w", re.IGNORECASE)
_HELPS = re.compile(r" [SC] ")
_HELPS_BY_LETTER = re.compile(r"\s[SC]\s", re.IGNORECASE)
# A supported unit that holds, without its kind.
_HELPS_KINDLESS = re.compile(r" [SC] (?![AF] )(?!.* - )")
_AFTER_UNIT = re.compile(r" (?:[SCHR]|-|converts|disbands)(?: |$)")
# What only the end of a support says, in a row that is a move by itself.
_MOVING = re.compile(r"\b(?:moving|going|entering|attacking)\b", re.IGNORECASE)
_SUPPORTS = re.compile(r"\bsupports?\b", re.IGNORECASE)
_HOLDS_ITSELF = re.compile(r"\b(?:h|holds?|stands?(?: fast)?)\W*$", re.IGNORECASE)
# What an order ends with, at the beginning of a row of its own.
_BEGINS_AS_END = re.compile(
    r"^\W*(?:to|into|towards|via|moving|going|entering|in attacking)\s", re.IGNORECASE)
# A stroke or two that no word is, before an order; but a list may have dashes or stars.
_BEGINS_WITH_SIGN = re.compile(r"^[^\w\s(\-–—*•·]+\s+\w")
_SAYS_WHERETO = re.compile(r"\b(?:to|into|moves?|attacks?|enters?)\b|[-–—>→]", re.IGNORECASE)
_ATTACKS = re.compile(r"\battack(?:s|ed|ing)\b", re.IGNORECASE)
_NEVER_HELPED = re.compile(r" proxy | R | disbands$|^(?:Build|Remove|Send) ")


@dataclass(frozen=True, slots=True)
class ReviewLimits:
    """The site's settings for lines that pass without a person. `score`: least confidence, 0..1. `margin`:
    least distance of a text's next different order, in letters."""

    score: float = 0.8
    margin: float = 1.3

    @property
    def text_score(self) -> float:
        """Least score, 0..1, of a text whose ink was not decoded inside the grammar."""
        return max(self.score, CLEARLY_READ)


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
    """The line, opened if the one before may be its beginning or its condition, the next one its end, or
    either a word inserted above it; and if its own number and word do not agree."""
    if line.status is not LineState.AUTO:
        return line
    if counts_otherwise(line.text):
        line = line.for_review(OpenReason.ODD_ORDER)
    # "If Hamilton attacks Fleet The Lennox then" is no order, and "Fleet The Lennox holds" below it is none
    # that may be taken: on a composed sheet it was.
    is_conditional = (
        before is not None and not before.struck and before.status is LineState.OPEN
        and (_opens_condition(before, lexicon) or _ENDS_IN_THEN.search(before.text) is not None
             or _is_attack_on(before, line))
    )
    is_owners = _may_end_in_owner(line, after, lexicon) or (
        before is not None and (_may_end_in_owner(before, line, lexicon) or _goes_on_in_owner(before, line))
    )
    # "... if it is empty" below an order is its end.
    goes_on = after is not None and (
        _hangs_below(after, line)
        or (not after.struck and _may_be_end(after, lexicon) and not _may_sign(after, line, lexicon))
        or _goes_on_in_name(line, after, lexicon)
    )
    is_parted = any(
        upper is not None and lower is not None and _may_part_name(upper, lower, lexicon)
        for upper, lower in ((before, line), (line, after))
    )
    has_word_over_it = any(
        _is_in_row_of(other, line) or _is_struck_scrap(other, line, lexicon) for other in (before, after)
    )
    if has_word_over_it or _is_word_above(before, line, lexicon):
        line = line.for_review(OpenReason.INSERTED)
    is_doubtful = (_may_begin(before, line) or is_conditional or is_owners or goes_on or is_parted
                   or _ends_support(line, before) or _ends_support(after, line))
    return line.for_review(OpenReason.NEIGHBOUR) if is_doubtful else line


def review_confusable_writers(
    line: InterpretedLine, hand: Sequence[Features], table: ConfidenceTable
) -> InterpretedLine:
    """The line, opened if its sheet's hand makes A and F alike and the order hangs on it. `hand`: features of
    the sheet's live lines."""
    if line.status is not LineState.AUTO or line.features is None:
        return line
    is_doubtful = are_kinds_doubtful(line.features, hand, table.thresholds)
    return line.for_review(OpenReason.UNIT_LETTER) if is_doubtful else line


def pass_kindless(lines: Sequence[InterpretedLine]) -> tuple[InterpretedLine, ...]:
    """The lines of a sheet, those let pass that wait for nothing but a word for their units, on a sheet whose
    writer leaves it out: "Kent to Surrey" (DATC 4.C.1)."""
    # By itself such a line may be the end of the one above it: "Army Essex supports", and "Kent to Surrey".
    orders = [line for line in lines if line.order is not None and not line.struck]
    kindless = [line for line in orders if line.why_open == (OpenReason.UNIT_LETTER,)
                and line.features is not None and line.features.is_kindless]
    if len(kindless) < max(LEAST_KINDLESS, KINDLESS * len(orders)):
        return tuple(lines)
    settled = [
        line in kindless or line.status is not LineState.OPEN or line.kind == "heading" for line in lines]
    return tuple(
        replace(line, status=LineState.AUTO, why_open=()) if line in kindless and is_settled_above else line
        for is_settled_above, line in zip([True, *settled], lines, strict=False))


def leave_kinds_out(lines: Sequence[InterpretedLine], table: ConfidenceTable) -> tuple[InterpretedLine, ...]:
    """The lines of a sheet, their orders without the kinds of units that the ink leaves in doubt."""
    hand = [line.features for line in lines if line.features is not None and not line.struck]
    return tuple(
        line.leave_kinds_out()
        if line.features is not None and leaves_kinds_out(line.features, hand, table.thresholds) else line
        for line in lines)


def _may_begin(above: InterpretedLine | None, line: InterpretedLine) -> bool:
    """True if the line above may be the beginning of the order of `line`."""
    if above is None or above.kind != "order" or above.struck or _is_complete(line):
        return False
    if above.order is None:
        return True
    # A row that ends in "Fleet Tees Bay convoys" reads like a conversion, and the row below like a whole
    # order.
    return above.status is LineState.OPEN and (
        _ENDS_IN_CONVERTS.search(above.text) is not None
        or _ENDS_IN_CONVERTS.search(above.order) is not None
        or ends_in_help(above.text) or _is_cut_short(above) or _lacks_verb(above)
        or _BEGINS_WITH_SIGN.match(line.text) is not None
    )


def _opens_condition(line: InterpretedLine, lexicon: Lexicon) -> bool:
    """True if a line begins a condition and gives no order of its own."""
    # "then Army Mar holds" ends one.
    return is_open_condition(line.text, lexicon) and not (
        line.order is not None and ends_condition(line.text))


def _is_in_row_of(word: InterpretedLine | None, line: InterpretedLine) -> bool:
    """True if a line that is no order may be a word inserted above `line`: it is in its row."""
    # "Bristol" passed with "Channel" inserted above its end, since the word was found as a row of its own.
    if word is None or word.struck or word.kind != "other" or word.status is not LineState.OPEN:
        return False
    corners, others = np.array(line.box), np.array(word.box)
    along, down = corners[1] - corners[0], corners[3] - corners[0]
    width, height = max(1.0, float(np.linalg.norm(along))), max(1.0, float(np.linalg.norm(down)))
    # In the line's own frame: pixels along its upper edge, and down from it.
    xs, ys = (others - corners[0]) @ along / width, (others - corners[0]) @ down / height
    shared = min(height, float(ys[2:].mean())) - max(0.0, float(ys[:2].mean()))
    word_height = max(1.0, float(ys[2:].mean() - ys[:2].mean()))
    return bool(shared > SHARED_HEIGHT * word_height and xs.min() < width + height and xs.max() > -height)


def _ends_support(line: InterpretedLine | None, above: InterpretedLine | None) -> bool:
    """True if a line may be the end of a support that the line above begins."""
    # "... supports the Ormond's", and below it "Fleet Portland moving to Cork": the second passed as
    # a move. "supports Newcastle's", with its end lost, and "Fleet Carlow is attacking Berkshire": both did.
    if line is None or above is None or line.struck or above.struck or line.order is None:
        return False
    is_support = _SUPPORTS.search(above.text) is not None or (
        above.order is not None and _HELPS.search(above.order) is not None)
    return is_support and _MOVING.search(line.text) is not None and _HELPS.search(line.order) is None


def _is_struck_scrap(scrap: InterpretedLine | None, line: InterpretedLine, lexicon: Lexicon) -> bool:
    """True if a short row beside `line` is crossed out, and holds words of names or has a word put in
    above."""
    # "Army Nottingham Castle enters Dover Castle" passed with a "Castle" left over, put in above a word that
    # was crossed out in a row of its own.
    if scrap is None or not scrap.struck or _length(scrap) >= SCRAP * _length(line):
        return False
    return OpenReason.INSERTED in scrap.why_open or (
        len(scrap.text.split()) <= FEW_WORDS and not _begins_order(scrap.text, lexicon)
        and may_be_order_fragment(scrap.text, lexicon)
    )


def _is_word_above(word: InterpretedLine | None, line: InterpretedLine, lexicon: Lexicon) -> bool:
    """True if a short row above `line`, to the right of its beginning, may be a word put in there."""
    # "County", put in above "Waterford" in a row of its own.
    if word is None or word.struck or word.kind != "other" or word.status is not LineState.OPEN:
        return False
    return (
        _length(word) < SCRAP * _length(line) and _indent(word, line) >= INDENTED
        and not _begins_order(word.text, lexicon) and may_be_order_fragment(word.text, lexicon)
    )


def _begins_order(text: str, lexicon: Lexicon) -> bool:
    starts = order_starts(lexicon, ())
    return starts.looks_like_order(text) or starts.begins_short_order(text)


def _length(line: InterpretedLine) -> float:
    """Length of a line's box, in pixels."""
    return float(np.linalg.norm(np.subtract(line.box[1], line.box[0])))


def _indent(line: InterpretedLine, other: InterpretedLine) -> float:
    """How far right of `other` a line begins, in its own heights."""
    corners, begin = np.array(other.box), np.array(line.box)
    along = corners[1] - corners[0]
    height = float(np.linalg.norm(begin[3] - begin[0]))
    return float((begin[0] - corners[0]) @ along) / max(1.0, float(np.linalg.norm(along))) / max(1.0, height)


def _hangs_below(line: InterpretedLine, above: InterpretedLine) -> bool:
    """True if a line begins to the right of the one above, and no reading of it passes."""
    # "F Dunnottar moves to Sutherland", and indented below it "unless Protectorate is there", read as a
    # support; "into Dogger." below a support, read as crossed out: each time the first line passed alone.
    if line.status is not LineState.OPEN:
        return False
    return INDENTED <= _indent(line, above) <= FAR_RIGHT


def _may_sign(line: InterpretedLine, above: InterpretedLine, lexicon: Lexicon) -> bool:
    """True if a line is a power's name, and the order above it says all without it."""
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
    if line.kind == "order":
        names = _place_names(lexicon)
        is_kindless = line.order is not None and line.order.startswith(names)
        # "Castlebar h", a unit's letter lost, has its own verb, and so has "Knapdale S A Montrose".
        has_verb = _HOLDS_ITSELF.search(line.text) is not None or (
            line.order is not None and _HELPS.search(line.order) is not None)
        # "Sea Area into Shropshire" was, hardly, one of Scarborough Castle that supports.
        is_own = has_verb and line.confidence >= LIKELY and not has_doubt(line.text, lexicon)
        # "to County Limerick." below a support: a unit's letter was guessed into it.
        begins_as_end = (
            _BEGINS_AS_END.match(line.text) is not None and len(line.text.split()) <= END_WORDS)
        return line.status is LineState.OPEN and (begins_as_end or (is_kindless and not is_own))
    return (
        line.kind == "other"
        and may_be_order_fragment(line.text, lexicon)
        and not is_separate_condition(line.text, lexicon)
    )


@lru_cache(maxsize=8)
def _place_names(lexicon: Lexicon) -> tuple[str, ...]:
    """The names of all provinces: canonical text of an order begins with one if its unit has no kind."""
    return tuple(province.name for province in lexicon.board.provinces.values())


def _goes_on_in_name(line: InterpretedLine, after: InterpretedLine, lexicon: Lexicon) -> bool:
    """True if the next line, an order that waits, begins with the word that ends the name at the end of this
    one."""
    # "A Nfk S F Hebrides Sea", and below it "Area - Plymouth Sea Area", read as an order of "A Rea".
    words = after.text.split()
    return (
        after.kind == "order" and after.status is LineState.OPEN and not after.struck and bool(words)
        and ends_name(line.text, words[0], lexicon)
    )


def _may_part_name(upper: InterpretedLine, lower: InterpretedLine, lexicon: Lexicon) -> bool:
    """True if two orders may have a place's name between them, parted at an "&" that was read as a unit."""
    # "Army Galway supports Army Westmeath", and below it "& Longford to Ludlow Castle", read as a fleet's.
    first, *rest = lower.text.split() or [""]
    if upper.kind != "order" or lower.kind != "order" or upper.struck or lower.struck or len(first) != 1:
        return False
    return any(
        ends_name(upper.text, " ".join(["&", *rest[:count]]), lexicon) for count in range(1, len(rest))
    )


def _may_end_in_owner(line: InterpretedLine, below: InterpretedLine | None, lexicon: Lexicon) -> bool:
    """True if a unit of the line below may be the one that a line supports, and the name at its end, which is
    a province's, that of the power who owns it."""
    # "Army Glamorgan supports the Montrose", and below it "Army Stirling to Cunninghame": each was taken as
    # an order of its own, and neither was written.
    return (
        line.order is not None and not line.struck and line.order.endswith(_supported_owners(lexicon))
        and below is not None and below.kind == "order" and not below.struck and below.order is not None
        and not below.order.startswith(_place_names(lexicon))
    )


def _goes_on_in_owner(before: InterpretedLine, line: InterpretedLine) -> bool:
    """True if a line begins with the owner of a unit, "Newcastle's Army Windsor Castle to Banffshire", and
    the one before may be the order that supports or convoys it."""
    # "Army Cowal supports the", read as Chester by its code: the row below passed as an order of its own.
    return _OWNER.match(line.text) is not None and before.kind == "order" and not before.struck and (
        before.order is None or (
            _HELPS.search(before.order) is not None
            # What is surely read and says whereto says all: "... supports Army Mull moving to Raglan Castle".
            and not (before.confidence >= CLEARLY_READ and " - " in before.order)
        )
    )


@lru_cache(maxsize=8)
def _supported_owners(lexicon: Lexicon) -> tuple[str, ...]:
    """How canonical orders end that support a unit without its kind in a province that is named like a
    power."""
    powers = {name.words for name in lexicon.names if name.terminal == POWER}
    return tuple(f" S {name}" for name in _place_names(lexicon) if name_key(name) in powers)


def _is_cut_short(line: InterpretedLine) -> bool:
    """True if the unit or move that a line supports or convoys may be in the next line: its name is badly
    written."""
    # One that says whereto has its unit.
    return (line.features is not None and line.features.word_misfit_mean >= BAD_NAME
            and line.order is not None and _HELPS.search(line.order) is not None and " - " not in line.order)


def _lacks_verb(line: InterpretedLine) -> bool:
    """True if an order lacks what its unit does, or names the unit that it supports without its kind: the
    rest may be in the next line."""
    # Above "> A Rad - Wicklow", whose ">" was an S, "F Dublin and Caernarfon Bays"; and "Fleet Rockall supp
    # ork", read as a support of Orkney, above "Army Carrickfergus Castle to Hampshire".
    if line.order is None:
        return False
    # "Army Kilkenny moves to Venice", which is nowhere, was a hold at best.
    if _HOLDS_ITSELF.search(line.text) is not None or _SAYS_WHERETO.search(line.text) is not None:
        return False
    # "A Sgo S Lat" is how a writer of codes shortens.
    is_kindless = _HELPS_KINDLESS.search(line.order) is not None
    return line.order.endswith(" H") or (is_kindless and _HELPS_BY_LETTER.search(line.text) is None)


def _is_attack_on(above: InterpretedLine, line: InterpretedLine) -> bool:
    """True if the line above speaks of an attack on the unit of `line`: it may be a condition."""
    # "If The Crown attacks Fleet Caerlaverock then", read as "f The Crom attacks ... the)".
    if line.order is None or above.order is None or _ATTACKS.search(above.text) is None:
        return False
    _, _, place = _AFTER_UNIT.split(line.order, maxsplit=1)[0].partition(" ")
    return above.order.endswith(f" - {place}")


def _is_complete(line: InterpretedLine) -> bool:
    """True for an order that no other order ends with."""
    # A supported or convoyed unit only holds or moves, so no order ends in a support or a convoy.
    if line.order is None:
        return False
    return (_HELPS.search(line.order) or _NEVER_HELPED.search(line.order)) is not None
