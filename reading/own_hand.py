"""The lines of a sheet once more, by the sheet's own hand (`ocr.decoding.sheet_hand`).

    reviewed lines -> sure lines -> a layer -> waiting lines read again -> reviewed lines

The sure lines show how this person makes letters. A line that waits because its letters are unclear may pass
by that; one that waits for what it states, for its place on the sheet or for what was done to it waits still.
A line that passes keeps its reading. Lexical only, and of the ink of this sheet alone. """

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ocr.decoding.review_gate import CUT_OUT
from ocr.decoding.sheet_hand import SureLine, learn, row_by
from ocr.layout.wrap import as_line
from ocr.page import OutputLayer
from reading.classify import classify_line, heading_length, review_together
from reading.decode import decode_line
from reading.join_rows import JoinedLine
from reading.line import InterpretedLine
from reading.review import ReviewRules
from reading.status import LineState
from reading.vocabulary import Vocabulary

# On 283 sheets of writers for calibration 61 lines passed by their sheet's hand alone, three wrongly: names
# with an "e" for a "t", which came to fit worse, and a name whose end was in the next row.
MOST_GROWTH = 0.1
"""Nats a letter by which the name that fits worst may come to fit worse."""

TURNED = 5.0
"""Nats by which an opinion may put another order ahead of the one that the sheet's hand reads, at most. By
hand."""

TEACHERS = 2
"""Sure lines from which a waiting line may pass by them: one states more of its words than of the person. By
hand: on a held-out sheet "Tyrconnell" passed as Tyrone by one long line; on 112 sheets of writers for
calibration the same 594 lines pass."""

def review_with_own_hand(
    lines: Sequence[JoinedLine], classified: Sequence[InterpretedLine], vocabulary: Vocabulary,
    rules: ReviewRules,
) -> tuple[tuple[InterpretedLine, ...], tuple[int, ...]]:
    """The lines of a page, opened where other lines of their sheet leave a doubt, and looked at again by the
    sheet's hand; and the places of the lines that taught it, none where nothing was looked at again.
    `lines`: of the page; `classified`: the last of them, each by itself."""
    reviewed = review_together(classified, vocabulary)
    # Above the orders lines without text are left out; below, every line has its reading.
    below = heading_length(lines, vocabulary)
    joined = dict(enumerate(lines[below:], len(reviewed) - len(lines) + below))
    sure = tuple(index for index in joined if is_sure(joined[index], reviewed[index]))
    waiting = [index for index in joined if reviewed[index].waits_for_letters]
    if not waiting or len(sure) < TEACHERS:
        return reviewed, ()
    layer = learn([SureLine(joined[index].line, reviewed[index].text) for index in sure])
    if layer is None:
        return reviewed, ()
    again = list(classified)
    for index in waiting:
        by_hand = _read_again(joined[index], reviewed[index], layer, vocabulary, rules)
        again[index] = by_hand or again[index]
    settled = (
        first if first.status is LineState.AUTO or second.status is not LineState.AUTO else second
        for first, second in zip(reviewed, review_together(again, vocabulary), strict=True))
    return tuple(settled), sure


def is_sure(joined: JoinedLine, line: InterpretedLine) -> bool:
    """True if a line passes, and its text is what its ink states letter by letter."""
    return (
        line.status is LineState.AUTO and line.kind == "order" and line.features is not None
        and not line.features.is_corrected
        and not any(row.inserted or row.strike.max_word_score >= CUT_OUT for row in joined.line.rows)
    )


def _read_again(
    joined: JoinedLine, before: InterpretedLine, layer: OutputLayer, vocabulary: Vocabulary,
    rules: ReviewRules,
) -> InterpretedLine | None:
    """A waiting line by the hand of the sure ones; None where they read its letters no better."""
    line = replace(as_line([row_by(row, layer) for row in joined.line.rows]), box=joined.line.box)
    decoded = decode_line(line, vocabulary)
    again = classify_line(replace(joined, line=line, decoded=decoded), vocabulary, rules)
    if again.features is None or before.features is None or _was_far(joined, again.order):
        return None
    return again if again.features.name_loss <= before.features.name_loss + MOST_GROWTH else None


def _was_far(joined: JoinedLine, order: str | None) -> bool:
    """True if an opinion of all hands puts the line's order far ahead of this one."""
    # "Tyrconnell" was Tyrone to one opinion of two, by 8 nats, and then to the sheet's hand (seed 787). Of
    # 4,500 lines that pass three had been turned rightly, where no opinion had put the other so far ahead.
    decoded = joined.decoded
    if decoded is None or not decoded.hypotheses or decoded.hypotheses[0].order == order:
        return False
    best, *others = decoded.hypotheses
    behind = next((other.by_posteriors for other in others if other.order == order), None)
    return behind is None or max(
        ahead - other for ahead, other in zip(best.by_posteriors, behind, strict=True)) > TURNED
