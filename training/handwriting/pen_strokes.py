"""Recorded strokes of a pen laid on a mask of ink: any width, thinner where the pen was quick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from training.handwriting.ink import Extent, Mask

Stroke: TypeAlias = npt.NDArray[np.float64]
"""One trace of the pen in the order of writing: points x 2, x to the right, y down."""

# Strokes are drawn this many times finer than the mask, so that a pen's width has steps of a quarter pixel.
_FINE = 4
# OpenCV places points to an eighth of a (fine) pixel.
_BITS = 3
# OpenCV draws a smoothed line so many (fine) pixels broader than it is told.
_BROADER = 2.4
# Points put between two recorded ones: tablets gave 60 to 200 a second, and corners would show.
_BETWEEN = 3
# How much narrower the quickest part of a stroke may be, and the slowest broader, as shares of the width.
_NARROWEST, _BROADEST = 0.55, 1.3


@dataclass(frozen=True, slots=True)
class PenPoint:
    """A pen. `width` in pixels of the mask; `pressure`, 0..1: how much its width follows the writer's speed;
    `contrast`, 0..1: how much broader down strokes are, as from a broad nib."""

    width: float
    pressure: float
    contrast: float


def ink_strokes(mask: Mask, strokes: Sequence[Stroke], pen: PenPoint) -> Extent | None:
    """Lay strokes given in pixels of the mask; where their ink fell, None if all of it is off the mask."""
    points = np.concatenate(strokes)
    pad = pen.width * (1 + pen.contrast) + 2
    left, top = np.maximum(np.floor(points.min(axis=0) - pad), 0).astype(int)
    right, bottom = np.minimum(np.ceil(points.max(axis=0) + pad), mask.shape[1::-1]).astype(int)
    if right - left < 1 or bottom - top < 1:
        return None
    layer = np.zeros(((bottom - top) * _FINE, (right - left) * _FINE), np.uint8)
    corner = np.array([left, top])
    for stroke in strokes:
        _lay(layer, (stroke - corner) * _FINE, pen)
    part = cv2.resize(layer, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    view = mask[top:bottom, left:right]
    np.maximum(view, part.astype(np.float32) / np.float32(255), out=view)
    (x0, y0), (x1, y1) = points.min(axis=0) - pen.width / 2, points.max(axis=0) + pen.width / 2
    return Extent(float(x0), float(y0), float(x1), float(y1))


def smoothed(stroke: Stroke, between: int = _BETWEEN) -> Stroke:
    """A curve through a stroke's points (Catmull and Rom's spline)."""
    if len(stroke) < 3:
        return stroke
    extended = np.vstack([2 * stroke[0] - stroke[1], stroke, 2 * stroke[-1] - stroke[-2]])
    a, b, c, d = extended[:-3, None], extended[1:-2, None], extended[2:-1, None], extended[3:, None]
    t = np.linspace(0, 1, between + 2)[None, :-1, None]
    curve = 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
    return np.vstack([curve.reshape(-1, 2), stroke[-1:]])


def _lay(layer: npt.NDArray[np.uint8], stroke: Stroke, pen: PenPoint) -> None:
    scale = 1 << _BITS
    if len(stroke) < 2 or np.ptp(stroke, axis=0).max() < 0.5 * _FINE:
        centre = np.round(stroke.mean(axis=0) * scale).astype(int)
        radius = round(0.55 * pen.width * _FINE * scale)
        cv2.circle(layer, (int(centre[0]), int(centre[1])), radius, 255, -1, cv2.LINE_AA, _BITS)
        return
    widths = _widths(stroke, pen) * _FINE
    curve = np.round(smoothed(stroke) * scale).astype(np.int32)
    wide = np.interp(np.linspace(0, len(stroke) - 1, len(curve) - 1), np.arange(len(stroke)), widths)
    thickness = np.maximum(1, np.round(wide - _BROADER))
    for start, end, width in zip(curve[:-1], curve[1:], thickness, strict=True):
        cv2.line(layer, start.tolist(), end.tolist(), 255, int(width), cv2.LINE_AA, _BITS)


def _widths(stroke: Stroke, pen: PenPoint) -> npt.NDArray[np.float64]:
    """The pen's width at each point of a stroke."""
    steps = np.diff(stroke, axis=0)
    speed = np.hypot(*steps.T)
    speed = np.convolve(np.concatenate([speed[:1], speed, speed[-1:]]), (0.25, 0.5, 0.25), "same")[:-1]
    # Against its own median, since tablets and writers differ; twice as quick is half the pressure.
    quick = np.log2(np.maximum(speed, 1e-3) / max(float(np.median(speed)), 1e-3))
    factor = np.clip(1 - 0.25 * pen.pressure * quick, _NARROWEST, _BROADEST)
    if pen.contrast:
        across = np.concatenate([steps[:1], steps])
        upright = np.abs(across[:, 1]) / np.maximum(np.hypot(*across.T), 1e-6)
        factor = factor * (1 + pen.contrast * (upright - 0.5))
    return np.asarray(pen.width * factor, np.float64)
