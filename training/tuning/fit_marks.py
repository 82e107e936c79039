"""Fit what weighs a stroke over several rows (`ocr/corrections/crossed_blocks.toml`):

    python -m training.tuning.fit_marks FOLDER... --out ocr/corrections/crossed_blocks.toml

Each FOLDER holds photographs and their truth.json (`python -m training.sheets.compose varied --set
calibration --ink INK`, some with `--blocks 1`). On a sheet without a block crossed out no stroke is a mark;
on one with a block the likeliest stroke over each of its rows is one, and no other stroke counts, since which
of them is pen and which a letter is not in the truth. That is repeated with the weights so found. What it
prints is cross-fitted: each sheet is weighed by the others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from ocr.corrections.crossed_blocks import EVIDENCE, TRUSTED, MarkSearch, MarkWeights, Stroke, rows_under
from ocr.engines.ppocr import PpOcr
from ocr.image.open_image import open_images
from ocr.layout.lines import RowStrip
from ocr.page import Image, Row, Strike
from ocr.read import ReadOptions, read_images
from training.evaluation.truth import TrueLine, TrueSheet, load_truth

ROUNDS, FOLDS, STEPS = 4, 6, 60
"""How often marks are chosen again, parts of the cross-fit, and steps of Newton's method."""
RIDGE = 1.0
"""Of standardised weights. A mark counts three times, and each sheet as the root of its strokes."""
BLOCK = "block"
"""How the trap of a line under a mark begins in truth.json."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MarkedSheet:
    """The strokes of a sheet and the rows that each covers, rows by index: those under a mark, live orders,
    and those that a box or a serpentine encloses already."""

    strokes: tuple[Stroke, ...]
    covers: npt.NDArray[np.bool_]
    under_mark: frozenset[int]
    live: frozenset[int]
    enclosed: frozenset[int]

    @property
    def wanted(self) -> list[list[int]]:
        """For each row that only strokes can show, those over it."""
        rows = sorted(self.under_mark - self.enclosed)
        over_rows = (np.flatnonzero(self.covers[:, row]).tolist() for row in rows)
        return [over for over in over_rows if over]


def marked_sheet(folder: Path, sheet: TrueSheet) -> MarkedSheet | None:
    """A photograph read for its rows; None for one that is not a single sheet of several rows."""
    searched: list[tuple[Image, Sequence[RowStrip]]] = []

    def notice(clean: Image, strips: Sequence[RowStrip]) -> Sequence[bool]:
        searched.append((clean, strips))
        return (False,) * len(strips)

    images = open_images((folder / sheet.file).read_bytes()).pages
    options = ReadOptions(detect_strike=lambda _crop, _recognition: Strike(), crossed_rows=notice)
    pages = read_images(images, (PpOcr(),), options).pages
    if len(pages) != 1 or len(searched) != 1 or len(searched[0][1]) < 2:
        return None
    clean, strips = searched[0]
    search = MarkSearch(clean, strips)
    strokes = tuple(search.strokes())
    truth = dict(_truth_of(sheet, [row for line in pages[0].lines for row in line.rows], clean, strips))
    return MarkedSheet(
        strokes, rows_under([stroke.mark for stroke in strokes], strips),
        frozenset(row for row, line in truth.items() if (line.trap or "").startswith(BLOCK)),
        frozenset(row for row, line in truth.items() if line.is_order and not line.struck),
        frozenset(np.flatnonzero(rows_under(tuple(search.enclosing()), strips).any(axis=0)).tolist()))


def _truth_of(
    sheet: TrueSheet, rows: Iterable[Row], clean: Image, strips: Sequence[RowStrip]
) -> Iterator[tuple[int, TrueLine]]:
    """Rows by index and the line that each is of. A row keeps where it begins and ends on the sheet."""
    width = clean.shape[1]
    index = {(round(strip.left / width, 4), round(strip.right / width, 4)): number
             for number, strip in enumerate(strips)}
    for row in rows:
        middle = np.mean(row.box.corners, axis=0)
        for line in sheet.lines:
            if (row.left, row.right) in index and any(_holds(box, middle) for box in line.boxes):
                yield index[row.left, row.right], line


def _holds(box: Sequence[Sequence[float]], point: Floats) -> bool:
    x, y = float(point[0]), float(point[1])
    return cv2.pointPolygonTest(np.array(box, np.float32), (x, y), measureDist=False) >= 0


def fit(sheets: Sequence[MarkedSheet]) -> MarkWeights:
    """The weights for the sheets."""
    weights: MarkWeights | None = None
    for _ in range(ROUNDS):
        evidence, is_mark, counts = [], [], []
        for sheet in sheets:
            chosen = _chosen(sheet, weights) if sheet.under_mark else list(range(len(sheet.strokes)))
            if not chosen:
                continue
            evidence += [sheet.strokes[stroke].evidence for stroke in chosen]
            is_mark += [float(bool(sheet.under_mark))] * len(chosen)
            counts += [(3.0 if sheet.under_mark else 1.0) / np.sqrt(len(chosen))] * len(chosen)
        weights = _logistic(np.array(evidence), np.array(is_mark), np.array(counts))
    assert weights is not None
    return weights


def _chosen(sheet: MarkedSheet, weights: MarkWeights | None) -> list[int]:
    """The strokes that are taken as marks: the likeliest over each row, or without weights all that cover no
    live order."""
    if weights is None:
        return sorted({stroke for over in sheet.wanted for stroke in over
                       if not sheet.live & {*np.flatnonzero(sheet.covers[stroke])}})
    chances = [weights.weigh(stroke) for stroke in sheet.strokes]
    return sorted({max(over, key=chances.__getitem__) for over in sheet.wanted})


def _logistic(evidence: Floats, truth: Floats, counts: Floats) -> MarkWeights:
    """Ridge regression of log odds, by Newton's method."""
    mean, spread = evidence.mean(axis=0), evidence.std(axis=0) + 1e-9
    columns = np.column_stack([np.ones(len(evidence)), (evidence - mean) / spread])
    ridge = np.diag([1e-6] + [RIDGE] * evidence.shape[1])
    solved = np.zeros(columns.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(columns @ solved, -30, 30)))
        curve = (columns * (counts * chance * (1 - chance) + 1e-9)[:, None]).T @ columns + ridge
        solved += np.linalg.solve(curve, columns.T @ (counts * (truth - chance)) - ridge @ solved)
    return MarkWeights(float(solved[0] - mean @ (solved[1:] / spread)), solved[1:] / spread)


def count_faults(
    sheets: Sequence[MarkedSheet], weights: MarkWeights, least: float
) -> tuple[int, int, int, int]:
    """Rows under a mark that are missed, of how many; live orders on sheets without one that wait, of how
    many."""
    missed = under = waiting = live = 0
    for sheet in sheets:
        is_mark = np.array([weights.weigh(stroke) > least for stroke in sheet.strokes], bool)
        rows = {*np.flatnonzero(sheet.covers[: len(is_mark)][is_mark].any(axis=0))} | sheet.enclosed
        missed, under = missed + len(sheet.under_mark - rows), under + len(sheet.under_mark)
        if not sheet.under_mark:
            waiting, live = waiting + len(sheet.live & rows), live + len(sheet.live)
    return missed, under, waiting, live


def cross_fitted(sheets: Sequence[MarkedSheet], least: float) -> tuple[int, ...]:
    """`count_faults`, each sheet weighed by the others."""
    parts = np.random.default_rng(0).integers(0, FOLDS, len(sheets))
    sums = np.zeros(4, int)
    for part in range(FOLDS):
        rest = [sheet for sheet, drawn in zip(sheets, parts, strict=True) if drawn != part]
        left_out = [sheet for sheet, drawn in zip(sheets, parts, strict=True) if drawn == part]
        sums += count_faults(left_out, fit(rest), least)
    return tuple(sums.tolist())


def to_toml(weights: MarkWeights, facts: Sequence[str]) -> str:
    """`crossed_blocks.toml`: the weights to four digits, with `facts` as comments at its head."""
    rows = [f"{name} = {value:.4g}" for name, value in zip(EVIDENCE, weights.weights.tolist(), strict=True)]
    heads = [f"# {fact}" for fact in facts]
    return "\n".join([*heads, "", "[weights]", f"bias = {weights.bias:.4g}", *rows, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success."""
    parser = argparse.ArgumentParser(
        prog="python -m training.tuning.fit_marks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", help="composed sheets and their truth.json")
    parser.add_argument("--out", type=Path, default=Path("ocr/corrections/crossed_blocks.toml"))
    args = parser.parse_args(arguments)
    sheets: list[MarkedSheet] = []
    with ProcessPoolExecutor() as pool:
        for folder in args.folders:
            read = pool.map(partial(marked_sheet, folder), load_truth(folder).sheets)
            sheets += [sheet for sheet in read if sheet is not None]
            print(f"{folder}: {len(sheets)} sheets so far", file=sys.stderr, flush=True)
    for least in (TRUSTED - 0.5, TRUSTED, TRUSTED + 0.5):
        missed, under, waiting, live = cross_fitted(sheets, least)
        print(f"{least:5}: {missed} of {under} rows under a mark missed, {waiting} of {live} others wait")
    facts = (
        "Made by training.tuning.fit_marks, never written by hand.",
        f"{len(sheets)} sheets in letters of people for calibration.")
    args.out.write_text(to_toml(fit(sheets), facts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
