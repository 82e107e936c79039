"""How far the rows of a column reach, which shows where a sender breaks an order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ocr.layout.column_extents import HALF, column_extents
from ocr.layout.wrap import RowGroup, best_grouping, row_groups
from ocr.page import Box, Row

WIDE = 1000.0
"""Of the sheet, in pixels of the photograph."""


def row(left: float, right: float, number: float, text: str = "", turn: float = 0.0) -> Row:
    """The row `number` rows down, between shares of the sheet's width, in a photograph turned by so many
    degrees."""
    top, angle = 100.0 + 60.0 * number, np.radians(turn)
    corners = np.array(
        [[left * WIDE, top], [right * WIDE, top], [right * WIDE, top + 40], [left * WIDE, top + 40]]
    )
    turned = corners @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    a, b, c, d = ((float(x), float(y)) for x, y in turned)
    return Row(Box((a, b, c, d)), text, 0.9, left, right, (left - 0.05) * WIDE / 40)


def columns(turn: float = 0.0) -> list[Row]:
    """A heading, two columns, and a row below both."""
    left = [row(0.05, 0.40, 2, turn=turn), row(0.10, 0.30, 3, turn=turn), row(0.05, 0.42, 4, turn=turn)]
    right = [row(0.55, 0.90, 2, turn=turn), row(0.55, 0.80, 3.4, turn=turn), row(0.60, 0.75, 4.8, turn=turn)]
    return [row(0.05, 0.95, 0, turn=turn), *left, *right, row(0.05, 0.5, 6, turn=turn)]


def test_rows_of_one_list_reach_as_far_as_the_sheets_longest() -> None:
    rows = [row(0.3, 0.5, 0), row(0.05, 0.9, 1), row(0.1, 0.2, 2)]
    assert {(extent.middle, extent.right) for extent in column_extents(rows)} == {(HALF, 0.9)}


@pytest.mark.parametrize("turn", [0.0, 8.0, 90.0, 180.0, 270.0])
def test_each_column_reaches_as_far_as_its_own_longest_row(turn: float) -> None:
    # However the photograph is turned: boxes are in its pixels, shares are of the sheet.
    extents = [(round(extent.middle, 3), extent.right) for extent in column_extents(columns(turn))]
    sheet, left, right = (HALF, 0.95), (0.235, 0.42), (0.725, 0.9)
    assert extents == [sheet, left, left, left, right, right, right, sheet]


def test_three_columns_are_three() -> None:
    rows = [row(x, x + 0.2, y) for x in (0.05, 0.37, 0.7) for y in (0, 1, 2)]
    assert [round(extent.right, 2) for extent in column_extents(rows)] == [0.25] * 3 + [0.57] * 3 + [0.9] * 3


@pytest.mark.parametrize("lower", [-0.4, 0.0, 0.3])
def test_rows_that_are_nearly_level_are_no_columns(lower: float) -> None:
    # They are two pieces of one row, or on a curled sheet a row above the end of the row before.
    rows = [row(0.05, 0.4, 0), row(0.5, 0.9, lower), row(0.05, 0.6, 1)]
    assert {extent.right for extent in column_extents(rows)} == {0.9}


@pytest.mark.parametrize("count", [0, 1])
def test_few_rows(count: int) -> None:
    assert len(column_extents([row(0.1, 0.6, n) for n in range(count)])) == count


def joined(rows: Sequence[Row]) -> list[str]:
    """The convoy's two rows are 2 nats less likely as one line than as two: only layout can join them."""
    likely = {
        "Fleet Mull convoys": -2.0, "Army Louth to Cork": -1.0, "Fleet Mull convoys Army Louth to Cork": -5.0
    }  # fmt: skip
    scores = {RowGroup(index, index + 1): likely.get(row.text, 0.0) for index, row in enumerate(rows)}
    for group, layout in row_groups(rows, [row.text == "Army Louth to Cork" for row in rows]).items():
        scores[group] = likely.get(group.line(rows).text, -100.0 * (len(group) - 1)) + layout
    return [group.line(rows).text for group in best_grouping(len(rows), scores)]


@pytest.mark.parametrize("begin", [0.05, 0.55], ids=["left", "right"])
def test_an_indented_row_ends_its_order_in_either_column(begin: float) -> None:
    # Judged by the whole sheet's width, no wrapped order of a left column was joined.
    convoy = [
        row(begin, begin + 0.35, 2, "Fleet Mull convoys"),
        row(begin + 0.05, begin + 0.3, 3, "Army Louth to Cork"),
    ]
    beside = [row(0.6 - begin, 0.9 - begin, n, f"Army {n} holds") for n in (2, 3)]
    assert ("Fleet Mull convoys Army Louth to "
            "Cork") in joined([*convoy, *beside] if begin < 0.5 else [*beside, *convoy])


def test_a_row_at_the_top_of_a_column_ends_no_order_of_the_one_before() -> None:
    # It begins far to the right of the row before, but is not indented in its own column.
    rows = [
        row(0.05, 0.4, 2, "Army York holds"),
        row(0.05, 0.4, 3, "Fleet Mull convoys"),
        row(0.55, 0.8, 2, "Army Louth to Cork"),
    ]
    assert joined(rows) == [row.text for row in rows]
