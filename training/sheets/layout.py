"""Lines laid out on a leaf: margins, wrapping, columns; smaller where they would run off the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from training.handwriting.draw import CrowdedError, DrawnLine
from training.handwriting.glyph_outlines import Face
from training.handwriting.ink import Extent, InkMark, InkWord, Mask, around, counted_text, words
from training.handwriting.paper_and_pen import Leaf
from training.handwriting.sheet import PX_PER_MM, SheetLine, WrittenLineKind
from training.handwriting.writer import Habits, RowWriter, Scrivener
from training.sheets.drafts import SheetDraft

# 0.9 to the power of 6 is 0.53: a sheet is written about half as large at the smallest.
_TRIES = 7
# Where the columns of a table begin, as shares of the row.
_CELLS = (0.0, 0.16, 0.58)
_SMALLER = 0.9


Hand: TypeAlias = Callable[[float, Habits, np.random.Generator], RowWriter]
"""Whose letters a sheet is written in: a writer for a height of small letters (pixels), habits and chance."""


def font_hand(font: Path) -> Hand:
    """The letters of a font."""
    return lambda x_height, habits, rng: Scrivener(Face(font, x_height), habits, rng)


@dataclass(frozen=True, slots=True)
class Manner:
    """How a sheet is filled: height of small letters in millimetres, row pitch in those heights, margins in
    millimetres, how far the heading and wrapped rows are moved in (pixels), slope of rows (down for each
    right)."""

    x_height: float
    pitch: float
    left: float
    top: float
    heading_in: float
    wrapped_in: float
    slope: float
    ragged: float


@dataclass(frozen=True, slots=True)
class Filled:
    """The ink on a leaf and what it states, in reading order."""

    mask: Mask
    written: tuple[DrawnLine, ...]
    pen_px: float


def fill(
    draft: SheetDraft, leaf: Leaf, hand: Hand, habits: Habits, manner: Manner, rng: np.random.Generator
) -> Filled:
    """Write a draft on a leaf, in smaller letters if need be. Raises CrowdedError when even those run off."""
    seed = int(rng.integers(1 << 62))
    for attempt in range(_TRIES):
        small = _SMALLER**attempt
        fitted = replace(manner, x_height=manner.x_height * small)
        pen = replace(habits, pen_px=habits.pen_px * small**0.5)
        try:
            return _Filler(draft, leaf, hand, pen, fitted, np.random.default_rng([seed, attempt])).filled()
        except CrowdedError:
            continue
    raise CrowdedError(f"{len(draft.lines)} lines do not fit on {leaf.stock} paper")


class _Filler:
    def __init__(
        self, draft: SheetDraft, leaf: Leaf, hand: Hand, habits: Habits, manner: Manner,
        rng: np.random.Generator
    ) -> None:
        self._draft, self._leaf, self._manner, self._rng = draft, leaf, manner, rng
        self._mask = np.zeros(leaf.size, np.float32)
        self._pen = hand(manner.x_height * PX_PER_MM, habits, rng)
        x_height = manner.x_height * PX_PER_MM
        pitch = manner.pitch * x_height
        # On rules closer than 2.2 small letters a row would touch its neighbours; such a hand ignores them.
        self._on_rules = leaf.pitch is not None and 2.2 * x_height < leaf.pitch
        self._pitch = leaf.pitch if leaf.pitch is not None and self._on_rules else pitch
        self._y = leaf.first - self._pitch if self._on_rules else manner.top * PX_PER_MM
        # Writing begins 1.5 mm right of a printed margin.
        left = manner.left * PX_PER_MM if leaf.margin is None else leaf.margin + 12
        self._edges = (left, leaf.size[1] - 7 * PX_PER_MM)

    def filled(self) -> Filled:
        lines = self._draft.lines
        orders = [line for line in lines if line.kind is WrittenLineKind.ORDER]
        if self._draft.columns == 1 or not orders:
            written = self._block(lines, self._edges)
        else:
            # Heading and signature stand across both columns.
            first, last = lines.index(orders[0]), len(lines) - 1 - lines[::-1].index(orders[-1])
            written = self._block(lines[:first], self._edges)
            written += self._columns(lines[first : last + 1])
            written += self._block(lines[last + 1 :], self._edges)
        return Filled(self._mask, tuple(written), self._pen.habits.pen_px)

    def _columns(self, lines: Sequence[SheetLine]) -> list[DrawnLine]:
        left, right = self._edges
        half, gutter = -(-len(lines) // 2), self._draft.gutter * PX_PER_MM
        middle = (left + right) / 2
        top = self._y + 0.5 * self._pitch
        self._y = top
        written = self._block(lines[:half], (left, middle - gutter))
        first_column_end, self._y = self._y, top
        written += self._block(lines[half:], (middle + gutter, right))
        self._y = max(first_column_end, self._y)
        return written

    def _block(self, lines: Sequence[SheetLine], edges: tuple[float, float]) -> list[DrawnLine]:
        written, before = [], None
        for line in lines:
            if before is not None and before is not line.kind:
                self._y += self._pitch * (1.0 if self._on_rules else float(self._rng.uniform(0.2, 0.9)))
            before = line.kind
            written.append(self._line(line, edges))
        return written

    def _line(self, line: SheetLine, edges: tuple[float, float]) -> DrawnLine:
        left, right = edges
        if line.kind is WrittenLineKind.HEADING:
            left += min(self._manner.heading_in, 0.25 * (right - left))
        indent = self._manner.wrapped_in
        # A person may break a row by will ("\n"), and put the cells of a table ("\t") below each other.
        broken = [words(part) for part in line.markup.split("\n")]
        if "\t" in line.markup:
            return self._cells(line, left, right)
        rows = tuple(
            row for part in broken for row in self._pen.wrap(part, right - left - 20, indent))
        extents = []
        for index, row in enumerate(rows):
            # A word put in above needs room there, which rules do not give.
            raised = any(word.mark is InkMark.INSERTED for word in row) and not self._on_rules
            self._y += self._pitch * (1.35 if raised else 1.0)
            extents.append(self._row(row, line, left + (indent if index else 0.0)))
        return DrawnLine(line, tuple(counted_text(row) for row in rows), tuple(extents))

    def _cells(self, line: SheetLine, left: float, right: float) -> DrawnLine:
        """A row of a table, its cells where its columns begin."""
        self._y += self._pitch
        cells = [words(cell) for cell in line.markup.split("\t")]
        starts = [left + share * (right - left) for share in _CELLS]
        ends = [*starts[1:], right]
        for cell, start, end in zip(cells, starts, ends, strict=True):
            if self._pen.measure(counted_text(cell)) > end - start:
                raise CrowdedError(line.markup)
        extents = [self._row(*cell) for cell in zip(cells, [line] * len(cells), starts, strict=True)]
        text = " ".join(counted_text(cell) for cell in cells)
        return DrawnLine(line, (text,), (around(extents),))

    def _row(self, row: tuple[InkWord, ...], line: SheetLine, left: float) -> Extent:
        rng, manner = self._rng, self._manner
        base = (
            self._y + self._pitch * manner.ragged * float(rng.normal()) - 0.06 * self._pitch * self._on_rules
        )
        x = left + float(rng.normal(0, 3 + 60 * manner.ragged))
        slope = manner.slope + float(rng.normal(0, 0.001 + 0.05 * manner.ragged))
        extent = self._pen.row(self._mask, row, max(x, 10.0), base, slope, struck=line.struck)
        if (
            max(base, extent.bottom) > self._leaf.size[0] - 5 * PX_PER_MM
            or extent.right > self._leaf.size[1] - 8
        ):
            # Caught by `fill`, which tries a smaller hand.
            raise CrowdedError(line.markup)
        return extent
