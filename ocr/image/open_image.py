"""Open a file: untrusted bytes in, upright RGB pages out, or the reason there are none.

The type is taken from the content, never from the name, and the size from the header, before anything is
decoded. EXIF rotation is applied; an invalid one means upright. No metadata is passed on.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from PIL import Image as Pillow, UnidentifiedImageError
from PIL.ImageFile import ImageFile

from ocr.image.formats import MOST_PAGES, PictureFormat, format_of
from ocr.unreadable import FileTrouble, UnreadableReason

if TYPE_CHECKING:
    import numpy.typing as npt
    import pypdfium2

    from ocr.page import Image

MOST_PIXELS = 120_000_000
"""Pixels of an image, from its header: telephones make 108 million in their finest mode; 200 million, of
sensors that add no detail to a sheet of paper, would take the child 2.4 thousand million bytes."""
READ_PIXELS = 50_000_000
"""Pixels of a page that is handed on; a larger one is halved until it has no more. By hand; a row of writing
on a sheet is then more than 100 pixels high."""
PDF_DPI = 200
"""Dots per inch at which PDF pages are drawn: a row of handwriting is then some 60 pixels high. By hand."""
POSTER_PIXELS = 20_000_000  # of a drawn PDF page, at most. By hand; bounds memory
BAND = 256  # rows of an image that are copied, or converted to 8 bits, at a time; bounds memory. By hand
DEEP_SAMPLE = 4  # every fourth pixel of a deep image is enough for its percentiles. By hand
DEEP_RANGE = (0.1, 99.9)  # percentiles of a deep image that become 0 and 255. By hand
END_BLOCK = 4  # pixels of the corner that is grey in a JPEG that lacks its end, clear of neighbours. By hand

_READERS: Mapping[PictureFormat, tuple[tuple[str, ...], str]] = {
    PictureFormat.JPEG: (("JPEG",), "PIL.JpegImagePlugin"),
    PictureFormat.PNG: (("PNG",), "PIL.PngImagePlugin"),
    PictureFormat.HEIC: (("HEIF", "AVIF"), "PIL.AvifImagePlugin"),
    PictureFormat.AVIF: (("AVIF", "HEIF"), "PIL.AvifImagePlugin"),
    PictureFormat.WEBP: (("WEBP",), "PIL.WebPImagePlugin"),
    PictureFormat.JXL: (("JXL",), "pylibjxl.pillow_plugin"),
    PictureFormat.GIF: (("GIF",), "PIL.GifImagePlugin"),
    PictureFormat.BMP: (("BMP",), "PIL.BmpImagePlugin"),
    PictureFormat.TIFF: (("TIFF",), "PIL.TiffImagePlugin"),
}
"""Which of Pillow's readers may try a format, and the module that brings it; no other was audited here."""
READER_MODULES = tuple(dict.fromkeys(module for _, module in _READERS.values()))
"""Modules that a child loads which may open no file any more."""
_FRAMES_IN_TURN = frozenset({PictureFormat.TIFF})
"""Formats whose further pictures are pages. In all others they are a film, a burst or thumbnails."""
_SILENT_FRAMES = frozenset({PictureFormat.JPEG})
"""Formats whose further pictures are no player's: the depth and the brightness of the first one (CIPA
DC-007)."""

JPEG_BEGINNING, JPEG_END = b"\xff\xd8\xff", b"\xff\xd9"

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
    """The contents of a file: pages, or a reason. `detail`: more for people. `kind`: the format found.
    `more`: pictures next to the pages, which are not read: the rest of a film or a burst."""

    pages: tuple[Image, ...] = ()
    reason: UnreadableReason | None = None
    detail: str = ""
    kind: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class OpenedPage:
    """One upright RGB picture of a file, its format, and how many pictures of the file are not read."""

    picture: Pillow.Image
    kind: PictureFormat
    more: int = 0


class ImageRefused(Exception):
    """The file gives no pages. `number`: the figure that the trouble's phrase has room for."""

    def __init__(self, trouble: FileTrouble, number: int = 0) -> None:
        super().__init__(trouble.phrase % {"number": number})
        self.trouble, self.number = trouble, number


def open_images(data: bytes) -> OpenedFile:
    """The pages of an image or PDF file: uint8 RGB, shape (height, width, 3), upright.

    Bad `data` gives a reason, not an error. Raises MemoryError if the process may not have the memory for the
    pixels.
    """
    try:
        pages = [(page, _pixels(page.picture)) for page in _pages(data)]
    except ImageRefused as refused:
        return OpenedFile(reason=refused.trouble.reason, detail=str(refused))
    first = pages[0][0]
    return OpenedFile(tuple(pixels for _, pixels in pages), kind=first.kind.value, more=first.more)


def iter_pages(data: bytes) -> Iterator[OpenedPage]:
    """Each page of a file, without metadata, one at a time.

    So a long file needs the memory of one page. Yields at least one page. Raises ImageRefused if there is
    none, and MemoryError as `open_images` does.
    """
    for page in _pages(data):
        # The opened file keeps its EXIF data, a copy has only pixels.
        picture = page.picture.copy() if isinstance(page.picture, ImageFile) else page.picture
        picture.info = {}
        yield replace(page, picture=picture)


def _pages(data: bytes) -> Iterator[OpenedPage]:
    """As `iter_pages`, but a picture may be the opened file itself, with its metadata."""
    if not data:
        raise ImageRefused(FileTrouble.EMPTY)
    kind = format_of(data)
    if kind is None:
        raise _unknown(data)
    if kind is PictureFormat.PDF:
        yield from (OpenedPage(picture, kind) for picture in _pdf_pages(data))
    else:
        yield from _image_pages(data, kind)


def _pixels(picture: Pillow.Image) -> Image:
    """The pixels of an RGB picture: uint8, shape (height, width, 3)."""
    import numpy as np  # here, since the child that opens a photograph needs none

    pixels = np.empty((picture.height, picture.width, 3), np.uint8)
    # Band by band: at once Pillow gives NumPy all bytes twice, the most memory that a reading took.
    for top in range(0, picture.height, BAND):
        foot = min(top + BAND, picture.height)
        pixels[top:foot] = np.asarray(picture.crop((0, top, picture.width, foot)))
    return pixels


def _image_pages(data: bytes, kind: PictureFormat) -> Iterator[OpenedPage]:
    with warnings.catch_warnings():
        # Pillow warns of large images and odd metadata; the limit here is checked below, on the header.
        warnings.simplefilter("ignore")
        try:
            image = Pillow.open(BytesIO(data), formats=_readers(kind))
        except Pillow.DecompressionBombError as error:
            pixels = next((int(word) for word in re.findall(r"\d+", str(error))), MOST_PIXELS)
            raise ImageRefused(FileTrouble.MANY_PIXELS, round(pixels / 1_000_000)) from error
        except UnidentifiedImageError as error:
            raise ImageRefused(FileTrouble.DAMAGED) from error
        except (MemoryError, ImageRefused):
            raise
        except Exception as error:
            raise ImageRefused(FileTrouble.DAMAGED) from error
        with image:
            more = 0 if kind in _FRAMES_IN_TURN | _SILENT_FRAMES else _number_of_frames(image) - 1
            for frame in _frames(image, kind, data):
                yield OpenedPage(frame, kind, more)


def _readers(kind: PictureFormat) -> list[str]:
    """The names of Pillow's readers for a format that are installed. Raises ImageRefused if none is."""
    names, module = _READERS[kind]
    # Only what this file needs: a quarter of the child's time went into loading readers for other formats.
    with suppress(ImportError):
        import_module(module)
    if kind in {PictureFormat.HEIC, PictureFormat.AVIF}:
        import pillow_heif

        pillow_heif.register_heif_opener()
    if kind is PictureFormat.JXL:
        # Not on every machine: its package has no source to build (pyproject.toml).
        with suppress(ImportError):
            from pylibjxl.pillow_plugin import register_pillow

            register_pillow()
    known = [name for name in names if name in Pillow.OPEN]
    if not known:
        raise ImageRefused(FileTrouble.NOT_HERE)
    return known


def _number_of_frames(image: Pillow.Image) -> int:
    with suppress(Exception):
        # A damaged film raises anything, and its first picture may be whole.
        return max(1, int(getattr(image, "n_frames", 1)))
    return 1


def _unknown(data: bytes) -> ImageRefused:
    """The error for a file of no format: a photograph cut off in its first bytes, or no image at all."""
    if data.startswith((JPEG_BEGINNING[:2], b"\x89PNG", b"RIFF", b"GIF8")):
        return ImageRefused(FileTrouble.DAMAGED)
    return ImageRefused(FileTrouble.UNKNOWN)


def _frames(image: Pillow.Image, kind: PictureFormat, data: bytes) -> Iterator[Pillow.Image]:
    """Each page of a TIFF; only the first picture of anything else (films, thumbnails)."""
    for number in range(MOST_PAGES + 1 if kind in _FRAMES_IN_TURN else 1):
        try:
            # Pages are not counted beforehand: that raises anything if one of them is damaged (commit
            # 18fd3ec).
            if number and not _turn_to(image, number):
                return
            _check_page(number)
            _check_size(image.width, image.height)
            loaded = _loaded(image, kind, data)
            # Its decoder turns a JPEG XL by its own header, and EXIF repeats that (ISO/IEC 18181-2, 9.4).
            orientation = 1 if kind is PictureFormat.JXL else _orientation(loaded)
            yield _rgb(_turned(_halved(loaded), orientation))
        except (ImageRefused, MemoryError):
            raise
        except Exception as error:
            # Each decoder fails in its own way on damaged data. After the header all mean the same.
            raise ImageRefused(FileTrouble.DAMAGED) from error


def _loaded(image: Pillow.Image, kind: PictureFormat, data: bytes) -> Pillow.Image:
    """The picture with its pixels. A JPEG that lacks nothing but its end marker counts as whole."""
    if kind is PictureFormat.JPEG and image.width * image.height > READ_PIXELS:
        # Decoded at half its size, which needs a quarter of the memory.
        image.draft("RGB", (image.width // 2, image.height // 2))
    try:
        image.load()
    except OSError:
        if kind is not PictureFormat.JPEG or image.info.get("progressive"):
            raise
        ended = Pillow.open(BytesIO(data + JPEG_END), formats=["JPEG"])
        ended.draft("RGB", image.size)
        ended.load()
        # What a JPEG lacks its decoder leaves grey, from there to the last block.
        corner = ended.convert("RGB").crop(
            (ended.width - END_BLOCK, ended.height - END_BLOCK, ended.width, ended.height))
        if corner.getextrema() == ((128, 128),) * 3:
            raise
        return ended
    return image


def _halved(image: Pillow.Image) -> Pillow.Image:
    """The picture, halved until it has at most READ_PIXELS."""
    while image.width * image.height > READ_PIXELS:
        image = (image.convert("RGB") if image.mode in {"P", "1"} else image).reduce(2)
    return image


def _turn_to(image: Pillow.Image, number: int) -> bool:
    """Turn to a page of a TIFF. False if there is none."""
    try:
        image.seek(number)
    except EOFError:
        return False
    return True


def _check_page(number: int) -> None:
    if number >= MOST_PAGES:
        raise ImageRefused(FileTrouble.MANY_PAGES, number + 1)


def _check_size(width: float, height: float) -> None:
    if width * height > MOST_PIXELS:
        raise ImageRefused(FileTrouble.MANY_PIXELS, round(width * height / 1_000_000))


def _orientation(image: Pillow.Image) -> object:
    """The EXIF orientation of a picture; 1, which is upright, without a usable one."""
    with suppress(Exception):
        # Damaged EXIF raises anything.
        return image.getexif().get(EXIF_ORIENTATION, 1)
    return 1


def _turned(image: Pillow.Image, orientation: object) -> Pillow.Image:
    for turn in TURNS.get(orientation, ()) if isinstance(orientation, int) else ():
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


def _pdf_pages(data: bytes) -> Iterator[Pillow.Image]:
    import pypdfium2  # here, since it loads a library that most photographs do not need

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ImageRefused(FileTrouble.LOCKED) from error
        raise ImageRefused(FileTrouble.DAMAGED) from error
    with document:
        if not len(document):
            raise ImageRefused(FileTrouble.NO_PAGES)
        if len(document) > MOST_PAGES:
            raise ImageRefused(FileTrouble.MANY_PAGES, len(document))
        for number in range(len(document)):
            yield _pdf_page(document, number)


def _pdf_page(document: pypdfium2.PdfDocument, number: int) -> Pillow.Image:
    import numpy as np  # here as in _pixels
    import pypdfium2  # loaded by _pdf_pages already

    try:
        page = document[number]
        width, height = page.get_size()
        scale = PDF_DPI / 72
        if width <= 0 or height <= 0:
            raise ImageRefused(FileTrouble.DAMAGED)
        _check_size(width, height)
        # A poster-sized page is drawn coarser rather than refused: its photograph matters, not its size.
        scale = min(scale, (POSTER_PIXELS / (width * height)) ** 0.5)
        bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=True)
        return _rgb(Pillow.fromarray(np.array(bitmap.to_numpy()[:, :, :3], dtype=np.uint8)))
    except pypdfium2.PdfiumError as error:
        raise ImageRefused(FileTrouble.DAMAGED) from error
