"""The formats of files that may hold a sheet: how each is known by its first bytes, and what opens it.

One table for every door: the mail, the page for photographs, the scans of letters and the commands."""

from __future__ import annotations

from enum import StrEnum

MOST_PAGES = 20
"""Pages of one sheet: of a PDF or TIFF, and photographs of one mail. By hand; twelve are the most of any mail
in tests/data/mail. A longer file is refused whole, since a part of it would look like the whole."""


class PictureFormat(StrEnum):
    """The formats of which a file may be a page (SUB-11)."""

    JPEG = "jpeg"
    PNG = "png"
    HEIC = "heic"
    AVIF = "avif"
    WEBP = "webp"
    JXL = "jxl"
    GIF = "gif"
    BMP = "bmp"
    TIFF = "tiff"
    PDF = "pdf"


_HEIC_BRANDS = frozenset({b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"hevm", b"hevs"})
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_STILL_BRANDS = frozenset({b"mif1", b"mif2", b"msf1", b"miaf"})
_BMP_HEADERS = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
"""Lengths of the second header of a BMP: "BM" alone begins many a text."""


def format_of(data: bytes) -> PictureFormat | None:
    """The format of a file by its first bytes, never by its name or its declared type; None for any other."""
    if data[4:8] == b"ftyp":
        return _format_of_boxes(data)
    matches = {
        PictureFormat.JPEG: data.startswith(b"\xff\xd8\xff"),
        PictureFormat.PNG: data.startswith(b"\x89PNG\r\n\x1a\n"),
        PictureFormat.WEBP: data[:4] == b"RIFF" and data[8:12] == b"WEBP",
        PictureFormat.JXL: data.startswith((b"\xff\x0a", b"\0\0\0\x0cJXL \r\n\x87\n")),
        PictureFormat.GIF: data.startswith((b"GIF87a", b"GIF89a")),
        PictureFormat.BMP: data[:2] == b"BM" and int.from_bytes(data[14:18], "little") in _BMP_HEADERS,
        # The last two are files of more than four gigabytes, or that might have become so.
        PictureFormat.TIFF: data[:4] in {b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"},
        # Its mark may are anywhere in the first 1,024 bytes (ISO 32000-1, annex H.3.4.1).
        PictureFormat.PDF: b"%PDF-" in data[:1024],
    }
    return next((kind for kind, is_match in matches.items() if is_match), None)


def media_type(kind: PictureFormat) -> tuple[str, str]:
    """Both parts of the media type of a format, such as "image" and "jpeg"."""
    return ("application", "pdf") if kind is PictureFormat.PDF else ("image", kind.value)


def _format_of_boxes(data: bytes) -> PictureFormat | None:
    """The format of a file of boxes (ISO 14496-12, 4.3): a length, "ftyp", the major brand, its version, then
    the compatible brands. None for a film."""
    size = min(int.from_bytes(data[:4], "big"), 256)
    major = data[8:12]
    brands = {major} | {data[offset : offset + 4] for offset in range(16, size, 4)}
    # A still picture in AV1 names the common brand mif1 too, and is not HEIC.
    if major in _AVIF_BRANDS or (_AVIF_BRANDS & brands and not _HEIC_BRANDS & brands):
        return PictureFormat.AVIF
    return PictureFormat.HEIC if (_HEIC_BRANDS | _STILL_BRANDS) & brands else None
