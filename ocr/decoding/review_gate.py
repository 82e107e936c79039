"""The gate: which decoded lines pass without a person, by their own ink, and which rows are crossed out.

Every rule only sends a line to a person. A line that looks worse in any feature is never trusted more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ocr.decoding.confidence import FAR, Features, ReviewThresholds
from ocr.decoding.open_reasons import OpenReason
from ocr.page import Strike, StruckWord

CUT_OUT = 0.5
"""Score, 0..1, from which a struck stretch is left out when a row is read as its writer corrected it. By
hand."""

SURELY_STRUCK = 0.9
"""Score, 0..1, from which a word is surely crossed out. By hand: few live words on the sheets for calibration
scored more."""

ASKS_FOR_A_LOOK = 0.7
"""Score, 0..1, from which a hairline, or ink that nobody read, asks for a person. By hand."""

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
    """Why a line waits for a person, by its ink; empty for one that passes. Stricter where one letter changes
    the meaning.

    One threshold on the calibrated confidence, thresholds on what the confidence is blind to, and vetoes: an
    odd order, a word of no list, a lost word that makes another name, anything that looks crossed out."""
    longest = thresholds.one_letter_worst_stretch if features.one_letter else thresholds.worst_stretch
    least_chance = thresholds.one_letter_confidence if features.one_letter else thresholds.confidence
    is_kind_near = features.kind_margin < thresholds.kind_margin
    least_margin = _least_margin(features, thresholds)
    holds = {
        OpenReason.ODD_ORDER: features.is_odd,
        OpenReason.UNIT_LETTER: is_kind_near or features.is_kindless,
        OpenReason.UNKNOWN_NAME: (
            features.plain_other > thresholds.plain_other
            or features.name_loss > thresholds.name_loss
            or _may_be_another_name(features, thresholds)
            or _is_plainly_strange(features, thresholds)
            or not _has_known_words(features, thresholds)
        ),
        OpenReason.NEAR_ORDER: not is_kind_near and (
            features.margin < least_margin or features.near_margin < thresholds.near_margin
        ),
        OpenReason.LOST_WORD: features.homonym_loss > thresholds.homonym_loss,
        OpenReason.MISFIT: features.cost > thresholds.cost or features.worst_stretch > longest,
        OpenReason.CROSSED_OUT: _looks_struck(features, thresholds),
        OpenReason.UNSURE: confidence < least_chance,
    }
    return tuple(reason for reason, is_so in holds.items() if is_so)


def _least_margin(features: Features, thresholds: ReviewThresholds) -> float:
    """Nats that the next order must be away."""
    # Margins of unclear hands are too bold. Of 29 lines below 0.04 whose opinions agree none was wrong.
    margin = thresholds.one_letter_margin if features.one_letter else thresholds.margin
    beyond = max(0.0, features.uncertainty - thresholds.uncertainty_from)
    margin_of_uncertain = margin + thresholds.uncertainty_extra_margin * beyond
    if features.agreement < 0:
        # "Limerick" in a fast joined hand was "Cork" to one opinion and another county to the other.
        is_unclear = features.uncertainty > thresholds.disagreement_uncertainty
        return math.inf if is_unclear else max(margin_of_uncertain, thresholds.disagreement_margin)
    if features.uncertainty <= thresholds.clear_writing_below:
        return margin - thresholds.agreement_margin_discount
    return margin_of_uncertain


def _may_be_another_name(features: Features, thresholds: ReviewThresholds) -> bool:
    """True if a name is rather unlike its ink, and another order is not far."""
    # A name of no list lies between several of the lists'; one that is badly written is mostly far from them.
    return (
        features.name_loss > thresholds.near_name_loss and features.margin < thresholds.near_name_margin
    )


def _is_plainly_strange(features: Features, thresholds: ReviewThresholds) -> bool:
    """True if a name is rather unlike its ink in a clear hand."""
    return (
        features.uncertainty <= thresholds.clear_name_uncertainty
        and min(features.name_loss, features.word_misfit_min) > thresholds.clear_name_loss
    )


def _has_known_words(features: Features, thresholds: ReviewThresholds) -> bool:
    """True if no word looks like one that no list has."""
    # Such a word is strange to every opinion (Gondor, read as London); a badly written one often to one only.
    is_far = features.margin >= thresholds.single_opinion_margin
    most = thresholds.single_opinion_word_misfit if is_far else thresholds.word_misfit_mean
    return features.word_misfit_min <= thresholds.word_misfit_min and features.word_misfit_mean <= most


def _looks_struck(features: Features, thresholds: ReviewThresholds) -> bool:
    """True if anything looks crossed out, apart from what was plainly corrected."""
    if features.is_corrected:
        return (
            features.whole_strike >= thresholds.whole_strike or features.margin < thresholds.corrected_margin
        )
    is_lone_part = (
        features.whole_strike < thresholds.lone_part_whole_strike
        and features.worst_stretch <= thresholds.lone_part_worst_stretch
        and features.margin >= thresholds.single_opinion_margin
    )
    if is_lone_part and features.part_strike < thresholds.lone_part_strike:
        return False
    # A stroke through letters costs their reading something, so a line that reads without loss may look
    # somewhat more struck.
    is_lossless = features.worst_stretch <= thresholds.lossless_worst_stretch
    most = thresholds.lossless_whole_strike if is_lossless else thresholds.whole_strike
    return features.whole_strike >= most or features.part_strike >= thresholds.part_strike


def are_kinds_doubtful(features: Features, sheet: Sequence[Features], thresholds: ReviewThresholds) -> bool:
    """True if an order of this sheet may be the one with another kind (Build A, Build F)."""
    # A hand that makes an A like an F in one line does so in others, however sure the recogniser is of them.
    # Deciding the kind by the hand's other letters was tried and taken back: one sample hand makes its A like
    # a 4, like an A and like a crossed 7 on one sheet.
    return features.kind_margin < _least_unit_margin(sheet, thresholds)


def leaves_kinds_out(features: Features, sheet: Sequence[Features], thresholds: ReviewThresholds) -> bool:
    """True if an order of this sheet says too little of which kinds its units are (INK-10)."""
    return features.unit_margin < max(thresholds.kind_margin, _least_unit_margin(sheet, thresholds))


def _least_unit_margin(sheet: Sequence[Features], thresholds: ReviewThresholds) -> float:
    """Nats, at least, to another kind of unit, for a hand that makes them alike in some line; else 0."""
    least = min((min(line.kind_margin, line.unit_margin) for line in sheet), default=FAR)
    return thresholds.unit_kind_margin if least < thresholds.unit_kind_doubt else 0.0


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
    """True if a line is so plainly crossed out, from end to end, that nobody need look; never by strokes
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
    """True if every stretch that would be left out is surely crossed out, and for a row without any."""
    return all(
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
