"""Writes a row of text onto a mask of ink, letter by letter, each a little different."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Mask: TypeAlias = npt.NDArray[np.float32]
"""Height x width, 0 bare paper to 1 full ink."""

StrokePath: TypeAlias = npt.NDArray[np.float64]
"""A stroke of the pen: points x 2, pixels of the sheet."""


class InkMark(StrEnum):
    """What happened to a word after it was first written."""

    PLAIN = "plain"
    CROSSED = "crossed"
    INSERTED = "inserted"


@dataclass(frozen=True, slots=True)
class Handwriting:
    """One person's writing: a font file at `size_px`, and how far letters stray.

    `slant` is a shear; `width` scales letters sideways; `gap` and `word_gap` are in letter sizes;
    `jitter` is the stray of a letter and `wobble` the swing of the base line, both in letter sizes.
    """

    font: Path
    size_px: float
    slant: float
    width: float
    gap: float
    word_gap: float
    jitter: float
    wobble: float
    joined: bool


@dataclass(frozen=True, slots=True)
class Extent:
    """Where ink fell: left, top, right, bottom in pixels of the sheet."""

    left: float
    top: float
    right: float
    bottom: float

    def joined_with(self, other: Extent) -> Extent:
        """The smallest extent that holds both."""
        return around((self, other))


@dataclass(frozen=True, slots=True)
class InkWord:
    """A word and its mark."""

    text: str
    mark: InkMark


@dataclass(frozen=True, slots=True)
class InkRow:
    """What one row left on the paper: the ink that counts, and the extents of words to be crossed out."""

    extent: Extent
    crossed: tuple[Extent, ...]


def words(markup: str) -> tuple[InkWord, ...]:
    """Split `Army {-Kent-} London {+moves+} to Surrey` into marked words."""
    ink_words: list[InkWord] = []
    for match in re.finditer(
        r"\{-(?P<crossed>[^}]*)-\}|\{\+(?P<inserted>[^}]*)\+\}|(?P<plain>[^\s{]+)", markup
    ):
        kind = match.lastgroup or "plain"
        ink_words.extend(InkWord(part, InkMark(kind)) for part in match[kind].split())
    return tuple(ink_words)


def plain(markup: str) -> str:
    """The text as it counts: without crossed-out words, with inserted ones."""
    return counted_text(words(markup))


def counted_text(row: Iterable[InkWord]) -> str:
    """The text of a row of words: without crossed-out words, with inserted ones."""
    return " ".join(word.text for word in row if word.mark is not InkMark.CROSSED)


def wrap_words(
    marked: Iterable[InkWord], width_of: Callable[[str], float], width: float, indent: float
) -> tuple[tuple[InkWord, ...], ...]:
    """Words by rows, each within `width`; rows after the first are `indent` shorter.

    `width_of` gives a word's width with the gap after it. Inserted words are above the row and take no
    room.
    """
    rows: list[list[InkWord]] = [[]]
    used = 0.0
    for word in marked:
        need = 0.0 if word.mark is InkMark.INSERTED else width_of(word.text)
        if rows[-1] and used + need > width:
            rows.append([])
            used = indent
        rows[-1].append(word)
        used += need
    return tuple(tuple(row) for row in rows)


def around(extents: Sequence[Extent]) -> Extent:
    """The smallest extent that holds all; there is at least one."""
    return Extent(
        min(extent.left for extent in extents), min(extent.top for extent in extents),
        max(extent.right for extent in extents), max(extent.bottom for extent in extents),
    )


def stroke_ink(shape: tuple[int, ...], strokes: Iterable[tuple[StrokePath, int]]) -> Mask:
    """Strokes of the pen on bare paper: each a path in pixels and a width in pixels."""
    layer = np.zeros(shape, np.uint8)
    for path, width in strokes:
        # Three fractional bits: OpenCV places the points to an eighth of a pixel.
        cv2.polylines(layer, [np.round(path * 8).astype(np.int32)], False, 255, width, cv2.LINE_AA, 3)
    return layer.astype(np.float32) / np.float32(255)


def draw_strokes(mask: Mask, strokes: Iterable[tuple[StrokePath, int]]) -> None:
    """Add strokes of the pen to a mask."""
    np.maximum(mask, stroke_ink(mask.shape, strokes), out=mask)


class Pen:
    """Writes with one hand and one source of chance. Fonts are opened once and cached."""

    def __init__(self, hand: Handwriting, rng: np.random.Generator) -> None:
        self.hand = hand
        self._rng = rng
        self._font = ImageFont.truetype(
            str(hand.font), round(hand.size_px), layout_engine=ImageFont.Layout.BASIC
        )

    def measure(self, text: str) -> float:
        """Width of a text in pixels, as this hand would write it without stray."""
        per_letter = self.hand.gap * self.hand.size_px
        return float(self._font.getlength(text)) * self.hand.width + per_letter * len(text)

    @property
    def space(self) -> float:
        """The gap between words in pixels."""
        return self.hand.word_gap * self.hand.size_px

    def wrap(self, markup: str, width: float, indent: float) -> tuple[tuple[InkWord, ...], ...]:
        """Words by rows, so that each fits `width`; rows after the first are `indent` shorter."""
        return wrap_words(words(markup), lambda text: self.measure(text) + self.space, width, indent)

    def write(self, mask: Mask, row: tuple[InkWord, ...], x: float, y: float, slope: float) -> InkRow:
        """Write a row from (x, y) on the base line; `slope` is its rise, pixels down for each pixel right."""
        swing = self._swing()
        start, extents, crossed = x, [], []
        for word in row:
            inserted = word.mark is InkMark.INSERTED
            base = y + slope * (x - start) + swing(x)
            if inserted:
                extents.append(self._insert(mask, word.text, x, base))
                continue
            extent, end = self._word(mask, word.text, x, base, slope, 1.0)
            extents.append(extent)
            if word.mark is InkMark.CROSSED:
                crossed.append(extent)
            x = end + self.space * float(self._rng.normal(1.0, 0.12 + self.hand.jitter))
        return InkRow(around(extents), tuple(crossed))

    def _swing(self) -> _Swing:
        size = self.hand.size_px
        start, length = float(self._rng.uniform(0, 2 * np.pi)), float(self._rng.uniform(6, 14)) * size
        return _Swing(self.hand.wobble * size, start, length)

    def _insert(self, mask: Mask, text: str, x: float, base: float) -> Extent:
        size = self.hand.size_px
        middle = x - self.space / 2
        caret = np.array([
            [middle - 0.18 * size, base + 0.22 * size],
            [middle, base - 0.08 * size],
            [middle + 0.2 * size, base + 0.24 * size],
        ])
        draw_strokes(mask, [(caret, max(2, round(size / 18)))])
        width = self.measure(text) * 0.72
        extent, _ = self._word(mask, text, middle - width / 2, base - 0.62 * size, 0.0, 0.72)
        return extent

    def _word(
        self, mask: Mask, text: str, x: float, base: float, slope: float, scale: float
    ) -> tuple[Extent, float]:
        start, extent = x, None
        for index, letter in enumerate(text):
            following = text[index + 1 : index + 2]
            # Kerned: the pair's length less that of the second letter alone.
            advance = self._font.getlength(letter + following) - self._font.getlength(following)
            fell = self._letter(mask, letter, x, base + slope * (x - start), scale)
            extent = fell if extent is None else extent.joined_with(fell)
            gap = self.hand.gap + float(
                self._rng.normal(0, self.hand.jitter * (0.1 if self.hand.joined else 0.35))
            )
            x += scale * (advance * self.hand.width + gap * self.hand.size_px)
        assert extent is not None
        return extent, x

    def _letter(self, mask: Mask, letter: str, x: float, base: float, scale: float) -> Extent:
        glyph, origin = _glyph(self._font, letter)
        hand, rng = self.hand, self._rng
        stray = hand.jitter * (0.35 if hand.joined else 1.0)
        turn = float(rng.normal(0, 0.35 * stray))
        grow = scale * float(rng.normal(1.0, 0.45 * stray))
        lean = hand.slant + float(rng.normal(0, 0.5 * stray))
        up = float(rng.normal(0, 0.35 * stray)) * hand.size_px
        shape = np.array([[grow * hand.width, -lean * grow], [0.0, grow]])
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        return _stamp(mask, glyph, spin @ shape, origin, (x, base + up))


@dataclass(frozen=True, slots=True)
class _Swing:
    amplitude: float
    start: float
    length: float

    def __call__(self, x: float) -> float:
        return self.amplitude * float(np.sin(self.start + 2 * np.pi * x / self.length))


def _glyph(font: ImageFont.FreeTypeFont, letter: str) -> tuple[npt.NDArray[np.uint8], float]:
    pad = round(font.size)
    # A font size of room on every side, for swashes that reach beyond a letter's advance.
    image = Image.new("L", (round(font.getlength(letter)) + 2 * pad, 3 * pad), 0)
    ImageDraw.Draw(image).text((pad, 2 * pad), letter, fill=255, font=font, anchor="ls")
    return np.asarray(image), float(pad)


def _stamp(
    mask: Mask,
    glyph: npt.NDArray[np.uint8],
    shape: npt.NDArray[np.float64],
    pad: float,
    pen_point: tuple[float, float],
) -> Extent:
    left, top = int(pen_point[0] - 2 * pad), int(pen_point[1] - 3 * pad)
    width, height = glyph.shape[1] + 3 * round(pad), glyph.shape[0] + 2 * round(pad)
    shift = np.array([pen_point[0] - left, pen_point[1] - top]) - shape @ np.array([pad, 2 * pad])
    shifted_glyph = cv2.warpAffine(glyph, np.column_stack([shape, shift]), (width, height),
        flags=cv2.INTER_LINEAR)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + width, mask.shape[1]), min(top + height, mask.shape[0])
    part = shifted_glyph[y0 - top : y1 - top, x0 - left : x1 - left].astype(np.float32) / 255
    np.maximum(mask[y0:y1, x0:x1], part, out=mask[y0:y1, x0:x1])
    ys, xs = np.nonzero(part > 0.2)
    if len(xs) == 0:
        return Extent(pen_point[0], pen_point[1], pen_point[0], pen_point[1])
    return Extent(x0 + float(xs.min()), y0 + float(ys.min()), x0 + float(xs.max()), y0 + float(ys.max()))
