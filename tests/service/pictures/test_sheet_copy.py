"""Copies of sheets: the writing, and nothing of the photograph's own story (OUT-14, Q-37)."""

from __future__ import annotations

import io
from functools import partial

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from service.pictures import SheetUnusable, page_photograph, sheet_copy
from service.pictures.paper.sheet_copy import GREYS, _ranked
from tests.support.opening import above_mark

WIDE, HIGH = 900, 1200
WHOLE = [(0.0, 0.0), (900.0, 0.0), (900.0, 1200.0), (0.0, 1200.0)]
STROKES = np.zeros((HIGH, WIDE), bool)
"""Where twenty rows of upright and level strokes are."""
for _row in range(100, 1100, 50):
    for _column in range(60, 840, 24):
        STROKES[_row : _row + 25, _column : _column + 3] = True
        STROKES[_row + 11 : _row + 14, _column : _column + 15] = True


def photograph(orientation: int = 1) -> bytes:
    """A sheet with a black name on top and a blue order below, tagged with a place on earth and a camera."""
    upright = Image.new("RGB", (WIDE, HIGH), "#eeeeee")
    draw = ImageDraw.Draw(upright)
    draw.rectangle((100, 100, 500, 160), fill="black")
    draw.rectangle((100, 400, 800, 460), fill="blue")
    stored = upright.transpose(Image.Transpose.ROTATE_90) if orientation == 6 else upright
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "Spycam"
    exif.get_ifd(0x8825)[2] = (51.0, 30.0, 0.0)
    out = io.BytesIO()
    stored.save(out, "JPEG", exif=exif, comment=b"taken at home", quality=95)
    return out.getvalue()


def pixels(data: bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.asarray(above_mark(Image.open(io.BytesIO(data)).convert("RGB")))


def test_what_is_sent_and_shown_says_nothing_of_camera_place_or_owner() -> None:
    assert b"Spycam" in photograph()
    photographed = {"jfif", "jfif_version", "jfif_unit", "jfif_density", "progressive", "progression"}
    for shown, kind, allowed in ((sheet_copy(photograph(), WHOLE), "PNG", set()),
                                 (page_photograph(photograph()), "JPEG", photographed)):
        with Image.open(io.BytesIO(shown)) as opened:
            assert opened.format == kind
            assert dict(opened.getexif()) == {}
            assert set(opened.info) <= allowed
        for trace in (b"Exif", b"Spycam", b"taken at home", b"http://ns.adobe.com"):
            assert trace not in shown


@pytest.mark.parametrize("orientation", [1, 6])
def test_a_page_is_shown_to_its_sender_as_it_came(orientation: int) -> None:
    page = pixels(page_photograph(photograph(orientation)))
    assert page.shape[:2] == (HIGH, WIDE)
    assert page[130, 300].max() < 60
    assert page[430, 600, 2] > 180


def test_the_copy_stands_as_the_photograph_was_shown_and_has_four_greys() -> None:
    copy = pixels(sheet_copy(photograph(orientation=6), WHOLE))
    assert copy.shape[:2] == (HIGH, WIDE)
    assert {int(level) for level in np.unique(copy)} <= set(GREYS)
    assert copy[130, 300].max() == 0
    assert copy[430, 600].max() == 0
    assert copy[800:, :].min() == 255


def test_a_masked_name_is_gone() -> None:
    copy = pixels(sheet_copy(photograph(), WHOLE, [[(90, 90), (510, 90), (510, 170), (90, 170)]]))
    assert (copy[95:165, 95:505] == GREYS[1]).all()
    assert copy[430, 600].max() == 0


def test_the_copy_is_cut_to_heading_and_orders() -> None:
    copy = pixels(sheet_copy(photograph(), [(100, 100), (800, 100), (800, 460), (100, 460)]))
    high, wide = copy.shape[:2]
    assert wide == 700 + 2 * 24
    assert high == 360 + 2 * 24
    uncut = pixels(sheet_copy(photograph(), [(5000, 5000), (5100, 5100)]))
    assert uncut.shape[:2] == (HIGH, WIDE)


def test_the_mask_moves_and_shrinks_with_the_copy() -> None:
    """Rows of 60 pixels become 40 high; the copy begins 24 pixels left of and above what is stored."""
    keep = [(100, 100), (800, 100), (800, 1000), (100, 1000)]
    copy = pixels(sheet_copy(photograph(), keep, [[(100, 100), (500, 100), (500, 160), (100, 160)]], row=60))
    rows, columns = np.nonzero(copy[:100, :, 0] == GREYS[1])
    assert abs(copy.shape[0] - (900 + 48) * 2 / 3) < 3
    expected = [24 * 2 / 3, 84 * 2 / 3, 24 * 2 / 3, 424 * 2 / 3]
    assert np.abs(np.array([rows.min(), rows.max(), columns.min(), columns.max()]) - expected).max() < 3


def written(paper: np.ndarray[tuple[int, ...], np.dtype[np.float64]], ink: float) -> bytes:
    """A photograph of `paper`, levels 0..255, with grain, and strokes three pixels wide whose light is `ink`
    times that of the paper."""
    grain = np.random.default_rng(3).normal(0, 3, (HIGH, WIDE))
    levels = np.where(STROKES, paper * ink, paper) + grain
    out = io.BytesIO()
    Image.fromarray(np.clip(levels, 0, 255).astype(np.uint8)).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(("paper", "ink"), [
    (np.full((HIGH, WIDE), 235.0), 0.3),  # a pen on white paper
    (np.full((HIGH, WIDE), 110.0), 0.8),  # hard pencil on grey paper
    (np.linspace(70, 230, WIDE)[None, :].repeat(HIGH, 0), 0.6),  # a lamp at one side
    (np.full((HIGH, WIDE), 35.0), 6.0),  # a screen in the dark mode
])
def test_strokes_are_dark_on_white_whatever_paper_and_light_are(
    paper: np.ndarray[tuple[int, ...], np.dtype[np.float64]], ink: float
) -> None:
    copy = pixels(sheet_copy(written(paper, ink), WHOLE))[..., 0]
    assert (copy[STROKES] < 255).mean() > 0.97
    assert (copy[STROKES] <= GREYS[1]).mean() > 0.7
    assert (copy[~STROKES] == 255).mean() > 0.97


def test_faint_strokes_beside_dark_ones_are_not_lost() -> None:
    """A pencil that is 0.8 of the paper next to a pen that is 0.2."""
    faint = np.zeros((HIGH, WIDE), bool)
    faint[:, WIDE // 2 :] = STROKES[:, WIDE // 2 :]
    paper = np.full((HIGH, WIDE), 200.0)
    copy = pixels(sheet_copy(written(np.where(faint, paper * 4, paper), 0.2), WHOLE))[..., 0]
    assert (copy[faint] < 255).mean() > 0.95


def test_a_solid_scribble_of_three_rows_stays_dark() -> None:
    """The light of the paper is taken from what surrounds it."""
    sheet = np.full((HIGH, WIDE), 230, np.uint8)
    sheet[500:620, 100:800] = 40
    out = io.BytesIO()
    Image.fromarray(sheet).save(out, "PNG")
    copy = pixels(sheet_copy(out.getvalue(), WHOLE))[..., 0]
    assert (copy[505:615, 105:795] == 0).all()


@pytest.mark.slow
def test_the_copy_keeps_to_its_bytes() -> None:
    noise = np.random.default_rng(7).integers(0, 255, (1600, 2000, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(noise).save(out, "PNG")
    whole = [(0, 0), (2000, 1600)]
    for shown, most in ((partial(sheet_copy, out.getvalue(), whole), 60_000),
                        (partial(page_photograph, out.getvalue()), 300_000)):
        copy = shown(most_bytes=most)
        assert len(copy) <= most
        assert max(pixels(copy).shape) <= 1800
        with pytest.raises(ValueError, match="500 bytes"):
            shown(most_bytes=500)


@pytest.mark.parametrize("data", [b"", b"not a picture", b"\xff\xd8\xff\xe0 cut off", b"%PDF-1.7"])
def test_what_is_no_picture_is_left_to_a_person(data: bytes) -> None:
    for show in (partial(sheet_copy, keep=WHOLE), page_photograph):
        with pytest.raises(SheetUnusable, match="does not open as a picture"):
            show(data)


def test_a_picture_cut_off_half_way_is_left_to_a_person() -> None:
    with pytest.raises(SheetUnusable):
        sheet_copy(photograph()[:4000], WHOLE)


def test_the_light_of_the_paper_is_that_of_pillows_filter() -> None:
    """SCA-11: the faster filter has its levels, at the edges and where a window is wider than the picture."""
    chance = np.random.default_rng(5)
    for shape in ((60, 45), (31, 31), (5, 7), (1, 1)):
        levels = chance.integers(90, 220, shape).astype(np.uint8)
        usual = Image.fromarray(levels).filter(ImageFilter.RankFilter(31, 576))
        assert np.array_equal(_ranked(levels, 31, 576), np.asarray(usual))
