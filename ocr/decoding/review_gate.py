"""The gate: which decoded lines pass without a person, by their own ink, and which rows are crossed out.

Every rule only sends a line to a person. A line that looks worse in any feature is never trusted more.
"""

from __future__ import annotations

import math

from ocr.decoding.confidence import Features, ReviewThresholds
from ocr.decoding.open_reasons import OpenReason
from ocr.page import Strike, StruckWord

CUT_OUT = 0.5
"""Score, 0..1, from which a struck stretch is left out when a row is read as its writer corrected it. By
hand."""

SURELY_STRUCK = 0.9
"""Score, 0..1, from which a word is surely crossed out. By hand: few live words on the sheets for calibration
scored more."""

HALF_STRUCK = 0.6
"""Score, 0..1, of a row as a whole from which no correction in it is plain. By hand."""

ASKS_FOR_A_LOOK = 0.7
"""Score, 0..1, from which a hairline, or ink that no one read, requests a person. By hand."""

# Of 45 such lines on 650 composed sheets and the samples none was crossed out in any part, and 39 were read
# rightly.
UNSTRUCK_ROW, UNSURE_STRIKE, DISCOUNT = 0.05, 0.9, 0.75
"""All 0..1. If the whole row scores below UNSTRUCK_ROW, a stretch that scores below UNSURE_STRIKE counts for
DISCOUNT of its score."""

_ASKING = frozenset({"faint", "unread"})
"""Kinds of struck words that only ask for a person: they leave the letters as they were and prove no
strike."""


def may_skip_review(features: Features, confidence: float, thresholds: ReviewThresholds) -> bool:
    """True if a line passes without a person, by its ink."""
    return not open_reasons(features, confidence, thresholds)


def open_reasons(
    features: Features, confidence: float, thresholds: ReviewThresholds
) -> tuple[OpenReason, ...]:
    """Why a line waits for a person, by its ink; empty for one that passes: one threshold on the calibrated
    confidence, and what is not a question of chance."""
    holds = {
        OpenReason.ODD_ORDER: features.is_odd,
        OpenReason.UNIT_LETTER: features.kind_margin < thresholds.kind_margin or features.is_kindless,
        OpenReason.UNKNOWN_NAME: (
            features.plain_other > thresholds.plain_other or features.word_misfit > thresholds.word_misfit
        ),
        OpenReason.CROSSED_OUT: not features.is_corrected and features.part_strike >= thresholds.part_strike,
        OpenReason.UNSURE: confidence < thresholds.confidence,
    }
    return tuple(reason for reason, is_so in holds.items() if is_so)


def leaves_kinds_out(features: Features, thresholds: ReviewThresholds) -> bool:
    """True if an order states too little of which kinds its units are (INK-10)."""
    return features.unit_margin < thresholds.kind_margin


def is_crossed_out(strike: Strike, thresholds: ReviewThresholds, uncertainty: float = math.inf) -> bool:
    """True if a line with this evidence is crossed out, and no order. `uncertainty`: of the recogniser's
    letters, nats a frame."""
    # If it is small, strokes across the letters are rather those of a joined and leaning hand: of 2,600 live
    # lines composed in free hands four were taken for crossed out by them.
    is_own_hand = (
        _has_strokes_across(strike)
        and uncertainty <= thresholds.cross_strokes_uncertainty
        and strike.max_word_score < thresholds.cross_strokes_part
    )
    is_struck = strike.score >= thresholds.struck_whole and strike.max_word_score >= thresholds.struck_part
    return is_struck and not is_own_hand


def is_surely_crossed_out(strike: Strike, thresholds: ReviewThresholds) -> bool:
    """True if a line is so plainly crossed out, from end to end, that no one need look; never by strokes
    across its letters."""
    return (
        strike.score >= thresholds.surely_struck_whole
        and strike.max_word_score >= thresholds.surely_struck_part
        and not _has_strokes_across(strike)
    )


def part_strike(strike: Strike) -> float:
    """How much any part of a row looks crossed out, 0..1: the feature of that name."""
    return max((_strike_of(word, strike.score) for word in strike.words), default=0.0)


def is_plainly_struck(strike: Strike) -> bool:
    """True if every stretch that would be left out is surely crossed out, and for a row without any; never
    for one of which half looks crossed out."""
    return strike.score < HALF_STRUCK and all(
        word.score >= SURELY_STRUCK and word.kind not in _ASKING
        for word in strike.words
        if word.score >= CUT_OUT
    )


def _strike_of(word: StruckWord, row: float) -> float:
    """How much one stretch counts, 0..1, in a row that scores `row` as a whole."""
    # A stretch by itself, in a row that otherwise looks live, is mostly a joined hand.
    if word.kind in _ASKING:
        return 1.0 if word.score >= ASKS_FOR_A_LOOK else word.score
    return word.score * (DISCOUNT if row < UNSTRUCK_ROW and word.score < UNSURE_STRIKE else 1.0)


def _has_strokes_across(strike: Strike) -> bool:
    """True if the longest stretch that looks struck is one of strokes across the letters."""
    longest = max(strike.words, key=lambda word: word.right - word.left, default=None)
    return longest is not None and longest.kind == "cross"
