"""Which rows of a page may be one line, by layout, and the best way to group them.

A sender breaks an order over two rows to four. `row_groups` lists the groups of rows that may be one order
by their layout, with nats for or against each. `groups_by_indent` does the same on the scale of completeness,
for rows that are known by their text alone. `best_grouping` picks the groups with the best sum of scores.
What the rows say is scored by the caller (`reading.join_rows`): layout has no grammar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ocr.layout.column_extents import ColumnExtent, column_extents
from ocr.page import Alternative, Box, ReadLine, Row

MOST_ROWS = 4
"""Rows that one order takes at most: as many in a narrow column."""

INDENT = 0.42
"""Row heights by which a continuation starts right of its order's first row.

On the 20 sample sheets continuations start 0.5 or more to the right, other rows 0.37 or less."""

LAYOUT = 0.25
"""What layout adds for an indented row, and takes from any other, on the scale of completeness (0..1). Set by
hand, with the first reader."""

INDENTED_NATS, EARLY_NATS, MIXED_NATS = 4.0, 6.0, 32.0
"""The same in nats, for rows known by their ink. INDENTED_NATS speak for a row that is indented, EARLY_NATS
against one where the row above had room for the next word, MIXED_NATS against joining a row that is crossed
out from end to end with one that is not. Set by hand on the sample sheets and 40 composed ones."""

SLACK = 0.02
"""Share of the sheet's width by which writers stay clear of the place where their longest row ends. Set by
hand."""

STRUCK = 0.5
"""Strike score, 0..1, from which a row counts as crossed out. The rows of one order are all crossed out, or
none is."""

WHOLLY_STRUCK = 0.8
"""The same for rows known by their ink. Bold letters alone look a little crossed out, so both the row as a
whole and one stretch of it must score this."""

UNKNOWN = 0.5
"""Completeness of a text that may or may not be a whole line."""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows `start` to `end` - 1 of a page, counted from 0 at the top: 1 to MOST_ROWS of them."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def line(self, rows: Sequence[Row]) -> ReadLine:
        """The group as one line; `rows` are all rows of the page."""
        return as_line(rows[self.start : self.end])


def row_groups(rows: Sequence[Row], stands_alone: Sequence[bool]) -> dict[RowGroup, float]:
    """Every group of two rows or more that may be one line, with nats for (above 0) or against it by layout.

    `stands_alone`: for each row, whether it is a line by itself unless it is indented. Such a row is never
    tried as the end of another: that would read two orders as one."""
    extents = column_extents(rows)
    groups: dict[RowGroup, float] = {}
    for end in range(2, len(rows) + 1):
        for start in range(end - 2, max(0, end - MOST_ROWS) - 1, -1):
            joints = [_joint_nats(rows, extents, start, below) for below in range(start + 1, end)]
            if any(stands_alone[start + 1 + k] and nats <= 0 for k, nats in enumerate(joints)):
                break
            groups[RowGroup(start, end)] = sum(joints)
    return groups


def groups_by_indent(rows: Sequence[Row], completeness: Sequence[float]) -> dict[RowGroup, float]:
    """Every group of two rows or more that may score more as one line than row by row, with what layout
    adds.

    `completeness`, 0..1: how much each row is a whole line (1 an order or heading without fault, UNKNOWN
    where no one can know). A group counts its completeness once a row, so that groups of any size
    compare."""
    extents = column_extents(rows)
    groups: dict[RowGroup, float] = {}
    for end in range(2, len(rows) + 1):
        for start in range(max(0, end - MOST_ROWS), end - 1):
            # No order goes on from one column into the next.
            if len({*extents[start:end]}) > 1:
                continue
            pairs = zip(pairwise(rows[start:end]), extents[start:end], strict=False)
            layout = sum(_indent_value(rows[start], above, below, extent) for (above, below), extent in pairs)
            if end - start + layout > sum(completeness[start:end]):
                groups[RowGroup(start, end)] = layout
    return groups


def best_grouping(count: int, scores: Mapping[RowGroup, float]) -> tuple[RowGroup, ...]:
    """The groups, from the top, that cover `count` rows with the greatest sum of scores; at a tie the shorter
    last group. Every row has a score by itself."""
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, count + 1):
        groups = (RowGroup(start, end) for start in range(max(0, end - MOST_ROWS), end))
        best.append(
            max((best[group.start][0] + scores[group], group.start) for group in groups if group in scores)
        )
    chosen: list[RowGroup] = []
    end = count
    while end:
        chosen.append(RowGroup(best[end][1], end))
        end = chosen[-1].start
    return tuple(reversed(chosen))


def join_wrapped(rows: Sequence[Row]) -> tuple[ReadLine, ...]:
    """Rows in reading order as lines of one to four rows, by indentation alone."""
    scores = {RowGroup(index, index + 1): UNKNOWN for index in range(len(rows))}
    groups = groups_by_indent(rows, [UNKNOWN] * len(rows))
    scores |= {group: len(group) * UNKNOWN + layout for group, layout in groups.items()}
    return tuple(group.line(rows) for group in best_grouping(len(rows), scores))


def as_line(rows: Sequence[Row]) -> ReadLine:
    """One line of these rows, whatever they say. `rows` is not empty."""
    all_rows = tuple(rows)
    return ReadLine(
        box=_surrounding_box([row.box for row in all_rows]),
        rows=all_rows,
        text=joined_text([row.text for row in all_rows]),
        score=min(row.score for row in all_rows),
        strike=min((row.strike for row in all_rows), key=lambda s: s.score),
        alternatives=_alternatives(all_rows),
    )


def _indent_value(first: Row, above: Row, below: Row, extent: ColumnExtent) -> float:
    """What layout adds where `below` may go on from `above`, on the scale of completeness. `first` is the
    group's first row."""
    if (above.strike.score >= STRUCK) != (below.strike.score >= STRUCK):
        return -2.0
    has_room = above.right > extent.middle and above.right > below.left
    return LAYOUT if below.indent - first.indent >= INDENT and has_room else -LAYOUT


def _joint_nats(rows: Sequence[Row], extents: Sequence[ColumnExtent], start: int, index: int) -> float:
    """Nats by which layout speaks for row `index` going on from the row above, in a group that begins at
    `start`."""
    first, above, below, extent = rows[start], rows[index - 1], rows[index], extents[index - 1]
    if extent != extents[index]:
        return -EARLY_NATS
    less, more = sorted(min(row.strike.score, row.strike.max_word_score) for row in (above, below))
    if less < STRUCK and more >= WHOLLY_STRUCK:
        return -MIXED_NATS
    if below.indent - first.indent >= INDENT and above.right > max(extent.middle, below.left):
        return INDENTED_NATS
    # A sender breaks a row where the next word has no room, indented or not.
    word = len(below.text.split(" ", 1)[0]) / max(1, len(below.text)) * (below.right - below.left)
    return 0.0 if above.right + word > extent.right - SLACK else -EARLY_NATS


def joined_text(parts: Sequence[str]) -> str:
    """Parts with a space between, none after a hyphen that ends a row within a word."""
    text = ""
    for part in parts:
        glued = len(text) > 1 and text[-1] == "-" and text[-2].isalpha()
        text = f"{text}{part}" if glued or not text else f"{text} {part}"
    return text


def _alternatives(rows: Sequence[Row]) -> tuple[Alternative, ...]:
    """The line with one row read otherwise, for each other reading of a row."""
    alternatives = []
    for k, row in enumerate(rows):
        for other in row.alternatives:
            texts = [other.text if j == k else r.text for j, r in enumerate(rows)]
            alternatives.append(
                Alternative(joined_text(texts), min(other.score, *(r.score for r in rows)), other.engine)
            )
    return tuple(sorted(alternatives, key=lambda a: -a.score)[:4])


def _surrounding_box(boxes: Sequence[Box]) -> Box:
    """The least box, along the first row's slope, that holds all boxes."""
    if len(boxes) == 1:
        return boxes[0]
    (ax, ay), (bx, by) = boxes[0].corners[:2]
    length = max(1.0, ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5)
    ux, uy = (bx - ax) / length, (by - ay) / length
    points = [point for box in boxes for point in box.corners]
    along = [x * ux + y * uy for x, y in points]
    across = [y * ux - x * uy for x, y in points]
    edges = [(a, b) for b in (min(across), max(across)) for a in (min(along), max(along))]
    tl, tr, bl, br = ((round(a * ux - b * uy, 1), round(a * uy + b * ux, 1)) for a, b in edges)
    return Box((tl, tr, br, bl))
