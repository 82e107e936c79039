"""Lines cut again by a person: two rows of one order joined, one row with two orders broken (desk plan, `M`
and `B`), a box corrected on the Sheet page.

The machine's lines are not changed. The new line is its own row, of kind "part", that counts only while
the act does; the lines it was cut from are set aside as no orders. So undo restores exactly what was before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.games import decisions
from service.games.decisions import Decision, DecisionKind, ReviewAction
from service.games.lines import AGAIN, PART, ranked_readings
from service.store.tables import LineRow, LineState
from service.web import crops

EDGE = 0.02
"""A break nearer to an end of the line than this share of its length leaves nothing to read there."""

Suggest = Callable[[str], Sequence[dict[str, Any]]]
"""Readings of a text by words alone, best first."""


def join(session: Session, act: ReviewAction, upper: LineRow, lower: LineRow, suggest: Suggest) -> int | None:
    """Join two neighbouring lines of a page; the new line's id, or None if this act was filed before. Raises
    ValueError for lines of different pages."""
    if upper.page_id != lower.page_id:
        raise ValueError("only lines of the same page can be joined")
    if not decisions.begin(session, act, DecisionKind.JOIN):
        return None
    # The smallest upright rectangle around both boxes; the writing inside may slope.
    xs, ys = zip(*(point for row in (upper, lower) for point in row.box), strict=True)
    box = [[min(xs), min(ys)], [max(xs), min(ys)], [max(xs), max(ys)], [min(xs), max(ys)]]
    (new_id,) = _cut(session, act, [upper, lower], [(box, f"{upper.text} {lower.text}".strip())], suggest)
    return new_id


def split(
    session: Session, act: ReviewAction, line: LineRow, share_of_width: float, suggest: Suggest
) -> tuple[int, int] | None:
    """Break a line in two at `share_of_width`, 0..1, of its crop's width; both new ids, or None if filed
    before.

    Raises ValueError if nothing would be left on one side.
    """
    # The pointer is on the crop, which shows a margin on both sides of the line.
    share = _within(line, share_of_width)
    if not EDGE <= share <= 1 - EDGE:
        raise ValueError("a line can be broken only between two words")
    if not decisions.begin(session, act, DecisionKind.BREAK):
        return None
    a, b, c, d = line.box
    top, foot = _between(a, b, share), _between(d, c, share)
    left, right = _texts(line.text, share)
    new_ids = _cut(session, act, [line], [([a, top, foot, d], left), ([top, b, c, foot], right)], suggest)
    return new_ids[0], new_ids[1]


def rebox(session: Session, act: ReviewAction, line: LineRow, box: Sequence[Sequence[float]]) -> int | None:
    """Cut a line out of its page with another box, four corners in pixels of the upright picture; the new
    line's id, or None if this act was filed before.

    The machine's old readings are offered until it has read the line again, and the line is open, since its
    ink has changed.
    """
    if not decisions.begin(session, act, DecisionKind.BOX):
        return None
    before = [
        {name: value for name, value in candidate.items() if name != AGAIN} for _,
        candidate in ranked_readings(line.candidates)
    ]
    (new_id,) = _cut(session, act, [line], [([list(point) for point in box], line.text)], lambda _: before)
    return new_id


def _cut(
    session: Session, act: ReviewAction, old: Sequence[LineRow], new: Sequence[tuple[list[Any], str]],
    suggest: Suggest,
) -> list[int]:
    page, last = old[0].page_id, max(row.ordinal for row in old)
    decisions.make_room(session, page, last, len(new))
    new_rows = [
        LineRow(page_id=page, ordinal=last + n, box=box, kind=PART, text=text, confidence=0.0,
                # By itself the row is not an order: it counts only while the act's decision about it does.
                status=LineState.NOT_ORDER, candidates=list(suggest(text)))
        for n, (box, text) in enumerate(new, start=1)
    ]
    session.add_all(new_rows)
    session.flush()
    decisions.end(session, act, [Decision(row.id, LineState.NOT_ORDER, row.text, settles=True) for row in old]
                  + [Decision(row.id, LineState.OPEN, row.text) for row in new_rows])
    return [row.id for row in new_rows]


def _within(line: LineRow, share_of_width: float) -> float:
    """A place on the crop as a share of the line itself, without the crop's margin."""
    wide, high = size(line.box)
    margin = crops.MARGIN * high
    return (share_of_width * (wide + 2 * margin) - margin) / wide


def size(box: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Length and height of a line in pixels of its page, along the line's own direction; at least 1."""
    a, b, c, d = ((float(x), float(y)) for x, y in box)
    wide = (_far(a, b) + _far(d, c)) / 2
    high = (_far(a, d) + _far(b, c)) / 2
    return max(1.0, wide), max(1.0, high)


def written_rows(session: Session, page_id: int, box: Sequence[Sequence[float]]) -> int:
    """The number of rows of writing in a line's box, judged by the height of the machine's other lines on
    the page."""
    boxes = session.scalars(
        select(LineRow.box).where(LineRow.page_id == page_id, LineRow.kind != PART)
    )
    return rows_among(box, boxes.all())


def rows_among(box: Sequence[Sequence[float]], boxes: Sequence[Sequence[Sequence[float]]]) -> int:
    """The number of rows of writing in a line's box, judged by the boxes of the machine's lines on its
    page."""
    # The median, so that a box over two rows does not change what one row is.
    return crops.written_rows(size(box)[1], median([size(quad)[1] for quad in boxes] or [0.0]))


def _far(first: tuple[float, float], second: tuple[float, float]) -> float:
    return float(((first[0] - second[0]) ** 2 + (first[1] - second[1]) ** 2) ** 0.5)


def _between(first: Sequence[float], second: Sequence[float], share: float) -> list[float]:
    return [round(first[n] + (second[n] - first[n]) * share, 1) for n in (0, 1)]


def _texts(text: str, share: float) -> tuple[str, str]:
    """The words on either side, split at the blank nearest to this share of the letters."""
    blanks = [offset for offset, sign in enumerate(text) if sign == " "]
    if not blanks:
        return text, ""
    # The machine gives no place for each letter; a share of the width represents a share of the letters.
    nearest = min(blanks, key=lambda offset: abs(offset - share * len(text)))
    return text[:nearest].strip(), text[nearest:].strip()
