"""Lines that wait because their letters are unclear, by other looks at their ink (`ocr.image.other_looks`).

    reviewed lines -> waiting lines read again by every look -> reviewed lines

Each look errs elsewhere. Where the first reading and every look put the same order first, and each of them by
a margin, that order is right more often than any one of them shows. Lexical only, and of the ink of this line
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ocr.decoding.ctc import look_posteriors
from ocr.decoding.open_reasons import OpenReason
from reading.classify import classify_line, heading_length, review_together
from reading.decode import DecodedLine, with_looks
from reading.join_rows import JoinedLine
from reading.line import InterpretedLine
from reading.review import ReviewRules
from reading.status import LineState
from reading.vocabulary import Vocabulary

# Of 114 such lines on 220 tidy sheets of writers for calibration 88 were right. Three looks that all agree
# by a nat let 38 of the right ones pass and no wrong one; from half a nat on one wrong one passed.
LEAST_MARGIN = 1.0
"""Nats, at least: to the next order, by the first reading's opinions and by every look."""

LEAST_CHANCE = 0.97
"""Confidence, 0..1, at least, by all opinions and looks together. By hand: with 0.85, 47 such lines of
writers for calibration were right and none wrong, and of 16 on held-out sheets (seeds 781 and 782) five were
wrong, all of them below this."""


def review_by_looks(
    lines: Sequence[JoinedLine], reviewed: Sequence[InterpretedLine], vocabulary: Vocabulary,
    rules: ReviewRules,
) -> tuple[InterpretedLine, ...]:
    """The lines of a page, those let pass of which every look at their ink reads the same order. `lines`: of
    the page; `reviewed`: their readings."""
    # Above the orders lines without text are left out; below, every line has its reading.
    below = heading_length(lines, vocabulary)
    again = list(reviewed)
    for index, joined in enumerate(lines[below:], len(reviewed) - len(lines) + below):
        if reviewed[index].waits_for_letters:
            again[index] = _agreed(joined, reviewed[index], vocabulary, rules) or reviewed[index]
    return review_together(again, vocabulary)


def _agreed(
    joined: JoinedLine, line: InterpretedLine, vocabulary: Vocabulary, rules: ReviewRules
) -> InterpretedLine | None:
    """The line as it passes, where every look reads its order; None where one does not, or where its rows
    were not kept or are corrected."""
    if joined.decoded is None or joined.decoded.ink.corrected:
        return None
    looks = look_posteriors(joined.line)
    if not looks:
        return None
    decoded = with_looks(joined.decoded, joined.line, looks, vocabulary)
    again = classify_line(replace(joined, decoded=decoded), vocabulary, rules)
    if (
        again.order != line.order or again.features is None or again.confidence < LEAST_CHANCE
        or not {*again.why_open} <= {OpenReason.UNSURE} or _least_margin(decoded) < LEAST_MARGIN
    ):
        return None
    return replace(again, status=LineState.AUTO, why_open=())


def _least_margin(decoded: DecodedLine) -> float:
    """Nats by which the best order leads, by the opinion that puts it least far ahead; below 0 where one puts
    another first."""
    rivals = () if decoded.refused is None else (decoded.refused,)
    best, *others = (hypothesis.by_posteriors for hypothesis in (*decoded.hypotheses, *rivals))
    leads = [ahead - max(behind) for ahead, *behind in zip(best, *others, strict=True)] if others else []
    return min(leads, default=LEAST_MARGIN)
