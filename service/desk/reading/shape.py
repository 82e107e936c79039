"""Lines cut anew by a person: two rows of one order joined, one row with two orders broken (desk plan, `M`
and `B`), a box set right on the Sheet page.

The machine's lines stay as they are. The new line is a row of its own, of kind "part", that counts only while
the act stands; the lines it was cut from are set aside as no orders. So undoing the act brings back exactly
what was there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from service.games import decisions
from service.games.decisions import Act, Decision, DecisionKind
from service.games.lines import AGAIN, arranged
from service.store.tables import LineRow, LineState
from service.web import crops

EDGE = 0.02
"""A break nearer than this share of the line to one of its ends leaves nothing to read there."""

Suggest = Callable[[str], Sequence[dict[str, Any]]]
"""Readings of a text by words alone, best first."""


def join(session: Session, act: Act, upper: LineRow, lower: LineRow, suggest: Suggest) -> int | None:
    """Make one line of two neighbours on a page; the new line's id, None where this act was filed before."""
    if upper.page_id != lower.page_id:
        raise ValueError("only lines of one page can be joined")
    if not decisions.begin(session, act, DecisionKind.JOIN):
        return None
    xs, ys = zip(*(point for row in (upper, lower) for point in row.box), strict=True)
    box = [[min(xs), min(ys)], [max(xs), min(ys)], [max(xs), max(ys)], [min(xs), max(ys)]]
    (new_id,) = _cut(session, act, [upper, lower], [(box, f"{upper.text} {lower.text}".strip())], suggest)
    return new_id


def split(session: Session, act: Act, line: LineRow, share_of_width: float, suggest: Suggest) -> tuple[int, int] | None:
    """Break a line in two at a share `share_of_width`, 0..1, of its crop's width; both new ids, None where filed before.

    Raises ValueError for a place at which nothing is left on one side.
    """
    share = _within(line, share_of_width)
    if not EDGE <= share <= 1 - EDGE:
        raise ValueError("a line is broken between two words")
    if not decisions.begin(session, act, DecisionKind.BREAK):
        return None
    a, b, c, d = line.box
    top, foot = _between(a, b, share), _between(d, c, share)
    left, right = _texts(line.text, share)
    new_ids = _cut(session, act, [line], [([a, top, foot, d], left), ([top, b, c, foot], right)], suggest)
    return new_ids[0], new_ids[1]


def rebox(session: Session, act: Act, line: LineRow, box: Sequence[Sequence[float]]) -> int | None:
    """Cut a line out of its page by another box, four corners in pixels of the upright picture; the new
    line's id, None where this act was filed before. What the eye read is offered as it was until it has
    looked again, and the line is open: its ink is another."""
    if not decisions.begin(session, act, DecisionKind.BOX):
        return None
    before = [
        {name: value for name, value in candidate.items() if name != AGAIN} for _, candidate in arranged(line.candidates)
    ]
    (new_id,) = _cut(session, act, [line], [([list(point) for point in box], line.text)], lambda _: before)
    return new_id


def _cut(
    session: Session, act: Act, old: Sequence[LineRow], new: Sequence[tuple[list[Any], str]], suggest: Suggest
) -> list[int]:
    page, last = old[0].page_id, max(row.ordinal for row in old)
    make_room(session, page, last, len(new))
    new_rows = [
        LineRow(page_id=page, ordinal=last + n, box=box, kind=decisions.PART, text=text, confidence=0.0,
                status=LineState.NOT_ORDER, candidates=list(suggest(text)))
        for n, (box, text) in enumerate(new, start=1)
    ]
    session.add_all(new_rows)
    session.flush()
    decisions.end(session, act, [Decision(row.id, LineState.NOT_ORDER, row.text, settles=True) for row in old]
                  + [Decision(row.id, LineState.OPEN, row.text) for row in new_rows])
    return [row.id for row in new_rows]


def make_room(session: Session, page_id: int, after: int, rows: int) -> None:
    """Move what stands below down by some places. By way of negative ones: each place of a page is taken
    once."""
    below = (LineRow.page_id == page_id, LineRow.ordinal > after)
    session.execute(update(LineRow).where(*below).values(ordinal=-LineRow.ordinal - rows))
    session.execute(update(LineRow).where(LineRow.page_id == page_id, LineRow.ordinal < 0)
                    .values(ordinal=-LineRow.ordinal))


def _within(line: LineRow, share_of_width: float) -> float:
    """A place on the crop as a share of the line itself, without the crop's margin."""
    wide, high = size(line.box)
    margin = crops.MARGIN * high
    return (share_of_width * (wide + 2 * margin) - margin) / wide


def size(box: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Length and height of a line in pixels of its page, along its own direction."""
    a, b, c, d = ((float(x), float(y)) for x, y in box)
    wide = (_far(a, b) + _far(d, c)) / 2
    high = (_far(a, d) + _far(b, c)) / 2
    return max(1.0, wide), max(1.0, high)


def written_rows(session: Session, page_id: int, box: Sequence[Sequence[float]]) -> int:
    """How many rows of writing a line's box holds, by the height of the other lines that the machine found on
    its page."""
    boxes = session.scalars(
        select(LineRow.box).where(LineRow.page_id == page_id, LineRow.kind != decisions.PART)
    )
    return crops.written_rows(size(box)[1], median([size(quad)[1] for quad in boxes] or [0.0]))


def _far(first: tuple[float, float], second: tuple[float, float]) -> float:
    return float(((first[0] - second[0]) ** 2 + (first[1] - second[1]) ** 2) ** 0.5)


def _between(first: Sequence[float], second: Sequence[float], share: float) -> list[float]:
    return [round(first[n] + (second[n] - first[n]) * share, 1) for n in (0, 1)]


def _texts(text: str, share: float) -> tuple[str, str]:
    """The words on either side: the blank nearest to the same share of the letters."""
    blanks = [offset for offset, sign in enumerate(text) if sign == " "]
    if not blanks:
        return text, ""
    nearest = min(blanks, key=lambda offset: abs(offset - share * len(text)))
    return text[:nearest].strip(), text[nearest:].strip()
