"""Rows as the reader cuts them, some crossed out in whole or part, with the truth along them.

What the judge of crossing out learns from, beside whole sheets (`struck_sheets`): strokes of every kind
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
from training.sheets.struck_sheets import STRIKES, Mark2, StruckPlace, draw_mark
from training.tuning.lines import (
    LineDrawer,
    _habits,
    _paper,
    _seen,
    _trimmed,
    _words,
    stretched,
)

STRETCH = 1.3
"""How much wider the reader makes a crop."""

SIZE = 2.2
"""A font's size in heights of its small letters, about."""

WHOLE, PART, LURED = 0.17, 0.40, 0.28
"""Shares of rows that are struck from end to end, that hold struck words, and, of any, that hold what is no
strike."""

_KINDS = {"single": Mark2.SINGLE, "double": Mark2.DOUBLE, "wave": Mark2.WAVE, "scribble": Mark2.ZIGZAG,
          "zigzag": Mark2.ZIGZAG, "cross": Mark2.CROSS}  # fmt: skip
"""What the strokes of `training.handwriting.strike` are."""


_THINNED = (Mark2.SINGLE, Mark2.DOUBLE, Mark2.WAVE, Mark2.CROSS)
"""What is drawn with a pen finer than the writing's at times."""


@dataclass(frozen=True, slots=True, eq=False)
class StruckLine:
    """A crop HEIGHT high (RGB) and, in its columns, where it is struck (left, right, mark) and where words
    were put in above and show (left, right)."""

    crop: Image
    struck: tuple[tuple[float, float, Mark2], ...]
    above: tuple[tuple[float, float], ...]


@dataclass(slots=True)
class _Row:
    """A row as it is written: its words' extents, what was struck, put in, and how high all of it reaches."""

    mask: Mask
    base: float
    words: list[Extent]
    struck: list[tuple[float, float, Mark2]]
    above: list[Extent]
    whole: Extent


class _Writer(Scrivener):
    """A scrivener whose words are marked one by one."""

    __slots__ = ()

    def words(self, mask: Mask, said: Sequence[str], x: float, y: float, slope: float) -> list[Extent]:
        """Write words from (x, y); where the ink of each fell."""
        start, swing, found = x, self._swing(), []
        for word in said:
            extent, end = self._word(mask, word, (x, y + slope * (x - start) + swing(x)), slope, 1.0)
            found.append(extent)
            x = end + self.space * max(0.7, float(self.rng.normal(1.0, 0.10 + self.habits.stray)))
        return found

    def put_in(self, mask: Mask, text: str, x: float, base: float, over: Extent | None) -> Extent:
        """A word above the row, over what was struck or over a caret."""
        return self._insert(mask, text, x, base, over)


def struck_line(
    text: str, font: str, desk: LineDrawer, rng: np.random.Generator, other: Callable[[], str]
) -> StruckLine:
    """A row that says `text`, marked by chance; deterministic in `rng`. `other` gives words to put in."""
    hasty = bool(rng.random() < 0.35)
    high = int(rng.choice((15, 18, 22, 26)))
    nib = list(Nib)[int(rng.choice(4, p=[0.5, 0.22, 0.16, 0.12]))]
    habits: Habits = _habits(nib, high, rng, joined=font in JOINED, hasty=hasty)
    who = _Writer(desk.face(font, high), habits, rng)
    wide = round(sum(who.measure(word) + 1.3 * who.space for word in text.split()) * 1.15 + 14 * high)
    pitch = float(rng.uniform(2.3, 4.8)) * high
    mask = np.zeros((round(2.2 * pitch + 5 * high), wide), np.float32)
    base, slope = 1.1 * pitch + 2.6 * high, float(rng.normal(0, 0.012 if hasty else 0.005))
    words = who.words(mask, text.split(), 4.0 * high, base, slope)
    row = _Row(mask, base, words, [], [], around(words))
    _mark(row, who, other, slope)
    if rng.random() < LURED:
        _lure(row, who, slope)
    for side in (-1, 1):
        scrap = " ".join(
            "".join(rng.choice(list(text), len(text))).split()[: max(1, wide // round(2.4 * high))]
        )
        if scrap and rng.random() < 0.55:
            start = 4.0 * high + float(rng.choice([0.0, 0.0, 1.0])) * float(rng.uniform(0, 0.6)) * wide
            who.row(mask, _words(scrap), start, base + side * pitch, slope, struck=False)
    return _photographed(row, high, nib, rng)


def _mark(row: _Row, who: _Writer, other: Callable[[], str], slope: float) -> None:
    """Strike the row or words of it, and put words in."""
    rng, count, fate = who.rng, len(row.words), who.rng.random()
    if fate < WHOLE:
        _strike(row, who, 0, count, slope)
        return
    if fate < WHOLE + PART:
        first = int(rng.integers(count))
        last = min(count, first + 1 + int(rng.choice([0, 0, 0, 0, 1, 2])))
        if last - first == count > 1:
            last -= 1
        _strike(row, who, first, last, slope)
        if rng.random() < 0.5:
            _put_in(row, who, other, around(row.words[first:last]))
        if last < count - 1 and rng.random() < 0.12:
            at = int(rng.integers(last + 1, count))
            _strike(row, who, at, at + 1, slope)
    elif rng.random() < 0.12:
        _put_in(row, who, other, None)


def _put_in(row: _Row, who: _Writer, other: Callable[[], str], over: Extent | None) -> None:
    text = (other().split() or ["to"])[0]
    at = int(who.rng.integers(len(row.words)))
    x = row.words[at].left if over is None else over.right
    row.above.append(who.put_in(row.mask, text, x, row.base, over))


def _strike(row: _Row, who: _Writer, first: int, last: int, slope: float) -> None:
    """Strike words `first` to `last` (excluded), in one stroke or each on its own; now and then with a finer
    or paler pen, or a stretch that begins or ends within a word."""
    rng, whole = who.rng, around(row.words[first:last])
    layer = np.zeros_like(row.mask)
    if rng.random() < 0.12 and whole.right - whole.left > 5 * who.face.x_height:
        a, b = sorted(rng.uniform(whole.left, whole.right, 2))
        reach = 2.5 * who.face.x_height
        whole = Extent(a, whole.top, max(b, min(a + reach, whole.right)), whole.bottom)
    fate = rng.random()
    if fate < 0.4:
        stroke = str(rng.choice(MORE_STROKES))
        parts = (
            row.words[first:last] if rng.random() < 0.5 and whole.left == row.words[first].left else [whole]
        )
        pen = 2.0 if rng.random() < 0.4 else max(2.0, who.habits.pen_px)
        for part in parts:
            cross_out(layer, part, stroke, pen, rng)
        kind = _KINDS[stroke]
    else:
        kind = STRIKES[int(rng.integers(len(STRIKES)))]
        draw_mark(layer, _place(row, who, whole, slope), kind, rng)
    if kind in _THINNED and rng.random() < 0.3:
        layer = np.asarray(cv2.erode(layer, np.ones((2, 2), np.uint8)), np.float32)
    strength = float(rng.uniform(0.5, 1.0)) if rng.random() < 0.35 else 1.0
    np.maximum(row.mask, layer * np.float32(strength), out=row.mask)
    row.struck.append((whole.left, whole.right, kind))


def _place(row: _Row, who: _Writer, part: Extent, slope: float, lower: float = 0.0) -> StruckPlace:
    """Where `draw_mark` draws; `lower` in font sizes."""
    size = SIZE * who.face.x_height
    return StruckPlace(
        part.left, part.right, row.base + slope * (part.left - row.words[0].left) + lower * size, size, slope
    )


def _lure(row: _Row, who: _Writer, slope: float) -> None:
    """What is no strike."""
    rng, count = who.rng, len(row.words)
    first = int(rng.integers(count))
    part = around(row.words[first : min(count, first + 1 + int(rng.choice([0, 0, 1, 9])))])
    fate = int(rng.integers(6))
    if fate < 2:
        draw_mark(row.mask, _place(row, who, part, slope), Mark2.UNDERLINED, rng)
    elif fate == 2:
        draw_mark(row.mask, _place(row, who, part, slope, float(rng.uniform(0.38, 0.55))), Mark2.WAVE, rng)
    elif fate == 3:
        for _ in range(int(rng.integers(1, 4))):
            draw_mark(
                row.mask, _place(row, who, row.words[int(rng.integers(count))], slope), Mark2.LONG_BAR, rng
            )
    elif fate == 4:
        draw_mark(row.mask, _place(row, who, row.words[first], slope), Mark2.ARROW, rng)
    else:
        _rule(row, who)


def _rule(row: _Row, who: _Writer) -> None:
    """What is left of a printed rule, pale, straight and longer than the writing, at any height of it."""
    rng, wide = who.rng, row.mask.shape[1]
    y = row.base + float(rng.uniform(-1.7, 0.8)) * who.face.x_height
    a, b = (0.0, 1.0) if rng.random() < 0.6 else sorted(rng.uniform(0, 1, 2))
    tilt = float(rng.normal(0, 0.002)) * wide
    ends = np.array([[a * wide, y], [b * wide, y + tilt * (b - a)]])
    layer = stroke_ink(row.mask.shape, [(ends, int(rng.integers(1, 3)))])
    pieces = np.repeat(rng.random(wide // 24 + 1) < float(rng.choice([1.0, 0.6])), 24)[:wide]
    np.maximum(row.mask, layer * np.float32(rng.uniform(0.12, 0.4)) * pieces, out=row.mask)


def _photographed(row: _Row, high: int, nib: Nib, rng: np.random.Generator) -> StruckLine:
    """The row laid on paper and seen, cut with or without what stands above it."""
    taken = bool(row.above) and rng.random() < 0.6
    top = min([row.whole.top, *(one.top for one in row.above if taken)])
    box = Extent(row.whole.left, top, row.whole.right, row.whole.bottom)
    mask, inner = _trimmed(row.mask, box)
    shift = box.left - inner.left
    seen = _seen(lay(_paper((mask.shape[0], mask.shape[1]), high, rng), mask, nib, rng), rng)
    tall = max(inner.bottom - inner.top, 1.5 * high) * float(rng.uniform(1.15, 1.6))
    middle = (inner.top + inner.bottom) / 2 + float(rng.normal(0, 0.05)) * tall
    left, right = (
        inner.left - float(rng.uniform(0.1, 0.5)) * tall,
        inner.right + float(rng.uniform(0.1, 0.5)) * tall,
    )
    stretch = STRETCH * float(np.exp(rng.normal(0, 0.07)))
    crop = stretched(seen, Extent(left, middle - tall / 2, right, middle + tall / 2), stretch, rng)
    wide: int = crop.shape[1]

    def column(x: float) -> float:
        return (x - shift - left) / (right - left) * wide

    return StruckLine(
        crop,
        tuple((column(a), column(b), kind) for a, b, kind in row.struck),
        tuple((column(one.left), column(one.right)) for one in row.above if taken),
    )

