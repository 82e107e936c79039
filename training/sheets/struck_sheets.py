"""Sheets on which much is crossed out, and much only looks it, with the place of every word in the
photograph.

What `fit_strike` learns from. Next to strokes of every kind, through whole rows and through single words,
stand the marks that are not strikes: underlines, long bars of the t, dashes, arrows, carets with a word above
the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ocr.page import Image
from training.handwriting.appearance import choose
from training.handwriting.draw import hand_of
from training.handwriting.ink import Extent, InkMark, InkWord, Mask, Pen, StrokePath, draw_strokes
from training.handwriting.paper import SIZE, blank, lay_ink
from training.handwriting.sheet import PX_PER_MM, SheetStyle
from training.photographs.camera import LeafPlace
from training.photographs.one_sheet import photograph
from training.sheets.random_orders import Chance, RandomName, invent


class PenMark(StrEnum):
    """What was done to a word or row. The first six cross it out."""

    SINGLE = "single"
    DOUBLE = "double"
    WAVE = "wave"
    ZIGZAG = "zigzag"
    CROSS = "cross"
    BLACK = "black"
    LIVE = "live"
    UNDERLINED = "underlined"
    LONG_BAR = "long_bar"
    ARROW = "arrow"


STRIKES = (PenMark.SINGLE, PenMark.DOUBLE, PenMark.WAVE, PenMark.ZIGZAG, PenMark.CROSS, PenMark.BLACK)
LURES = (PenMark.UNDERLINED, PenMark.UNDERLINED, PenMark.LONG_BAR, PenMark.ARROW)


@dataclass(frozen=True, slots=True)
class StruckPlace:
    """Where a stroke goes: from `left` to `right` about the height `base`, letters `size` high; pixels."""

    left: float
    right: float
    base: float
    size: float
    slope: float

    def at(self, x: npt.NDArray[np.float64], rise: float) -> npt.NDArray[np.float64]:
        """Heights at x, `rise` letter sizes above the base line."""
        return self.base + self.slope * (x - self.left) - rise * self.size


@dataclass(frozen=True, slots=True)
class MarkedWord:
    """A word, its mark, and its left and right end in the photograph, at half height: (x, y) twice."""

    text: str
    mark: PenMark
    ends: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """A row of words; `mark` is what was done to all of it, LIVE where at most to some words."""

    words: tuple[MarkedWord, ...]
    mark: PenMark


@dataclass(frozen=True, slots=True)
class MarkedSheet:
    """A photograph (RGB, upright) with its rows from top to bottom."""

    name: str
    hand: str
    paper: str
    image: Image
    rows: tuple[MarkedRow, ...]


@dataclass(frozen=True, slots=True)
class Fonts:
    """Families that may be drawn, and the seed; the `Chance` of `random_orders`."""

    files: Mapping[str, Path]
    seed: int

    def hands(self) -> tuple[str, ...]:
        """See Chance."""
        return tuple(sorted(self.files))

    def rng(self, name: str) -> np.random.Generator:
        """See Chance."""
        return np.random.default_rng([self.seed, *name.encode()])


def marked_sheet(name: str, names: tuple[RandomName, ...], fonts: Fonts, hand: str) -> MarkedSheet:
    """One sheet in that hand; deterministic in `fonts.seed` and `name`."""
    chance: Chance = fonts
    rng = fonts.rng(name + "/marks")
    decided: dict[str, Any] = {"hand": hand, "tidy": round(float(rng.uniform(0.3, 1.0)), 2)}
    look = choose(decided, fonts.hands(), rng)
    lines = [line for part in "abc" for line in invent(name + part, names, chance, (0.5, 1.0)).lines]
    sheet = SheetStyle(name, "", "", tuple(lines), look)
    paper = blank(look.paper, look.folds, rng)
    mask = np.zeros(SIZE, np.float32)
    writer = _Writer(mask, Pen(hand_of(sheet, fonts.files[hand], rng), rng), rng)
    pitch = look.size * PX_PER_MM * float(rng.uniform(1.25, 1.5))
    # Rules closer than the letters are high are not written on.
    pitch = paper.pitch if paper.pitch and paper.pitch > 0.9 * look.size * PX_PER_MM else pitch
    top, drift = paper.first_rule + pitch, float(rng.normal(0, 0.004))
    written = []
    for line in sheet.lines:
        for row in writer.pen.wrap(line.markup, SIZE[1] - 42 * PX_PER_MM, 80):
            # Rows that would run off are left out of the paper and of the truth alike.
            if top < SIZE[0] - 8 * PX_PER_MM:
                left = 28 * PX_PER_MM + float(rng.normal(0, 8))
                written.append(writer.row([word.text for word in row], left, top, drift))
            top += pitch
    colour = lay_ink(paper.colour, mask, look.ink, float(rng.uniform(0.2, 0.7)), rng)
    shot = photograph(colour, look, rng)
    image = np.round(np.clip(shot.colour, 0, 1) * 255).astype(np.uint8)
    rows = tuple(MarkedRow(tuple(_seen(word, shot.leaves[0]) for word in row), mark) for row, mark in written)
    return MarkedSheet(name, hand, look.paper.value, image, rows)


def _seen(word: tuple[str, PenMark, Extent], leaf: LeafPlace) -> MarkedWord:
    text, mark, extent = word
    middle = (extent.top + extent.bottom) / 2
    ends = np.array([[extent.left, middle], [extent.right, middle]])
    # At half height: a stroke through the word crosses the line between these two points.
    return MarkedWord(text, mark, leaf.to_photograph(ends))


@dataclass(frozen=True, slots=True)
class _Writer:
    mask: Mask
    pen: Pen
    rng: np.random.Generator

    def row(
        self, texts: Sequence[str], x: float, base: float, slope: float
    ) -> tuple[list[tuple[str, PenMark, Extent]], PenMark]:
        """Write words and mark them: one row in five is struck whole, three in ten hold a struck word or a
        lure."""
        rng, start = self.rng, x
        written: list[tuple[str, PenMark, Extent]] = []
        for text in texts:
            y = base + slope * (x - start)
            extent = self.pen.write(self.mask, (InkWord(text, InkMark.PLAIN),), x, y, slope).extent
            written.append((text, PenMark.LIVE, extent))
            x = extent.right + self.pen.space * float(rng.normal(1.0, 0.15))
        size, fate = self.pen.hand.size_px, rng.random()
        row_mark = PenMark.LIVE
        if fate < 0.22:
            row_mark = STRIKES[int(rng.integers(len(STRIKES)))]
            ends = (written[0][2].left, written[-1][2].right)
            draw_mark(self.mask, StruckPlace(*ends, base, size, slope), row_mark, rng)
            written = [(text, row_mark, extent) for text, _, extent in written]
        elif fate < 0.55:
            kind = (STRIKES if fate < 0.38 else LURES)[int(rng.integers(6 if fate < 0.38 else 4))]
            first = int(rng.integers(len(written)))
            last = min(len(written) - 1, first + int(rng.choice([0, 0, 0, 1, 2, 9 if kind in LURES else 1])))
            ends = (written[first][2].left, written[last][2].right)
            y = base + slope * (ends[0] - start)
            draw_mark(self.mask, StruckPlace(*ends, y, size, slope), kind, rng)
            marked = written[first : last + 1]
            written[first : last + 1] = [(text, kind, extent) for text, _, extent in marked]
        return written, row_mark


def draw_mark(mask: Mask, place: StruckPlace, mark: PenMark, rng: np.random.Generator) -> None:
    """Draw one mark. Raises KeyError for LIVE."""
    width = max(2.0, place.size / 17 * float(rng.uniform(0.7, 1.5)))
    if mark is PenMark.BLACK:
        width *= float(rng.uniform(1.5, 3.0))
    draw_strokes(mask, [(path, round(width)) for path in _PATHS[mark](place, rng)])


def _level(place: StruckPlace, rng: np.random.Generator, rise: float) -> StrokePath:
    """A nearly level stroke: it tilts, bends and trembles a little, and begins and ends about the writing's
    ends."""
    size, length = place.size, place.right - place.left
    a = place.left - rng.uniform(-0.08, 0.25) * size
    b = place.right + rng.uniform(-0.08, 0.3) * size
    xs = np.linspace(a, b, max(8, int(length / 40)))
    along = np.linspace(-1, 1, len(xs))
    fall = float(np.clip(rng.normal(0, 0.02) * length, -0.2 * size, 0.2 * size))
    bend = rng.normal(0, 0.05) * size
    tremble = np.convolve(rng.normal(0, 0.02 * size, len(xs)), np.ones(3) / 3, mode="same")
    return np.column_stack([xs, place.at(xs, rise) + fall * along + bend * along**2 + tremble])


def _single(place: StruckPlace, rng: np.random.Generator) -> list[StrokePath]:
    return [_level(place, rng, float(rng.uniform(0.14, 0.32)))]


def _double(place: StruckPlace, rng: np.random.Generator) -> list[StrokePath]:
    rises = rng.choice([0.1, 0.2, 0.3, 0.4], size=int(rng.choice([2, 2, 3])), replace=False)
    return [_level(place, rng, float(rise) + float(rng.normal(0, 0.02))) for rise in rises]


def _wave(place: StruckPlace, rng: np.random.Generator) -> list[StrokePath]:
    middle = _level(place, rng, float(rng.uniform(0.15, 0.3)))
    xs = np.arange(middle[0, 0], middle[-1, 0], 3.0)
    period, amplitude = rng.uniform(0.35, 0.9) * place.size, rng.uniform(0.06, 0.2) * place.size
    turns = np.cumsum(2 * np.pi * 3.0 / period * rng.uniform(0.7, 1.3, len(xs)))
    return [np.column_stack([xs, np.interp(xs, middle[:, 0], middle[:, 1]) + amplitude * np.sin(turns)])]


def _zigzag(place: StruckPlace, rng: np.random.Generator) -> list[StrokePath]:
    """Up and down over the letters, in points or in loops, tight or wide."""
    middle = _level(place, rng, float(rng.uniform(0.15, 0.3)))
    step = rng.uniform(0.09, 0.32) * place.size
    amplitude = rng.uniform(0.22, 0.45) * place.size
    paths = []
    for _ in range(int(rng.choice([1, 1, 2]))):
        xs = np.arange(middle[0, 0], middle[-1, 0] + step, step)
        xs = xs + rng.normal(0, 0.15 * step, len(xs))
        swing = np.where(np.arange(len(xs)) % 2, amplitude, -amplitude) * rng.uniform(0.7, 1.1, len(xs))
        ys = np.interp(xs, middle[:, 0], middle[:, 1]) + swing
        path = np.column_stack([xs, ys])
        paths.append(_looped(path, step, rng) if rng.random() < 0.4 else path)
    return paths


def _looped(path: StrokePath, step: float, rng: np.random.Generator) -> StrokePath:
    fine = np.linspace(0, len(path) - 1, 8 * len(path))
    turn = np.pi * fine
    xs = np.interp(fine, np.arange(len(path)), path[:, 0])
    middle, amplitude = path[:, 1].mean(), np.ptp(path[:, 1]) / 2
    return np.column_stack(
        [xs + rng.uniform(0.4, 1.2) * step * np.sin(turn), middle + amplitude * 0.9 * np.cos(turn)]
    )


def _cross(place: StruckPlace, rng: np.random.Generator) -> list[StrokePath]:
    """One X over all of it, or over a long row now and then several, or slashes."""
    size, length = place.size, place.right - place.left
    count = max(1, round(length / (size * rng.uniform(2.0, 4.0)))) if rng.random() < 0.5 else 1
    edges = np.linspace(place.left, place.right, count + 1)
    slashes = bool(count > 2 and rng.random() < 0.4)
    paths = []
    for a, b in pairwise(edges):
        foot, head = rng.uniform(-0.2, 0.0), rng.uniform(0.5, 0.75)
        ends = np.array([a, b]) + rng.normal(0, 0.05, 2) * size
        paths.append(np.column_stack([ends, place.at(ends, 0) - np.array([foot, head]) * size]))
        if not slashes:
            paths.append(np.column_stack([ends, place.at(ends, 0) - np.array([head, foot]) * size]))
    return paths


def _black(place: StruckPlace, rng: np.random.Generator) -> list[StrokePath]:
    """Back and forth until little can be read."""
    rises = np.arange(-0.02, 0.48, rng.uniform(0.07, 0.13))
    return [_level(place, rng, float(rise)) for rise in rises]


def _underlined(place: StruckPlace, rng: np.random.Generator) -> list[StrokePath]:
    rises = [-float(rng.uniform(0.08, 0.2))]
    if rng.random() < 0.25:
        rises.append(rises[0] - 0.1)
    return [_level(place, rng, rise) for rise in rises]


def _long_bar(place: StruckPlace, rng: np.random.Generator) -> list[StrokePath]:
    """The bar of a t or of the A, carried on over a letter or two."""
    x = float(rng.uniform(place.left, place.right))
    xs = np.array([x, x + rng.uniform(0.3, 0.75) * place.size])
    return [np.column_stack([xs, place.at(xs, float(rng.uniform(0.2, 0.45))) + rng.normal(0, 3, 2)])]


def _arrow(place: StruckPlace, rng: np.random.Generator) -> list[StrokePath]:
    """An arrow or long dash behind the word, on bare paper or a little into the next word."""
    a = place.right + 0.05 * place.size
    b = a + rng.uniform(0.3, 0.6) * place.size
    y = float(place.at(np.array([b]), 0.2)[0])
    head = 0.1 * place.size * float(rng.integers(2))
    return [np.array([[a, y], [b, y], [b - head, y - head], [b, y], [b - head, y + head]])]


_PATHS: Mapping[PenMark, Callable[[StruckPlace, np.random.Generator], list[StrokePath]]] = {
    PenMark.SINGLE: _single, PenMark.DOUBLE: _double, PenMark.WAVE: _wave, PenMark.ZIGZAG: _zigzag,
    PenMark.CROSS: _cross, PenMark.BLACK: _black, PenMark.UNDERLINED: _underlined,
    PenMark.LONG_BAR: _long_bar, PenMark.ARROW: _arrow,
}
