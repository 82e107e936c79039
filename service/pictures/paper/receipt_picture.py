"""The picture of a receipt: the sender's own sheet with a box about each line, and below it what the machine
read (OUT-02).

A box of a line it is sure of is drawn through, that of an unsure one is broken and its number followed by a
question mark, so that the picture states the same in black and white. Nothing of the photograph's own data is
carried along.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont, ImageOps

from grammar.headings.sheet_code import OWN_WORDS
from service.pictures.drawing.fonts import FACES, FontMissing
from service.pictures.drawing.own_mark import marked
from service.pictures.paper.sheet_copy import MOST_BYTES, open_upright

WIDTH = 1100
"""Pixels across: a sheet's lines can be read on a telephone, and the words beneath too."""

SIZE, LEAD, MARGIN = 27, 36, 28
_SURE, _UNSURE, _INK, _PAPER = (26, 92, 46), (160, 30, 20), (43, 33, 24), (251, 246, 233)
_QUALITIES = (82, 72, 60, 48)


@dataclass(frozen=True, slots=True)
class BoxedLine:
    """One line: its number on the sheet, "" for a line of the heading, the four corners of its box in pixels
    of the picture, what was read, whether the machine is unsure of it, and whether it is struck out."""

    number: str
    corners: tuple[tuple[float, float], ...]
    text: str
    unsure: bool = False
    struck: bool = False


def reading_picture(picture: bytes, lines: Sequence[BoxedLine], most_bytes: int = MOST_BYTES) -> bytes:
    """A JPEG of a sheet with its lines boxed and numbered, and their transcription below.

    At most `most_bytes` where the lowest quality allows it. Raises SheetUnusable for bytes that are no
    picture.
    """
    sheet = open_upright(picture)
    scale = WIDTH / sheet.width
    sheet = ImageOps.contain(sheet, (WIDTH, max(1, round(sheet.height * scale))), Image.Resampling.LANCZOS)
    words = _wrap_lines(lines, _font("display", SIZE))
    out = Image.new("RGB", (WIDTH, sheet.height + 2 * MARGIN + LEAD * (len(words) + 1)), _PAPER)
    out.paste(sheet, ((WIDTH - sheet.width) // 2, 0))
    draw = ImageDraw.Draw(out)
    for line in lines:
        _draw_box(draw, line, scale)
    _draw_transcription(draw, words, sheet.height + MARGIN)
    out = marked(out)
    # Only the quality gives way: fewer pixels could not be read on a telephone.
    for quality in _QUALITIES:
        data = _jpeg(out, quality)
        if len(data) <= most_bytes:
            break
    return data


def _draw_box(draw: ImageDraw.ImageDraw, line: BoxedLine, scale: float) -> None:
    colour = _UNSURE if line.unsure else _SURE
    points = [(x * scale, y * scale) for x, y in line.corners]
    for start, end in zip(points, [*points[1:], points[0]], strict=True):
        _draw_edge(draw, start, end, colour, broken=line.unsure)
    # The question mark states in black and white what the colour states.
    label, font = f"{line.number}{'?' if line.unsure else ''}", _font("bold", 26)
    if not label:
        return
    x, y = min(x for x, _ in points), min(y for _, y in points)
    width = font.getlength(label) + 10
    # Left of the box where there is room, so that no letter is covered.
    left, top = max(0.0, x - width - 3), max(0.0, y)
    draw.rectangle((left, top, left + width, top + 31), fill=colour)
    draw.text((left + 5, top + 1), label, fill=(255, 255, 255), font=font)


def _draw_edge(
    draw: ImageDraw.ImageDraw, start: tuple[float, float], end: tuple[float, float],
    colour: tuple[int, int, int], *,
    broken: bool,
) -> None:
    length = math.dist(start, end)
    if not broken or length < 1:
        draw.line((*start, *end), fill=colour, width=3)
        return
    step = 14.0
    for dash in range(0, int(length / step) + 1, 2):
        pieces = [min(1.0, part * step / length) for part in (dash, dash + 1)]
        ends = [(start[0] + (end[0] - start[0]) * p, start[1] + (end[1] - start[1]) * p) for p in pieces]
        draw.line((*ends[0], *ends[1]), fill=colour, width=3)


def _wrap_lines(lines: Sequence[BoxedLine], font: ImageFont.FreeTypeFont) -> list[tuple[str, bool]]:
    """The text below the sheet: rows of type that fit its width, with whether they are of an unsure
    line."""
    room, wrapped = WIDTH - 2 * MARGIN, []
    for line in lines:
        ends = " (struck out)" if line.struck else " (unsure)" if line.unsure else ""
        row = line.number or "–"
        for word in f"{line.text or '(nothing)'}{ends}".split():
            wider = f"{row} {word}"
            if font.getlength(wider) > room and row.strip():
                wrapped.append((row, line.unsure))
                row = f"     {word}"
            else:
                row = wider
        wrapped.append((row, line.unsure))
    return wrapped


def _draw_transcription(draw: ImageDraw.ImageDraw, rows: Sequence[tuple[str, bool]], top: int) -> None:
    draw.text((MARGIN, top), OWN_WORDS[0], fill=_INK, font=_font("display-italic", SIZE))
    for number, (row, unsure) in enumerate(rows, start=1):
        draw.text(
            (MARGIN, top + number * LEAD), row, fill=_UNSURE if unsure else _INK, font=_font("display", SIZE)
        )


def _font(face: str, size: int) -> ImageFont.FreeTypeFont:
    try:
        return ImageFont.truetype(FACES[face], size)
    except OSError as error:
        raise FontMissing(f"the font {FACES[face]} is missing; install fonts-ebgaramond with "
                          f"tools/setup") from error


def _jpeg(picture: Image.Image, quality: int) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality, optimize=True, progressive=True)
    return out.getvalue()
