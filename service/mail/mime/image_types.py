"""The type of an attachment by its bytes, and whether its picture opens.

A Protocol opens it: `PillowProbe` does so in this process, for the command line and tests; the service hands
in one that works in a limited child process.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

SMALLEST_SIDE = 200
"""Pixels; a picture smaller on either side is decoration (a logo, a smiley)."""
MOST_PIXELS = 100_000_000
"""Pixels a picture may unfold to before it is refused unopened."""
_HEIF_BRANDS = {b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"hevm", b"hevs", b"mif1", b"msf1"}


class PictureType(StrEnum):
    """The kinds of file that count as photographs (SUB-11)."""

    JPEG = "jpeg"
    PNG = "png"
    HEIC = "heic"
    WEBP = "webp"
    TIFF = "tiff"
    PDF = "pdf"


class PictureState(StrEnum):
    """Whether one file opens as a photograph."""

    GOOD = "good"
    BROKEN = "broken"
    LOCKED = "locked"
    DECORATION = "decoration"


@dataclass(frozen=True, slots=True)
class Probe:
    """The answer of a probe. `pages`: photographs in the file, 0 unless it is good. `width` and `height` in
    pixels, 0 if unknown. `troubles`: what is wrong with a photograph at first sight, as flags of a
    verdict."""

    state: PictureState
    pages: int = 0
    width: int = 0
    height: int = 0
    troubles: tuple[str, ...] = ()


class PictureProbe(Protocol):
    """Opens one file of a known type, or finds that it does not open. Must not raise, whatever the bytes."""

    def probe(self, data: bytes, kind: PictureType) -> Probe:
        """Open `data` as `kind`."""
        ...


def picture_type(data: bytes) -> PictureType | None:
    """The type of a file by its first bytes; None for a type that does not count."""
    # The declared type is not asked: a photograph from Outlook's container comes as application/octet-stream.
    matches = {
        PictureType.JPEG: data.startswith(b"\xff\xd8\xff"),
        PictureType.PNG: data.startswith(b"\x89PNG\r\n\x1a\n"),
        PictureType.WEBP: data[:4] == b"RIFF" and data[8:12] == b"WEBP",
        PictureType.TIFF: data[:4] in {b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"},
        PictureType.HEIC: data[4:8] == b"ftyp" and bool(_HEIF_BRANDS & _brands(data)),
        # Readers accept a PDF that begins after other bytes, so its mark is looked for in the first 1,024.
        PictureType.PDF: b"%PDF-" in data[:1024],
    }
    return next((kind for kind, is_match in matches.items() if is_match), None)


def _brands(data: bytes) -> set[bytes]:
    # ISO 14496-12, 4.3: a box's length, "ftyp", the major brand, its version, then the compatible brands.
    size = min(int.from_bytes(data[:4], "big"), 256)
    brands = {data[8:12]} | {data[offset : offset + 4] for offset in range(16, size, 4)}
    # A still picture in AV1 names the common brand mif1 too, and is no HEIC.
    return set() if data[8:12] in {b"avif", b"avis"} else brands


class PillowProbe:
    """Opens pictures with Pillow (HEIC through pillow-heif) and PDF files with PDFium, in this process."""

    def probe(self, data: bytes, kind: PictureType) -> Probe:
        """Open and decode the whole file, since a cut-off photograph shows its fault only at its end."""
        try:
            return _open_pdf(data) if kind is PictureType.PDF else _open_picture(data)
        except Exception:
            return Probe(PictureState.BROKEN)


def _open_pdf(data: bytes) -> Probe:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        needs_password = "password" in str(error).lower()
        return Probe(PictureState.LOCKED if needs_password else PictureState.BROKEN)
    try:
        pages = len(document)
    finally:
        document.close()
    return Probe(PictureState.GOOD, pages=pages) if pages else Probe(PictureState.BROKEN)


def _open_picture(data: bytes) -> Probe:
    from PIL import Image
    from pillow_heif import register_heif_opener

    register_heif_opener()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Image.open(io.BytesIO(data)) as picture:
            width, height = picture.size
            if min(width, height) < SMALLEST_SIDE:
                return Probe(PictureState.DECORATION, width=width, height=height)
            if width * height > MOST_PIXELS:
                return Probe(PictureState.BROKEN, width=width, height=height)
            # A JPEG is decoded at an eighth of its size: every byte is still read, with less work.
            picture.draft("RGB", (width // 8, height // 8))
            picture.load()
    return Probe(PictureState.GOOD, pages=1, width=width, height=height)
