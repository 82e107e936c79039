"""Pictures for the desk: a line with its surroundings, a page at screen size. Always re-encoded, so that
nothing of the sender's file but the picture reaches a browser."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageOps, UnidentifiedImageError

from ocr.page import Box
from service.facts import design
from service.store.blobs import BlobError
from service.web.ports import BlobReader

# Desk plan, section 4: the line with 40 % context, at least 48 px tall.
MARGIN = 0.4
SMALLEST = 48
MOST_ROWS, MOST_WRITTEN = 5, 4
"""Most pieces of a folded line, and most rows of writing that one box is taken to hold."""
OVERLAP = 0.45
"""Share of a piece that it has in common with the next one when a long line is folded: between two words in
it the one ends and the other begins, and where there is no such place both show all of it, so that no word is
cut in two."""
WORD_GAP = 0.2
"""Least width of a gap between two words, as a share of the line's height. Letters that do not touch are
nearer to each other."""
TALL = 1.7
"""Height, in line heights of the page, from which a box holds more than one row of writing."""
PITCH = 1.4
"""Distance between two rows of writing, in line heights."""
SHORT_FOLD = 8
"""Width over height of a piece of an order that was written over several rows."""
_BEYOND = 0.15
"""How much of the neighbouring rows is shown, as a share of the row distance: tails and loops reach there."""
_VALLEY = 0.3
"""How far from an even division the gap between two rows is searched, as a share of the row distance."""
_INK, _LEAST = 40.0, 0.008
"""A pixel that is this many grey levels darker than the paper of its row is ink; a piece with a smaller
share of ink than the second number is empty."""
PAGE_WIDTH = 1400
_MARK = design.values()["red"]

Corners = Sequence[Sequence[float]]


class NoPicture(Exception):
    """A picture cannot be shown; the sentence shows why and what is safe."""


def line_crop(
    blobs: BlobReader, key: str, box: Corners, *, raw: bool = False, fold: int = 0, turn: int = 0,
    rows: int = 1
) -> bytes:
    """The line and 40 % of its height around it, upright as written, as JPEG at least 48 px tall.

    `key` is the blob of the upright page, `box` four corners in its pixels, clockwise from the top left of
    the writing. The contrast is stretched unless `raw`. With `fold` above 0 the crop is folded into at most
    five rows no wider than `fold` times their height; a box that holds several `rows` of writing is then
    first split into those rows. `turn` is a clockwise rotation in degrees, for a page that was photographed
    upside down. Raises NoPicture.
    """
    # OpenCV is 17 MB, and a desk without a sheet in view needs none of it.
    from ocr.image.geometry import crop_box

    a, b, c, d = ((float(x), float(y)) for x, y in box)
    cut = Image.fromarray(crop_box(np.asarray(_page(blobs, key)), Box((a, b, c, d)), MARGIN))
    if cut.height < SMALLEST:
        cut = cut.resize((max(1, cut.width * SMALLEST // cut.height), SMALLEST))
    if not raw:
        # The darkest and the lightest per cent are left out, so that specks do not decide the contrast.
        cut = ImageOps.autocontrast(cut.convert("L"), cutoff=1).convert("RGB")
    # An order written over two rows was folded half by half, out of its order; its rows are cut apart first.
    if rows > 1 and turn == 0 and 0 < fold < cut.width / cut.height:
        return _jpeg(_stack_rows(_split_rows(cut, rows), pieces(cut.width / cut.height, rows)))
    cut = _rotate(cut, turn)
    return _jpeg(_stack_rows([cut], _rows(cut, fold)))


def written_rows(height: float, usual: float) -> int:
    """The number of rows of writing, 1 to 4, in a box `height` pixels high on a page whose lines are `usual`
    pixels high."""
    if usual <= 0 or height < TALL * usual:
        return 1
    return min(MOST_WRITTEN, 1 + max(1, round((height - usual) / (PITCH * usual))))


def pieces(ratio: float, rows: int) -> int:
    """The number of pieces into which each of several written rows is folded; `ratio` is the whole crop's
    width over its height."""
    return _parts(ratio / row_share(rows), SHORT_FOLD)


def row_share(rows: int) -> float:
    """The height of one of several written rows as shown, as a share of the whole crop's height."""
    return (1 + 2 * _BEYOND) / rows / (1 + 2 * MARGIN)


def folded_ratio(ratio: float, rows: int, fold: int) -> float:
    """The width over height of a crop as `line_crop` folds it, so that a page can keep its space before it
    comes. `ratio`: the whole crop's width over its height. Empty pieces at the end are counted too."""
    height = 1.0 if rows == 1 or ratio <= fold else row_share(rows)
    parts = _parts(ratio, fold) if height == 1.0 else pieces(ratio, rows)
    shown = parts if height == 1.0 else parts * rows
    # A gap of a twelfth of its height is between two pieces.
    return ratio / (parts - (parts - 1) * OVERLAP) / (height * (shown + (shown - 1) / 12))


def strip(blobs: BlobReader, key: str, box: Corners) -> bytes:
    """A strip across the whole page with the line, framed, and its neighbours, as JPEG. Raises NoPicture."""
    page = _page(blobs, key)
    ys = [float(y) for _, y in box]
    height = max(ys) - min(ys)
    # 1.3 line heights: the line above and the line below whole.
    top, bottom = max(0, int(min(ys) - 1.3 * height)), min(page.height, int(max(ys) + 1.3 * height))
    return _jpeg(_frame_line(page, box).crop((0, top, page.width, max(top + 1, bottom))))


def page_picture(blobs: BlobReader, key: str, box: Corners | None = None, *, turn: int = 0) -> bytes:
    """The whole page as JPEG, at most 1400 px wide; with `box` that line is framed. `turn` is in degrees
    clockwise. Raises NoPicture."""
    page = _page(blobs, key)
    picture = page.copy() if box is None else _frame_line(page, box)
    picture.thumbnail((PAGE_WIDTH, PAGE_WIDTH * 3))
    return _jpeg(_rotate(picture, turn))


def thumbnail(blobs: BlobReader, key: str) -> bytes:
    """The whole page as a small JPEG, at most 480 x 640 pixels. Raises NoPicture."""
    picture = _page(blobs, key).copy()
    picture.thumbnail((480, 640))
    return _jpeg(picture)


def opened(blobs: BlobReader, key: str) -> None:
    """Open a page's picture and cache it for the crops that are asked for next. Raises NoPicture."""
    _page(blobs, key)


# Blobs never change, so their pictures may be stored; a coordinator goes through a page line by line.
@lru_cache(maxsize=3)
def _page(blobs: BlobReader, key: str) -> Image.Image:
    try:
        with Image.open(io.BytesIO(blobs.read(key))) as opened:
            return opened.convert("RGB")
    except BlobError as error:
        raise NoPicture(
            f"This picture cannot be shown: {error}. Readings and decisions are safe."
        ) from error
    except (UnidentifiedImageError, OSError, ValueError) as error:
        raise NoPicture(
            "This picture cannot be opened. Readings and decisions are safe; the line can still be typed or "
            "skipped."
        ) from error


def _rotate(picture: Image.Image, degrees: int) -> Image.Image:
    return picture if degrees % 360 == 0 else picture.rotate(-degrees, expand=True, fillcolor="white")


def _frame_line(page: Image.Image, box: Corners) -> Image.Image:
    framed_page = page.copy()
    width = max(3, page.width // 350)
    corners = [(float(x), float(y)) for x, y in box]
    ImageDraw.Draw(framed_page).line([*corners, corners[0]], fill=_MARK, width=width, joint="curve")
    return framed_page


def _rows(cut: Image.Image, fold: int) -> int:
    return 1 if fold < 1 else _parts(cut.width / cut.height, fold)


def _parts(ratio: float, fold: float) -> int:
    """The number of pieces, with what they have in common, that a crop of this width over height is folded
    into, so that none is wider than `fold` times its height, or MOST_ROWS."""
    return 1 if ratio <= fold else min(MOST_ROWS, math.ceil((ratio / fold - OVERLAP) / (1 - OVERLAP)))


def _split_rows(cut: Image.Image, rows: int) -> list[Image.Image]:
    """The rows of writing in a crop with its margin, split where there is least ink near an even division."""
    height = cut.height / (1 + 2 * MARGIN)
    top, pitch = MARGIN * height, height / rows
    # Smoothed over a sixth of a row: a single thin stroke must not decide where the rows part.
    profile = np.maximum(_ink(cut), 0).mean(axis=1)
    around = max(1, round(pitch / 12))
    smooth = np.convolve(profile, np.ones(2 * around + 1), "same")
    edges = [top]
    for n in range(1, rows):
        middle = top + n * pitch
        first, last = round(middle - _VALLEY * pitch), round(middle + _VALLEY * pitch)
        edges.append(first + float(np.argmin(smooth[first:last + 1])))
    edges.append(top + height)
    half = (0.5 + _BEYOND) * pitch
    middles = [(upper + lower) / 2 for upper, lower in itertools.pairwise(edges)]
    return [
        cut.crop((0, round(middle - half), cut.width, round(middle - half) + round(2 * half)))
        for middle in middles
    ]


def _ink(cut: Image.Image) -> npt.NDArray[np.float32]:
    """How much darker each pixel is than the paper of its row, in grey levels. A ruled line is the paper of
    its row, so it is not ink."""
    shades = np.asarray(cut.convert("L"), dtype=np.float32)
    return np.median(shades, axis=1, keepdims=True) - shades


def _stack_rows(written: Sequence[Image.Image], rows: int) -> Image.Image:
    """The written rows below each other, each folded into `rows` pieces (`_fold`). Empty pieces after the
    end of a second row are left out."""
    if len(written) == 1 and rows == 1:
        return written[0]
    height = written[0].height
    gap = max(2, height // 12)
    pieces = [piece for row_picture in written for piece in _fold(row_picture, rows)]
    width = pieces[0].width
    shown_pieces = [piece for index, piece in enumerate(pieces) if index < rows or _has_ink(piece)]
    out = Image.new("RGB", (width, len(shown_pieces) * (height + gap) - gap), design.values()["edge"])
    for index, piece in enumerate(shown_pieces):
        out.paste(piece, (0, index * (height + gap)))
    return out


def _fold(row: Image.Image, parts: int) -> list[Image.Image]:
    """A written row in pieces of one width that overlap by OVERLAP. Of what two pieces have in common each
    shows its own words only, if there is a gap between words."""
    width = round(row.width / (parts - (parts - 1) * OVERLAP))
    step = round(width * (1 - OVERLAP))
    pieces = [row.crop((index * step, 0, index * step + width, row.height)) for index in range(parts)]
    paper = tuple(int(shade) for shade in np.median(np.asarray(row.convert("RGB")), axis=(0, 1)))
    for index, (piece, following) in enumerate(itertools.pairwise(pieces), start=1):
        place = _word_gap(row, index * step, index * step + width - step)
        if place is not None:
            piece.paste(paper, (place - (index - 1) * step, 0, width, row.height))
            following.paste(paper, (0, 0, place - index * step, row.height))
    return pieces


def _word_gap(row: Image.Image, left: int, right: int) -> int | None:
    """The middle of the widest gap between two words from `left` to `right`, in pixels of the row's picture;
    None if there is none as wide as WORD_GAP."""
    height = row.height / (1 + 2 * MARGIN)
    # The tails and loops of the neighbouring lines reach into the margin.
    band = slice(round(row.height / 2 - 0.4 * height), round(row.height / 2 + 0.4 * height))
    stretched = ImageOps.autocontrast(row.convert("L"), cutoff=1)
    has_ink = (_ink(stretched)[band, left:right] > _INK).mean(axis=0) >= _LEAST
    places = [-1, *np.flatnonzero(has_ink).tolist(), right - left]
    gap, start = max((end - begin - 1, begin + 1) for begin, end in itertools.pairwise(places))
    return left + start + gap // 2 if gap >= WORD_GAP * height else None


def _has_ink(piece: Image.Image) -> bool:
    """True if there is ink in the middle of a piece, where the neighbours' tails do not reach."""
    middle = _ink(piece)[piece.height // 4:-piece.height // 4, piece.width // 20:]
    return float((middle > _INK).mean()) >= _LEAST


def _jpeg(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=85)
    return out.getvalue()
