"""The desk's pictures and words as values: crops, folded crops, marked readings, times."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from service.desk.reading import candidates
from service.store.blobs import Blobs
from service.web import crops, wording
from tests.support.desk_site import photograph

BOX = [[50, 100], [800, 100], [800, 160], [50, 160]]


@pytest.fixture
def page(tmp_path: Path) -> tuple[Blobs, str]:
    blobs = Blobs(tmp_path)
    return blobs, blobs.put(photograph())


def opened(data: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return picture


def ink(picture: Image.Image) -> int:
    """How many pixels are dark."""
    return int((np.asarray(picture.convert("L")) < 90).sum())


def shades(data: bytes) -> list[int]:
    """The darkest and the lightest pixel, 0..255."""
    grey = np.asarray(opened(data).convert("L"))
    return [int(grey.min()), int(grey.max())]


def test_a_crop_holds_the_line_and_its_surroundings(page: tuple[Blobs, str]) -> None:
    picture = opened(crops.line_crop(*page, BOX))
    # The box is 750 x 60 pixels, and 40 % of its height is shown on each side.
    assert picture.width == pytest.approx(750 + 0.8 * 60, abs=3)
    assert picture.height == pytest.approx(60 * 1.8, abs=3)
    assert ink(picture) == pytest.approx(711 * 20, rel=0.1)


def test_a_low_line_is_enlarged_to_be_readable(page: tuple[Blobs, str]) -> None:
    assert opened(crops.line_crop(*page, [[50, 120], [300, 120], [300, 132], [50, 132]])).height == 48


def test_a_line_that_leaves_the_page_still_has_a_picture(page: tuple[Blobs, str]) -> None:
    assert opened(crops.line_crop(*page, [[-40, 660], [950, 660], [950, 760], [-40, 760]])).height > 48


def test_contrast_is_stretched_unless_raw(tmp_path: Path) -> None:
    grey = Image.new("RGB", (900, 700), "#808080")
    grey.paste("#606060", (100, 110, 700, 150))
    out = io.BytesIO()
    grey.save(out, "PNG")
    blobs = Blobs(tmp_path)
    key = blobs.put(out.getvalue())
    assert shades(crops.line_crop(blobs, key, BOX)) == pytest.approx([0, 255], abs=8)
    assert shades(crops.line_crop(blobs, key, BOX, raw=True)) == pytest.approx([0x60, 0x80], abs=8)


@pytest.mark.parametrize(("fold", "rows"), [(0, 1), (20, 1), (4, 3), (3, 4), (1, 5)])
def test_a_long_line_folds_into_rows_that_lose_nothing(page: tuple[Blobs, str], fold: int, rows: int) -> None:
    flat, folded = opened(crops.line_crop(*page, BOX)), opened(crops.line_crop(*page, BOX, fold=fold))
    assert folded.height == pytest.approx(rows * flat.height, rel=0.1)
    assert folded.width == pytest.approx(flat.width / (rows - (rows - 1) * crops.OVERLAP), abs=2)
    # At least, since each piece repeats a little of the one before (OVERLAP).
    assert ink(folded) >= ink(flat)


def strokes(tmp_path: Path, words: list[tuple[int, int]]) -> tuple[Blobs, str]:
    """A sheet with words as strokes six pixels apart, each from one column to another."""
    sheet = Image.new("RGB", (1000, 200), "white")
    for left, right in words:
        for column in range(left, right, 6):
            sheet.paste("black", (column, 85, column + 2, 115))
    out = io.BytesIO()
    sheet.save(out, "PNG")
    blobs = Blobs(tmp_path)
    return blobs, blobs.put(out.getvalue())


def runs(picture: Image.Image) -> list[int]:
    """Widths of the words in a folded crop, from piece to piece."""
    columns = np.asarray(picture.convert("L")) < 90
    widths = []
    for piece in np.array_split(columns, round(picture.height / 72)):
        places = np.flatnonzero(piece[20:-20].any(axis=0))
        parts = np.split(places, np.flatnonzero(np.diff(places) > 15) + 1)
        widths += [int(part[-1] - part[0]) for part in parts if len(part)]
    return widths


def test_a_line_is_folded_between_two_words_and_shows_each_once(tmp_path: Path) -> None:
    """DESK-01: pieces began and ended in the middle of words."""
    words = [(60, 250), (290, 520), (560, 790), (830, 940)]
    box = [[50, 80], [950, 80], [950, 120], [50, 120]]
    folded = opened(crops.line_crop(*strokes(tmp_path, words), box, raw=True, fold=8))
    assert runs(folded) == pytest.approx([right - left - 5 for left, right in words], abs=4)


def test_a_word_longer_than_what_two_pieces_share_stands_in_both(tmp_path: Path) -> None:
    box = [[50, 80], [950, 80], [950, 120], [50, 120]]
    folded = opened(crops.line_crop(*strokes(tmp_path, [(60, 940)]), box, raw=True, fold=8))
    assert sum(runs(folded)) > 1.4 * 880


@pytest.mark.parametrize(
    ("high", "usual", "rows"), [(44, 44, 1), (58, 44, 1), (88, 44, 2), (110, 44, 2), (170, 44, 3), (50, 0, 1)]
)
def test_a_box_much_higher_than_its_neighbours_holds_several_rows(
    high: float, usual: float, rows: int
) -> None:
    assert crops.written_rows(high, usual) == rows


def test_an_order_over_two_rows_folds_row_by_row(tmp_path: Path) -> None:
    """Its second row comes behind the whole of its first, as it is read; what is empty behind its end is left
    out."""
    sheet = Image.new("RGB", (900, 300), "white")
    # Each word has its own grey, so that the order of the pieces can be read off the picture.
    for index, shade in enumerate(("#101010", "#202020", "#303030", "#404040")):
        sheet.paste(shade, (50 + 200 * index, 110, 210 + 200 * index, 140))
    sheet.paste("#505050", (50, 170, 210, 200))
    out = io.BytesIO()
    sheet.save(out, "PNG")
    blobs = Blobs(tmp_path)
    box = [[40, 105], [860, 105], [860, 205], [40, 205]]
    folded = opened(crops.line_crop(blobs, blobs.put(out.getvalue()), box, raw=True, fold=4, rows=2))
    grey = np.asarray(folded.convert("L")).astype(int)
    first = max(index for index, row in enumerate(grey) if (abs(row - 0x40) < 6).sum() > 60)
    second = min(index for index, row in enumerate(grey) if (abs(row - 0x50) < 6).sum() > 60)
    assert first < second
    assert folded.height < 5 * 1.3 * 50, "four pieces and not six"


def test_the_strip_shows_the_neighbours_and_frames_the_line(page: tuple[Blobs, str]) -> None:
    picture = opened(crops.strip(*page, BOX))
    assert picture.width == 900
    # 1.3 line heights above and below the line.
    assert picture.height == pytest.approx(60 * 3.6, abs=2)
    red = np.asarray(picture.convert("RGB")).astype(int)
    assert ((red[..., 0] - red[..., 2]) > 80).sum() > 1000


def test_a_page_fits_the_screen(tmp_path: Path) -> None:
    out = io.BytesIO()
    Image.new("RGB", (3000, 4000), "white").save(out, "JPEG")
    blobs = Blobs(tmp_path)
    key = blobs.put(out.getvalue())
    assert opened(crops.page_picture(blobs, key)).size == (1400, 1867)


def candidate(text: str, score: float, order: str | None = None) -> dict[str, object]:
    return {"text": text, "order": order, "score": score}


def marked(texts: list[str]) -> list[str]:
    """Each reading with its differing words in capitals."""
    readings = candidates.shown([candidate(text, 0.9) for text in texts])
    return [" ".join(w.upper() if differs else w for w, differs in reading.words) for reading in readings]


@pytest.mark.parametrize(("texts", "expected"), [
    (["a b c"], ["a b c"]), (["a b c", "a x c"], ["a B c", "a X c"]), (["a b c", "a c"], ["a B c", "a ‸ c"]),
    (["a c", "a b c"], ["a ‸ c", "a B c"]), (["a b c", "a x c", "a b y"], ["a B c", "a X c", "a b Y"]),
    ([], []),
])
def test_words_that_differ_are_marked(texts: list[str], expected: list[str]) -> None:
    assert marked(texts) == expected


def test_a_reading_without_rivals_is_sure_and_close_rivals_share(tmp_path: Path) -> None:
    text = "F Isle of Man - Irish Sea"
    alone, far, near = (
        [reading.sure for reading in candidates.shown([candidate(text, 0.98), *rivals])]
        for rivals in ([], [candidate(text, 0.8)], [candidate(text, 0.98)]))
    assert alone == ["sure"]
    assert far == ["sure", "unsure"]
    assert near == ["unsure", "unsure"]
    assert [reading.sure for reading in candidates.shown([candidate(text, 0.6)])] == ["likely"]


@pytest.mark.parametrize(("left", "sentence"), [
    (timedelta(days=3, hours=4, minutes=5), "3 days 4 hours"),
    (timedelta(days=1, minutes=5), "1 day 5 minutes"),
    (timedelta(minutes=12, seconds=50), "12 minutes"), (timedelta(seconds=50), "now"),
    (timedelta(days=-1), "now"),
])
def test_a_wait_in_words(left: timedelta, sentence: str) -> None:
    assert wording.wait(left) == sentence


def test_times_and_sizes_and_lists() -> None:
    moment = datetime(2027, 3, 4, 7, 5, tzinfo=UTC)
    assert wording.gmt(moment) == "Thu 4 Mar 2027, 07:05 GMT"
    assert wording.gmt(moment, moment) == "Thu 4 Mar, 07:05 GMT"
    assert [wording.size(n) for n in (3, 1499, 2_340_000)] == ["1 kB", "1 kB", "2.3 MB"]
    assert [wording.listed(n) for n in ([], ["A"], ["A", "B"], ["A", "B", "C"])] == [
        "", "A", "A and B", "A, B and C",
    ]
