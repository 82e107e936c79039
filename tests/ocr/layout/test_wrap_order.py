"""Which groups of rows may be one line is known before any group is decoded, so that they are decoded side by
side."""

from __future__ import annotations

from ocr.layout.wrap import RowGroup, best_grouping, row_groups
from ocr.page import Box, Row


def row(text: str, top: int, indent: float = 0.0) -> Row:
    return Row(
        Box(((0, top), (90, top), (90, top + 9), (0, top + 9))),
        text,
        0.9,
        left=0.05,
        right=0.95,
        indent=indent,
    )


ROWS = [
    row("army kent", 0),
    row("to cork", 20, 1.0),
    row("army york holds", 40),
    row("fleet", 60),
    row("bath holds", 80, 1.0),
]


def test_groups_follow_from_layout_and_from_which_rows_stand_alone() -> None:
    groups = row_groups(ROWS, [row.text.endswith("holds") for row in ROWS])
    texts = [group.line(ROWS).text for group in groups]
    assert len(set(texts)) == len(texts)
    assert "army kent to cork" in texts
    assert "to cork army york holds" not in texts  # a whole order that is not indented ends no other


def test_only_groups_with_a_score_are_chosen_and_every_row_is_in_one() -> None:
    groups = row_groups(ROWS, [row.text.endswith("holds") for row in ROWS])
    scores = {RowGroup(index, index + 1): 1.0 for index in range(len(ROWS))}
    scores |= {group: float(len(group)) + layout for group, layout in groups.items()}
    chosen = best_grouping(len(ROWS), scores)
    assert set(chosen) <= set(scores)
    assert [row.text for group in chosen for row in group.line(ROWS).rows] == [row.text for row in ROWS]
