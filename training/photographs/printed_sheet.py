"""Printed order sheets, filled in by hand and photographed: to measure how surely marks and code are read
back (LET-12). Papers, sizes, folds, pens, lamps, shakes and phones are drawn by chance; so is what people do:
a corner out of the picture, a thumb on one, a printer short of toner, a sheet laid upside down.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from ocr.image import sheet_layout as layout
from service.pictures import BlankSheet, sheets_pdf, to_pngs
from service.pictures.paper.order_sheet import SheetPaper
from training.handwriting.ink import Handwriting, Pen
from training.handwriting.paper import Colour
from training.handwriting.paper_and_pen import Stock, lay, leaf
from training.handwriting.sheet import PX_PER_MM
from training.handwriting.writer import Nib
from training.photographs.one_or_two_sheets import Conditions, jpeg, photograph

Points: TypeAlias = npt.NDArray[np.float64]

_SIDES = (1200, 1200, 1600, 1600, 1600, 2048, 1200, 1600, 1600, 1600, 2048, 3000)
_TICK = ((0.2, 0.55), (0.42, 0.85), (0.9, 0.1))  # a tick's path in its box, as shares


@dataclass(frozen=True, slots=True)
class FilledRow:
    """What a person writes on one rule: `text`, and the box that is ticked: 0 army, 1 fleet or None."""

    text: str
    tick: int | None = None


@dataclass(frozen=True, slots=True)
class PrintedPhotograph:
    """A photograph as a phone stores it; where the block's corners and the middles of its sides lie in it as
    shown, clockwise from the top left corner (8 x 2, pixels); and how it was taken. `hidden`: marks that are
    covered or out of the picture, by number."""

    data: bytes
    frame: Points
    conditions: Conditions
    hidden: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Trouble:
    """What goes wrong besides the weather of every photograph: shares 0..1 of photographs. `lying`: on a side
    or upside down, unmarked; `cut`: a corner out of the picture; `thumb`: a thumb on a corner."""

    lying: float = 0.25
    cut: float = 0.06
    thumb: float = 0.04


@dataclass(frozen=True, slots=True, eq=False)
class FilledLeaf:
    """A printed and filled-in sheet: its colours, and millimetres of the layout to its pixels."""

    colour: Colour
    to_leaf: Points


def filled(
    sheet: BlankSheet, rows: Sequence[FilledRow], font: Path, rng: np.random.Generator, version: str = "",
) -> FilledLeaf:
    """One sheet printed on some paper of its size or another and filled in. Deterministic in `rng`."""
    stock = (Stock.PLAIN, Stock.PLAIN, Stock.PLAIN, Stock.OLD)[int(rng.integers(4))]
    bare = leaf(stock, rng).colour
    size = (bare.shape[0], bare.shape[1])
    paper = SheetPaper.LETTER if size[1] > SheetPaper.A4.width * PX_PER_MM else SheetPaper.A4
    print_place = _printed_at(paper, size, rng)
    drawn = 1 - _page(sheet, paper)
    cover = cv2.warpPerspective(drawn, print_place, (size[1], size[0]), flags=cv2.INTER_AREA)
    toner = float(rng.uniform(0.72, 0.96))
    printed = bare * (1 - toner * np.asarray(cover, np.float32))
    to_leaf = print_place @ np.array([[PX_PER_MM, 0, paper.left * PX_PER_MM],
                                      [0, PX_PER_MM, paper.top * PX_PER_MM], [0, 0, 1]])
    mask = np.zeros(size, np.float32)
    _fill_in(mask, rows, version, font, to_leaf, rng)
    nib = list(Nib)[int(rng.choice(4, p=[0.5, 0.25, 0.13, 0.12]))]
    return FilledLeaf(lay(printed, mask, nib, rng), to_leaf)


def photographed(
    sheet: FilledLeaf, rng: np.random.Generator, trouble: Trouble = Trouble()
) -> PrintedPhotograph:
    """A photograph of a filled-in sheet. Deterministic in `rng`."""
    conditions = _conditions(rng, trouble)
    photo = photograph([sheet.colour], conditions, rng)
    frame = photo.leaves[0].to_photograph(_moved(sheet.to_leaf, frame_points()))
    marks = [photo.leaves[0].to_photograph(_moved(sheet.to_leaf, np.array(layout.mark_corners(number))))
             for number in range(4)]
    colour = np.array(photo.colour)
    hidden = {number for number, quad in enumerate(marks) if not _is_inside(quad, colour.shape[:2])}
    if rng.random() < trouble.thumb:
        covered = int(rng.integers(4))
        _put_thumb(colour, marks[covered], frame.mean(axis=0), rng)
        hidden.add(covered)
    return PrintedPhotograph(jpeg(colour, conditions), frame, conditions, tuple(sorted(hidden)))


def frame_points() -> Points:
    """The corners of the block and the middles of its sides, clockwise from the top left, in millimetres."""
    width, height = layout.BLOCK
    return np.array([[0, 0], [width / 2, 0], [width, 0], [width, height / 2], [width, height],
                     [width / 2, height], [0, height], [0, height / 2]])


def _page(sheet: BlankSheet, paper: SheetPaper) -> Colour:
    """The printed page: PX_PER_MM, RGB, 0 black to 1 white."""
    pdf = sheets_pdf([replace(sheet, paper=paper)])
    with Image.open(io.BytesIO(to_pngs(pdf, round(paper.width * PX_PER_MM))[0])) as opened:
        return np.asarray(opened.convert("RGB")).astype(np.float32) / np.float32(255)


def _printed_at(paper: SheetPaper, size: tuple[int, int], rng: np.random.Generator) -> Points:
    """Where the printer puts the page on the paper: whole or scaled to fit, a little aslant and aside."""
    full = min(size[1] / (paper.width * PX_PER_MM), size[0] / (paper.height * PX_PER_MM))
    scale = full * float(rng.choice([1.0, 1.0, 0.97, 0.94]))
    angle = np.deg2rad(float(rng.normal(0, 0.25)))
    middle = np.array([size[1], size[0]]) / 2 + rng.normal(0, 1.0, 2) * PX_PER_MM
    turned = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shift = middle - turned @ (np.array([paper.width, paper.height]) * PX_PER_MM / 2)
    return np.vstack([np.column_stack([turned, shift]), [0, 0, 1]])


def _moved(matrix: Points, points: Points) -> Points:
    return np.asarray(cv2.perspectiveTransform(points[None].astype(np.float64), matrix)[0], np.float64)


def _fill_in(
    mask: npt.NDArray[np.float32], rows: Sequence[FilledRow], version: str, font: Path, to_leaf: Points,
    rng: np.random.Generator,
) -> None:
    """Write on the rules and tick boxes."""
    scale = float(np.sqrt(abs(np.linalg.det(to_leaf[:2, :2]))))
    hand = Handwriting(
        font=font, size_px=float(rng.uniform(6.2, 7.6)) * scale, slant=float(rng.normal(0.05, 0.08)),
        width=float(rng.uniform(0.95, 1.05)), gap=0.01, word_gap=float(rng.uniform(0.3, 0.38)),
        jitter=0.05, wobble=0.03, joined=False)
    pen = Pen(hand, rng)
    if version:
        box = layout.VERSION
        x, y = _moved(to_leaf, np.array([[box.left + 4, box.bottom - 3]]))[0]
        pen.write(mask, pen.wrap(version, 1e6, 0)[0], float(x), float(y), 0.0)
    for number, row in enumerate(rows):
        if row.text:
            height = layout.rule_height(number) - float(rng.uniform(0.8, 2.0))
            x, y = _moved(to_leaf, np.array([[layout.RULE[0] + float(rng.uniform(0, 6)), height]]))[0]
            pen.write(mask, pen.wrap(row.text, 1e6, 0)[0], float(x), float(y), float(rng.normal(0, 0.003)))
        if row.tick is not None:
            box = layout.kind_box(number, row.tick)
            path = np.array([[box.left + share * layout.KIND_BOX, box.top + down * layout.KIND_BOX]
                             for share, down in _TICK]) + rng.normal(0, 0.3, (3, 2))
            layer = np.zeros(mask.shape, np.uint8)
            cv2.polylines(layer, [np.round(_moved(to_leaf, path) * 8).astype(np.int32)], False, 255,
                          max(2, round(0.5 * scale)), cv2.LINE_AA, 3)
            np.maximum(mask, layer.astype(np.float32) / 255, out=mask)


def _conditions(rng: np.random.Generator, trouble: Trouble) -> Conditions:
    lying = int(rng.choice([1, 2, 3])) if rng.random() < trouble.lying else 0
    fill = rng.uniform(1.06, 1.12) if rng.random() < trouble.cut else rng.uniform(0.7, 1.0)
    return Conditions(
        long_side=int(rng.choice(_SIDES)), turn=float(np.clip(rng.normal(0, 3.0), -9, 9)),
        tilt=float(rng.uniform(0.2, 1.8)), fill=float(fill),
        gloom=float(rng.choice([0.0, 0.0, 0.3, 0.6, 1.0])), blur=float(rng.uniform(0.15, 0.5)),
        motion=float(rng.choice([0, 0, 0, 1.0])) * float(rng.uniform(0.5, 1.4)),
        noise=float(rng.uniform(0.004, 0.022)), quality=int(rng.integers(62, 90)),
        orientation=1 if lying else int(rng.choice([1, 1, 1, 6, 8, 3])), lying=lying, gps=False)


def _is_inside(quad: Points, size: tuple[int, ...]) -> bool:
    return bool((quad >= 0).all() and (quad < np.array([size[1], size[0]])).all())


def _put_thumb(colour: Colour, quad: Points, middle: Points, rng: np.random.Generator) -> None:
    """A thumb that holds the paper down at a corner, in front of everything."""
    centre = quad.mean(axis=0)
    reach = float(np.hypot(*(quad[2] - quad[0])))
    outward = (centre - middle) / np.hypot(*(centre - middle))
    tip, root = centre - outward * 0.4 * reach, centre + outward * 6 * reach
    layer = np.zeros(colour.shape[:2], np.uint8)
    start, end = (tuple(int(v) for v in np.round(point)) for point in (tip, root))
    cv2.line(layer, start, end, 255, max(3, round(1.9 * reach)), cv2.LINE_AA)
    cover = cv2.GaussianBlur(layer.astype(np.float32) / 255, (0, 0), max(1.0, reach / 12))[..., None]
    skin = np.array((0.72, 0.52, 0.42), np.float32) * float(rng.uniform(0.5, 1.1))
    colour *= 1 - cover
    colour += cover * skin
