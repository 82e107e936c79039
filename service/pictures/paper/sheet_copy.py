"""Copies of executed sheets: what was written, and nothing of the photograph's own story (OUT-14, Q-37)."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageOps, UnidentifiedImageError

from service.pictures.drawing.own_mark import marked

LONGEST_SIDE = 1800
SMALLEST_SIDE = 600
MOST_BYTES = 450_000
MARGIN = 0.02
"""Part of the longer side that is left around heading and orders."""

_QUALITIES = (85, 75, 65, 55)
_SHADE = (92, 84, 70)
_FRAME = (179, 84, 30)

Corners = Sequence[tuple[float, float]]


class SheetUnusable(ValueError):
    """The bytes are no picture that can be opened; a person must look at them."""


def sheet_copy(
    picture: bytes, keep: Corners | None = None, masks: Sequence[Corners] = (), most_bytes: int = MOST_BYTES
) -> bytes:
    """A JPEG of a photographed sheet without EXIF, cut to `keep`, with `masks` painted over, at most
    `most_bytes`.

    `keep` and each of `masks` are corners in pixels of the picture as shown, after its EXIF rotation; `keep`
    is the writing from heading to last order, None for the whole sheet. Names and home addresses are masked
    by default (Q-37): the caller says where they are. Raises SheetUnusable; and ValueError where
    `most_bytes` is too few.
    """
    upright = open_upright(picture)
    draw = ImageDraw.Draw(upright)
    for mask in masks:
        draw.polygon([(float(x), float(y)) for x, y in mask], fill=_SHADE)
    cut = upright if keep is None else upright.crop(_box_around(keep, upright.size))
    # Quality goes first and size second: strokes survive coarse JPEG better than fewer pixels.
    side = min(LONGEST_SIDE, max(cut.size))
    while True:
        small = ImageOps.contain(cut, (side, side), Image.Resampling.LANCZOS) if max(cut.size) > side else cut
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
    """A picture turned as its EXIF says, every band but its colours left behind. Raises SheetUnusable."""
    try:
        with Image.open(io.BytesIO(picture)) as photo:
            return ImageOps.exif_transpose(photo).convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise SheetUnusable("the kept page is no picture that can be opened") from error


def _box_around(corners: Corners, size: tuple[int, int]) -> tuple[int, int, int, int]:
    margin = MARGIN * max(size)
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    box = (
        max(0, round(min(xs) - margin)), max(0, round(min(ys) - margin)),
        min(size[0], round(max(xs) + margin)), min(size[1], round(max(ys) + margin)),
    )
    # A box beside the picture, or an empty one, is our own fault: the whole sheet is better than a cut
    # through it.
    return box if box[0] < box[2] and box[1] < box[3] else (0, 0, *size)


def _jpeg(picture: Image.Image, quality: int) -> bytes:
    # A fresh picture of the same pixels: nothing of the file's own data is carried along.
    clean = Image.new("RGB", picture.size)
    clean.paste(picture)
    out = io.BytesIO()
    clean.save(out, "JPEG", quality=quality, optimize=True, progressive=True)
    return out.getvalue()
