"""Open a file: untrusted bytes in, upright RGB pages out, or the reason there are none.

The type is taken from the content, never from the name, and the size from the header, before anything is
decoded. EXIF rotation is applied; an invalid one means upright. No metadata is passed on.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from PIL import Image as Pillow, UnidentifiedImageError
from PIL.ImageFile import ImageFile

from ocr.unreadable import UnreadableReason

if TYPE_CHECKING:
    import numpy.typing as npt
    import pypdfium2

    from ocr.page import Image

MOST_PIXELS = 50_000_000
"""Pixels of an image, from its header: phones make at most 50 million (200 with upscaling)."""
MOST_PAGES = 8  # pages of one PDF or TIFF that are read; an order sheet has one or two. By hand
PDF_DPI = 200
"""Dots per inch at which PDF pages are drawn: a row of handwriting is then some 60 pixels high. By hand."""
POSTER_SHARE = 0.4  # of MOST_PIXELS, 0..1, that a drawn PDF page has at most. By hand; bounds memory
BAND = 256  # rows of an image that are copied, or converted to 8 bits, at a time; bounds memory. By hand
DEEP_SAMPLE = 4  # every fourth pixel of a deep image is enough for its percentiles. By hand
DEEP_RANGE = (0.1, 99.9)  # percentiles of a deep image that become 0 and 255. By hand

FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "HEIF", "AVIF", "GIF", "BMP")
"""What Pillow may try; its other readers are not needed and were never audited here."""

JPEG_BEGINNING = b"\xff\xd8\xff"

BEGINNINGS = (JPEG_BEGINNING, b"\x89PNG\r\n", b"RIFF", b"II*\0", b"MM\0*", b"GIF8")
"""How files of these formats begin; HEIF and AVIF have "ftyp" from the fifth byte."""

EXIF_ORIENTATION = 0x0112
"""The EXIF tag of the orientation (CIPA DC-008 4.6.4, tag 274)."""

TURNS = {
    2: (Pillow.Transpose.FLIP_LEFT_RIGHT,),
    3: (Pillow.Transpose.ROTATE_180,),
    4: (Pillow.Transpose.FLIP_TOP_BOTTOM,),
    5: (Pillow.Transpose.TRANSPOSE,),
    6: (Pillow.Transpose.ROTATE_270,),
    7: (Pillow.Transpose.TRANSVERSE,),
    8: (Pillow.Transpose.ROTATE_90,),
}
"""EXIF orientation to what makes the image upright, as in CIPA DC-008; any other value: as it is."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenedFile:
    """What a file holds: pages, or a reason. `detail`: more for people. `kind`: the format found."""

    pages: tuple[Image, ...] = ()
    reason: UnreadableReason | None = None
    detail: str = ""
    kind: str = ""


class ImageRefused(Exception):
    """The file gives no pages. `reason` and `detail` as in `OpenedFile`."""

    def __init__(self, reason: UnreadableReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def open_images(data: bytes) -> OpenedFile:
    """The pages of an image or PDF file: uint8 RGB, shape (height, width, 3), upright.

    Bad `data` gives a reason, not an error. Raises MemoryError if the process may not have the memory for the
    pixels.
    """
    try:
        pages = [(kind, _pixels(picture)) for kind, picture in _pictures(data)]
    except ImageRefused as refused:
        return OpenedFile(reason=refused.reason, detail=refused.detail)
    return OpenedFile(tuple(page for _, page in pages), kind=pages[0][0])


def iter_pages(data: bytes) -> Iterator[tuple[str, Pillow.Image]]:
    """The format and each page as an upright RGB picture without metadata, one at a time.

    So a long file needs the memory of one page. Yields at least one page. Raises ImageRefused if there is
    none, and MemoryError as `open_images` does.
    """
    for kind, picture in _pictures(data):
        # The opened file keeps its EXIF data, a copy has only pixels.
        pixels_only = picture.copy() if isinstance(picture, ImageFile) else picture
        pixels_only.info = {}
        yield kind, pixels_only


def _pictures(data: bytes) -> Iterator[tuple[str, Pillow.Image]]:
    """As `iter_pages`, but a picture may be the opened file itself, with its metadata."""
    if not data:
        raise ImageRefused(UnreadableReason.NOT_AN_IMAGE, "the file is empty")
    yield from _pdf_pages(data) if _is_pdf(data) else _image_pages(data)


def _pixels(picture: Pillow.Image) -> Image:
    """The pixels of an RGB picture: uint8, shape (height, width, 3)."""
    import numpy as np  # here, since the child that opens a photograph needs none

    pixels = np.empty((picture.height, picture.width, 3), np.uint8)
    # Band by band: at once Pillow gives NumPy all bytes twice, the most memory that a reading took.
    for top in range(0, picture.height, BAND):
        foot = min(top + BAND, picture.height)
        pixels[top:foot] = np.asarray(picture.crop((0, top, picture.width, foot)))
    return pixels


def _is_pdf(data: bytes) -> bool:
    """The marker may stand anywhere in the first 1024 bytes (ISO 32000-1, annex H.3.4.1)."""
    return b"%PDF-" in data[:1024]


def _image_pages(data: bytes) -> Iterator[tuple[str, Pillow.Image]]:
    if data[4:8] == b"ftyp":
        import pillow_heif  # here, since it loads a library that most photographs do not need

        pillow_heif.register_heif_opener()
    with warnings.catch_warnings():
        # Pillow warns of large images and odd metadata; the limit here is checked below, on the header.
        warnings.simplefilter("ignore")
        try:
            image = Pillow.open(BytesIO(data), formats=_formats(data))
        except Pillow.DecompressionBombError as error:
            raise ImageRefused(UnreadableReason.TOO_LARGE, "it has too many pixels") from error
        except UnidentifiedImageError as error:
            raise _unknown(data) from error
        except MemoryError:
            raise
        except Exception as error:
            raise ImageRefused(UnreadableReason.TRUNCATED, "its beginning is damaged") from error
        with image:
            kind = image.format or ""
            for frame in _frames(image):
                yield kind, frame


def _formats(data: bytes) -> list[str]:
    """Those of FORMATS that this installation of Pillow has and the data may be. HEIF comes with a package of
    its own."""
    # A quarter of the child's time went into loading readers that could not take its file.
    if data.startswith(JPEG_BEGINNING) and data[4:8] != b"ftyp":
        return ["JPEG"]
    Pillow.preinit()
    for name in ("Tiff", "WebP", "Avif"):
        # One by one: `Pillow.init()` would import all of its forty readers.
        with suppress(ImportError):
            import_module(f"PIL.{name}ImagePlugin")
    return [kind for kind in FORMATS if kind in Pillow.OPEN]


def _unknown(data: bytes) -> ImageRefused:
    """The error for a file that no reader accepts: a photograph cut off in its first bytes, or no image at
    all."""
    if data.startswith(BEGINNINGS) or data[4:8] == b"ftyp":
        return ImageRefused(UnreadableReason.TRUNCATED, "it is cut off near its beginning")
    return ImageRefused(UnreadableReason.NOT_AN_IMAGE, "it is no kind of image known here")


def _frames(image: Pillow.Image) -> Iterator[Pillow.Image]:
    """Each page of a TIFF; only the first picture of anything else (films, thumbnails)."""
    for number in range(MOST_PAGES if image.format == "TIFF" else 1):
        try:
            # Pages are not counted beforehand: that raises anything if one of them is damaged (commit
            # 18fd3ec).
            if number and not _turn_to(image, number):
                return
            _check_size(image.width, image.height)
            image.load()
            yield _rgb(_upright(image))
        except (ImageRefused, MemoryError):
            raise
        except Exception as error:
            # Each decoder fails in its own way on damaged data. After the header all mean the same.
            raise ImageRefused(UnreadableReason.TRUNCATED, "it is cut off or damaged") from error


def _turn_to(image: Pillow.Image, number: int) -> bool:
    """Turn to a page of a TIFF. False if there is none."""
    try:
        image.seek(number)
    except EOFError:
        return False
    return True


def _check_size(width: float, height: float) -> None:
    if width * height > MOST_PIXELS:
        raise ImageRefused(UnreadableReason.TOO_LARGE, f"it has {width * height / 1e6:.0f} million pixels")


def _upright(image: Pillow.Image) -> Pillow.Image:
    value: object = 1
    with suppress(Exception):
        # Damaged EXIF raises anything. Without a usable tag the photograph counts as upright.
        value = image.getexif().get(EXIF_ORIENTATION, 1)
    turns = TURNS.get(value, ()) if isinstance(value, int) else ()
    for turn in turns:
        image = image.transpose(turn)
    return image


def _rgb(image: Pillow.Image) -> Pillow.Image:
    """8-bit RGB on white, from any mode; the image itself if it is that already."""
    if image.mode.startswith("I") or image.mode == "F":
        import numpy as np  # here as in _pixels

        return Pillow.fromarray(_eight_bits(np.asarray(image))).convert("RGB")
    if image.mode in {"RGBA", "LA", "PA", "RGBa", "La"} or "transparency" in image.info:
        transparent = image if image.mode == "RGBA" else image.convert("RGBA")
        image = Pillow.new("RGB", transparent.size, "white")
        image.paste(transparent, mask=transparent)
    return image if image.mode == "RGB" else image.convert("RGB")


def _eight_bits(deep: npt.NDArray[Any]) -> Image:
    """16- or 32-bit grey as 8-bit: the range that the file uses becomes the whole range.

    Cameras store 10 or 12 bits in 16, so dividing by 256 would leave such a page almost black.
    """
    import numpy as np  # here as in _pixels

    sample = deep[::DEEP_SAMPLE, ::DEEP_SAMPLE].astype(np.float64)
    darkest, lightest = np.percentile(np.nan_to_num(sample), DEEP_RANGE)
    span = max(float(lightest - darkest), 1e-9)
    out = np.empty(deep.shape, np.uint8)
    # Band by band, since a large scan as floating-point numbers would take gigabytes.
    for top in range(0, deep.shape[0], BAND):
        band = np.nan_to_num(deep[top : top + BAND].astype(np.float64))
        out[top : top + BAND] = np.clip((band - darkest) / span * 255.0, 0, 255)
    return out


def _pdf_pages(data: bytes) -> Iterator[tuple[str, Pillow.Image]]:
    import pypdfium2  # here, since it loads a library that most photographs do not need

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ImageRefused(UnreadableReason.NOT_AN_IMAGE, "the PDF asks for a password") from error
        raise ImageRefused(UnreadableReason.TRUNCATED, "the PDF is damaged") from error
    with document:
        if not len(document):
            raise ImageRefused(UnreadableReason.NOT_AN_IMAGE, "the PDF has no pages")
        for number in range(min(MOST_PAGES, len(document))):
            yield "PDF", _pdf_page(document, number)


def _pdf_page(document: pypdfium2.PdfDocument, number: int) -> Pillow.Image:
    import numpy as np  # here as in _pixels
    import pypdfium2  # loaded by _pdf_pages already

    try:
        page = document[number]
        width, height = page.get_size()
        scale = PDF_DPI / 72
        if width <= 0 or height <= 0:
            raise ImageRefused(UnreadableReason.NOT_AN_IMAGE, "the PDF has a page without size")
        _check_size(width, height)
        # A poster-sized page is drawn coarser rather than refused: its photograph matters, not its size.
        scale = min(scale, (POSTER_SHARE * MOST_PIXELS / (width * height)) ** 0.5)
        bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=True)
        return _rgb(Pillow.fromarray(np.array(bitmap.to_numpy()[:, :, :3], dtype=np.uint8)))
    except pypdfium2.PdfiumError as error:
        raise ImageRefused(UnreadableReason.TRUNCATED, "a page of the PDF is damaged") from error
