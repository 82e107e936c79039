"""The door: bytes of unknown worth in, upright RGB pages out, or the reason there are none.

The type is told from the content, never from the name; the size from the header, before anything is
decoded. EXIF rotation is applied, an invalid one means upright, and nothing of the metadata is passed on.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import pillow_heif
import pypdfium2
from PIL import Image as Pillow
from PIL import UnidentifiedImageError

from ocr.page import Image, Reason

MOST_PIXELS = 50_000_000
"""Larger images are refused from their header; phones make at most 50 million (200 with upscaling)."""

MOST_PAGES = 8
"""Pages of one PDF or TIFF that are looked at; an order sheet has one or two."""

PDF_DPI = 200
"""Resolution at which PDF pages are drawn: a row of handwriting is then some 60 pixels high."""

FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "HEIF", "AVIF", "GIF", "BMP")
"""What Pillow may try; its other readers are not needed and were never audited here."""

BEGINNINGS = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"RIFF", b"II*\0", b"MM\0*", b"GIF8")
"""How files of these formats begin; HEIF and AVIF carry "ftyp" from the fifth byte."""

EXIF_ORIENTATION = 0x0112

TURNS = {
    2: (Pillow.Transpose.FLIP_LEFT_RIGHT,),
    3: (Pillow.Transpose.ROTATE_180,),
    4: (Pillow.Transpose.FLIP_TOP_BOTTOM,),
    5: (Pillow.Transpose.TRANSPOSE,),
    6: (Pillow.Transpose.ROTATE_270,),
    7: (Pillow.Transpose.TRANSVERSE,),
    8: (Pillow.Transpose.ROTATE_90,),
}
"""EXIF orientation to what makes it upright (CIPA DC-008 4.6.4, tag 274); any other value: as it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """What a file held: pages, or a reason. `detail` says more for people; `kind` is the format found."""

    pages: tuple[Image, ...] = ()
    reason: Reason | None = None
    detail: str = ""
    kind: str = ""


class _Refused(Exception):
    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def open_images(data: bytes) -> Opened:
    """The pages of an image or PDF file, upright RGB. Never raises on account of `data`,
    save MemoryError where the process may not have what the pixels need."""
    if not data:
        return Opened(reason=Reason.NOT_AN_IMAGE, detail="the file is empty")
    try:
        return Opened(tuple(_pdf_pages(data)), kind="PDF") if _is_pdf(data) else _image_pages(data)
    except _Refused as refused:
        return Opened(reason=refused.reason, detail=refused.detail)


def _is_pdf(data: bytes) -> bool:
    """The marker may stand anywhere in the first 1024 bytes (ISO 32000-1, annex H.3.4.1)."""
    return b"%PDF-" in data[:1024]


def _image_pages(data: bytes) -> Opened:
    pillow_heif.register_heif_opener()
    with warnings.catch_warnings():
        # Pillow warns of large images and odd metadata; the limit here is checked below, on the header.
        warnings.simplefilter("ignore")
        try:
            image = Pillow.open(BytesIO(data), formats=FORMATS)
        except Pillow.DecompressionBombError as error:
            raise _Refused(Reason.TOO_LARGE, "it has too many pixels") from error
        except UnidentifiedImageError as error:
            raise _unknown(data) from error
        except MemoryError:
            raise
        except Exception as error:
            raise _Refused(Reason.TRUNCATED, "its beginning is damaged") from error
        with image:
            kind = image.format or ""
            return Opened(tuple(_frames(image)), kind=kind)


def _unknown(data: bytes) -> _Refused:
    """A file no reader took: a photograph cut off in its first bytes, or something else altogether."""
    if data.startswith(BEGINNINGS) or data[4:8] == b"ftyp":
        return _Refused(Reason.TRUNCATED, "it is cut off near its beginning")
    return _Refused(Reason.NOT_AN_IMAGE, "it is no kind of image known here")


def _frames(image: Pillow.Image) -> Iterator[Image]:
    """Each page of a TIFF; only the first picture of anything else (films, thumbnails)."""
    count = min(MOST_PAGES, getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1
    for number in range(count):
        try:
            if number:
                image.seek(number)
            _check_size(image.width, image.height)
            image.load()
            yield _pixels(_upright(image))
        except (_Refused, MemoryError):
            raise
        except Exception as error:
            # Each decoder fails in its own way on damaged data; past the header there is one meaning.
            raise _Refused(Reason.TRUNCATED, "it is cut off or damaged") from error


def _check_size(width: float, height: float) -> None:
    if width * height > MOST_PIXELS:
        raise _Refused(Reason.TOO_LARGE, f"it has {width * height / 1e6:.0f} million pixels")


def _upright(image: Pillow.Image) -> Pillow.Image:
    value: object = 1
    with suppress(Exception):
        # Damaged EXIF raises anything; a photograph without a usable tag is taken as upright.
        value = image.getexif().get(EXIF_ORIENTATION, 1)
    turns = TURNS.get(value, ()) if isinstance(value, int) else ()
    for turn in turns:
        image = image.transpose(turn)
    return image


def _pixels(image: Pillow.Image) -> Image:
    """8-bit RGB on white, from any mode."""
    if image.mode.startswith("I") or image.mode == "F":
        grey = _eight_bits(np.asarray(image, dtype=np.float64))
        return np.repeat(grey[:, :, np.newaxis], 3, axis=2)
    if image.mode in {"RGBA", "LA", "PA", "RGBa", "La"} or "transparency" in image.info:
        clear = image.convert("RGBA")
        white = Pillow.new("RGBA", clear.size, "white")
        image = Pillow.alpha_composite(white, clear)
    return np.array(image.convert("RGB"), dtype=np.uint8)


def _eight_bits(deep: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Image:
    """16- or 32-bit grey as 8-bit: what the file uses of its range is the whole range.

    Cameras store 10 or 12 bits in 16, so dividing by 256 would leave such a page almost black.
    """
    deep = np.nan_to_num(deep)
    low, high = np.percentile(deep[::4, ::4], (0.1, 99.9))
    scaled = (deep - low) / max(float(high - low), 1e-9) * 255.0
    return np.asarray(np.clip(scaled, 0, 255), dtype=np.uint8)


def _pdf_pages(data: bytes) -> Iterator[Image]:
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise _Refused(Reason.NOT_AN_IMAGE, "the PDF asks for a password") from error
        raise _Refused(Reason.TRUNCATED, "the PDF is damaged") from error
    with document:
        if not len(document):
            raise _Refused(Reason.NOT_AN_IMAGE, "the PDF has no pages")
        for number in range(min(MOST_PAGES, len(document))):
            yield _pdf_page(document, number)


def _pdf_page(document: pypdfium2.PdfDocument, number: int) -> Image:
    try:
        page = document[number]
        width, height = page.get_size()
        scale = PDF_DPI / 72
        if width <= 0 or height <= 0:
            raise _Refused(Reason.NOT_AN_IMAGE, "the PDF has a page without size")
        _check_size(width, height)
        # A poster-sized page is drawn coarser rather than refused: its photograph is what matters.
        scale = min(scale, (0.4 * MOST_PIXELS / (width * height)) ** 0.5)
        drawn = page.render(scale=scale, rev_byteorder=True, may_draw_forms=True)
        pixels = drawn.to_numpy()[:, :, :3]
        return np.array(pixels, dtype=np.uint8)
    except pypdfium2.PdfiumError as error:
        raise _Refused(Reason.TRUNCATED, "a page of the PDF is damaged") from error
