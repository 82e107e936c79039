"""What we send carries a mark that survives the ways in which a picture comes back (ARR-03)."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from grammar.headings.sheet_code import OWN_PICTURE
from ocr.image.own_mark import bears_mark
from service.pictures.drawing.own_mark import marked, marked_page
from tests.support.table import sheet_picture


def _encoded(picture: Image.Image, quality: int = 85) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality)
    with Image.open(out) as opened:
        return np.asarray(opened.convert("RGB"))


@pytest.mark.parametrize("width", [1800, 1100, 640, 480])
def test_a_picture_made_smaller_and_encoded_anew_still_bears_the_mark(width: int) -> None:
    with Image.open(io.BytesIO(sheet_picture())) as sheet:
        picture = marked(sheet.convert("RGB").resize((1100, 1400)))
    for quality in (85, 40):
        smaller = picture.resize((width, picture.height * width // picture.width))
        assert bears_mark(_encoded(smaller, quality), OWN_PICTURE), quality


def test_a_page_keeps_the_shape_of_its_paper() -> None:
    page = marked_page(Image.new("RGB", (1240, 1754), "#fbf6e9"))
    assert page.size == (1240, 1754)
    assert bears_mark(_encoded(page), OWN_PICTURE)


def test_a_sheet_is_none_of_ours_and_neither_is_one_that_lies_on_one_of_ours() -> None:
    with Image.open(io.BytesIO(sheet_picture())) as opened:
        sheet = opened.convert("RGB")
    assert not bears_mark(np.asarray(sheet), OWN_PICTURE)
    # The results on a table, printed, and a sheet photographed on them: the mark is not at the edge.
    table = Image.new("RGB", (1600, 2200), "#806040")
    table.paste(marked(sheet.resize((1100, 1400))), (200, 200))
    assert not bears_mark(_encoded(table), OWN_PICTURE)
    askew = marked(sheet.resize((1100, 1400))).rotate(6, expand=False, fillcolor="white")
    assert not bears_mark(_encoded(askew), OWN_PICTURE)
