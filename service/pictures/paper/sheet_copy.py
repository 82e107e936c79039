"""Copies of sheets: what was written, and nothing of the photograph's own data (OUT-14, Q-37).

`sheet_copy` is for letters to all: four greys at about the size of the writing, some 15 kB. `page_photograph`
and `sheet_window` are for web pages and keep the photograph's colours.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageOps, UnidentifiedImageError

from service.pictures.drawing.own_mark import marked
from service.pictures.drawing.render import RUNS

LONGEST_SIDE = 1800
SMALLEST_SIDE = 600
"""Pixels of a copy's longer side, at most and at least."""
MOST_BYTES = 450_000
"""Bytes of a photograph on a web page or in a receipt."""
MOST_COPY_BYTES = 60_000
"""Bytes of a copy in a letter. A page of 48 rows has 50 kB; only a photograph full of specks has more."""
ROW = 40
"""Pixels of the height of a row on a copy: small letters are 10 to 16 high, and a print
across A5 has 90 to 140 to the inch. Chosen by eye on 25 sheets."""
MARGIN = 0.02
"""Part of the longer side that is left around heading and orders."""

GREYS = (0, 85, 170, 255)
"""Levels of a copy: PNG packs four of them in two bits a pixel."""
_BLOCK = 8
"""Pixels of a side of the blocks whose mean light is compared with that of their neighbours."""
_NEIGHBOURS = 31
"""Blocks of a side of the window that gives the light of the paper: 248 pixels, six rows."""
_PAPER_RANK = 0.6
"""Rank, 0 to 1, of the light of the paper among the blocks of a window: a scribble may cover the darker six
tenths. At 0.7 and more the darker side of a fold in the paper shows as specks."""
_NOISE = 4.0
"""Standard deviations of the paper's noise from which a pixel is ink. At 3 the shade next to a fold is grey;
at 5 hard pencil on grey paper has gaps."""
_LEAST_CONTRAST = 0.02
"""Part of the paper's light by which ink is darker at least, for pictures without noise."""
_FULL_INK = 25
"""Percentile of ink, by darkness, that is black: edges of strokes are lighter."""

_QUALITIES = (85, 75, 65, 55)
_SHADE = (92, 84, 70)
_FRAME = (179, 84, 30)

Corners = Sequence[tuple[float, float]]


class SheetUnusable(ValueError):
    """The bytes are not a picture that can be opened; a person must look at them."""


def sheet_copy(
    picture: bytes, keep: Corners, masks: Sequence[Corners] = (), row: float = ROW,
    most_bytes: int = MOST_COPY_BYTES,
) -> bytes:
    """A PNG of four greys of a photographed sheet, cut to `keep`, with `masks` painted over: dark writing on
    white, without the shade, the grain and the colour of the paper.

    `keep` and each of `masks` are corners in pixels of the picture as shown, after its EXIF rotation; `keep`
    is the writing from heading to last order. `row`: height of a row of writing in the same pixels; the copy
    has ROW for it. Names and home addresses are masked by default (Q-37): the caller gives their places.
    Light writing on a dark ground becomes dark on white. Raises SheetUnusable; and ValueError where
    `most_bytes` is too few.
    """
    upright = open_upright(picture)
    left, top, right, bottom = _box_around(keep, upright.size)
    cut = upright.convert("L").crop((left, top, right, bottom))
    longest = max(cut.size)
    side = min(longest, LONGEST_SIDE, max(SMALLEST_SIDE, round(longest * ROW / row)))
    while True:
        scale = side / longest
        small = ImageOps.contain(cut, (side, side), Image.Resampling.LANCZOS) if scale < 1 else cut
        shown = _ink(small)
        pen = ImageDraw.Draw(shown)
        for mask in masks:
            pen.polygon([((x - left) * scale, (y - top) * scale) for x, y in mask], fill=GREYS[1])
        data = _four_greys(marked(shown.convert("RGB")))
        if len(data) <= most_bytes:
            return data
        if side <= SMALLEST_SIDE:
            raise ValueError(f"a sheet cannot be shown in {most_bytes} bytes")
        side = max(SMALLEST_SIDE, round(side * 0.8))


def page_photograph(picture: bytes, most_bytes: int = MOST_BYTES) -> bytes:
    """A JPEG of a whole page in its colours, for its sender: as it came, without EXIF. Raises SheetUnusable;
    and ValueError where `most_bytes` is too few."""
    upright = open_upright(picture)
    # Quality goes first and size second: strokes survive coarse JPEG better than fewer pixels.
    side = min(LONGEST_SIDE, max(upright.size))
    while True:
        is_larger = max(upright.size) > side
        small = ImageOps.contain(upright, (side, side), Image.Resampling.LANCZOS) if is_larger else upright
        for quality in _QUALITIES:
            data = _jpeg(marked(small), quality)
            if len(data) <= most_bytes:
                return data
        if side <= SMALLEST_SIDE:
            raise ValueError(f"a sheet cannot be shown in {most_bytes} bytes")
        side = max(SMALLEST_SIDE, round(side * 0.8))


def sheet_window(
    picture: bytes, line: Corners, keep: Corners, masks: Sequence[Corners] = (), context: float = 0.0
) -> bytes:
    """A JPEG of one line of a sheet and its surroundings, without EXIF: the rows within `context`
    heights of the line over the sheet's whole width, the line framed; with 0 its own rectangle alone. Nothing
    beyond `keep` is shown, and `masks` are painted over first, as in `sheet_copy`. Raises SheetUnusable."""
    upright = open_upright(picture)
    pen = ImageDraw.Draw(upright)
    for mask in masks:
        pen.polygon([(float(x), float(y)) for x, y in mask], fill=_SHADE)
    left, top, right, bottom = _box_around(keep, upright.size)
    xs, ys = [x for x, _ in line], [y for _, y in line]
    height = max(ys) - min(ys)
    if context:
        pen.line([*line, line[0]], fill=_FRAME, width=max(3, upright.width // 350), joint="curve")
    else:
        left, right = max(left, round(min(xs) - height / 4)), min(right, round(max(xs) + height / 4))
    more = height * max(context, 0.25)
    top, bottom = max(top, round(min(ys) - more)), min(bottom, round(max(ys) + more))
    cut = upright.crop((left, top, max(left + 1, right), max(top + 1, bottom)))
    return _jpeg(
        ImageOps.contain(cut, (LONGEST_SIDE, LONGEST_SIDE)) if max(cut.size) > LONGEST_SIDE else cut,
        _QUALITIES[0],
    )


def open_upright(picture: bytes) -> Image.Image:
    """A picture turned as its EXIF states, every band but its colours left behind. Raises SheetUnusable."""
    try:
        with Image.open(io.BytesIO(picture)) as photo:
            ImageOps.exif_transpose(photo, in_place=True)
            photo.load()
            # A copy of a whole photograph takes as long as half of its decoding.
            return photo if photo.mode == "RGB" else photo.convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise SheetUnusable("the stored page does not open as a picture") from error


def _box_around(corners: Corners, size: tuple[int, int]) -> tuple[int, int, int, int]:
    margin = MARGIN * max(size)
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    box = (
        max(0, round(min(xs) - margin)), max(0, round(min(ys) - margin)),
        min(size[0], round(max(xs) + margin)), min(size[1], round(max(ys) + margin)),
    )
    # A box next to the picture, or an empty one, is our own fault: the whole sheet is better than a cut
    # through it.
    return box if box[0] < box[2] and box[1] < box[3] else (0, 0, *size)


def _ink(grey: Image.Image) -> Image.Image:
    """The ink of a picture of greys in the four GREYS, everything else white."""
    paper = np.maximum(np.asarray(_paper(grey), np.float32), 1)
    light = np.asarray(grey, np.float32) / paper
    smooth = np.asarray(grey.filter(ImageFilter.GaussianBlur(1)), np.float32) / paper
    # The median is that of the paper, and 1.4826 makes a standard deviation of its median deviation.
    noise = 1.4826 * float(np.median(np.abs(smooth - np.median(smooth))))
    contrast = max(_NOISE * noise, _LEAST_CONTRAST)
    ink, bright = smooth < 1 - contrast, smooth > 1 + contrast
    if bright.sum() > 2 * ink.sum():
        # A screen in the dark mode.
        light, ink = 2 - light, bright
    black = float(np.percentile(light[ink], _FULL_INK)) if ink.any() else 0.0
    white = 1 - contrast / 2
    steps = np.clip(np.rint(3 * (light - black) / max(white - black, 0.01)), 0, 3).astype(np.uint8)
    # Faint ink next to dark ink would be white.
    faint = ink & (light < white)
    steps[faint] = np.minimum(steps[faint], 2)
    # The grain of the paper away from ink would cost half the bytes.
    steps[~_with_neighbours(ink)] = 3
    return Image.fromarray(np.array(GREYS, np.uint8)[steps])


def _paper(grey: Image.Image) -> Image.Image:
    """The light of the bare paper at each pixel."""
    blocks = (max(1, grey.width // _BLOCK), max(1, grey.height // _BLOCK))
    means = np.asarray(grey.resize(blocks, Image.Resampling.BOX))
    small = Image.fromarray(_ranked(means, _NEIGHBOURS, int(_PAPER_RANK * _NEIGHBOURS**2)))
    return small.filter(ImageFilter.GaussianBlur(3)).resize(grey.size, Image.Resampling.BICUBIC)


def _ranked(levels: NDArray[np.uint8], side: int, rank: int) -> NDArray[np.uint8]:
    """The level of a rank, from 0, among those in the square window around each pixel; beyond the edge the
    levels of the edge go on. The same as Pillow's `RankFilter`, which sorts each window and took a third of
    the time of a copy. `side`: pixels of the window, odd."""
    padded = np.pad(levels, side // 2, "edge")
    present = np.unique(levels)
    lower = np.zeros(levels.shape, np.intp)
    for level in present[:-1]:
        # Where no more than `rank` levels of the window reach up to this one, the wanted one is higher.
        columns = _column_sums((padded <= level).view(np.uint8), side)
        lower += rank >= _column_sums(np.ascontiguousarray(columns.T, np.int16), side).T
    return present[lower]


def _column_sums(values: NDArray[Any], count: int) -> NDArray[Any]:
    """The sums of so many values next to each other in each column, by the first of them."""
    length = len(values) - count + 1
    total, begin, width = np.zeros((length, values.shape[1]), values.dtype), 0, 1
    while True:
        if count & width:
            total += values[begin:begin + length]
            begin += width
        if begin == count:
            return total
        values, width = values[:-width] + values[width:], 2 * width


def _with_neighbours(pixels: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """These pixels and the eight around each of them."""
    wide = pixels.copy()
    wide[1:] |= pixels[:-1]
    wide[:-1] |= pixels[1:]
    square = wide.copy()
    square[:, 1:] |= wide[:, :-1]
    square[:, :-1] |= wide[:, 1:]
    return square


def _four_greys(picture: Image.Image) -> bytes:
    steps = np.rint(np.asarray(picture.convert("L")) / GREYS[1]).astype(np.uint8)
    clean = Image.fromarray(steps).convert("P")
    clean.putpalette([level for level in GREYS for _ in range(3)])
    out = io.BytesIO()
    clean.save(out, "PNG", compress_type=RUNS, bits=2)
    return out.getvalue()


def _jpeg(picture: Image.Image, quality: int) -> bytes:
    # A fresh picture of the same pixels: nothing of the file's own data is carried along.
    clean = Image.new("RGB", picture.size)
    clean.paste(picture)
    out = io.BytesIO()
    clean.save(out, "JPEG", quality=quality, optimize=True, progressive=True)
    return out.getvalue()
