"""Curves between places on paper, in millimetres."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import shapely
import shapely.ops
from numpy.typing import NDArray

from service.pictures.drawing.values import Rect

Point = tuple[float, float]
Line = NDArray[np.float64]
"""Points along a curve, one a row, in millimetres."""
STEPS, STEP = 25, 0.8
"""Points along a curve at least, and millimetres between two of a long one: it begins close to its plate."""


def bow(start: Point, end: Point, bend: float) -> Line:
    """A parabola from one point to another; `bend`: how far it bows to the right, in parts of its length."""
    (x0, y0), (x1, y1) = start, end
    control = np.array([(x0 + x1) / 2 - 2 * bend * (y1 - y0), (y0 + y1) / 2 + 2 * bend * (x1 - x0)])
    t = np.linspace(0.0, 1.0, max(STEPS, round(math.dist(start, end) / STEP)))[:, None]
    return np.asarray((1 - t) ** 2 * np.array(start) + 2 * t * (1 - t) * control + t ** 2 * np.array(end))


def through(points: Sequence[Point]) -> Line:
    """A smooth curve through points (Catmull and Rom)."""
    ends = np.array([points[0], *points, points[-1]])
    longest = max(math.dist(a, b) for a, b in pairwise(points))
    t = np.linspace(0.0, 1.0, max(STEPS, round(longest / STEP)))[:, None]
    pieces = []
    for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        pieces.append(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2
                             + (3 * b - a - 3 * c + d) * t**3))
    return np.vstack(pieces)


def cut(line: Line, start: Rect, end: Rect | None) -> Line | None:
    """The part of a curve outside its plates; None if nothing is left to be seen."""
    outside = ~inside(line, start)
    if end is not None:
        outside &= ~inside(line, end)
    points = line[outside]
    if len(points) < 3 or float(np.hypot(*(points[-1] - points[0]))) < 1.2:
        return None
    return np.asarray(points)


def inside(line: Line, box: Rect) -> NDArray[np.bool_]:
    """Which points of a curve are inside a box."""
    return np.asarray((line[:, 0] > box.x0) & (line[:, 0] < box.x1)
                      & (line[:, 1] > box.y0) & (line[:, 1] < box.y1))


def along(line: Line, part: float) -> Point:
    """The point at a part of the length of a curve."""
    point = shapely.LineString(line).interpolate(part, normalized=True)
    return point.x, point.y


def shortened(line: Line, part: float) -> Line:
    """The beginning of a curve, a part of its length."""
    whole = shapely.LineString(line)
    return shapely.get_coordinates(shapely.ops.substring(whole, 0.0, part, normalized=True))
