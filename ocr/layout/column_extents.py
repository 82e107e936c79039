"""Between which edges the rows of a sheet lie: those of the sheet, or on a sheet of several columns those of
each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ocr.page import Row

BACK_UP = 1.0
"""Row heights by which a row lies above the one read before it, at least, where a column begins. Rows of one
column come from the top; on a curled or leaning sheet two of them may be nearly level."""

BESIDE = 0.5
"""Row heights by which a row of the column before may begin above the next column's first."""

HALF = 0.5
"""Share of the sheet's width beyond which a row has gone some way across it."""


@dataclass(frozen=True, slots=True)
class ColumnExtent:
    """Of a row's column, as shares of the sheet's width: the middle of it, and where its longest row ends."""

    middle: float
    right: float


def column_extents(rows: Sequence[Row]) -> list[ColumnExtent]:
    """For each of the rows, in reading order, how far its column reaches; rows of one column have the same
    Reach.

    Where no column begins, that is the sheet itself: half its width, and its longest row.
    """
    sheet = ColumnExtent(HALF, max((row.right for row in rows), default=1.0))
    found = [sheet] * len(rows)
    downs = _downs(rows)
    before = 0
    for at in range(1, len(rows)):
        height = max(1.0, rows[at].box.height)
        if downs[at] >= downs[at - 1] - BACK_UP * height or rows[at].left <= rows[at - 1].left:
            continue
        left = [
            k
            for k in range(before, at)
            if downs[k] >= downs[at] - BESIDE * height and rows[k].left < rows[at].left
        ]
        lane = (float(np.mean([rows[k].left for k in left] or [0.0])) + rows[at].left) / 2
        end = next((k for k in range(at, len(rows)) if rows[k].left < lane), len(rows))
        for column in (left, range(at, end)):
            own = _reach([rows[k] for k in column])
            for k in column:
                found[k] = own
        before = at
    return found


def _reach(rows: Sequence[Row]) -> ColumnExtent:
    begin, edge = min((row.left for row in rows), default=0.0), max((row.right for row in rows), default=1.0)
    return ColumnExtent((begin + edge) / 2, edge)


def _downs(rows: Sequence[Row]) -> list[float]:
    """How far down the middle of each row is, square to the longest of them, in pixels of the photograph."""
    if not rows:
        return []
    (ax, ay), (bx, by) = max(rows, key=lambda row: row.box.width).box.corners[:2]
    length = max(1.0, float(np.hypot(bx - ax, by - ay)))
    down = np.array([ay - by, bx - ax]) / length
    return [float(np.array(row.box.corners).mean(axis=0) @ down) for row in rows]
