"""The letters A and F that represent a unit, as people draw them: strokes of our own, of many forms.

A font has one A and one F, and they always differ. On paper an A may be open at the top like a 4, lean on
one leg, or be a small letter made big, and an F may be a 7 with a bar: these two letters are all that tells
an army from a fleet where a sender shortens. Points are x to the right and y up, in heights of the letter;
each stroke is drawn smoothly through its own.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from training.handwriting.ink import Extent, Mask, draw_strokes

Form: TypeAlias = Sequence[Sequence[tuple[float, float]]]
"""Strokes of points."""


def _read_forms() -> Mapping[str, Mapping[str, Form]]:
    """`unit_letters.csv`: a row for each stroke, its points "x,y" with a space between."""
    forms: dict[str, dict[str, list[list[tuple[float, float]]]]] = {}
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            points = [tuple(map(float, point.split(","))) for point in row["stroke"].split()]
            strokes = forms.setdefault(row["letter"], {}).setdefault(row["form"], [])
            strokes.append([(x, y) for x, y in points])
    return forms


# The unit letters, and the forms of each by name.
FORMS: Mapping[str, Mapping[str, Form]] = _read_forms()

# How far points stray at least, and how much farther in the loosest hand; heights of the letter.
_SHAKE, _LOOSE = 0.025, 0.045


@dataclass(frozen=True, slots=True)
class Draught:
    """How a letter is drawn: where (left end and base line, pixels), its height and its pen (pixels), how
    far it leans (a shear), and how loose the hand is, 0..1."""

    left: float
    base: float
    height: float
    pen: float
    lean: float
    loose: float


def draw(mask: Mask, letter: str, form: str, draught: Draught, rng: np.random.Generator) -> Extent:
    """Draw a unit letter on the mask; where its ink fell. Raises KeyError for a letter or form not in
    FORMS."""
    stretch = float(rng.uniform(0.75, 1.2))
    paths = [_path(stroke, draught, stretch, rng) for stroke in FORMS[letter][form]]
    first = min(path[:, 0].min() for path in paths)
    for path in paths:
        path[:, 0] += draught.left - first
    draw_strokes(
        mask, [(path, max(2, round(draught.pen * float(rng.uniform(0.85, 1.15))))) for path in paths])
    points = np.concatenate(paths)
    return Extent(*(float(edge) for edge in (*points.min(axis=0), *points.max(axis=0))))


def strokes(
    letter: str, form: str, height: float, loose: float, rng: np.random.Generator
) -> tuple[npt.NDArray[np.float64], ...]:
    """A unit letter's strokes as a pen leaves them: N x 2, y down, base line and left end at 0; in the unit
    of `height`. Raises KeyError for a letter or form not in FORMS."""
    draught = Draught(left=0.0, base=0.0, height=height, pen=1.0, lean=0.0, loose=loose)
    stretch = float(rng.uniform(0.75, 1.2))
    paths = [_path(stroke, draught, stretch, rng) for stroke in FORMS[letter][form]]
    first = min(path[:, 0].min() for path in paths)
    return tuple(path - np.array([first, 0.0]) for path in paths)


def _path(
    stroke: Sequence[tuple[float, float]], draught: Draught, stretch: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """A stroke's course in pixels, still without its place from left to right."""
    stray = _SHAKE + _LOOSE * draught.loose
    points = np.array(stroke, np.float64) + rng.normal(0, stray, (len(stroke), 2))
    # A straight stroke gets a middle point, since no one draws one quite straight.
    if len(points) == 2:
        points = np.array([points[0], points.mean(axis=0) + rng.normal(0, 0.7 * stray, 2), points[1]])
    course = _smooth(points)
    xs = course[:, 0] * stretch + draught.lean * course[:, 1]
    return np.column_stack([xs * draught.height, draught.base - course[:, 1] * draught.height])


def _smooth(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A curve through the points (Catmull and Rom's spline)."""
    # The spline needs a point before the first and after the last: each end is mirrored.
    extended = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    t = np.linspace(0, 1, 10)[:, None]
    parts = [
        0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
        for a, b, c, d in zip(extended, extended[1:], extended[2:], extended[3:], strict=False)
    ]
    return np.vstack(parts)
