"""Copies of sheets: the writing, and nothing of the photograph's own story (OUT-14, Q-37)."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw

from service.pictures import SheetUnusable, sheet_copy
from tests.support.opening import above_mark

WIDE, HIGH = 900, 1200


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


def test_the_copy_says_nothing_of_camera_place_or_owner() -> None:
    assert b"Spycam" in photograph()
    copy = sheet_copy(photograph())
    with Image.open(io.BytesIO(copy)) as opened:
        assert opened.format == "JPEG"
        assert dict(opened.getexif()) == {}
        assert set(opened.info) <= {
            "jfif", "jfif_version", "jfif_unit", "jfif_density", "progressive", "progression",
        }
    for trace in (b"Exif", b"Spycam", b"taken at home", b"http://ns.adobe.com"):
        assert trace not in copy


def test_the_copy_stands_as_the_photograph_was_shown() -> None:
    copy = pixels(sheet_copy(photograph(orientation=6)))
    assert copy.shape[:2] == (HIGH, WIDE)
    assert copy[130, 300].max() < 60
    assert copy[430, 600, 2] > 180


def test_a_masked_name_is_gone() -> None:
    copy = pixels(sheet_copy(photograph(), masks=[[(90, 90), (510, 90), (510, 170), (90, 170)]]))
    masked = copy[95:165, 95:505].astype(int)
    assert masked.std(axis=(0, 1)).max() < 6
    assert masked.min() > 40
    assert copy[430, 600, 2] > 180


def test_the_copy_is_cut_to_heading_and_orders() -> None:
    copy = pixels(sheet_copy(photograph(), keep=[(100, 100), (800, 100), (800, 460), (100, 460)]))
    high, wide = copy.shape[:2]
    assert wide == 700 + 2 * 24
    assert high == 360 + 2 * 24
    uncut = pixels(sheet_copy(photograph(), keep=[(5000, 5000), (5100, 5100)]))
    assert uncut.shape[:2] == (HIGH, WIDE)


@pytest.mark.slow
def test_the_copy_keeps_to_its_bytes() -> None:
    noise = np.random.default_rng(7).integers(0, 255, (1600, 2000, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(noise).save(out, "PNG")
    copy = sheet_copy(out.getvalue(), most_bytes=300_000)
    assert len(copy) <= 300_000
    assert max(pixels(copy).shape) <= 1800
    with pytest.raises(ValueError, match="500 bytes"):
        sheet_copy(out.getvalue(), most_bytes=500)


@pytest.mark.parametrize("data", [b"", b"not a picture", b"\xff\xd8\xff\xe0 cut off", b"%PDF-1.7"])
def test_what_is_no_picture_is_left_to_a_person(data: bytes) -> None:
    with pytest.raises(SheetUnusable, match="no picture"):
        sheet_copy(data)


def test_a_picture_cut_off_half_way_is_left_to_a_person() -> None:
    with pytest.raises(SheetUnusable):
        sheet_copy(photograph()[:4000])
