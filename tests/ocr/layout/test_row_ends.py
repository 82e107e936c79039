"""A row whose box stopped before its end is lengthened over the rest, or a person looks (INK-07)."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from ocr.layout.lines import RowStrip
from ocr.layout.row_ends import lengthened, runs_on, sheet_ink
from ocr.page import Image


def sheet(*texts: tuple[str, int, int]) -> Image:
    image = np.full((900, 1500, 3), 248, np.uint8)
    for text, x, y in texts:
        cv2.putText(image, text, (x, y), cv2.FONT_HERSHEY_COMPLEX, 1.4, (20, 20, 60), 3, cv2.LINE_AA)
    return image


def strip(left: float, right: float, base: float, fall: float = 0.0) -> RowStrip:
    """A row's box about writing on a base line; `fall`: pixels down for each pixel right."""
    corners = [[left, base - 36], [right, base - 36], [right, base + 8], [left, base + 8]]
    quad = np.array([[x, y + fall * (x - left)] for x, y in corners], dtype=np.float32)
    return RowStrip(quad, left, right, float(quad[:, 1].mean()), 44.0)


WHOLE, REST = "A Cork S A Radnorshire", "- Roscommon"


def test_a_row_is_lengthened_over_a_word_that_goes_on() -> None:
    image = sheet((WHOLE, 100, 200), (REST, 720, 202), ("F Mull - Bute", 100, 330))
    short, other = strip(95, 690, 200), strip(95, 460, 330)
    longer, same = lengthened(sheet_ink(image), [short, other])
    assert longer.right > 990
    assert same is other
    assert runs_on(sheet_ink(image), [short, other]) == (True, False)
    assert runs_on(sheet_ink(image), [longer, same]) == (False, False)


def test_a_sloping_row_is_lengthened_along_its_slope() -> None:
    # The rest lies 40 pixels lower: next to the level line, on the sloping one.
    image = sheet((WHOLE, 100, 220), (REST, 720, 262))
    (longer,) = lengthened(sheet_ink(image), [strip(95, 690, 200, fall=0.07)])
    assert longer.right > 990


@pytest.mark.parametrize(
    ("extra", "others"),
    [
        (("Roscommon", 720, 330), []),
        (("Roscommon", 1100, 200), []),
        (("Roscommon", 720, 200), [(715, 990, 200)]),
        ((".", 720, 200), []),
    ],
    ids=["another row's line", "far away", "in a box of its own", "a full stop"],
)
def test_other_ink_does_not_lengthen_a_row(
    extra: tuple[str, int, int], others: list[tuple[float, float, float]]
) -> None:
    image = sheet((WHOLE, 100, 200), extra)
    first, *rest = lengthened(sheet_ink(image), [strip(95, 690, 200), *(strip(*other) for other in others)])
    assert first.right == 690
    assert not any(runs_on(sheet_ink(image), [first, *rest])[:1])
