"""Rows as the reader cuts them, some crossed out in whole or part, with the truth along them.

What the judge of crossing out learns from, next to whole sheets (`struck_sheets`): strokes of every kind
through words and rows, words put in above a row, and all that must not be taken for a stroke: underlines,
long bars, arrows, dashes, rules through the writing, and whatever hangs down from the row above.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from ocr.page import Image
from training.handwriting.fonts import JOINED
from training.handwriting.ink import Extent, Mask, around, stroke_ink
from training.handwriting.paper_and_pen import lay
from training.handwriting.strike import MORE_STROKES, cross_out
from training.handwriting.writer import Habits, Nib, Scrivener
from training.sheets.struck_sheets import STRIKES, PenMark, StruckPlace, draw_mark
from training.tuning.lines import (
    LineDrawer,
    photographed,
    plain_words,
    row_habits,
    row_paper,
    stretched,
    trimmed,
)

# How much wider the reader makes a crop.
STRETCH = 1.3

# A font's size in heights of its small letters, about.
SIZE = 2.2

# Shares of rows that are struck from end to end, that hold struck words, and, of any, that hold what is no
# strike.
WHOLE, PART, LURED = 0.17, 0.40, 0.28

# What the strokes of `training.handwriting.strike` are.
_KINDS = {"single": PenMark.SINGLE, "double": PenMark.DOUBLE, "wave": PenMark.WAVE,
    "scribble": PenMark.ZIGZAG,
          "zigzag": PenMark.ZIGZAG, "cross": PenMark.CROSS}  # fmt: skip


# What is drawn with a pen finer than the writing's at times.
_THINNED = (PenMark.SINGLE, PenMark.DOUBLE, PenMark.WAVE, PenMark.CROSS)


@dataclass(frozen=True, slots=True, eq=False)
class StruckLine:
    """A crop HEIGHT high (RGB) and, in its columns, where it is struck (left, right, mark) and where words
    were put in above and show (left, right)."""

    crop: Image
    struck: tuple[tuple[float, float, PenMark], ...]
    above: tuple[tuple[float, float], ...]


@dataclass(slots=True)
class _Row:
    """A row as it is written: its words' extents, what was struck, put in, and how high all of it reaches."""

    mask: Mask
    base: float
    words: list[Extent]
    struck: list[tuple[float, float, PenMark]]
    above: list[Extent]
    whole: Extent


class _Writer(Scrivener):
    """A scrivener whose words are marked one by one."""

    __slots__ = ()

    def words(self, mask: Mask, texts: Sequence[str], x: float, y: float, slope: float) -> list[Extent]:
        """Write words from (x, y); where the ink of each fell."""
        start, swing, extents = x, self._swing(), []
        for word in texts:
            extent, end = self._word(mask, word, (x, y + slope * (x - start) + swing(x)), slope, 1.0)
            extents.append(extent)
            x = end + self.space * max(0.7, float(self.rng.normal(1.0, 0.10 + self.habits.stray)))
        return extents

    def put_in(self, mask: Mask, text: str, x: float, base: float, over: Extent | None) -> Extent:
        """A word above the row, over what was struck or over a caret."""
        return self._insert(mask, text, x, base, over)


def struck_line(
    text: str, font: str, desk: LineDrawer, rng: np.random.Generator, other: Callable[[], str]
) -> StruckLine:
    """A row that states `text`, marked by chance; deterministic in `rng`. `other` gives words to put in."""
    hasty = bool(rng.random() < 0.35)
    x_height = int(rng.choice((15, 18, 22, 26)))
    nib = list(Nib)[int(rng.choice(4, p=[0.5, 0.22, 0.16, 0.12]))]
    habits: Habits = row_habits(nib, x_height, rng, joined=font in JOINED, hasty=hasty)
    writer = _Writer(desk.face(font, x_height), habits, rng)
    text_width = sum(writer.measure(word) + 1.3 * writer.space for word in text.split())
    width = round(text_width * 1.15 + 14 * x_height)
    pitch = float(rng.uniform(2.3, 4.8)) * x_height
    mask = np.zeros((round(2.2 * pitch + 5 * x_height), width), np.float32)
    base, slope = 1.1 * pitch + 2.6 * x_height, float(rng.normal(0, 0.012 if hasty else 0.005))
    words = writer.words(mask, text.split(), 4.0 * x_height, base, slope)
    row = _Row(mask, base, words, [], [], around(words))
    _mark(row, writer, other, slope)
    if rng.random() < LURED:
        _lure(row, writer, slope)
    for side in (-1, 1):
        scrap = " ".join(
            "".join(rng.choice(list(text), len(text))).split()[: max(1, width // round(2.4 * x_height))]
        )
        if scrap and rng.random() < 0.55:
            start = 4.0 * x_height + float(rng.choice([0.0, 0.0, 1.0])) * float(rng.uniform(0, 0.6)) * width
            writer.row(mask, plain_words(scrap), start, base + side * pitch, slope, struck=False)
    return _photographed(row, x_height, nib, rng)


def _mark(row: _Row, writer: _Writer, other: Callable[[], str], slope: float) -> None:
    """Strike the row or words of it, and put words in."""
    rng, count, fate = writer.rng, len(row.words), writer.rng.random()
    if fate < WHOLE:
        _strike(row, writer, 0, count, slope)
        return
    if fate < WHOLE + PART:
        first = int(rng.integers(count))
        last = min(count, first + 1 + int(rng.choice([0, 0, 0, 0, 1, 2])))
        if last - first == count > 1:
            last -= 1
        _strike(row, writer, first, last, slope)
        if rng.random() < 0.5:
            _put_in(row, writer, other, around(row.words[first:last]))
        if last < count - 1 and rng.random() < 0.12:
            index = int(rng.integers(last + 1, count))
            _strike(row, writer, index, index + 1, slope)
    elif rng.random() < 0.12:
        _put_in(row, writer, other, None)


def _put_in(row: _Row, writer: _Writer, other: Callable[[], str], over: Extent | None) -> None:
    text = (other().split() or ["to"])[0]
    index = int(writer.rng.integers(len(row.words)))
    x = row.words[index].left if over is None else over.right
    row.above.append(writer.put_in(row.mask, text, x, row.base, over))


def _strike(row: _Row, writer: _Writer, first: int, last: int, slope: float) -> None:
    """Strike words `first` to `last` (excluded), in one stroke or each on its own; now and then with a finer
    or paler pen, or a stretch that begins or ends within a word."""
    rng, struck_extent = writer.rng, around(row.words[first:last])
    layer = np.zeros_like(row.mask)
    if rng.random() < 0.12 and struck_extent.right - struck_extent.left > 5 * writer.face.x_height:
        a, b = sorted(rng.uniform(struck_extent.left, struck_extent.right, 2))
        reach = 2.5 * writer.face.x_height
        struck_extent = Extent(a, struck_extent.top, max(b, min(a + reach, struck_extent.right)),
            struck_extent.bottom)
    fate = rng.random()
    if fate < 0.4:
        stroke = str(rng.choice(MORE_STROKES))
        parts = (
            row.words[first:last] if rng.random() < 0.5 and struck_extent.left == row.words[first].left
            else [struck_extent]
        )
        pen = 2.0 if rng.random() < 0.4 else max(2.0, writer.habits.pen_px)
        for part in parts:
            cross_out(layer, part, stroke, pen, rng)
        kind = _KINDS[stroke]
    else:
        kind = STRIKES[int(rng.integers(len(STRIKES)))]
        draw_mark(layer, _place(row, writer, struck_extent, slope), kind, rng)
    if kind in _THINNED and rng.random() < 0.3:
        layer = np.asarray(cv2.erode(layer, np.ones((2, 2), np.uint8)), np.float32)
    strength = float(rng.uniform(0.5, 1.0)) if rng.random() < 0.35 else 1.0
    np.maximum(row.mask, layer * np.float32(strength), out=row.mask)
    row.struck.append((struck_extent.left, struck_extent.right, kind))


def _place(row: _Row, writer: _Writer, part: Extent, slope: float, lower: float = 0.0) -> StruckPlace:
    """Where `draw_mark` draws; `lower` in font sizes."""
    size = SIZE * writer.face.x_height
    return StruckPlace(
        part.left, part.right, row.base + slope * (part.left - row.words[0].left) + lower * size, size, slope
    )


def _lure(row: _Row, writer: _Writer, slope: float) -> None:
    """What is not a strike."""
    rng, count = writer.rng, len(row.words)
    first = int(rng.integers(count))
    part = around(row.words[first : min(count, first + 1 + int(rng.choice([0, 0, 1, 9])))])
    fate = int(rng.integers(6))
    if fate < 2:
        draw_mark(row.mask, _place(row, writer, part, slope), PenMark.UNDERLINED, rng)
    elif fate == 2:
        draw_mark(row.mask, _place(row, writer, part, slope, float(rng.uniform(0.38, 0.55))), PenMark.WAVE,
            rng)
    elif fate == 3:
        for _ in range(int(rng.integers(1, 4))):
            draw_mark(
                row.mask, _place(row, writer, row.words[int(rng.integers(count))], slope), PenMark.LONG_BAR,
                rng
            )
    elif fate == 4:
        draw_mark(row.mask, _place(row, writer, row.words[first], slope), PenMark.ARROW, rng)
    else:
        _rule(row, writer)


def _rule(row: _Row, writer: _Writer) -> None:
    """What is left of a printed rule, pale, straight and longer than the writing, at any height of it."""
    rng, width = writer.rng, row.mask.shape[1]
    y = row.base + float(rng.uniform(-1.7, 0.8)) * writer.face.x_height
    a, b = (0.0, 1.0) if rng.random() < 0.6 else sorted(rng.uniform(0, 1, 2))
    tilt = float(rng.normal(0, 0.002)) * width
    ends = np.array([[a * width, y], [b * width, y + tilt * (b - a)]])
    layer = stroke_ink(row.mask.shape, [(ends, int(rng.integers(1, 3)))])
    pieces = np.repeat(rng.random(width // 24 + 1) < float(rng.choice([1.0, 0.6])), 24)[:width]
    np.maximum(row.mask, layer * np.float32(rng.uniform(0.12, 0.4)) * pieces, out=row.mask)


def _photographed(row: _Row, x_height: int, nib: Nib, rng: np.random.Generator) -> StruckLine:
    """The row on paper, photographed, and cut with or without the words above it."""
    taken = bool(row.above) and rng.random() < 0.6
    top = min([row.whole.top, *(extent.top for extent in row.above if taken)])
    box = Extent(row.whole.left, top, row.whole.right, row.whole.bottom)
    mask, inner = trimmed(row.mask, box)
    shift = box.left - inner.left
    picture = photographed(lay(row_paper((mask.shape[0], mask.shape[1]), x_height, rng), mask, nib, rng), rng)
    height = max(inner.bottom - inner.top, 1.5 * x_height) * float(rng.uniform(1.15, 1.6))
    middle = (inner.top + inner.bottom) / 2 + float(rng.normal(0, 0.05)) * height
    left, right = (
        inner.left - float(rng.uniform(0.1, 0.5)) * height,
        inner.right + float(rng.uniform(0.1, 0.5)) * height,
    )
    stretch = STRETCH * float(np.exp(rng.normal(0, 0.07)))
    crop = stretched(picture, Extent(left, middle - height / 2, right, middle + height / 2), stretch, rng)
    width: int = crop.shape[1]

    def column(x: float) -> float:
        return (x - shift - left) / (right - left) * width

    return StruckLine(
        crop,
        tuple((column(a), column(b), kind) for a, b, kind in row.struck),
        tuple((column(extent.left), column(extent.right)) for extent in row.above if taken),
    )

