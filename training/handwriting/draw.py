"""From a Sheet to inked paper: where each line goes, what it leaves, and its corners for the truth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.handwriting.fonts import JOINED
from training.handwriting.ink import Extent, Handwriting, InkRow, InkWord, Mask, Pen, counted_text
from training.handwriting.paper import SIZE, BlankPaper, Colour, blank, lay_ink
from training.handwriting.sheet import PX_PER_MM, SheetLine, SheetStyle, WrittenLineKind
from training.handwriting.smear import smear
from training.handwriting.strike import cross_out

# 3 mm right of the margin that ruled paper has printed (`paper`).
_PRINTED_MARGIN_MM = 29
_SPARE_RIGHT_MM = 12


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line on the paper: its source, the text of each row, and each row's extent in pixels of the sheet."""

    line: SheetLine
    rows: tuple[str, ...]
    extents: tuple[Extent, ...]


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """Inked paper and what is written on it, top to bottom."""

    colour: Colour
    written: tuple[DrawnLine, ...]


class CrowdedError(Exception):
    """The lines do not fit on one sheet at the size asked for."""


def hand_of(sheet: SheetStyle, font: Path, rng: np.random.Generator) -> Handwriting:
    """The writing of a sheet: its look, with the small habits left to chance."""
    look = sheet.look
    hasty = 1 - look.tidy
    return Handwriting(
        font=font,
        size_px=look.size * PX_PER_MM,
        slant=look.slant,
        width=float(rng.uniform(0.97, 1.06)),
        gap=float(rng.uniform(0.0, 0.02)) - 0.012 * hasty,
        word_gap=float(rng.uniform(0.30, 0.38)),
        jitter=0.030 + 0.075 * hasty,
        wobble=0.012 + 0.075 * hasty,
        joined=look.hand in JOINED,
    )


def draw(sheet: SheetStyle, font: Path, rng: np.random.Generator) -> DrawnPage:
    """Write a sheet. Raises CrowdedError when it runs off the paper."""
    paper = blank(sheet.look.paper, sheet.look.folds, rng)
    mask = np.zeros(SIZE, np.float32)
    pen = Pen(hand_of(sheet, font, rng), rng)
    writer = _Writer(sheet, pen, paper, mask, rng)
    written = tuple(writer.line(line) for line in sheet.lines)
    weight = float(rng.uniform(0.2, 0.7))
    return DrawnPage(lay_ink(paper.colour, mask, sheet.look.ink, weight, rng), written)


class _Writer:
    def __init__(
        self, sheet: SheetStyle, pen: Pen, paper: BlankPaper, mask: Mask, rng: np.random.Generator
    ) -> None:
        self._sheet, self._pen, self._paper, self._mask, self._rng = sheet, pen, paper, mask, rng
        look = sheet.look
        margin = _PRINTED_MARGIN_MM if paper.pitch and look.paper == "ruled" else float(rng.uniform(16, 24))
        self._left = margin * PX_PER_MM
        self._right = SIZE[1] - _SPARE_RIGHT_MM * PX_PER_MM
        pitch = look.size * PX_PER_MM * float(rng.uniform(1.25, 1.4))
        self._pitch = paper.pitch if paper.pitch and paper.pitch > 0.9 * look.size * PX_PER_MM else pitch
        self._y = paper.first_rule - self._pitch
        self._before: WrittenLineKind | None = None
        self._drift = float(rng.normal(0, 0.004)) * (1.5 - look.tidy)

    def line(self, line: SheetLine) -> DrawnLine:
        if self._before is not None and self._before is not line.kind:
            self._y += self._pitch * (1.0 if self._paper.pitch else 0.6)
        self._before = line.kind
        indent = float(self._rng.uniform(50, 110))
        rows = self._pen.wrap(line.markup, self._right - self._left - 30, indent)
        extents = tuple(self._row(row, line, indent if index else 0.0) for index, row in enumerate(rows))
        if line.smeared is not None:
            smear(self._mask, extents[-1], line.smeared, self._pen.hand.size_px)
        return DrawnLine(line, tuple(counted_text(row) for row in rows), extents)

    def _row(self, row: tuple[InkWord, ...], line: SheetLine, indent: float) -> Extent:
        hasty, rng, pen = 1 - self._sheet.look.tidy, self._rng, self._pen
        self._y += self._pitch
        # A hasty hand strays three times as far from the line as the best one.
        stray = self._pitch * 0.02 * rng.normal() * (1 + 2 * hasty)
        base = self._y + stray - (0.04 * self._pitch if self._paper.pitch else 0)
        if base > SIZE[0] - 6 * PX_PER_MM:
            raise CrowdedError(
                f"sheet {self._sheet.name} runs off the paper at {line.markup!r}; lower its size"
            )
        x = self._left + indent + rng.normal(0, 4 + 10 * hasty)
        slope = self._drift + rng.normal(0, 0.0015 + 0.004 * hasty)
        wrote: InkRow = pen.write(self._mask, row, x, base, slope)
        thickness = pen.hand.size_px / 17
        for crossed in wrote.crossed:
            cross_out(self._mask, crossed, "double", thickness, rng)
        if line.struck:
            cross_out(self._mask, wrote.extent, self._sheet.look.strike, thickness, rng)
        return wrote.extent
