"""Patterns as drawn strokes cut to a shape: the same in every viewer, and there without colour (MAP-05)."""

from __future__ import annotations

import math
from collections.abc import Callable

import shapely
from shapely.geometry import LineString, Point
from shapely.geometry.base import BaseGeometry

Bounds = tuple[float, float, float, float]
Strokes = list[BaseGeometry]


def hatch(pattern: str, shape: BaseGeometry, gap: float) -> BaseGeometry:
    """The strokes of a pattern inside a shape; `gap` is the distance of neighbouring strokes. A pattern that
    is not known here is drawn as diagonal strokes, so that control is never shown by colour alone."""
    strokes = PATTERNS.get(pattern, _diagonal)(shape.bounds, gap)
    return shapely.intersection(
        shapely.MultiLineString([s for s in strokes if isinstance(s, LineString)]), shape
    )


def _ruled(bounds: Bounds, gap: float, degrees: float) -> Strokes:
    x0, y0, x1, y1 = bounds
    turn = math.radians(degrees)
    along, across = (math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))
    reach = math.hypot(x1 - x0, y1 - y0) / 2 + gap
    middle = ((x0 + x1) / 2, (y0 + y1) / 2)
    # Strokes of neighbouring shapes meet: they are counted from the paper's corner, not from the shape.
    base = middle[0] * across[0] + middle[1] * across[1]
    first, last = math.ceil((base - reach) / gap), math.floor((base + reach) / gap)
    strokes: Strokes = []
    for number in range(first, last + 1):
        off = number * gap - base
        x, y = middle[0] + off * across[0], middle[1] + off * across[1]
        strokes.append(LineString([
            (x - reach * along[0], y - reach * along[1]), (x + reach * along[0], y + reach * along[1])
        ]))
    return strokes


def _diagonal(bounds: Bounds, gap: float) -> Strokes:
    return _ruled(bounds, gap, -45)


def _lattice(bounds: Bounds, gap: float) -> list[tuple[float, float]]:
    x0, y0, x1, y1 = bounds
    points = []
    for row in range(math.floor(y0 / gap), math.ceil(y1 / gap) + 1):
        # Every other row is shifted by half, as printers set dots.
        shift = gap / 2 if row % 2 else 0.0
        points += [
            (column * gap + shift, row * gap)
            for column in range(math.floor(x0 / gap) - 1, math.ceil(x1 / gap) + 1)
        ]
    return points


def _rings(bounds: Bounds, gap: float, radius: float) -> Strokes:
    return [
        LineString(Point(p).buffer(radius * gap, quad_segs=3).exterior) for p in _lattice(bounds, gap * 1.25)
    ]


def _zigzag(bounds: Bounds, gap: float, steps: int, rise: Callable[[float], float]) -> Strokes:
    x0, y0, x1, y1 = bounds
    strokes: Strokes = []
    for row in range(math.floor(y0 / gap) - 1, math.ceil(y1 / gap) + 2):
        first, last = math.floor(x0 / gap * steps) - 1, math.ceil(x1 / gap * steps) + 1
        strokes.append(LineString([
            (step * gap / steps, row * gap + gap * rise(step / steps)) for step in range(first, last + 1)
        ]))
    return strokes


def _waves(bounds: Bounds, gap: float) -> Strokes:
    return _zigzag(bounds, gap, 6, lambda turn: 0.28 * math.sin(math.pi * turn))


def _chevron(bounds: Bounds, gap: float) -> Strokes:
    # Steep and close, so that no one takes it for waves.
    return _zigzag(bounds, gap * 1.15, 2, lambda turn: 1.3 * abs(turn % 1 - 0.5))


PATTERNS: dict[str, Callable[[Bounds, float], Strokes]] = {
    "diagonal": _diagonal,
    "back-diagonal": lambda bounds, gap: _ruled(bounds, gap, 45),
    "horizontal": lambda bounds, gap: _ruled(bounds, gap, 0),
    "vertical": lambda bounds, gap: _ruled(bounds, gap, 90),
    "grid": lambda bounds, gap: _ruled(bounds, gap, 0) + _ruled(bounds, gap, 90),
    "cross": lambda bounds, gap: _ruled(bounds, gap * 1.2, 45) + _ruled(bounds, gap * 1.2, -45),
    "dots": lambda bounds, gap: _rings(bounds, gap, 0.16),
    "rings": lambda bounds, gap: _rings(bounds, gap, 0.36),
    "waves": _waves,
    "chevron": _chevron,
}
"""Every pattern a `variant.toml` may name, by its name."""
