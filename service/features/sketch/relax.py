"""Even sizes and round shapes for a mesh, without turning any triangle over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from service.features.sketch.mesh import HEIGHT, WIDTH, Mesh, Points, Triangles, signed_areas

ROUNDS = 800
"""Steps at most; boards of 50 to 180 provinces come to rest within 600."""
_REST = 1e-6
"""The sketch is at rest when a step betters it by less than this part."""
_MEMORY = 12
_STEEP = 1e-4
_EVEN = 1.0
"""The weight of even sizes next to round shapes; set by eye on five boards."""
_ROUND = 4 * 3**0.5
"""The sum of the squared sides of an equilateral triangle by its area."""

Flat = NDArray[np.float64]


def relaxed(mesh: Mesh, progress: Callable[[int], object] = lambda _step: None) -> Mesh:
    """The mesh with its points moved to where provinces have about the same area and triangles are round.

    The cost of a triangle grows without bound as its area goes to 0, so none turns over and the mesh stays
    the same map. `progress` is called with the number of each step.
    """
    shares = {province: mesh.provinces.count(province) for province in set(mesh.provinces)}
    wanted = np.array([1 / shares[province] for province in mesh.provinces])
    wanted *= WIDTH * HEIGHT / wanted.sum()
    return replace(mesh, points=_lowest(mesh, wanted, progress))


def cost(points: Points, triangles: Triangles, wanted: Flat) -> tuple[float, Points]:
    """The cost of shapes and sizes, and the slope of that at each point. Infinite where a triangle is turned
    over or has no area."""
    areas = signed_areas(points, triangles)
    slope = np.zeros_like(points)
    if areas.min() <= 0:
        return float("inf"), slope
    corners = [points[triangles[:, corner]] for corner in range(3)]
    sides = sum(((corners[corner] - corners[corner - 1]) ** 2).sum(axis=1) for corner in range(3))
    total = sides / (_ROUND * areas) + _EVEN * (wanted / areas + areas / wanted)
    by_area = -sides / (_ROUND * areas**2) + _EVEN * (1 / wanted - wanted / areas**2)
    by_sides = 1 / (_ROUND * areas)
    for corner in range(3):
        here, after, before = (corners[(corner + step) % 3] for step in range(3))
        turned = np.stack([after[:, 1] - before[:, 1], before[:, 0] - after[:, 0]], axis=1)
        part = by_sides[:, None] * 2 * (2 * here - after - before) + by_area[:, None] * 0.5 * turned
        np.add.at(slope, triangles[:, corner], part)
    return float(total.sum()), slope


def _lowest(mesh: Mesh, wanted: Flat, progress: Callable[[int], object]) -> Points:
    """The points where the cost is lowest, by limited-memory BFGS (J. Nocedal, Updating quasi-Newton matrices
    with limited storage, 1980)."""
    points = mesh.points
    value, slope = cost(points, mesh.triangles, wanted)
    slope = slope * mesh.free
    steps: list[tuple[Flat, Flat, float]] = []
    for number in range(ROUNDS):
        progress(number)
        way = _downhill(slope, steps) * mesh.free
        fall = float((way * slope).sum())
        if fall >= 0:
            steps.clear()
            way = -slope * 1e-3 / max(float(np.abs(slope).max()), 1e-30)
            fall = float((way * slope).sum())
        length = 1.0
        while length > 1e-12:
            new_value, new_slope = cost(points + length * way, mesh.triangles, wanted)
            if new_value <= value + _STEEP * length * fall:
                break
            length /= 2
        else:
            break
        new_slope = new_slope * mesh.free
        moved, turned = (length * way).ravel(), (new_slope - slope).ravel()
        if (product := float(moved @ turned)) > 1e-14:
            steps = [*steps, (moved, turned, 1 / product)][-_MEMORY:]
        points = points + length * way
        at_rest = value - new_value < _REST * value
        value, slope = new_value, new_slope
        if at_rest:
            break
    return points


def _downhill(slope: Points, steps: list[tuple[Flat, Flat, float]]) -> Points:
    if not steps:
        return -slope * 1e-3 / max(float(np.abs(slope).max()), 1e-30)
    way = slope.ravel().copy()
    shares = []
    for moved, turned, inverse in reversed(steps):
        shares.append(inverse * float(moved @ way))
        way -= shares[-1] * turned
    moved, turned, _ = steps[-1]
    way *= float(moved @ turned) / float(turned @ turned)
    for (moved, turned, inverse), share in zip(steps, reversed(shares), strict=True):
        way += moved * (share - inverse * float(turned @ way))
    return -way.reshape(slope.shape)
