"""Where a photograph was taken, by whom and with what never leaves the child that opens it: neither in
pixels' company nor anywhere in the bytes that are stored and sent on (GPS never leaves; the reader's issue,
item 1)."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image as Pillow, PngImagePlugin

from service.intake.opening.sandbox import decode_photo
from tests.support import odd_files as odd

SECRET = "Powick Bridge near Worcester"
HIDDEN = SECRET.encode()
XMP = (
    f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><exif:GPSLatitude>{SECRET}</exif:GPSLatitude></x:xmpmeta>'.encode()
)


def exif() -> Pillow.Exif:
    """Camera, comment and a place by name, as cameras with a map write them."""
    tags = Pillow.Exif()
    # CIPA DC-008: maker 271, user comment 37510 in the Exif directory, area information 28 in the GPS one.
    tags[271] = SECRET
    tags.get_ifd(0x8769)[37510] = b"ASCII\0\0\0" + HIDDEN
    tags.get_ifd(0x8825)[28] = b"ASCII\0\0\0" + HIDDEN
    return tags


def notes() -> PngImagePlugin.PngInfo:
    chunks = PngImagePlugin.PngInfo()
    chunks.add_text("Comment", SECRET)
    chunks.add_itxt("XML:com.adobe.xmp", XMP.decode())
    return chunks


FILES: dict[str, Callable[[], bytes]] = {
    "jpeg": lambda: odd.saved(
        odd.quarters(), "JPEG", exif=exif(), comment=HIDDEN, xmp=XMP, icc_profile=HIDDEN
    ),
    "heic": lambda: odd.saved(odd.quarters(), "HEIF", exif=exif(), xmp=XMP),
    "webp": lambda: odd.saved(odd.quarters(), "WEBP", exif=exif(), xmp=XMP, icc_profile=HIDDEN),
    "tiff": lambda: odd.saved(odd.quarters(), "TIFF", exif=exif(), description=SECRET, artist=SECRET),
    "png": lambda: odd.saved(odd.quarters(), "PNG", exif=exif(), pnginfo=notes(), icc_profile=HIDDEN),
    "gif": lambda: odd.saved(odd.quarters(), "GIF", comment=HIDDEN),
    "pdf": lambda: odd.saved(odd.quarters(), "PDF", author=SECRET, title=SECRET),
}


@pytest.mark.parametrize("kind", FILES)
def test_nothing_but_pixels_comes_back(kind: str) -> None:
    data = FILES[kind]()
    # First that the file does hold the secret, or the test would pass on a file that hides nothing.
    assert HIDDEN in data or SECRET.encode("utf-16-be") in data, "the file tells"
    (page,) = decode_photo(data).pages
    assert HIDDEN not in page
    assert SECRET.encode("utf-16-be") not in page
    with Pillow.open(BytesIO(page)) as image:
        assert not image.getexif()
        # What any JPEG states about its own format. The opened file once kept its EXIF data next to the
        # pixels.
        assert set(image.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
