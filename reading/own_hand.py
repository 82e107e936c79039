"""The lines of a sheet once more, by the sheet's own hand (`ocr.decoding.sheet_hand`).

    reviewed lines -> sure lines -> layers -> waiting lines read again, near ones checked -> reviewed lines

The sure lines show how this person makes letters. A line that waits because its letters are unclear may pass
by that; one that waits for what it says, for its place on the sheet or for what was done to it waits still. A
line that passes keeps its reading; where another was near and the other lines speak against it, a person
looks. Lexical only, and of the ink of this sheet alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ocr.decoding.confidence import Features
from ocr.decoding.open_reasons import OpenReason
from ocr.decoding.review_gate import CUT_OUT
from ocr.decoding.sheet_hand import SheetHand, SureLine, learn, row_by
from ocr.layout.wrap import as_line
from ocr.page import OutputLayer, ReadLine
from reading.classify import classify_line, heading_length, review_together
from reading.decode import decode_line, rescored
from reading.join_rows import JoinedLine
from reading.line import InterpretedLine
from reading.review import KNOWN_MISFIT, ReviewRules
from reading.status import LineState
from reading.vocabulary import Vocabulary

OF_LETTERS = frozenset({
    OpenReason.UNSURE, OpenReason.NEAR_ORDER, OpenReason.UNIT_LETTER, OpenReason.MISFIT,
    OpenReason.UNKNOWN_NAME,
})
"""Reasons that letters better told may take away."""

# On 283 sheets of writers for calibration 61 lines passed by their sheet's hand alone, three wrongly: names
# with an "e" for a "t", which came to fit worse, and a name whose end stood in the next row.
MOST_GROWTH = 0.1
"""Nats a letter by which the name that fits worst may come to fit worse."""

KNOWN_NAME_LOSS = 0.7
"""Nats a letter, at most: `name_loss` of a line that waited for an unknown name, by the sheet's hand. Well
within the threshold of the gate."""

# Of twelve wrong lines on those sheets eight were so near; of 89 right ones checked on 21 of the sheets one
# was held.
NEAR, LOST = 6.5, 0.9
"""Nats to the next order below which, and nats a letter lost in a name above which, a line that passes is
checked by the hand of the sheet's other lines."""

TURNED = 5.0
"""Nats by which an opinion may put another order ahead of the one that the sheet's hand reads, at most. By
hand."""

TEACHERS = 2
"""Sure lines from which a waiting line may pass by them: one says more of its words than of the person. By
hand: on a held-out sheet "Tyrconnell" passed as Tyrone by one long line; on 112 sheets of writers for
calibration the same 594 lines pass."""

CHECKED_CHANCE = 0.9
"""Confidence, 0..1, at least, of a line so checked. By hand: of the wrong lines one had .898, of the right
ones on the sample sheets two had .92."""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The lines of a sheet below its heading. `lines` and `read`: each line, and its reading once reviewed,
    by its place; `sure`: places of the sure lines, in the order of `hand.lessons`."""

    lines: dict[int, JoinedLine]
    read: Sequence[InterpretedLine]
    sure: tuple[int, ...]
    hand: SheetHand
    vocabulary: Vocabulary
    rules: ReviewRules


def review_with_own_hand(
    lines: Sequence[JoinedLine], classified: Sequence[InterpretedLine], vocabulary: Vocabulary,
    rules: ReviewRules,
) -> tuple[tuple[InterpretedLine, ...], tuple[int, ...]]:
    """The lines of a page, opened where other lines of their sheet leave a doubt, and looked at again by the
    sheet's hand; and the places of the lines that taught it, none where nothing was looked at again.
    `lines`: of the page; `classified`: the last of them, each by itself."""
    reviewed = review_together(classified, vocabulary, rules)
    sheet = _sheet(lines, reviewed, vocabulary, rules)
    if sheet is None:
        return reviewed, ()
    again = list(classified)
    for index in sheet.lines:
        if waits_for_letters(reviewed[index]):
            again[index] = _read_again(sheet, index) or again[index]
    settled = [
        first if first.status is LineState.AUTO or second.status is not LineState.AUTO else second
        for first, second in zip(reviewed, review_together(again, vocabulary, rules), strict=True)
    ]
    checked = tuple(
        _checked(sheet, index) if index in sheet.lines and is_near(reviewed[index]) else line
        for index, line in enumerate(settled)
    )
    return checked, sheet.sure


def _sheet(
    lines: Sequence[JoinedLine], reviewed: Sequence[InterpretedLine], vocabulary: Vocabulary,
    rules: ReviewRules,
) -> _Sheet | None:
    """A sheet on which there is something to look at again and enough to learn from."""
    # Above the orders lines without text are left out; below, every line has its reading.
    below = heading_length(lines, vocabulary)
    joined = dict(enumerate(lines[below:], len(reviewed) - len(lines) + below))
    sure = tuple(index for index in joined if is_sure(joined[index], reviewed[index]))
    lines_to_see = [line for line in reviewed if waits_for_letters(line) or is_near(line)]
    if not sure or not lines_to_see:
        return None
    hand = learn([SureLine(joined[index].line, reviewed[index].text) for index in sure])
    return None if hand is None else _Sheet(joined, reviewed, sure, hand, vocabulary, rules)


def is_sure(joined: JoinedLine, line: InterpretedLine) -> bool:
    """True if a line passes, and its text is what its ink says letter by letter."""
    return (
        line.status is LineState.AUTO and line.kind == "order" and line.features is not None
        and not line.features.is_corrected
        and not any(row.inserted or row.strike.max_word_score >= CUT_OUT for row in joined.line.rows)
    )


def waits_for_letters(line: InterpretedLine) -> bool:
    """True if a line may pass once its letters are told better."""
    return (
        line.status is LineState.OPEN and line.order is not None and not line.struck
        and line.features is not None and OF_LETTERS.issuperset(line.why_open)
    )


def is_near(line: InterpretedLine) -> bool:
    """True if a line passes, and another order is near or a name in it fits badly."""
    return (
        line.status is LineState.AUTO and line.order is not None and line.features is not None
        and (line.features.margin < NEAR or line.features.name_loss > LOST)
    )


def _read_again(sheet: _Sheet, index: int) -> InterpretedLine | None:
    """A waiting line by the hand of the sure ones; None where they tell its letters no better."""
    layer, before = sheet.hand.fitted, sheet.read[index]
    if layer is None or len(sheet.sure) < TEACHERS:
        return None
    line = _line_by(sheet.lines[index].line, layer)
    joined = replace(sheet.lines[index], line=line, decoded=decode_line(line, sheet.vocabulary))
    again = classify_line(joined, sheet.vocabulary, sheet.rules)
    if again.features is None or before.features is None or _was_far(sheet.lines[index], again.order):
        return None
    was_unknown = OpenReason.UNKNOWN_NAME in before.why_open
    return again if _fits_better(again.features, before.features, was_unknown=was_unknown) else None


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


def _fits_better(after: Features, before: Features, *, was_unknown: bool) -> bool:
    """True if a name fits no worse than before, and plainly well where it had looked like none."""
    if after.name_loss > before.name_loss + MOST_GROWTH:
        return False
    return not was_unknown or (
        after.word_misfit_mean <= KNOWN_MISFIT and after.name_loss <= KNOWN_NAME_LOSS
    )


def _checked(sheet: _Sheet, index: int) -> InterpretedLine:
    """A line that passes, opened if the hand of the other sure lines reads another order or is not sure."""
    line, joined = sheet.read[index], sheet.lines[index]
    layer = sheet.hand.without(sheet.sure.index(index) if index in sheet.sure else None)
    if layer is None or joined.decoded is None:
        return line
    again = _line_by(joined.line, layer)
    decoded = rescored(joined.decoded, again, sheet.vocabulary)
    other = classify_line(replace(joined, line=again, decoded=decoded), sheet.vocabulary, sheet.rules)
    if other.order != line.order:
        return line.for_review(OpenReason.NEAR_ORDER)
    if OpenReason.UNKNOWN_NAME in other.why_open:
        return line.for_review(OpenReason.UNKNOWN_NAME)
    return line.for_review(OpenReason.UNSURE) if other.confidence < CHECKED_CHANCE else line


def _line_by(line: ReadLine, layer: OutputLayer) -> ReadLine:
    """A line as another layer reads its rows."""
    return replace(as_line([row_by(row, layer) for row in line.rows]), box=line.box)
