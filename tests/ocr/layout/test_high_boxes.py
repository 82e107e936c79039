"""Boxes in which the finder ran two things together, and boxes that lie between two rows: words put in above
a row are the usual reason for either (Q-16: what was put in is for a person to see next to its row)."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.engines import Quad
from ocr.engines.ppocr import PpFinder
from ocr.layout.lines import part_tall_boxes, row_strips
from ocr.page import Image
from ocr.read import FIND_SIDE, ReadOptions, _Reader

INK = (40, 30, 90)


def box(left: float, top: float, width: float, height: float = 40) -> Quad:
    return np.array(
        [[left, top], [left + width, top], [left + width, top + height], [left, top + height]], np.float32
    )


ROWS = [box(50, 100 + 60 * n, 600) for n in range(4)]
HIGH = box(50, 340, 400, 76)
ROW, WORD = box(50, 376, 400), box(300, 342, 150, 28)


def middles(quads: Sequence[Quad]) -> list[tuple[int, int]]:
    return [(round(float(quad[:, 0].mean())), round(float(quad[:, 1].mean()))) for quad in quads]


class Closer:
    """What a closer look finds, at the first or the second time; remembers how close it was asked to look."""

    def __init__(self, *answers: Sequence[Quad]) -> None:
        self.answers, self.asked = list(answers), list[float]()

    def __call__(self, quad: Quad, times: float) -> Sequence[Quad]:
        self.asked.append(times)
        return self.answers[len(self.asked) - 1]


def test_a_box_much_higher_than_the_others_is_looked_at_closer() -> None:
    closer = Closer([WORD, ROW])
    assert middles(part_tall_boxes([*ROWS, HIGH], closer)) == middles([*ROWS, WORD, ROW])
    assert len(closer.asked) == 1


def test_it_is_looked_at_closer_still_where_that_shows_no_more() -> None:
    closer = Closer([HIGH], [WORD, ROW])
    assert middles(part_tall_boxes([*ROWS, HIGH], closer)) == middles([*ROWS, WORD, ROW])
    assert closer.asked[1] > closer.asked[0]


def test_what_nobody_can_part_stays_as_it_was_found() -> None:
    assert middles(part_tall_boxes([*ROWS, HIGH], Closer([HIGH], [ROW]))) == middles([*ROWS, HIGH])


def test_the_top_of_the_next_row_is_no_part_of_it() -> None:
    # The row below reaches into the tall box, and has its own box.
    below = box(50, 400, 700)
    assert middles(
        part_tall_boxes([*ROWS, HIGH, below], Closer([WORD, ROW, box(50, 405, 400, 20)], [HIGH]))
    ) == middles([*ROWS, WORD, ROW, below])


@pytest.mark.parametrize("odd", [box(50, 340, 400, 50), box(50, 340, 60, 76)])
def test_rows_a_little_higher_and_single_large_letters_are_let_be(odd: Quad) -> None:
    closer = Closer()
    assert middles(part_tall_boxes([*ROWS, odd], closer)) == middles([*ROWS, odd])
    assert closer.asked == []


def test_no_boxes_are_none() -> None:
    assert part_tall_boxes([], Closer()) == ()


def test_a_word_over_the_next_row_does_not_end_a_short_row() -> None:
    # "Caithness", and after it "disbands" above the end of the row below, are level enough to be one row.
    short, below, put_in = box(100, 100, 200), box(50, 155, 500), box(360, 123, 160, 34)
    strips = row_strips([short, below, put_in, box(50, 240, 600), box(50, 310, 600)])
    assert [round(row.left) for row in strips] == [100, 360, 50, 50, 50]


def test_a_small_word_at_the_end_of_its_own_row_stays_there() -> None:
    short, tail, below = box(100, 100, 200), box(330, 108, 160, 30), box(50, 165, 500)
    assert len(row_strips([short, tail, below, box(50, 240, 600), box(50, 310, 600)])) == 4


def sheet(word: bool) -> npt.NDArray[np.uint8]:
    image = np.full((900, 900, 3), 250, np.uint8)
    for k, text in enumerate(
        ("Army Kent holds", "Fleet Hull holds", "Army York -", "Army Leeds to Kent", "Fleet Mull holds")
    ):
        cv2.putText(image, text, (60, 200 + 110 * k), cv2.FONT_HERSHEY_COMPLEX, 1.6, INK, 3, cv2.LINE_AA)
    if word:
        cv2.putText(image, "Fife", (318, 378), cv2.FONT_HERSHEY_COMPLEX, 1.1, INK, 2, cv2.LINE_AA)
    return image


class Hasty:
    """A finder that runs a row and what is close above it together unless it looks close."""

    name = "hasty"

    def __init__(self) -> None:
        self.finder = PpFinder()

    def find(self, image: Image) -> tuple[Quad, ...]:
        """See RowFinder."""
        quads = self.finder.find(image)
        if image.shape[0] < FIND_SIDE / 2:
            return quads
        held: list[Quad] = []
        for quad in quads:
            neighbour = next(
                (
                    k
                    for k, other in enumerate(held)
                    if quad[:, 1].min() < other[:, 1].max() and other[:, 1].min() < quad[:, 1].max()
                ),
                None,
            )
            corners = quad if neighbour is None else np.concatenate((quad, held.pop(neighbour)))
            (left, top), (right, foot) = corners.min(axis=0), corners.max(axis=0)
            held.append(box(float(left), float(top), float(right - left), float(foot - top)))
        return tuple(held)


def test_the_real_finder_parts_a_word_from_its_row() -> None:
    # A finder that joins the boxes gives the same result as one that does not: the second search is the real
    # one's.
    reader = _Reader((), ReadOptions(finder=Hasty()))
    alone = reader._find(sheet(word=False))
    with_word = reader._find(sheet(word=True))
    assert (len(alone), len(with_word)) == (5, 6)
    assert (
        len(Hasty().find(np.asarray(cv2.resize(sheet(word=True), None, fx=0.853, fy=0.853), np.uint8))) == 5
    )
