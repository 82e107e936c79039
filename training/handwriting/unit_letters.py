"""The letters A and F that stand for a unit, as people draw them: strokes of our own, of many forms.

A font has one A and one F and they are never alike. On paper an A may be open at the top like a 4, lean on
one leg, or be a small letter made big, and an F may be a 7 with a bar: these two letters are all that tells
an army from a fleet where a sender shortens. Points are x to the right and y up, in heights of the letter;
each stroke is drawn smoothly through its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from training.handwriting.ink import Extent, Mask, draw_strokes

Form: TypeAlias = Sequence[Sequence[tuple[float, float]]]
"""Strokes of points."""

_ARMY: Mapping[str, Form] = {
    "pointed": (((0, 0), (0.22, 0.5), (0.42, 1)), ((0.42, 1), (0.6, 0.5), (0.78, 0)), ((0.12, 0.36), (0.66, 0.38))),
    "one stroke": (((0, 0), (0.2, 0.55), (0.42, 1), (0.58, 0.5), (0.72, 0.02), (0.5, 0.3), (0.2, 0.36), (0.62, 0.42)),),
    "open": (((0.3, 1), (0.1, 0.45), (0.02, 0.36), (0.4, 0.36), (0.78, 0.38)), ((0.6, 1), (0.58, 0.5), (0.56, 0))),
    "four": (((0.5, 1), (0.2, 0.55), (0, 0.32), (0.35, 0.32), (0.8, 0.34)), ((0.52, 0.98), (0.53, 0.5), (0.54, -0.02))),
    "round": (((0, 0), (0.03, 0.55), (0.2, 0.95), (0.45, 0.98), (0.6, 0.6), (0.64, 0)), ((0.02, 0.42), (0.64, 0.44))),
    "one leg": (((0.02, 0.78), (0.3, 0.95), (0.6, 0.9), (0.56, 0.5), (0.5, 0)), ((0, 0.4), (0.35, 0.42), (0.75, 0.44))),
    "curled": (
        ((0.05, 0.1), (0, 0.3), (0.18, 0.42), (0.4, 0.75), (0.5, 1), (0.54, 0.5), (0.6, 0)),
        ((0.18, 0.4), (0.74, 0.42)),
    ),
    "small made big": (
        ((0.66, 0.8), (0.4, 1), (0.1, 0.75), (0.02, 0.35), (0.2, 0.02), (0.5, 0.2), (0.66, 0.6), (0.68, 0.85), (0.66, 0.3),
         (0.74, 0.02), (0.88, 0.1)),
    ),
    "scant bar": (((0, 0), (0.22, 0.55), (0.4, 1), (0.58, 0.5), (0.76, 0)), ((0.25, 0.3), (0.5, 0.32))),
    "tall": (((0, -0.05), (0.15, 0.3), (0.38, 1.05), (0.46, 0.6), (0.52, 0)), ((-0.05, 0.3), (0.35, 0.4), (0.7, 0.46))),
    "narrow": (((0.16, 0), (0.3, 0.6), (0.36, 1), (0.42, 0.5), (0.46, 0)), ((0, 0.38), (0.3, 0.4), (0.72, 0.42))),
    "short leg": (((0.02, 0.5), (0.1, 0.28), (0.3, 0.4), (0.46, 0.8), (0.5, 1), (0.5, 0.5), (0.56, 0)), ((0.2, 0.44), (0.76, 0.46))),
}  # fmt: skip

_FLEET: Mapping[str, Form] = {
    "three strokes": (((0.05, 1), (0.04, 0.5), (0.02, 0)), ((0.05, 0.98), (0.4, 1), (0.68, 1)), ((0.05, 0.52), (0.28, 0.53), (0.52, 0.53))),
    "seven": (((0.64, 1.02), (0.35, 0.98), (0.04, 0.98), (0.04, 0.5), (0.02, 0)), ((0.04, 0.5), (0.28, 0.52), (0.5, 0.52))),
    "hooked": (
        ((0.7, 0.98), (0.4, 1), (0.12, 0.96), (0.02, 0.85)),
        ((0.36, 0.98), (0.34, 0.5), (0.26, 0.1), (0.1, 0), (0, 0.1)),
        ((0.12, 0.5), (0.36, 0.52), (0.6, 0.54)),
    ),
    "floating": (((0, 1.04), (0.35, 1.06), (0.75, 1.04)), ((0.3, 0.9), (0.3, 0.5), (0.27, 0)), ((0.28, 0.5), (0.45, 0.52), (0.62, 0.52))),
    "long": (((0.08, 1), (0.06, 0.4), (0.04, -0.2)), ((0.02, 1), (0.4, 1.02), (0.8, 1.04)), ((0.06, 0.45), (0.3, 0.47), (0.5, 0.48))),
    "slanting": (((0.2, 1), (0.12, 0.5), (0, 0)), ((0.2, 1), (0.5, 1.04), (0.85, 1.08)), ((0.1, 0.5), (0.35, 0.54), (0.6, 0.58))),
    "crossed": (((0.02, 0.98), (0.35, 1), (0.72, 1)), ((0.3, 1), (0.28, 0.5), (0.25, 0)), ((0.06, 0.48), (0.3, 0.5), (0.56, 0.5))),
    "small": (((0.5, 0.9), (0.36, 1), (0.24, 0.85), (0.22, 0.4), (0.2, -0.1)), ((0, 0.5), (0.22, 0.52), (0.48, 0.54))),
    "one stroke": (((0.72, 1), (0.3, 1), (0.08, 0.96), (0.08, 0.5), (0.04, 0), (0.08, 0.5), (0.3, 0.52), (0.5, 0.5)),),
    "low": (((0.06, 1), (0.05, 0.5), (0.03, 0)), ((0.06, 1), (0.45, 0.98), (0.62, 0.94)), ((0.05, 0.36), (0.25, 0.38), (0.46, 0.38))),
}  # fmt: skip

FORMS: Mapping[str, Mapping[str, Form]] = {"A": _ARMY, "F": _FLEET}
"""The unit letters, and the forms of each by name."""

_SHAKE, _LOOSE = 0.025, 0.045
"""How far points stray at least, and how much farther in the loosest hand; heights of the letter."""


@dataclass(frozen=True, slots=True)
class Draught:
    """How a letter is drawn: where (left end and base line, pixels), how high and with what pen (pixels), how
    far it leans (a shear), and how loose the hand is, 0..1."""

    left: float
    base: float
    high: float
    pen: float
    lean: float
    loose: float


def draw(mask: Mask, letter: str, form: str, how: Draught, rng: np.random.Generator) -> Extent:
    """Draw a unit letter on the mask; where its ink fell. Raises KeyError for a letter or form not in
    FORMS."""
    wide = float(rng.uniform(0.75, 1.2))
    paths = [_path(stroke, how, wide, rng) for stroke in FORMS[letter][form]]
    first = min(path[:, 0].min() for path in paths)
    for path in paths:
        path[:, 0] += how.left - first
    draw_strokes(mask, [(path, max(2, round(how.pen * float(rng.uniform(0.85, 1.15))))) for path in paths])
    points = np.concatenate(paths)
    return Extent(*(float(edge) for edge in (*points.min(axis=0), *points.max(axis=0))))


def _path(
    stroke: Sequence[tuple[float, float]], how: Draught, wide: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """A stroke's course in pixels, still without its place from left to right."""
    stray = _SHAKE + _LOOSE * how.loose
    points = np.array(stroke, np.float64) + rng.normal(0, stray, (len(stroke), 2))
    if len(points) == 2:
        points = np.array([points[0], points.mean(axis=0) + rng.normal(0, 0.7 * stray, 2), points[1]])
    course = _smooth(points)
    xs = course[:, 0] * wide + how.lean * course[:, 1]
    return np.column_stack([xs * how.high, how.base - course[:, 1] * how.high])


def _smooth(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A curve through the points (Catmull and Rom's spline)."""
    held = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    t = np.linspace(0, 1, 10)[:, None]
    parts = [
        0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
        for a, b, c, d in zip(held, held[1:], held[2:], held[3:], strict=False)
    ]
    return np.vstack(parts)
