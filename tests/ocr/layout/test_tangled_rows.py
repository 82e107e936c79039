"""In how large copies of a sheet its rows are searched: larger ones only where boxes lie in others."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from ocr.engines import Quad
from ocr.page import Image
from ocr.read import CLOSE_SIDE, CLOSEST_SIDE, FIND_SIDE, ReadOptions, _Reader

SIDE = 2400


@dataclass
class Rows:
    """A finder that sees a tall sheet's ten rows, and besides in copies below a size as many boxes inside
    them. `asked`: the long sides of the copies."""

    untangled_from: int
    height: int = 40
    asked: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "rows"

    def find(self, image: Image) -> tuple[Quad, ...]:
        side = max(image.shape[:2])
        self.asked.append(side)
        scale = side / SIDE
        boxes = [_box(100, 100 + 200 * row, 1500, self.height) for row in range(10)]
        if side < self.untangled_from:
            boxes += [_box(600, 100 + 200 * row, 300, self.height * 0.8) for row in range(10)]
        return tuple(np.asarray(box * scale, np.float32) for box in boxes)


def _box(left: float, top: float, width: float, height: float) -> Quad:
    right, foot = left + width, top + height
    return np.array([[left, top], [right, top], [right, foot], [left, foot]], np.float32)


@pytest.fixture
def clean() -> Image:
    """A sheet whose ink reaches to its corners, so that all of a copy is searched."""
    image = np.full((SIDE, 1700, 3), 250, np.uint8)
    image[20:-20:40, 20:-20] = 30
    return image


@pytest.mark.parametrize(("untangled_from", "asked"), [
    (0, [FIND_SIDE]),
    (CLOSE_SIDE - 32, [FIND_SIDE, CLOSE_SIDE]),
    (CLOSEST_SIDE - 32, [FIND_SIDE, CLOSE_SIDE, CLOSEST_SIDE]),
])
def test_the_largest_copy_is_searched_only_where_boxes_still_lie_in_others(
    clean: Image, untangled_from: int, asked: list[int]
) -> None:
    finder = Rows(untangled_from, height=60)
    boxes = _Reader((), ReadOptions(finder=finder))._find(clean)
    assert finder.asked == pytest.approx(asked, abs=33)
    assert len(boxes) == 10


def test_a_copy_that_was_searched_for_small_writing_is_not_searched_again(clean: Image) -> None:
    finder = Rows(CLOSEST_SIDE - 32, height=30)
    boxes = _Reader((), ReadOptions(finder=finder))._find(clean)
    assert finder.asked == pytest.approx([FIND_SIDE, CLOSE_SIDE, CLOSEST_SIDE], abs=33)
    assert len(boxes) == 10
