"""Hostile files in a child process: pages without metadata come back, or a reason; the parent survives."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from ocr.page import Reason
from service.decode import Limits, decode_photo
from tests.support import odd_files as odd

SHEETS = Path(__file__).parents[1] / "data" / "sheets"


def test_a_photograph_comes_back_upright_and_without_metadata() -> None:
    """SUB-11: EXIF rotation applied."""
    data = (SHEETS / "s019.jpg").read_bytes()
    with Pillow.open(BytesIO(data)) as before:
        assert before.getexif().get_ifd(0x8825), "the sample carries GPS"
        stored = before.size
    decoded = decode_photo(data, "s019.jpg")
    assert decoded.reason is None
    with Pillow.open(BytesIO(decoded.pages[0])) as after:
        assert after.format == "JPEG"
        assert after.size == stored[::-1], "EXIF orientation 6 swaps the sides"
        assert not after.getexif()
        assert set(after.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_every_page_of_a_pdf_comes_back() -> None:
    """SUB-11."""
    decoded = decode_photo(odd.pdf(3), "orders.pdf")
    assert decoded.kind == "PDF"
    sizes = []
    for page in decoded.pages:
        with Pillow.open(BytesIO(page)) as image:
            sizes.append(image.size)
    assert sizes == [(556, 278)] * 3


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Reason.NOT_AN_IMAGE),
        (b"not a picture at all", Reason.NOT_AN_IMAGE),
        (odd.locked_pdf(), Reason.NOT_AN_IMAGE),
        (odd.png_header(50_000, 40_000), Reason.TOO_LARGE),
        (odd.png_header(4000, 3000), Reason.TRUNCATED),
    ],
)
def test_a_bad_file_gives_its_reason(data: bytes, reason: Reason) -> None:
    decoded = decode_photo(data, "photo.jpg")
    assert decoded.reason is reason
    assert decoded.pages == ()


def test_a_child_that_outgrows_its_memory_is_stopped() -> None:
    white = odd.saved(Pillow.new("RGB", (7000, 7000), "white"), "PNG")
    decoded = decode_photo(white, "photo.png", Limits(memory=250_000_000))
    assert decoded.pages == ()
    assert decoded.reason is Reason.TOO_LARGE


def _slow() -> bytes:
    pixels = np.random.default_rng(3).integers(0, 255, (6000, 6000, 3), dtype=np.uint8)
    return odd.saved(Pillow.fromarray(pixels), "JPEG", quality=95)


def test_a_child_that_takes_too_long_is_stopped() -> None:
    data = _slow()
    by_processor = decode_photo(data, "slow.jpg", Limits(cpu_seconds=1))
    by_clock = decode_photo(data, "slow.jpg", Limits(wall_seconds=0.2))
    assert by_processor.reason is Reason.TOO_LARGE
    assert by_clock.reason is Reason.TOO_LARGE


def test_a_file_larger_than_the_limit_is_not_opened() -> None:
    decoded = decode_photo(bytes(1001), "big.jpg", Limits(data=1000))
    assert decoded.reason is Reason.TOO_LARGE


def test_the_child_may_not_write_more_than_its_output() -> None:
    noisy = odd.saved(odd.quarters(1200, 900).effect_spread(200), "PNG")
    assert len(decode_photo(noisy, "noise.png").pages[0]) > 20_000
    decoded = decode_photo(noisy, "noise.png", Limits(output=20_000))
    assert decoded.reason is Reason.TOO_LARGE
    assert decoded.pages == ()
