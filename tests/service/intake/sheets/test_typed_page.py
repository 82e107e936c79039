"""The drawing of typed orders: every row is on the page, whole, where its box states."""

from __future__ import annotations

import io
import itertools

from PIL import Image

from service.intake.sheets.typed_orders import as_picture, as_reading

ROWS = [f"A row {number} that goes on until it is {'longer ' * number}than any page" for number in range(30)]


def _page(data: bytes | None) -> Image.Image:
    assert data is not None
    return Image.open(io.BytesIO(data)).convert("L")


def test_no_row_touches_the_edge_or_another_row() -> None:
    picture = as_picture(ROWS)
    page = _page(picture.data)
    assert page.size == (picture.width, picture.height)
    ink = page.point(lambda shade: 255 if shade < 128 else 0)
    box = ink.getbbox()
    assert box is not None
    # A printer leaves some millimetres at each edge; 50 pixels are 4 mm at 300 dots per inch.
    assert box[0] >= 50
    assert box[1] >= 50
    assert box[2] <= page.width - 50
    assert box[3] <= page.height - 50


def test_the_box_of_a_line_holds_its_ink_and_no_other() -> None:
    ((page,), spans) = as_reading(ROWS, [range(1), range(1, 3), range(3, 30)]), []
    sheet = _page(page.upright)
    ink = sheet.point(lambda shade: 255 if shade < 128 else 0)
    for line in page.reading.pages[0].lines:
        xs, ys = zip(*line.box.corners, strict=True)
        spans.append((min(ys), max(ys)))
        # The ink between this box's top and bottom lies between its left and right.
        held = ink.crop((0, int(min(ys)), ink.width, int(max(ys)) + 1)).getbbox()
        assert held is not None
        assert min(xs) - 3 <= held[0]
        assert held[2] <= max(xs) + 3
    assert page.reading.pages[0].number == 1
    assert [line.text for line in page.reading.pages[0].lines] == [
        ROWS[0], " ".join(ROWS[1:3]), " ".join(ROWS[3:])]
    assert all(above[1] < below[0] for above, below in itertools.pairwise(spans))
    # Outside of all boxes the page is white.
    for top, bottom in spans:
        ink.paste(0, (0, int(top) - 3, ink.width, int(bottom) + 3))
    assert ink.getbbox() is None
