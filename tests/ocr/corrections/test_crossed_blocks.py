"""INK-09: rows between the ends of a mark over several rows wait; a plain sheet has none such."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from ocr.corrections.crossed_blocks import crossed_rows
from ocr.layout.lines import RowStrip, row_strips
from ocr.page import Image
from training.handwriting.block_strokes import BlockStroke, cross_out_block
from training.handwriting.ink import Extent

ROWS = (
    "Montrose", "Autumn 1643 Movement Orders", "Army Fife to Angus", "Fleet Lundy holds",
    "Army Perth supports Army Fife to Angus", "Army Skye holds", "Army Moray to Buchan", "Fleet Forth holds",
)
LEFT, TOP, PITCH, HEIGHT = 150, 200, 110, 80
WIDTH = 1240


def written(height: int = HEIGHT) -> tuple[Image, tuple[RowStrip, ...]]:
    """A sheet of rows, and where they are; how high they are, in pixels."""
    sheet = np.full((1600, WIDTH), 250, np.uint8)
    quads = []
    for index, text in enumerate(ROWS):
        foot = TOP + index * PITCH
        cv2.putText(sheet, text, (LEFT, foot), cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, 1.8, 30, 3, cv2.LINE_AA)
        (width, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, 1.8, 3)
        top, right = foot - 18 - height // 2, LEFT + width
        corners = [[LEFT, top], [right, top], [right, top + height], [LEFT, top + height]]
        quads.append(np.array(corners, np.float32))
    return np.asarray(sheet, np.uint8), row_strips(quads)


def rows_of(sheet: Image, strips: tuple[RowStrip, ...]) -> list[int]:
    colour = np.asarray(cv2.cvtColor(sheet, cv2.COLOR_GRAY2RGB), np.uint8)
    return [index for index, is_crossed in enumerate(crossed_rows(colour, strips)) if is_crossed]


def with_block(first: int, last: int, stroke: BlockStroke, seed: int, width: float = 4.0) -> list[int]:
    """The rows found crossed on a sheet whose rows from `first` to `last` are."""
    sheet, strips = written()
    right = max(float(strips[index].quad[1, 0]) for index in range(first, last + 1))
    block = Extent(LEFT, TOP + first * PITCH - 58, right, TOP + last * PITCH + 22)
    mask = np.zeros(sheet.shape, np.float32)
    cross_out_block(mask, block, PITCH, stroke, width, np.random.default_rng(seed))
    inked = np.asarray(np.minimum(sheet, 250 - mask * 220), np.uint8)
    return rows_of(inked, strips)


def test_a_plain_sheet_has_no_mark() -> None:
    assert rows_of(*written()) == []


@pytest.mark.parametrize("stroke", BlockStroke)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_rows_between_the_ends_of_a_mark_are_crossed(stroke: BlockStroke, seed: int) -> None:
    """All that lie well within it; a row that the end of a mark comes near to may wait too."""
    crossed = with_block(2, 5, stroke, seed)
    assert {3, 4} <= {*crossed} <= {1, 2, 3, 4, 5, 6}
    assert len(crossed) >= 3


@pytest.mark.parametrize(
    "stroke", [BlockStroke.CROSS, BlockStroke.BOX, BlockStroke.SERPENTINE, BlockStroke.HATCHING])
@pytest.mark.parametrize("seed", [5, 6, 7])
def test_a_mark_over_two_rows_is_one_over_several(stroke: BlockStroke, seed: int) -> None:
    assert {3, 4} <= {*with_block(3, 4, stroke, seed)}


@pytest.mark.parametrize(("reach", "height", "is_mark"), [
    (0.5, HEIGHT, True), (0.5, PITCH, False), (0.9, PITCH, True), (0.4, HEIGHT, False)])
def test_in_a_tight_hand_only_a_stroke_through_both_rows_is_a_mark(
    reach: float, height: int, is_mark: bool
) -> None:
    """Stems there lead from the middle of a row to the middle of the next. `reach`: how far it goes up and
    down, in distances from row to row; `height`: of the rows, pixels."""
    sheet, strips = written(height)
    middle, half = TOP + 4 * PITCH - PITCH // 2 - 18, round(reach * PITCH)
    cv2.line(sheet, (LEFT + 60, middle + half), (LEFT + 110, middle - half), 30, 4, cv2.LINE_AA)
    assert rows_of(sheet, strips) == ([3, 4] if is_mark else [])


def test_a_row_that_a_mark_ends_short_of_is_none_of_its_rows() -> None:
    """One far beside the mark, but between its ends, is."""
    sheet, strips = written()
    begin, end = (LEFT + 800, TOP + 5 * PITCH + 34), (LEFT + 960, TOP + 3 * PITCH - 74)
    cv2.line(sheet, begin, end, 30, 4, cv2.LINE_AA)
    assert rows_of(sheet, strips) == [3, 4, 5]


def test_strokes_through_single_rows_are_no_mark_over_several() -> None:
    """These are found row by row, see `strike`."""
    sheet, strips = written()
    for index in (2, 3, 4):
        middle = TOP + index * PITCH - 20
        cv2.line(sheet, (LEFT - 10, middle), (LEFT + 600, middle + 8), 30, 4, cv2.LINE_AA)
        cv2.line(sheet, (LEFT - 10, middle + 14), (LEFT + 600, middle + 20), 30, 4, cv2.LINE_AA)
    assert rows_of(sheet, strips) == []


@pytest.mark.parametrize("line", [
    ((LEFT - 30, 60), (LEFT - 26, 1560)),  # a margin
    ((40, 1400), (WIDTH - 40, 1380)),  # a rule below the writing
    ((LEFT, TOP + PITCH + 20), (LEFT + 700, TOP + PITCH + 26)),  # the heading underlined
])
def test_lines_beside_the_rows_cross_nothing(line: tuple[tuple[int, int], tuple[int, int]]) -> None:
    sheet, strips = written()
    cv2.line(sheet, *line, 60, 4, cv2.LINE_AA)
    assert rows_of(sheet, strips) == []


def test_a_frame_about_everything_is_the_papers_own() -> None:
    sheet, strips = written()
    cv2.rectangle(sheet, (90, 90), (WIDTH - 90, 1500), 40, 4)
    assert rows_of(sheet, strips) == []


def test_a_cross_in_light_ink_on_dark_ground_is_seen_too() -> None:
    sheet, strips = written()
    cv2.line(sheet, (LEFT, TOP + 2 * PITCH - 60), (LEFT + 600, TOP + 5 * PITCH), 30, 4, cv2.LINE_AA)
    cv2.line(sheet, (LEFT, TOP + 5 * PITCH), (LEFT + 600, TOP + 2 * PITCH - 60), 30, 4, cv2.LINE_AA)
    assert {2, 3, 4, 5} <= {*rows_of(np.asarray(255 - sheet, np.uint8), strips)}


def test_one_row_is_crossed_by_nothing_over_several() -> None:
    sheet, strips = written()
    assert rows_of(sheet, strips[:1]) == []
