"""INK-11: light writing on dark ground is evened to dark on light; a dim photograph of paper is not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from ocr.image.illumination import even_light
from ocr.page import Image


def sheet(paper: int, ink: int) -> Image:
    image = np.full((900, 700, 3), paper, np.uint8)
    for row in range(6):
        cv2.putText(image, "Army Kent to Surrey", (60, 120 + 90 * row), cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, 1.4,
                    (ink,) * 3, 3, cv2.LINE_AA)
    return image


@pytest.mark.parametrize(("paper", "ink"), [(240, 30), (70, 20), (15, 220), (60, 200)])
def test_writing_comes_out_dark_on_light_paper(paper: int, ink: int) -> None:
    evened = even_light(sheet(paper, ink))
    assert float(np.median(evened)) > 230
    assert float(np.percentile(evened, 1)) < 150


def test_a_shadow_over_half_of_a_dim_sheet_makes_it_no_dark_one() -> None:
    image = sheet(100, 20)
    image[:, :500] //= 3
    assert float(np.percentile(even_light(image), 1)) < 150
    assert float(np.median(even_light(image))) > 230
