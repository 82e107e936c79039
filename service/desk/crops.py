"""Pictures for the desk: a line with its surroundings, a page at screen size. Always re-encoded."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageOps, UnidentifiedImageError

from ocr.geometry import crop
from ocr.page import Box
from service.desk.ports import Blobs
from service.store.blobs import BlobError

MARGIN = 0.4
SMALLEST = 48
MOST_ROWS = 4
OVERLAP = 0.06
"""Part of a row that the next row repeats when a long line is folded, so that no letter is cut in two."""
PAGE_WIDTH = 1400
_MARK = "#b3541e"

Corners = Sequence[Sequence[float]]


class NoPicture(Exception):
    """A picture cannot be shown; the sentence says why and what is safe."""


def line_crop(
    blobs: Blobs, key: str, box: Corners, *, raw: bool = False, fold: int = 0, turn: int = 0
) -> bytes:
    """The line and 40 % of its height around it, upright as written, as JPEG at least 48 px tall.

    `key` is the blob of the upright page, `box` four corners in its pixels, clockwise from the top left of the
    writing. Contrast-stretched unless `raw`; folded into at most four rows no wider than `fold` times their height, 0 for one row. Turned by `turn` degrees
    clockwise, for a page that was photographed upside down. Raises NoPicture.
    """
    a, b, c, d = ((float(x), float(y)) for x, y in box)
    cut = Image.fromarray(crop(np.asarray(_page(blobs, key)), Box((a, b, c, d)), MARGIN))
    if cut.height < SMALLEST:
        cut = cut.resize((max(1, cut.width * SMALLEST // cut.height), SMALLEST))
    if not raw:
        cut = ImageOps.autocontrast(cut.convert("L"), cutoff=1).convert("RGB")
    cut = _turned(cut, turn)
    return _jpeg(_folded(cut, _rows(cut, fold)))


def strip(blobs: Blobs, key: str, box: Corners) -> bytes:
    """A strip of the page over its whole width with the line's neighbours, the line framed. Raises NoPicture."""
    page = _page(blobs, key)
    ys = [float(y) for _, y in box]
    height = max(ys) - min(ys)
    top, bottom = max(0, int(min(ys) - 1.3 * height)), min(page.height, int(max(ys) + 1.3 * height))
    return _jpeg(_framed(page, box).crop((0, top, page.width, max(top + 1, bottom))))


def page_picture(blobs: Blobs, key: str, box: Corners | None = None, *, turn: int = 0) -> bytes:
    """The whole page as JPEG, at most 1400 px wide, one line framed if its box is given, turned by `turn` degrees
    clockwise. Raises NoPicture."""
    page = _page(blobs, key)
    shown = page.copy() if box is None else _framed(page, box)
    shown.thumbnail((PAGE_WIDTH, PAGE_WIDTH * 3))
    return _jpeg(_turned(shown, turn))


def opened(blobs: Blobs, key: str) -> None:
    """Open a page's picture and keep it for the crops that are asked for next. Raises NoPicture."""
    _page(blobs, key)


# Blobs never change, so their pictures may be kept; a coordinator goes through a page line by line.
@lru_cache(maxsize=3)
def _page(blobs: Blobs, key: str) -> Image.Image:
    try:
        with Image.open(io.BytesIO(blobs.read(key))) as opened:
            return opened.convert("RGB")
    except BlobError as error:
        raise NoPicture(f"This picture cannot be shown: {error}. What was read and decided is safe.") from error
    except (UnidentifiedImageError, OSError, ValueError) as error:
        raise NoPicture("This picture cannot be opened. What was read and decided is safe; the line can still be "
                        "typed or skipped.") from error


def _turned(picture: Image.Image, degrees: int) -> Image.Image:
    return picture if degrees % 360 == 0 else picture.rotate(-degrees, expand=True, fillcolor="white")


def _framed(page: Image.Image, box: Corners) -> Image.Image:
    shown = page.copy()
    width = max(3, page.width // 350)
    corners = [(float(x), float(y)) for x, y in box]
    ImageDraw.Draw(shown).line([*corners, corners[0]], fill=_MARK, width=width, joint="curve")
    return shown


def _rows(cut: Image.Image, fold: int) -> int:
    return 1 if fold < 1 else min(MOST_ROWS, math.ceil(cut.width / (cut.height * fold)))


def _folded(cut: Image.Image, rows: int) -> Image.Image:
    if rows == 1:
        return cut
    width = round(cut.width / (rows - (rows - 1) * OVERLAP))
    step, gap = round(width * (1 - OVERLAP)), max(2, cut.height // 12)
    out = Image.new("RGB", (width, rows * cut.height + (rows - 1) * gap), "#8a7f70")
    for row in range(rows):
        piece = cut.crop((row * step, 0, min(cut.width, row * step + width), cut.height))
        out.paste("white", (0, row * (cut.height + gap), width, row * (cut.height + gap) + cut.height))
        out.paste(piece, (0, row * (cut.height + gap)))
    return out


def _jpeg(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=85)
    return out.getvalue()
