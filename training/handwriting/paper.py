"""Blank paper, and ink laid on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from training.handwriting.ink import Mask
from training.handwriting.noise import grain, smooth
from training.handwriting.sheet import PX_PER_MM, SHEET_MM, InkColour, PaperStyle

Colour: TypeAlias = npt.NDArray[np.float32]
"""Height x width x 3, red, green, blue, 0 to 1."""

# Rows and columns of a drawn sheet.
SIZE = (SHEET_MM[1] * PX_PER_MM, SHEET_MM[0] * PX_PER_MM)

_TINTS = {
    PaperStyle.PLAIN: (0.95, 0.95, 0.94),
    PaperStyle.RULED: (0.95, 0.95, 0.93),
    PaperStyle.CREAM: (0.96, 0.92, 0.81),
    PaperStyle.SQUARED: (0.94, 0.95, 0.93),
    PaperStyle.DOTS: (0.95, 0.94, 0.91),
}
_INKS = {
    InkColour.BLACK: (0.09, 0.09, 0.11),
    InkColour.BLUE: (0.10, 0.16, 0.42),
    InkColour.ROYAL: (0.13, 0.20, 0.62),
    InkColour.SEPIA: (0.27, 0.16, 0.09),
    InkColour.GREEN: (0.06, 0.28, 0.20),
    InkColour.PENCIL: (0.30, 0.30, 0.31),
}
_LINE = np.array((0.62, 0.74, 0.88), np.float32)
_MARGIN = np.array((0.90, 0.55, 0.58), np.float32)


@dataclass(frozen=True, slots=True)
class BlankPaper:
    """An empty sheet: its colours, the pitch of its rules in pixels (None where there are none), the first
    rule."""

    colour: Colour
    pitch: float | None
    first_rule: float


def blank(kind: PaperStyle, folds: int, rng: np.random.Generator) -> BlankPaper:
    """Paper of a kind, with fibres, a slow unevenness of tone, and `folds` creases."""
    colour = np.ones((*SIZE, 3), np.float32) * np.array(_TINTS[kind], np.float32)
    pitch, first = _print(colour, kind)
    tone = 1 + 0.012 * smooth(SIZE, 300, rng) + 0.010 * grain(SIZE, 0.8, rng) + 0.006 * grain(SIZE, 3, rng)
    colour *= tone[..., None]
    for index in range(folds):
        colour *= _crease(index, folds, rng)[..., None]
    return BlankPaper(colour, pitch, first)


def _print(colour: Colour, kind: PaperStyle) -> tuple[float | None, float]:
    match kind:
        case PaperStyle.RULED:
            pitch, first = 8.6 * PX_PER_MM, 30.0 * PX_PER_MM
            for y in np.arange(first, SIZE[0] - 60, pitch):
                colour[round(y) : round(y) + 2] = _LINE
            colour[:, 26 * PX_PER_MM : 26 * PX_PER_MM + 3] = _MARGIN
            return pitch, first
        case PaperStyle.SQUARED:
            pitch = 5.0 * PX_PER_MM
            for y in np.arange(pitch, SIZE[0], pitch):
                colour[round(y)] = _LINE
            for x in np.arange(pitch, SIZE[1], pitch):
                colour[:, round(x)] = _LINE
            return pitch * 2, 30.0 * PX_PER_MM
        case PaperStyle.DOTS:
            pitch = 5.0 * PX_PER_MM
            for y in np.arange(pitch, SIZE[0] - 4, pitch):
                for x in np.arange(pitch, SIZE[1] - 4, pitch):
                    colour[round(y) : round(y) + 3, round(x) : round(x) + 3] = 0.72
            return pitch * 2, 30.0 * PX_PER_MM
        case PaperStyle.PLAIN | PaperStyle.CREAM:
            return None, 30.0 * PX_PER_MM


def _crease(index: int, folds: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    rows, columns = SIZE
    across = index % 3 != 2
    length = rows if across else columns
    position = length * (index + 1) / (folds + 1) + rng.uniform(-30, 30)
    profile = crease_profile(length, position, 1.0)
    return np.broadcast_to(profile[:, None] if across else profile[None, :], SIZE)


def crease_profile(length: int, fold: float, depth: float) -> npt.NDArray[np.float32]:
    """The tone across a fold, 1 far from it: `length` pixels, folded at pixel `fold`, `depth` 1 for most."""
    along = np.arange(length, dtype=np.float32) - fold
    # One flank of a fold catches the light and the other loses it; the edge itself is worn.
    flank = 0.045 * depth * np.sign(along) * np.exp(-np.abs(along) / 130)
    worn = -0.10 * depth * np.exp(-((along / 2.2) ** 2))
    return np.asarray(1 + flank + worn, np.float32)


def lay_ink(paper: Colour, mask: Mask, ink: InkColour, weight_px: float, rng: np.random.Generator) -> Colour:
    """Paper with ink on it: strokes bent a little, made fatter by `weight_px`, laid unevenly as the pen
    does."""
    bent = _bend(mask, rng)
    if weight_px > 0:
        soft = cv2.GaussianBlur(bent, (0, 0), 0.6 + weight_px)
        bent = np.clip(soft * (1.6 + weight_px) - 0.12, 0, 1)
    flow = 0.90 + 0.10 * smooth(SIZE, 60, rng) + 0.05 * grain(SIZE, 1.2, rng)
    if ink is InkColour.PENCIL:
        flow = 0.66 + 0.08 * smooth(SIZE, 80, rng) + 0.20 * grain(SIZE, 0.9, rng)
    cover = np.clip(bent * np.clip(flow, 0.15, 1.0), 0, 1)[..., None]
    return np.asarray(paper * (1 - cover) + np.array(_INKS[ink], np.float32) * cover, np.float32)


def _bend(mask: Mask, rng: np.random.Generator) -> Mask:
    rows, columns = SIZE
    ys, xs = np.mgrid[0:rows, 0:columns].astype(np.float32)
    xs += 1.1 * smooth(SIZE, 42, rng)
    ys += 1.1 * smooth(SIZE, 42, rng)
    return np.asarray(cv2.remap(mask, xs, ys, cv2.INTER_LINEAR), np.float32)
