"""What people write orders on, and how ink lies on it. Sizes are pixels of the sheet, PX_PER_MM for each
millimetre."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
import numpy.typing as npt

from training.handwriting.ink import Mask
from training.handwriting.noise import grain, smooth
from training.handwriting.paper import Colour, crease_profile
from training.handwriting.sheet import PX_PER_MM
from training.handwriting.writer import Nib


class Stock(StrEnum):
    """Kinds of paper."""

    PLAIN = "plain"
    RULED = "ruled"
    LEGAL = "legal"
    GRID = "grid"
    DOTS = "dots"
    MARGIN = "margin"
    OLD = "old"
    ENVELOPE = "envelope"


_SHARES = {
    Stock.PLAIN: 0.40, Stock.RULED: 0.16, Stock.LEGAL: 0.05, Stock.GRID: 0.14, Stock.DOTS: 0.08,
    Stock.MARGIN: 0.05,
    Stock.OLD: 0.07, Stock.ENVELOPE: 0.05,
}  # fmt: skip
_TINTS = {
    Stock.PLAIN: ((0.95, 0.95, 0.94), (0.96, 0.95, 0.90), (0.93, 0.94, 0.96)),
    Stock.RULED: ((0.95, 0.95, 0.93),),
    Stock.LEGAL: ((0.97, 0.94, 0.70),), Stock.GRID: ((0.94, 0.95, 0.93), (0.96, 0.94, 0.86)),
    Stock.DOTS: ((0.95, 0.94, 0.91),), Stock.MARGIN: ((0.96, 0.96, 0.95),), Stock.OLD: ((0.90, 0.82, 0.64),),
    Stock.ENVELOPE: ((0.80, 0.69, 0.52), (0.93, 0.92, 0.88)),
}  # fmt: skip
# Width and height in millimetres: A4, letter, A5.
_SIZES = ((210, 297), (210, 297), (216, 279), (148, 210))


@dataclass(frozen=True, slots=True)
class Leaf:
    """A sheet with nothing written on it. `pitch` and `first` of its rules in pixels, or None; `margin` at
    the left."""

    stock: Stock
    colour: Colour
    pitch: float | None
    first: float
    margin: float | None

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.colour.shape[0], self.colour.shape[1]


def choose_stock(rng: np.random.Generator) -> Stock:
    """A kind of paper by chance, plain the likeliest."""
    return list(_SHARES)[int(rng.choice(len(_SHARES), p=list(_SHARES.values())))]


def leaf(stock: Stock, rng: np.random.Generator) -> Leaf:
    """One sheet of a kind: its size, tint, print, fibres, folds and stains by chance."""
    width, height = (220, 160) if stock is Stock.ENVELOPE else _SIZES[int(rng.integers(len(_SIZES)))]
    size = (height * PX_PER_MM, width * PX_PER_MM)
    tints = _TINTS[stock]
    colour = np.ones((*size, 3), np.float32) * np.array(tints[int(rng.integers(len(tints)))], np.float32)
    pitch, first, margin = _print(colour, stock, rng)
    rough = 3.0 if stock in {Stock.OLD, Stock.ENVELOPE} else 1.0
    tone = 1 + 0.012 * rough * smooth(size, 300, rng) + 0.010 * grain(size, 0.8, rng)
    tone += 0.006 * rough * grain(size, 3, rng)
    colour *= tone[..., None]
    if stock is Stock.OLD:
        _age(colour, rng)
    if stock is Stock.ENVELOPE:
        _flap(colour, rng)
    for index in range(int(rng.choice([0, 0, 1, 2, 3]))):
        colour *= _crease(size, index, rng)[..., None]
    return Leaf(stock, colour, pitch, first, margin)


def _print(
    colour: Colour, stock: Stock, rng: np.random.Generator
) -> tuple[float | None, float, float | None]:
    first = float(rng.uniform(16, 34)) * PX_PER_MM
    strength = float(rng.uniform(0.35, 1.0))
    line = 1 - strength * (
        1 - np.array(((0.62, 0.74, 0.88), (0.70, 0.72, 0.74), (0.60, 0.80, 0.78))[rng.integers(3)])
    )
    red = np.array((0.90, 0.55, 0.58), np.float32)
    margin = float(rng.uniform(20, 30)) * PX_PER_MM
    if stock in {Stock.MARGIN, Stock.LEGAL} or (stock is Stock.RULED and rng.random() < 0.6):
        colour[:, int(margin) : int(margin) + 3] = red
    elif stock is Stock.RULED:
        margin = 14.0 * PX_PER_MM
    match stock:
        case Stock.RULED | Stock.LEGAL:
            pitch = float(rng.uniform(7.0, 10.0)) * PX_PER_MM
            for y in np.arange(first, colour.shape[0] - 40, pitch):
                colour[round(y) : round(y) + 2] *= line.astype(np.float32)
            return pitch, first, margin
        case Stock.GRID | Stock.DOTS:
            pitch = float(rng.choice([5.0, 5.0, 6.35])) * PX_PER_MM
            _squares(colour, pitch, line if stock is Stock.GRID else None)
            return (pitch * 2 if rng.random() < 0.5 else None), pitch * round(first / pitch), None
        case Stock.MARGIN:
            return None, first, margin
        case Stock.PLAIN | Stock.OLD | Stock.ENVELOPE:
            return None, first, None


def _squares(colour: Colour, pitch: float, line: npt.NDArray[np.float64] | None) -> None:
    """A grid of lines, or of dots where there is no line."""
    for y in np.arange(pitch, colour.shape[0] - 4, pitch):
        if line is not None:
            colour[round(y)] *= line.astype(np.float32)
            continue
        for x in np.arange(pitch, colour.shape[1] - 4, pitch):
            colour[round(y) : round(y) + 3, round(x) : round(x) + 3] *= 0.78
    if line is not None:
        for x in np.arange(pitch, colour.shape[1], pitch):
            colour[:, round(x)] *= line.astype(np.float32)


def _age(colour: Colour, rng: np.random.Generator) -> None:
    """Brown towards the edges, with a ring or two of tea."""
    rows, columns = colour.shape[:2]
    ys, xs = np.mgrid[0:rows, 0:columns].astype(np.float32)
    rim = np.minimum.reduce([xs, ys, columns - xs, rows - ys]) / (18 * PX_PER_MM)
    colour *= (1 - 0.16 * np.exp(-rim) - 0.03 * smooth((rows, columns), 120, rng))[..., None]
    for _ in range(int(rng.integers(0, 3))):
        reach = np.hypot(xs - rng.uniform(0, columns), ys - rng.uniform(0, rows)) / PX_PER_MM
        ring = np.exp(-(((reach - rng.uniform(18, 40)) / 2.0) ** 2)).astype(np.float32)
        colour *= 1 - ring[..., None] * np.array((0.05, 0.09, 0.14), np.float32)


def _flap(colour: Colour, rng: np.random.Generator) -> None:
    """The glued edges of an envelope's back."""
    rows, columns = colour.shape[:2]
    middle = (columns // 2 + int(rng.integers(-60, 60)), int(rows * rng.uniform(0.3, 0.42)))
    layer = np.zeros((rows, columns), np.uint8)
    for corner in ((0, 0), (columns, 0)):
        cv2.line(layer, corner, middle, 255, 3, cv2.LINE_AA)
    shade = cv2.GaussianBlur(layer.astype(np.float32) / 255, (0, 0), 2.5)
    colour *= 1 - 0.16 * shade[..., None]


def _crease(size: tuple[int, int], index: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    across = index % 3 != 2
    length = size[0] if across else size[1]
    position = length * float(rng.uniform(0.2, 0.8))
    profile = crease_profile(length, position, float(rng.uniform(0.4, 1.3)))
    return np.broadcast_to(profile[:, None] if across else profile[None, :], size)


_COLOURS = {
    Nib.BALLPOINT: ((0.08, 0.08, 0.10), (0.10, 0.16, 0.45), (0.08, 0.12, 0.52), (0.55, 0.10, 0.12)),
    Nib.FOUNTAIN: ((0.07, 0.07, 0.10), (0.13, 0.20, 0.60), (0.10, 0.14, 0.34), (0.27, 0.16, 0.09),
        (0.06, 0.28, 0.20)),
    Nib.PENCIL: ((0.32, 0.32, 0.33), (0.38, 0.38, 0.39)), Nib.FELT: ((0.05, 0.05, 0.06), (0.08, 0.10, 0.40)),
}  # fmt: skip


def lay(paper: Colour, mask: Mask, nib: Nib, rng: np.random.Generator) -> Colour:
    """Paper with what the mask states written on it, as evenly as the pen writes."""
    size = (mask.shape[0], mask.shape[1])
    match nib:
        case Nib.BALLPOINT:
            flow = 0.88 + 0.10 * smooth(size, 50, rng) + 0.09 * grain(size, 1.1, rng)
        case Nib.FOUNTAIN:
            flow = 0.90 + 0.09 * smooth(size, 26, rng) + 0.03 * grain(size, 1.2, rng)
        case Nib.PENCIL:
            flow = 0.68 + 0.09 * smooth(size, 80, rng) + 0.19 * grain(size, 0.9, rng)
        case Nib.FELT:
            flow = 0.97 + 0.03 * smooth(size, 60, rng)
    inks = _COLOURS[nib]
    ink = np.array(inks[int(rng.integers(len(inks)))], np.float32) * float(rng.uniform(0.85, 1.15))
    cover = np.clip(mask * np.clip(flow, 0.12, 1.0), 0, 1)[..., None]
    return np.asarray(paper * (1 - cover) + ink * cover, np.float32)
