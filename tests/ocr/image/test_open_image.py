"""What comes through the door, and what is turned away with which reason."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image as Pillow

from ocr.image import open_image
from ocr.image.formats import MOST_PAGES
from ocr.page import UnreadableReason
from tests.support import odd_files as odd


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "HEIF", "AVIF", "BMP", "GIF"])
def test_every_format_is_told_from_its_content(kind: str) -> None:
    opened = open_image.open_images(odd.saved(odd.quarters(), kind))
    assert opened.reason is None
    assert opened.kind == {"HEIF": "heic"}.get(kind, kind.lower())
    assert [page.shape for page in opened.pages] == [(64, 96, 3)]
    assert odd.corners(opened.pages[0]) == odd.UPRIGHT


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied(orientation: int) -> None:
    # SUB-11: phones store a photograph turned, with its orientation.
    (page,) = open_image.open_images(odd.stored_turned(orientation)).pages
    assert page.shape == (64, 96, 3)
    assert odd.corners(page) == odd.UPRIGHT


@pytest.mark.parametrize("value", [0, 9, 42])
def test_an_invalid_orientation_means_upright(value: int) -> None:
    (page,) = open_image.open_images(odd.with_orientation(odd.quarters(), value)).pages
    assert odd.corners(page) == odd.UPRIGHT


def test_damaged_exif_means_upright() -> None:
    data = odd.saved(odd.quarters(), "JPEG", quality=95, exif=b"Exif\0\0II*\0\xff\xff\xff\x7fgarbage")
    (page,) = open_image.open_images(data).pages
    assert odd.corners(page) == odd.UPRIGHT


def test_a_heic_is_turned_by_its_own_box_alone() -> None:
    # ISO/IEC 23008-12 turns by `irot`; phones write the EXIF orientation as well, and both would turn it
    # twice.
    exif = Pillow.Exif()
    exif[0x0112] = 6
    (page,) = open_image.open_images(odd.saved(odd.quarters(), "HEIF", exif=exif)).pages
    assert odd.corners(page) == odd.UPRIGHT


@pytest.mark.parametrize("mode", ["CMYK", "L", "P", "RGBA", "1", "YCbCr"])
def test_every_colour_mode_becomes_rgb(mode: str) -> None:
    kind = {"CMYK": "JPEG", "YCbCr": "JPEG"}.get(mode, "PNG")
    (page,) = open_image.open_images(odd.saved(odd.quarters().convert(mode), kind)).pages
    assert page.shape == (64, 96, 3)
    assert page.dtype == np.uint8
    assert page[48, 72].min() > 200, "white stays white"


@pytest.mark.parametrize("top", [65535, 4095, 1023])
def test_sixteen_bit_grey_uses_the_whole_range(top: int) -> None:
    deep = np.full((64, 96), top, np.uint16)
    deep[:32] = top // 10
    (page,) = open_image.open_images(odd.saved(Pillow.fromarray(deep), "PNG")).pages
    assert page[48, 48].min() >= 250
    assert page[16, 48].max() <= 30


def test_clear_paper_is_white() -> None:
    clear = Pillow.new("RGBA", (40, 40), (0, 0, 0, 0))
    (page,) = open_image.open_images(odd.saved(clear, "PNG")).pages
    assert page.min() == 255


def test_every_page_of_a_tiff_comes_in_order() -> None:
    # SUB-11: all pages of a file count.
    turned = odd.quarters().transpose(Pillow.Transpose.ROTATE_180)
    data = odd.saved(odd.quarters(), "TIFF", save_all=True, append_images=[turned])
    pages = open_image.open_images(data).pages
    assert [odd.corners(page) for page in pages] == [odd.UPRIGHT, odd.UPRIGHT[::-1]]


def test_every_page_of_a_pdf_is_drawn_at_200_dpi() -> None:
    opened = open_image.open_images(odd.pdf(3))
    assert opened.kind == "pdf"
    assert [page.shape for page in opened.pages] == [(278, 556, 3)] * 3
    dark = [int((page < 128).all(axis=2).sum()) for page in opened.pages]
    assert [round(count / dark[0]) for count in dark] == [1, 2, 3]


@pytest.mark.parametrize("kind", ["PDF", "TIFF"])
def test_a_file_of_too_many_pages_is_refused_whole(kind: str) -> None:
    # ARR-01: eight pages of ten were read, and the receipt counted eight.
    def pages(count: int) -> bytes:
        if kind == "PDF":
            return odd.pdf(count)
        more = [odd.quarters()] * (count - 1)
        return odd.saved(odd.quarters(), "TIFF", save_all=True, append_images=more)

    assert len(open_image.open_images(pages(MOST_PAGES)).pages) == MOST_PAGES
    refused = open_image.open_images(pages(MOST_PAGES + 1))
    assert (refused.pages, refused.reason) == ((), UnreadableReason.TOO_LARGE)
    assert "21 pages" in refused.detail


def _noise(kind: str) -> bytes:
    pixels = np.random.default_rng(7).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    return odd.saved(Pillow.fromarray(pixels), kind)


REFUSED = {
    "empty": (b"", UnreadableReason.NOT_AN_IMAGE),
    "text named .jpg": (b"Army Derry to Isle of Man\n" * 40, UnreadableReason.NOT_AN_IMAGE),
    "html": (b"<!doctype html><title>photo.jpg</title>", UnreadableReason.NOT_AN_IMAGE),
    "zip": (b"PK\x03\x04" + bytes(200), UnreadableReason.NOT_AN_IMAGE),
    "svg": (b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', UnreadableReason.NOT_AN_IMAGE),
    "locked pdf": (odd.locked_pdf(), UnreadableReason.NOT_AN_IMAGE),
    "half a pdf": (odd.pdf(2)[:60], UnreadableReason.TRUNCATED),
    "two gigapixels": (odd.png_header(50_000, 40_000), UnreadableReason.TOO_LARGE),
    "just over the limit": (odd.png_header(12_000, 10_001), UnreadableReason.TOO_LARGE),
    "first bytes of a jpeg": (odd.saved(odd.quarters(), "JPEG")[:4], UnreadableReason.TRUNCATED),
    "half a jpeg": (_noise("JPEG")[:9000], UnreadableReason.TRUNCATED),
    "half a png": (_noise("PNG")[:9000], UnreadableReason.TRUNCATED),
    "half a webp": (_noise("WEBP")[:9000], UnreadableReason.TRUNCATED),
    "half a tiff": (_noise("TIFF")[:9000], UnreadableReason.TRUNCATED),
    "half a heic": (_noise("HEIF")[:9000], UnreadableReason.TRUNCATED),
    "a png of few bytes": (odd.png_header(1000, 1000), UnreadableReason.TRUNCATED),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_opened_gives_a_reason(case: str) -> None:
    data, reason = REFUSED[case]
    opened = open_image.open_images(data)
    assert opened.reason is reason
    assert opened.pages == ()
    assert opened.detail


def test_a_locked_pdf_says_so() -> None:
    assert "password" in open_image.open_images(odd.locked_pdf()).detail


def test_no_cut_of_any_file_raises() -> None:
    for data in (_noise("JPEG"), _noise("HEIF"), _noise("WEBP"), odd.pdf(1)):
        for part in range(0, len(data), max(1, len(data) // 12)):
            opened = open_image.open_images(data[:part])
            assert (opened.reason is None) == bool(opened.pages)


def test_a_film_gives_its_first_picture() -> None:
    # An animated GIF or WebP is one photograph to its sender.
    turned = odd.quarters().transpose(Pillow.Transpose.ROTATE_180)
    for kind in ("GIF", "WEBP", "PNG", "AVIF", "HEIF"):
        data = odd.saved(odd.quarters(), kind, save_all=True, append_images=[turned, turned.rotate(180)],
                         duration=100)
        opened = open_image.open_images(data)
        (page,) = opened.pages
        assert odd.corners(page) == odd.UPRIGHT
        # ARR-02: a letter names the two that are not read.
        assert opened.more == 2, kind


@pytest.mark.parametrize("subsampling", [0, 1, 2])
def test_a_jpeg_that_lacks_its_end_marker_alone_is_whole(subsampling: int) -> None:
    # ARR-07: every viewer shows it; ITU-T T.81, B.1.1.3 (EOI).
    pixels = np.random.default_rng(7).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    whole = odd.saved(Pillow.fromarray(pixels), "JPEG", quality=90, subsampling=subsampling)
    (page,) = open_image.open_images(whole[:-2]).pages
    assert np.array_equal(page, open_image.open_images(whole).pages[0])
    for missing in (600, len(whole) // 3):
        assert open_image.open_images(whole[:-missing]).reason is UnreadableReason.TRUNCATED
    coarse = odd.saved(Pillow.fromarray(pixels), "JPEG", progressive=True)
    assert open_image.open_images(coarse[: len(coarse) // 2]).reason is UnreadableReason.TRUNCATED


def test_a_jpeg_xl_is_turned_by_its_own_header_alone() -> None:
    pylibjxl = pytest.importorskip("pylibjxl", reason="JPEG XL has no package for this machine")
    data = pylibjxl.encode(np.asarray(odd.quarters()), lossless=True)
    opened = open_image.open_images(data)
    assert opened.kind == "jxl"
    assert odd.corners(opened.pages[0]) == odd.UPRIGHT


@pytest.mark.slow
def test_a_picture_of_a_telephone_at_its_finest_is_halved() -> None:
    # ARR-01: 108 million pixels. The part of the telephone's picture that is stored is the whole of it.
    data = odd.saved(odd.quarters(12_000, 9_000), "PNG", compress_level=1)
    (page,) = open_image.open_images(data).pages
    assert page.shape == (4_500, 6_000, 3)
    assert odd.corners(page) == odd.UPRIGHT


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_sixteen_bits_lose_nothing_but_depth(kind: str) -> None:
    # A slope from dark to light must stay one in every band.
    deep = np.repeat(np.linspace(500, 60_000, 700).astype(np.uint16)[:, np.newaxis], 40, axis=1)
    (page,) = open_image.open_images(odd.saved(Pillow.fromarray(deep), kind)).pages
    steps = np.diff(page[:, 20, 0].astype(int))
    assert steps.min() >= 0
    assert steps.max() <= 1
    assert page[0, 0, 0] <= 2
    assert page[-1, 0, 0] >= 253


def test_clear_parts_show_white_paper_and_half_clear_ink_half_of_it() -> None:
    # A scanning app cuts the sheet out: transparent around it, ink at half strength.
    image = np.zeros((40, 60, 4), np.uint8)
    image[:, 20:40] = (200, 0, 0, 255)
    image[:, 40:] = (0, 0, 0, 128)
    (page,) = open_image.open_images(odd.saved(Pillow.fromarray(image), "WEBP", lossless=True)).pages
    assert page[20, 10].tolist() == [255, 255, 255]
    assert page[20, 30].tolist() == [200, 0, 0]
    assert abs(int(page[20, 50, 0]) - 127) <= 1


def test_a_palette_with_a_clear_colour_is_on_white() -> None:
    image = odd.quarters().quantize(4)
    red = image.getpixel((5, 5))
    (page,) = open_image.open_images(odd.saved(image, "PNG", transparency=red)).pages
    assert page[16, 24].tolist() == [255, 255, 255]
    assert odd.corners(page)[1:] == odd.UPRIGHT[1:]


def test_pictures_carry_nothing_but_pixels() -> None:
    # A photograph may show where a player lives: position, camera and profile are removed.
    for kind in ("JPEG", "TIFF", "HEIF", "WEBP", "PNG"):
        exif = Pillow.Exif()
        exif[0x0112], exif[0x010F] = 1, "a camera"
        exif.get_ifd(0x8825)[1] = "N"
        (page,) = open_image.iter_pages(odd.saved(odd.quarters(), kind, exif=exif, icc_profile=b"profile"))
        assert page.kind == {"HEIF": "heic"}.get(kind, kind.lower())
        assert not page.picture.info
        assert not page.picture.getexif()


def test_pages_come_one_at_a_time() -> None:
    # A long file then needs the memory of one page only.
    data = odd.saved(odd.quarters(), "TIFF", save_all=True, append_images=[odd.quarters(300, 200)])
    pages = open_image.iter_pages(data)
    assert next(pages).picture.size == (96, 64)
    assert next(pages).picture.size == (300, 200)
    assert next(pages, None) is None
