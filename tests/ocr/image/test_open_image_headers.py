"""What a file's header promises is believed before a pixel is decoded, and kinds of file that phones and
scanners make are read in their own colours."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image as Pillow, ImageFile

from ocr.image import open_image
from ocr.page import UnreadableReason
from tests.support import odd_files as odd

WIDE, HIGH = 96, 64
HUGE = 16_000, 8_000
"""128 million pixels: fewer than Pillow itself refuses, more than the limit."""


def _jpeg() -> bytes:
    """A frame header that promises a huge picture."""
    data = odd.saved(odd.quarters(), "JPEG")
    # Height and width stand five bytes into the frame header, big end first (ITU T.81, B.2.2).
    offset = data.index(b"\xff\xc0") + 5
    return data[:offset] + struct.pack(">HH", HUGE[1], HUGE[0]) + data[offset + 4 :]


def _gif() -> bytes:
    """A logical screen that is larger than its picture."""
    data = odd.saved(odd.quarters(), "GIF")
    # The size of the screen follows the six letters, and each picture has its own; the screen's is the larger
    # here.
    return data[:6] + struct.pack("<HH", *HUGE) + data[10:]


def _bmp() -> bytes:
    """BITMAPINFOHEADER: width and height are at 18."""
    data = odd.saved(odd.quarters(), "BMP")
    return data[:18] + struct.pack("<ii", *HUGE) + data[26:]


def _webp() -> bytes:
    """A key frame that promises a huge picture."""
    data = odd.saved(odd.quarters(), "WEBP")
    # The bit stream of a key frame gives 14 bits each of width and height behind 9d 01 2a (RFC 6386, 9.1).
    offset = data.index(b"\x9d\x01\x2a") + 3
    return data[:offset] + struct.pack("<HH", *HUGE) + data[offset + 4 :]


def _tiff() -> bytes:
    """A directory that promises a huge picture."""
    data = odd.saved(odd.quarters(), "TIFF")
    # Width and length are the entries 256 and 257 of the directory, of type LONG here.
    for tag, size, was in ((256, HUGE[0], WIDE), (257, HUGE[1], HIGH)):
        entries = [struct.pack("<HHIHH", tag, kind, 1, was, 0) for kind in (3, 4)]
        (entry,) = [entry for entry in entries if entry in data]
        data = data.replace(entry, struct.pack("<HHII", tag, 4, 1, size))
    return data


def _heic() -> bytes:
    """A property box that promises a huge picture."""
    data = odd.saved(odd.quarters(), "HEIF")
    # The box `ispe` gives width and height (ISO/IEC 14496-12, 8.11.5 and 23008-12, 6.5.3).
    was = b"ispe" + bytes(4) + struct.pack(">II", WIDE, HIGH)
    assert was in data
    return data.replace(was, b"ispe" + bytes(4) + struct.pack(">II", *HUGE))


@pytest.mark.parametrize(
    "make", [_jpeg, _gif, _bmp, _webp, _tiff, _heic], ids=lambda make: make.__name__.strip("_")
)
def test_too_many_pixels_are_told_from_the_header_of_every_format(
    make: Callable[[], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        pytest.fail("a pixel was decoded")

    monkeypatch.setattr(ImageFile.ImageFile, "load", never)
    opened = open_image.open_images(make())
    assert (opened.reason, opened.pages) == (UnreadableReason.TOO_LARGE, ())
    assert "128 million pixels" in opened.detail


def test_a_hundred_and_twenty_million_pixels_are_not_too_many() -> None:
    # A photograph of exactly the limit is accepted; this file's only fault is that it ends early.
    assert open_image.open_images(odd.png_header(12_000, 10_000)).reason is UnreadableReason.TRUNCATED
    assert open_image.open_images(odd.png_header(12_001, 10_000)).reason is UnreadableReason.TOO_LARGE


@pytest.mark.parametrize(
    "entry",
    [
        struct.pack("<HHI4s", 274, 2, 2, b"6\0\0\0"),
        struct.pack("<HHIf", 274, 11, 1, 6.5), struct.pack("<HHI4s", 274, 7, 1, b"\6\0\0\0"),
        struct.pack("<HHIHH", 274, 3, 0, 6, 0),
    ],
    ids=["letters", "a fraction", "bytes", "none"],
)
def test_an_orientation_that_is_no_whole_number_means_upright(entry: bytes) -> None:
    # Only one SHORT of 1 to 8 turns a picture (CIPA DC-008, 4.6.4 A). The directory is built as in TIFF 6.0.
    exif = b"Exif\0\0II*\0" + struct.pack("<IH", 8, 1) + entry + bytes(4)
    (page,) = open_image.open_images(odd.saved(odd.quarters(), "JPEG", quality=95, exif=exif)).pages
    assert page.shape == (HIGH, WIDE, 3)
    assert odd.corners(page) == odd.UPRIGHT


def test_the_second_picture_that_a_telephone_keeps_in_its_jpeg_is_no_second_page() -> None:
    # Multi-picture files (CIPA DC-007) hold a depth map or a preview behind the photograph.
    turned = odd.quarters().transpose(Pillow.Transpose.ROTATE_180)
    (page,) = open_image.open_images(
        odd.saved(odd.quarters(), "MPO", save_all=True, append_images=[turned])
    ).pages
    assert odd.corners(page) == odd.UPRIGHT


@pytest.mark.parametrize("kind", ["JPEG", "TIFF"])
def test_four_inks_keep_their_colours(kind: str) -> None:
    # Some printers' files store each ink inverted: red must not become its complement.
    (page,) = open_image.open_images(odd.saved(odd.quarters().convert("CMYK"), kind)).pages
    assert odd.corners(page) == odd.UPRIGHT


def test_sixteen_bits_a_colour_keep_their_colours() -> None:
    # A PNG of 16 bits a channel: the upper byte of each is the visible one (W3C PNG, 11.2.2).
    colours = np.asarray(odd.quarters()).astype(">u2") * 257
    rows = b"".join(b"\0" + row.tobytes() for row in colours)
    (page,) = open_image.open_images(odd.png(struct.pack(">IIBBBBB", WIDE, HIGH, 16, 2, 0, 0, 0), rows)).pages
    assert page.dtype == np.uint8
    assert odd.corners(page) == odd.UPRIGHT
