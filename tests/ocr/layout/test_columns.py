"""Two columns on one sheet, against one list whose parts are under each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from ocr.layout.columns import begin_alike
from ocr.layout.lines import RowStrip, row_strips

Box = npt.NDArray[np.float32]


def box(left: float, top: float, width: float, tilt: float = 0.0) -> Box:
    """A row 40 high that falls by `tilt` degrees from its left end."""
    across, down = np.cos(np.radians(tilt)), np.sin(np.radians(tilt))
    start = np.array([left, top])
    along, below = np.array([across, down]) * width, np.array([-down, across]) * 40
    return np.asarray([start, start + along, start + along + below, start + below], np.float32)


def lefts(strips: tuple[RowStrip, ...]) -> list[int]:
    return [round(float(row.quad[0, 0]) / 10) * 10 for row in strips]


@pytest.mark.parametrize("gap", [20, 100, 300])
def test_columns_of_different_pitch_are_read_one_after_the_other(gap: int) -> None:
    # Rows that are not level were joined across the lane, and both orders were lost.
    left = [box(50, 100 + 60 * n, 400) for n in range(7)]
    right = [box(450 + gap, 110 + 77 * n, 380) for n in range(5)]
    mixed = [*left, *right]
    shuffled = [mixed[k] for k in np.random.default_rng(3).permutation(len(mixed))]
    assert lefts(row_strips(shuffled)) == [50] * 7 + [450 + gap] * 5


def test_columns_may_lean_against_each_other() -> None:
    left = [box(50, 100 + 60 * n, 420) for n in range(6)]
    right = [box(500 + (120 if n < 2 else 0), 90 + 70 * n, 400, tilt=4.0) for n in range(6)]
    strips = row_strips([*right, *left])
    assert lefts(strips)[:6] == [50] * 6
    assert len(strips) == 12


def test_what_stands_above_and_below_both_columns_comes_first_and_last() -> None:
    heading, foot = box(60, 20, 900), box(60, 620, 900)
    left = [box(50, 100 + 60 * n, 400) for n in range(7)]
    right = [box(600, 110 + 77 * n, 380) for n in range(6)]
    assert lefts(row_strips([*right, foot, *left, heading])) == [60] + [50] * 7 + [600] * 6 + [60]


def test_one_list_in_two_aligned_parts_stays_one_list() -> None:
    # Unit on the left, order on the right: parts of one row are level.
    parts = [box(x, 100 + 60 * n, width) for n in range(8) for x, width in ((50, 260), (400, 300))]
    assert len(row_strips(parts)) == 8


def test_two_stray_words_on_the_right_make_no_column() -> None:
    rows = [box(50, 100 + 60 * n, 500) for n in range(8)]
    assert len(row_strips([*rows, box(700, 130, 120), box(700, 250, 120)])) == 10


def two_lists(gap: float) -> list[Box]:
    """Two lists of rows on the same lines, the right one with a row that goes on where the one above
    stopped."""
    left = [box(50, 100 + 60 * n, 260) for n in range(6)]
    right = [box(310 + gap + (40 if n == 2 else 0), 100 + 60 * n, 240) for n in range(5)]
    return [*left, *right]


@pytest.mark.parametrize("gap", [40, 100])
def test_level_columns_near_each_other_are_parted_where_both_hold_the_same_kind(gap: int) -> None:
    sizes: list[tuple[int, int]] = []

    def one_kind(left: Sequence[Box], right: Sequence[Box]) -> bool:
        sizes.append((len(left), len(right)))
        assert {round(float(q[0, 0])) for q in left} == {50}
        assert {round(float(q[0, 0])) for q in right} == {310 + gap}
        return True

    assert len(row_strips(two_lists(gap), one_kind)) == 11
    assert sizes == [(6, 4)], "a row that goes on is not a beginning"


def test_level_columns_of_two_kinds_are_one_list() -> None:
    assert len(row_strips(two_lists(100), lambda left, right: False)) == 6


def test_gaps_between_words_are_never_asked_about() -> None:
    def one_kind(left: Sequence[Box], right: Sequence[Box]) -> bool:
        raise AssertionError

    words = [box(50 + 150 * n, 100 + 60 * row, 135) for row in range(8) for n in range(4)]
    assert len(row_strips(words, one_kind)) == 8


def test_columns_that_layout_shows_need_no_asking() -> None:
    def one_kind(left: Sequence[Box], right: Sequence[Box]) -> bool:
        raise AssertionError

    left, right = ([box(x, 100 + 60 * n, 400) for n in range(7)] for x in (50, 750))
    assert len(row_strips([*left, *right], one_kind)) == 14


ORDERS = ("A Derry - Mull", "F Minch H", "Army Cork holds", "A Louth S A Cork", "F Irish Sea - Wight")


def test_two_lists_of_orders_open_alike() -> None:
    assert begin_alike(
        ("Montrose", "Spring 1643", *ORDERS), ("A Mull H", "F Clyde - Minch", "Armv York holds", "Fleet")
    )


def test_the_second_half_of_a_list_does_not_open_like_its_first() -> None:
    assert not begin_alike(ORDERS, ("- Mull", "H", "S A Cork - Louth", "moves to Wight", "holds"))


def test_rows_that_go_on_unindented_are_half_of_a_column() -> None:
    right = (
        "Army Kisimul to",
        "Roads",
        "Army Cork S",
        "Limerick to Leitrim",
        "Fleet Minch C",
        "ArmyMull - Louth",
    )
    left = ("Army Fair Isle to", "Fort", "Fleet Viking C", "The Uists", "Army Mayo - Cork")
    assert begin_alike(left, right)


def test_a_dropped_space_is_no_other_word() -> None:
    assert begin_alike(ORDERS, ("FThe Minch H", "AMull - Cork", "Fleet", "F Clyde H"))


def test_two_rows_say_nothing() -> None:
    assert not begin_alike(ORDERS, ("A Mull H", "F Clyde - Minch"))
