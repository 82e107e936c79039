"""Crops of single written rows, as the reader cuts them from a sheet, drawn without drawing the sheet.

A row is written by the same scrivener as whole sheets, with scraps of the rows above and below, on a scrap of
paper, seen through the same lens; paper is then as bright as `ocr.image.illumination.even_light` leaves it,
and what is left of printed rules is left here too. Habits, pens and margins vary more widely than on sheets.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Picture

from ocr.page import Image
from training.handwriting.fonts import JOINED
from training.handwriting.glyph_outlines import Face
from training.handwriting.ink import Extent, InkMark, InkWord, Mask
from training.handwriting.ink_scrivener import InkScrivener, recorded_habits
from training.handwriting.ink_writers import InkWriter
from training.handwriting.noise import Field, grain, smooth
from training.handwriting.paper import Colour
from training.handwriting.paper_and_pen import lay
from training.handwriting.strike import MORE_STROKES
from training.handwriting.writer import Habits, Nib, RowWriter, Scrivener

# Of a crop in pixels: what the recogniser takes.
HEIGHT = 48

# How far crops are stretched; the reader itself stretches by 1.3 and 1.0.
WIDEST, NARROWEST = 1.7, 0.9

# Shares of rows whose light was evened out, whose letters sway together, and that come without colour.
EVENED, SWAYED, GREY = 0.7, 0.5, 0.3

# How often those who draw the A and F of units do; every other row is theirs.
DRAWN = 0.8

# Stroke widths in heights of small letters.
_PENS = {
    Nib.BALLPOINT: (0.11, 0.21), Nib.FOUNTAIN: (0.13, 0.30), Nib.PENCIL: (0.12, 0.22), Nib.FELT: (0.19, 0.38),
}


@dataclass(slots=True)
class LineDrawer:
    """Fonts by name, and the faces already cut from them."""

    fonts: dict[str, Path]
    _faces: dict[tuple[str, int], Face] = field(default_factory=dict, init=False, repr=False)

    def face(self, font: str, x_height: int) -> Face:
        """A font with small letters `high` pixels high."""
        if (font, x_height) not in self._faces:
            self._faces[font, x_height] = Face(self.fonts[font], float(x_height))
        return self._faces[font, x_height]


def line(text: str, font: str, desk: LineDrawer, rng: np.random.Generator) -> Image:
    """A crop that states `text`: HEIGHT x any width x 3, RGB; deterministic in `rng`. `text` has single
    spaces."""
    hasty = bool(rng.random() < 0.35)
    x_height = int(rng.choice((15, 18, 22, 26)))
    nib = list(Nib)[int(rng.choice(4, p=[0.5, 0.22, 0.16, 0.12]))]
    habits = row_habits(nib, x_height, rng, joined=font in JOINED, hasty=hasty)
    return _seen(text, Scrivener(desk.face(font, x_height), habits, rng), nib, rng, hasty=hasty)


def ink_line(text: str, writer: InkWriter, rng: np.random.Generator, *, plain: bool = False) -> Image:
    """The same in a person's recorded letters, all of which `text` must have. `plain`: see `seen_row`."""
    hasty = bool(rng.random() < 0.35)
    x_height = int(rng.choice((15, 18, 22, 26)))
    nib = list(Nib)[int(rng.choice(4, p=[0.5, 0.22, 0.16, 0.12]))]
    habits = row_habits(nib, x_height, rng, joined=False, hasty=hasty)
    scrivener = InkScrivener(writer, float(x_height), recorded_habits(habits), rng, float(rng.random()))
    return _seen(text, scrivener, nib, rng, hasty=hasty, plain=plain)


def _seen(
    text: str, scrivener: RowWriter, nib: Nib, rng: np.random.Generator, *, hasty: bool, plain: bool = False
) -> Image:
    x_height = round(scrivener.x_height)
    mask, extent = trimmed(*_written(text, scrivener, x_height, rng, hasty=hasty))
    return seen_row(mask, extent, x_height, nib, rng, plain=plain)


def seen_row(
    mask: Mask, extent: Extent, x_height: int, nib: Nib, rng: np.random.Generator, *, plain: bool = False
) -> Image:
    """A row's ink on a scrap of paper as the reader cuts it from a photograph. `extent`: of the row itself,
    which may have scraps of others above and below; `x_height` in pixels of the mask. `plain`: as a sheet in
    good light is cut, evened out and in its own shape, to be given to the reader whole."""
    paper = row_paper((mask.shape[0], mask.shape[1]), x_height, rng)
    inked = lay(paper, mask, nib, rng)
    picture = photographed(inked, rng, evened=1.0 if plain else EVENED)
    return _cut(picture, extent, x_height, rng, plain=plain)


def pen_width(nib: Nib, rng: np.random.Generator) -> float:
    """A stroke's width by chance, in heights of small letters."""
    return float(rng.uniform(*_PENS[nib]))


def row_habits(nib: Nib, x_height: int, rng: np.random.Generator, *, joined: bool, hasty: bool) -> Habits:
    def between(low: float, top: float) -> float:
        return float(rng.uniform(low, top))

    return Habits(
        pen_px=between(*_PENS[nib]) * x_height,
        contrast=between(0.4, 1.6) if nib is Nib.FOUNTAIN else between(0, 0.4),
        slant=float(np.clip(rng.normal(0.05, 0.16 if hasty else 0.11), -0.35, 0.55)),
        width=between(0.82, 1.2), tall=between(0.8, 1.25), deep=between(0.7, 1.2),
        gap=(0.35 if joined else 1.0) * between(-0.08 if hasty else -0.03, 0.08),
        word_gap=between(0.4, 0.75) if hasty else between(0.5, 1.2),
        stray=(between(0.07, 0.15) if hasty else between(0.02, 0.09)) * (0.6 if joined else 1.0),
        bend=between(0.06, 0.13) if hasty else between(0.02, 0.09),
        wander=between(0.05, 0.18) if hasty else between(0.0, 0.08),
        fade=between(0.15, 0.5) if hasty else between(0.0, 0.12),
        join=0.0 if joined else between(0.35, 0.95) if hasty else float(rng.choice([0.0, 0.3, 0.7])),
        vague=between(0.0, 0.08) if hasty else 0.0, lapse=0.0, strike=str(rng.choice(MORE_STROKES)),
        drawn=float(rng.choice([0.0, DRAWN])),
    )  # fmt: skip


def _written(
    text: str, scrivener: RowWriter, x_height: int, rng: np.random.Generator, *, hasty: bool
) -> tuple[Mask, Extent]:
    """The row's ink and where it fell, with scraps of the rows next to it."""
    width = round(scrivener.measure(text) * 1.15 + 14 * x_height + scrivener.space * text.count(" ") * 1.2)
    pitch = float(rng.uniform(2.9, 4.8)) * x_height
    mask = np.zeros((round(2.2 * pitch + 5 * x_height), width), np.float32)
    base = 1.1 * pitch + 2.6 * x_height
    slope = float(rng.normal(0, 0.012 if hasty else 0.005))
    extent = scrivener.row(mask, plain_words(text), 4.0 * x_height, base, slope, struck=False)
    for side in (-1, 1):
        if rng.random() < 0.6:
            scrap = "".join(rng.choice(list(text), len(text)))
            start = 4.0 * x_height + float(rng.choice([0.0, 0.0, 1.0])) * float(rng.uniform(0, 0.6)) * width
            cramped = plain_words(" ".join(scrap.split())[: max(1, round((width - start) / x_height / 1.6))])
            if cramped:
                scrivener.row(mask, cramped, start, base + side * pitch, slope, struck=False)
    return mask, extent


def trimmed(mask: Mask, extent: Extent) -> tuple[Mask, Extent]:
    """The part of the mask that a crop may show."""
    room = 0.8 * (extent.bottom - extent.top) + 12
    left, top = max(0, int(extent.left - room)), max(0, int(extent.top - room))
    part = mask[top : int(extent.bottom + room), left : int(extent.right + room)]
    shifted = Extent(extent.left - left, extent.top - top, extent.right - left, extent.bottom - top)
    return np.ascontiguousarray(part), shifted


def plain_words(text: str) -> tuple[InkWord, ...]:
    return tuple(InkWord(word, InkMark.PLAIN) for word in text.split())


def row_paper(size: tuple[int, int], x_height: int, rng: np.random.Generator) -> Colour:
    """Paper after its light was evened, with what the taking off of rules left behind."""
    tint = np.clip(rng.normal(0.965, 0.012) + rng.normal(0, 0.006, 3), 0.88, 1.0).astype(np.float32)
    paper = np.ones((*size, 3), np.float32) * tint
    rough = float(rng.uniform(0.3, 2.5))
    paper *= (1 + 0.010 * rough * grain(size, 0.8, rng) + 0.012 * rough * smooth(size, 80, rng))[..., None]
    if rng.random() < 0.25:
        _rules(paper, x_height, rng)
    if rng.random() < 0.08:
        paper[:, int(rng.integers(2, max(3, size[1] // 3)))] *= 1 - 0.4 * float(rng.random())
    return paper


def _rules(paper: Colour, x_height: int, rng: np.random.Generator) -> None:
    """Pale lines across (and down, on squared paper), whole or in pieces."""
    pale = 1 - float(rng.uniform(0.08, 0.4)) * np.array(
        ((0.7, 0.5, 0.25), (0.5, 0.5, 0.5))[rng.integers(2)], np.float32
    )
    keep = float(rng.choice([1.0, 0.5, 0.15]))
    step = max(8, round(float(rng.uniform(1.6, 4.2)) * x_height))
    rows = range(int(rng.integers(step)), paper.shape[0] - 2, step)
    keeps_ink = rng.random(paper.shape[1] // 24 + 1) < keep
    inked_columns = np.repeat(keeps_ink, 24)[: paper.shape[1]]
    for y in rows:
        paper[y : y + int(rng.integers(1, 3)), inked_columns] *= pale
    if rng.random() < 0.3:
        for x in range(int(rng.integers(step)), paper.shape[1], step):
            paper[:, x] *= pale


def photographed(inked: Colour, rng: np.random.Generator, *, evened: float = EVENED) -> Colour:
    """Through a lens, onto a sensor, into a JPEG and evened out."""
    scale = float(rng.uniform(0.7, 1.15))
    picture = np.asarray(cv2.GaussianBlur(inked, (0, 0), float(rng.choice([0.4, 0.7, 1.0, 1.4]))), np.float32)
    if rng.random() < 0.2:
        reach = int(rng.integers(2, 5))
        kernel = np.zeros((reach, reach), np.float32)
        kernel[[reach // 2] * reach if rng.random() < 0.5 else range(reach), range(reach)] = 1 / reach
        picture = np.asarray(cv2.filter2D(picture, -1, kernel), np.float32)
    light = float(rng.uniform(0.55, 1.0))
    noise = np.float32(rng.uniform(0.003, 0.022))
    picture = picture * light + noise * grain(picture.shape[:2], 0.7, rng)[..., None]
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    # JPEG at phone qualities: its blocks and colour blur are part of what the recogniser sees.
    data = io.BytesIO()
    Picture.fromarray(np.round(np.clip(small, 0, 1) * 255).astype(np.uint8)).save(
        data, "JPEG", quality=int(rng.integers(60, 92)), subsampling=2
    )
    back = np.asarray(Picture.open(data).convert("RGB"), np.float32) / 255
    full = cv2.resize(back, (inked.shape[1], inked.shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.clip(full / _evened(light, full.shape[:2], rng, evened), 0, 1), np.float32)


def _evened(light: float, size: tuple[int, ...], rng: np.random.Generator, share: float) -> Field:
    """What the light is divided by: most rows are evened out, some are left in the dusk, brighter at one
    end."""
    if rng.random() < share:
        return np.full((size[0], size[1], 1), light, np.float32)
    first, last = float(rng.uniform(0.9, 1.6)), float(rng.uniform(0.9, 1.6))
    return np.broadcast_to(
        np.linspace(first, last, size[1], dtype=np.float32)[None, :, None], (size[0], size[1], 1)
    )


def _cut(
    picture: Colour, extent: Extent, x_height: int, rng: np.random.Generator, *, plain: bool
) -> Image:
    """What the finder's box and the reader's margin take in, stretched."""
    height = max(extent.bottom - extent.top, 1.5 * x_height) * float(rng.uniform(1.18, 1.65))
    middle = (extent.top + extent.bottom) / 2 + float(rng.normal(0, 0.05)) * height
    left = extent.left - float(rng.uniform(0.12, 0.55)) * height
    right = extent.right + float(rng.uniform(0.12, 0.55)) * height
    stretch = 1.0 if plain else float(rng.choice([1.3, rng.uniform(NARROWEST, WIDEST)]))
    box = Extent(left, middle - height / 2, right, middle + height / 2)
    return stretched(picture, box, stretch, rng, swayed=0.0 if plain else SWAYED)


def stretched(
    picture: Colour, box: Extent, stretch: float, rng: np.random.Generator, *, swayed: float = SWAYED
) -> Image:
    """A box as the reader cuts it: HEIGHT high, `stretch` times wider than its shape; at times a little
    crooked, swayed or grey."""
    left, right, height = box.left, box.right, box.bottom - box.top
    width = max(HEIGHT, round((right - left) / height * HEIGHT * stretch))
    lean = float(rng.normal(0, 0.006)) * (right - left) / 2
    source = np.array(
        [[left, box.top - lean], [right, box.top + lean], [left, box.bottom - lean]], np.float32
    )
    target = np.array([[0, 0], [width, 0], [0, HEIGHT]], np.float32)
    # Averaged first, so that thin strokes survive the shrinking as they do in the reader.
    soft = cv2.GaussianBlur(picture, (0, 0), max(0.01, 0.35 * (height / HEIGHT - 0.5)))
    crop = cv2.warpAffine(
        soft, cv2.getAffineTransform(source, target), (width, HEIGHT), flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    crop = crop if rng.random() >= swayed else _swayed(np.asarray(crop, np.float32), rng)
    if rng.random() < GREY:
        crop = np.repeat(crop.mean(axis=2, keepdims=True), 3, axis=2)
    return np.asarray(np.round(np.clip(crop, 0, 1) * 255), np.uint8)


def _swayed(crop: Colour, rng: np.random.Generator) -> Colour:
    """A row bent as a whole, over several letters: an unsteady hand strays from letter to letter, and in
    between."""
    size = (crop.shape[0], crop.shape[1])
    ys, xs = np.mgrid[0 : size[0], 0 : size[1]].astype(np.float32)
    ys += np.float32(rng.uniform(0.4, 1.8)) * smooth(size, float(rng.uniform(14, 45)), rng)
    xs += np.float32(rng.uniform(0.4, 2.2)) * smooth(size, float(rng.uniform(14, 45)), rng)
    bent = cv2.remap(crop, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(bent, np.float32)
