"""A narrow hand is shown wider to the second opinion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest

from ocr.engines import Recognition
from ocr.image.narrow_hands import second_opinion, widened
from ocr.page import Image, Posteriors
from ocr.read import ReadOptions, read_images

TEXT = "Army Louth to Isle of Man"


@pytest.mark.parametrize(("frames", "letters", "width"), [
    (30, 25, 800), (50, 25, 640), (56, 25, 400), (90, 25, 400), (4, 4, 400),
], ids=["very narrow", "narrow", "as most write", "wide", "too short to tell"])
def test_the_fewer_frames_a_letter_has_the_wider_a_row_becomes(frames: int, letters: int, width: int) -> None:
    crop = np.full((60, 400, 3), 255, np.uint8)
    assert widened(crop, frames, letters).shape == (60, width, 3)


@dataclass
class Reader:
    """An engine that reads every row alike: so many frames, and so sure."""

    name: str
    frames: int
    score: float
    widths: list[int] = field(default_factory=list)

    def read(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """See Engine."""
        self.widths += [crop.shape[1] for crop in crops]
        posteriors = Posteriors(np.zeros((self.frames, 2), np.float32), "a")
        return tuple(Recognition(TEXT, self.score, posteriors) for _ in crops)


@pytest.mark.parametrize(("frames", "score", "widths"), [(30, 0.9, [2]), (30, 0.7, [2, 1]), (90, 0.9, [1])],
                         ids=["narrow", "a scrawl", "as most write"])
def test_the_second_engine_sees_a_narrow_hand_wider_and_a_scrawl_as_it_is(
    frames: int, score: float, widths: list[int]
) -> None:
    crop = np.full((60, 400, 3), 255, np.uint8)
    first = Recognition(TEXT, score, Posteriors(np.zeros((frames, 2), np.float32), "a"))
    second = Reader("second", frames, score)
    assert second_opinion(second, crop, first).text == TEXT
    assert second.widths == [crop.shape[1] * factor for factor in widths]


def test_a_page_asks_the_second_engine_so() -> None:
    sheet = np.full((500, 1500, 3), 255, np.uint8)
    cv2.putText(sheet, TEXT, (80, 200), cv2.FONT_HERSHEY_DUPLEX, 2.4, (0, 0, 0), 4, cv2.LINE_AA)
    first, second, third = (Reader(name, 30, 0.9) for name in ("first", "second", "third"))
    read_images([sheet], (first, second, third), ReadOptions(third_below=1.1))
    assert [*second.widths, *third.widths] == [2 * first.widths[-1], first.widths[-1]]
