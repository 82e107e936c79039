"""A page with every line framed by its state: each state has a colour, a letter and a separate stroke, so
that the picture can be read without colour."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

from PIL import Image, ImageDraw, ImageFont, UnidentifiedImageError

from service.facts import design
from service.games.lines import SettledLine
from service.store.blobs import BlobError
from service.store.tables import LineState
from service.web.crops import PAGE_WIDTH, NoPicture
from service.web.ports import BlobReader

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PictureMark:
    """How a state is drawn. `stroke`: lengths drawn and left out in turn, in widths of the line; empty is
    unbroken."""

    letter: str
    colour: str
    stroke: tuple[int, ...] = ()
    double: bool = False


_COLOURS = design.values()
# MAP-05 asks the same of the map: colour alone must not carry a meaning.
MARKS: dict[LineState, PictureMark] = {
    LineState.AUTO: PictureMark("A", _COLOURS["green"]),
    LineState.READ: PictureMark("R", _COLOURS["blue"], (9, 3)),
    LineState.OPEN: PictureMark("O", _COLOURS["red"], double=True),
    LineState.SKIPPED: PictureMark("S", _COLOURS["amber"], (7, 3, 2, 3)),
    LineState.VOID: PictureMark("V", _COLOURS["ink"], (2, 2)),
    LineState.NOT_ORDER: PictureMark("N", _COLOURS["dim"], (4, 4)),
}


def framed(blobs: BlobReader, key: str, rotation: int, lines: Sequence[tuple[str, SettledLine]]) -> bytes:
    """The page as its sender held it, each line framed and labelled "3 A", or "N" if it has no number, as
    JPEG at most 1400 px wide.

    `key`: the blob of the upright picture. `rotation`: how far its writing is still turned, in degrees
    clockwise to turn it back. `lines`: labels and lines, in pixels of that picture. Raises NoPicture.
    """
    page = _opened(blobs, key)
    size = page.size
    # Stored upright by the photograph's EXIF; a sheet held upside down still has to be turned.
    if rotation % 360:
        page = page.rotate(-rotation, expand=True, fillcolor="white")
    scale = min(1.0, PAGE_WIDTH / page.width)
    resized = page.resize((max(1, round(page.width * scale)), max(1, round(page.height * scale))))
    pen = ImageDraw.Draw(resized)
    for label, line in lines:
        corners = [(x * scale, y * scale) for x, y in (turned(point, size, rotation) for point in line.box)]
        _frame(
            pen, corners, f"{label} {MARKS[line.state].letter}".strip(), MARKS[line.state],
            max(2, resized.width // 450)
        )
    out = io.BytesIO()
    resized.save(out, "JPEG", quality=85)
    return out.getvalue()


def turned(point: Point, size: tuple[int, int], rotation: int) -> Point:
    """Where a point of a picture of this size lies after the picture is turned clockwise by 0, 90, 180 or
    270 degrees."""
    x, y = float(point[0]), float(point[1])
    width, height = size
    return {0: (x, y), 90: (height - y, x), 180: (width - x, height - y), 270: (y, width - x)}[rotation % 360]


def measure(blobs: BlobReader, key: str) -> tuple[int, int]:
    """Width and height of a stored page in pixels, from the header of its file. Raises NoPicture."""
    with _readable(), Image.open(io.BytesIO(blobs.read(key))) as opened:
        return opened.size


def percent(box: Sequence[Point], size: tuple[int, int], rotation: int) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a box in percent of its page as shown. `size`: of the page as stored.
    `rotation`: as in `framed`."""
    xs, ys = zip(*(turned(point, size, rotation) for point in box), strict=True)
    wide, high = size if rotation % 180 == 0 else size[::-1]
    return (round(100 * min(xs) / wide, 1), round(100 * min(ys) / high, 1), round(100 * max(xs) / wide, 1),
            round(100 * max(ys) / high, 1))


def _opened(blobs: BlobReader, key: str) -> Image.Image:
    with _readable(), Image.open(io.BytesIO(blobs.read(key))) as opened:
        return opened.convert("RGB")


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except (BlobError, UnidentifiedImageError, OSError, ValueError) as fault:
        raise NoPicture(
            "This page cannot be shown. Readings and decisions are safe; lines can still be added by hand "
            "from the original file."
        ) from fault


def _frame(
    pen: ImageDraw.ImageDraw, corners: Sequence[Point], label: str, mark: PictureMark, width: int
) -> None:
    around = [*corners, corners[0]]
    for start, end in pairwise(around):
        _stroke(pen, start, end, mark, width)
    if mark.double:
        pad = 2.5 * width
        middle = (sum(x for x, _ in corners) / len(corners), sum(y for _, y in corners) / len(corners))
        outer = [_away(point, middle, pad) for point in around]
        for start, end in pairwise(outer):
            _stroke(pen, start, end, mark, width)
    _tag(pen, corners[0], label, mark, 9 * width)


def _away(point: Point, middle: Point, by: float) -> Point:
    return (
        point[0] + math.copysign(by, point[0] - middle[0]),
        point[1] + math.copysign(by, point[1] - middle[1]),
    )


def _stroke(pen: ImageDraw.ImageDraw, start: Point, end: Point, mark: PictureMark, width: int) -> None:
    length = math.dist(start, end)
    if not mark.stroke or length == 0:
        pen.line([start, end], fill=mark.colour, width=width)
        return
    offset, turn = 0.0, 0
    while offset < length:
        step = mark.stroke[turn % len(mark.stroke)] * width
        if turn % 2 == 0:
            ends = [offset / length, min(1.0, (offset + step) / length)]
            pen.line([(start[0] + (end[0] - start[0]) * e, start[1] + (end[1] - start[1]) * e) for e in ends],
                     fill=mark.colour, width=width)
        offset, turn = offset + step, turn + 1


def _tag(pen: ImageDraw.ImageDraw, corner: Point, label: str, mark: PictureMark, size: int) -> None:
    """The label on a plate to the left of the line, next to its ink, in white on the state's colour."""
    font = ImageFont.load_default(size)
    left, top, right, bottom = pen.textbbox((0, 0), label, font=font)
    pad = size // 4
    # At the left edge of the page there is no room next to the line; the plate then covers its beginning.
    x, y = max(0.0, corner[0] - (right - left) - 3 * pad), max(0.0, corner[1])
    pen.rectangle([x, y, x + right - left + 2 * pad, y + bottom - top + 2 * pad], fill=mark.colour)
    pen.text((x + pad - left, y + pad - top), label, fill="white", font=font)
