"""Typed orders as a page: drawn in black on white, with the box of each row.

The desk, the receipts and the copies show it, since they show a page of any sheet. Nothing reads it.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from ocr.page import Box, Page, Reading, ReadLine, Status, Strike
from service.intake.sheets.recognizer import RecognizedPage
from service.mail.message import Picture
from service.mail.mime.image_types import PictureState, PictureType
from service.pictures.drawing.fonts import FACES

_MARGIN, _STEP, _SIZE = 110, 96, 44
"""Pixels: margin around the rows, distance from row to row, height of the letters."""
_LEAST_WIDTH, _LEAST_HEIGHT = 1400, 900
_JPEG_QUALITY = 92


def as_picture(rows: Sequence[str]) -> Picture:
    """The page as a picture of the mail. Its digest is the text's."""
    page, _ = _draw(rows)
    # By the text, so that the same text sent twice is one sheet, even if another release draws it otherwise.
    digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return Picture(
        PictureType.PNG, PictureState.GOOD, 1, "typed.png", digest, _saved(page, "PNG"), *page.size
    )


def as_reading(rows: Sequence[str], spans: Sequence[range]) -> tuple[RecognizedPage, ...]:
    """The result of an engine that misreads nothing: a line for each span of rows, score 1, no posteriors."""
    page, boxes = _draw(rows)
    lines = tuple(
        ReadLine(
            _around([boxes[row] for row in span]), (), " ".join(rows[row] for row in span), 1.0, Strike()
        )
        for span in spans
    )
    upright = _saved(page, "JPEG", quality=_JPEG_QUALITY)
    return (RecognizedPage(upright, Reading(Status.READ, pages=(Page(1, 0, 0.0, lines),))),)


def _draw(rows: Sequence[str]) -> tuple[Image.Image, list[tuple[float, float, float, float]]]:
    """The page, and left, top, right and bottom of each row's letters in pixels."""
    font = ImageFont.truetype(FACES["plain"], _SIZE)
    widest = max(int(font.getlength(row)) for row in rows)
    size = (max(_LEAST_WIDTH, widest + 2 * _MARGIN), max(_LEAST_HEIGHT, 2 * _MARGIN + _STEP * len(rows)))
    page = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(page)
    boxes = []
    for index, row in enumerate(rows):
        corner = (_MARGIN, _MARGIN + _STEP * index)
        pen.text(corner, row, fill="black", font=font)
        boxes.append(pen.textbbox(corner, row, font=font))
    return page, boxes


def _around(boxes: Sequence[tuple[float, float, float, float]]) -> Box:
    """The upright rectangle around all boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    left, top, right, bottom = min(lefts), min(tops), max(rights), max(bottoms)
    return Box(((left, top), (right, top), (right, bottom), (left, bottom)))


def _saved(page: Image.Image, kind: str, **options: int) -> bytes:
    encoded = io.BytesIO()
    page.save(encoded, kind, **options)
    return encoded.getvalue()
