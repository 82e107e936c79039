"""Curves between places on paper, in millimetres."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

Point = tuple[float, float]
Line = NDArray[np.float64]
"""Points along a curve, one a row, in millimetres."""
STEPS, STEP = 25, 0.8
"""Points along a curve at least, and millimetres between two of a long one: it begins close to its plate."""


def steps_for(length: float) -> int:
    """How many points a curve of so many millimetres has."""
    return max(STEPS, round(length / STEP))


def bows(
    start: Point, ends: NDArray[np.float64], bend: NDArray[np.float64], skew: NDArray[np.float64], steps: int
) -> NDArray[np.float64]:
    """Parabolas from a point to others, one a row, each of so many points. `bend`: how far each bows to the
    right, in parts of its length; `skew`: how far beyond its middle it bows most."""
    begin = np.array(start)
    way = ends - begin
    across = np.column_stack([-way[:, 1], way[:, 0]])
    control = (begin + (0.5 + skew[:, None]) * way + 2 * bend[:, None] * across)[:, None, :]
    t = np.linspace(0.0, 1.0, steps)[None, :, None]
    return np.asarray((1 - t) ** 2 * begin + 2 * t * (1 - t) * control + t ** 2 * ends[:, None, :])


def through(points: NDArray[np.float64], steps: int) -> NDArray[np.float64]:
    """Smooth curves through points (Catmull and Rom), a curve a row, each piece of so many points."""
    ends = np.concatenate([points[:, :1], points, points[:, -1:]], axis=1)
    t = np.linspace(0.0, 1.0, steps)[None, :, None]
    pieces = []
    for number in range(points.shape[1] - 1):
        a, b, c, d = (ends[:, number + step, None, :] for step in range(4))
        pieces.append(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2
                             + (3 * b - a - 3 * c + d) * t**3))
    return np.concatenate(pieces, axis=1)


def along(line: Line, part: float) -> Point:
    """The point at a part of the length of a curve."""
    point = shapely.LineString(line).interpolate(part, normalized=True)
    return point.x, point.y
