"""Which row of a printed sheet is ticked (LET-12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ocr.image.clear_print import row_at
from ocr.image.printed_sheet import PrintedFrame
from ocr.page import Row


def with_ticks(
    rows: Sequence[Row], printed: PrintedFrame | None, ticks: Mapping[int, str]
) -> tuple[Row, ...]:
    """The rows, the first on each rule of a printed sheet with what is ticked beside it."""
    if printed is None or not ticks:
        return tuple(rows)
    rest, marked = dict(ticks), []
    for row in rows:
        number = row_at(printed, row.box.corners)
        tick = "" if number is None else rest.pop(number, "")
        marked.append(replace(row, tick=tick) if tick else row)
    return tuple(marked)
