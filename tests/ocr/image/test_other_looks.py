"""The looks of a row's ink: what each does to a crop, and that all or none are given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ocr.engines import Recognition
from ocr.image.other_looks import LOOKS, CropLooks, Look
from ocr.page import Image, Posteriors

HEIGHT, WIDTH, BAR = 50, 200, slice(100, 110)


def bar() -> Image:
    """Paper with one upright stroke from top to foot."""
    crop = np.full((HEIGHT, WIDTH), 255, np.uint8)
    crop[:, BAR] = 0
    return crop


def middle(line: Image) -> float:
    return float(np.flatnonzero(line < 128).mean())


@pytest.mark.parametrize(("look", "size", "top", "foot"), [
    (Look(), (50, 200), 104.5, 104.5),
    (Look(stretch=2.0), (50, 400), 209.0, 209.0),
    (Look(trim=0.1), (40, 200), 104.5, 104.5),
    (Look(trim=-0.1), (60, 200), 104.5, 104.5),
    # A lean of a fifth of 50 pixels moves the top by ten, and makes room for them.
    (Look(lean=0.2), (50, 210), 114.5, 104.7),
    (Look(lean=-0.2), (50, 210), 104.5, 114.3),
])
def test_a_look_changes_the_crop_as_it_says(
    look: Look, size: tuple[int, int], top: float, foot: float
) -> None:
    changed = look.of(bar())
    assert changed.shape == size
    assert middle(changed[0]) == pytest.approx(top, abs=0.7)
    assert middle(changed[-1]) == pytest.approx(foot, abs=0.7)


class FewReadings:
    """An engine that is silent from some crop on."""

    name = "few"

    def __init__(self, most: int) -> None:
        self.most, self.crops = most, list[Image]()

    def read(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        return self.read_letters(crops)

    def read_letters(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        self.crops = list(crops)
        posteriors = Posteriors(np.zeros((4, 2), np.float32), "a")
        return tuple(
            Recognition("a", 0.9, posteriors if index < self.most else None) for index in range(len(crops)))


def test_a_row_gives_all_its_looks_or_none() -> None:
    full, short = FewReadings(len(LOOKS)), FewReadings(len(LOOKS) - 1)
    assert len(CropLooks(bar(), full, 80, 20).posteriors()) == len(LOOKS)
    assert CropLooks(bar(), short, 80, 20).posteriors() == ()
    assert len({crop.shape for crop in full.crops}) == len(LOOKS)


def test_letters_of_a_narrow_hand_are_not_squeezed_further() -> None:
    plain, narrow = FewReadings(len(LOOKS)), FewReadings(len(LOOKS))
    CropLooks(bar(), plain, 80, 20).posteriors()
    CropLooks(bar(), narrow, 30, 20).posteriors()
    widths = [(wide.shape[1], usual.shape[1]) for wide, usual in zip(narrow.crops, plain.crops, strict=True)]
    assert [wide > usual for wide, usual in widths] == [look.stretch < 1.0 for look in LOOKS]
