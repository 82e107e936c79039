"""Between which edges the rows of a sheet lie: those of the sheet, or those of their column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ocr.page import Row

# Tuning values. "By hand": no measurement on record.
BACK_UP = 1.0
"""Row heights, 0.5..3: a column begins with a row at least so far above the row read before it. Rows of one
column come from the top; on a curled or leaning sheet two of them may be nearly level. Photographs, none with
columns: each row is 0.74 or more below the one before."""
BESIDE = 0.5
"""Row heights, 0..2, by which a row of the column before may begin above the next one's first. By hand."""
HALF = 0.5  # of the sheet's width, 0..1: beyond it a row has gone some way across the sheet. By hand


@dataclass(frozen=True, slots=True)
class ColumnExtent:
    """Of a row's column, as shares of the sheet's width: its middle, and where its longest row ends."""

    middle: float
    right: float


def column_extents(rows: Sequence[Row]) -> list[ColumnExtent]:
    """The extent of each row's column. `rows` in reading order; rows of one column get the same extent.

    Without columns that is the sheet: half its width, and its longest row.
    """
    sheet = ColumnExtent(HALF, max((row.right for row in rows), default=1.0))
    extents = [sheet] * len(rows)
    downs = _distances_down(rows)
    column_start = 0
    for index in range(1, len(rows)):
        row = rows[index]
        height = max(1.0, row.box.height)
        # Does a column begin with this row? It lies above the row before, and right of it.
        if downs[index] >= downs[index - 1] - BACK_UP * height or row.left <= rows[index - 1].left:
            continue
        before = [
            k
            for k in range(column_start, index)
            if downs[k] >= downs[index] - BESIDE * height and rows[k].left < row.left
        ]
        # It ends where rows begin left of the middle between the two margins.
        border = (float(np.mean([rows[k].left for k in before] or [0.0])) + row.left) / 2
        end = next((k for k in range(index, len(rows)) if rows[k].left < border), len(rows))
        for column in (before, range(index, end)):
            extent = _extent([rows[k] for k in column])
            for k in column:
                extents[k] = extent
        column_start = index
    return extents


def _extent(rows: Sequence[Row]) -> ColumnExtent:
    left, right = min((row.left for row in rows), default=0.0), max((row.right for row in rows), default=1.0)
    return ColumnExtent((left + right) / 2, right)


def _distances_down(rows: Sequence[Row]) -> list[float]:
    """How far down the middle of each row is, square to the longest row, in pixels of the photograph."""
    if not rows:
        return []
    (ax, ay), (bx, by) = max(rows, key=lambda row: row.box.width).box.corners[:2]
    length = max(1.0, float(np.hypot(bx - ax, by - ay)))
    down = np.array([ay - by, bx - ax]) / length
    return [float(np.array(row.box.corners).mean(axis=0) @ down) for row in rows]
