"""A flat board as a mesh of triangles in a rectangle, each triangle of one province.

Every province has a node. Around each face of more than three corners each corner gets its own node, so
that provinces which share a face and no border meet in a point alone. The outer face ends at the rectangle's
sides. Then each triangle is cut from its corners to its middle: what lies nearest to a node is of its
province. So two provinces touch along a line exactly where the board has a border.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from service.features.sketch.planar import FlatBoard

Points = NDArray[np.float64]
Triangles = NDArray[np.int64]

WIDTH, HEIGHT = 1.1, 1.0
"""The rectangle's sides: a landscape sheet less its margins and a strip for the legend."""
_START = 0.4937
"""Where on its share of the rectangle's sides a corner of the outer face lies. None falls on a corner of
the rectangle: the number has no small multiple that does."""


@dataclass(frozen=True, slots=True)
class Mesh:
    """Points (rows of x, y), triangles (rows of three points, all turning the same way), the province of each
    triangle, and for each point whether its x and its y may change."""

    points: Points
    triangles: Triangles
    provinces: tuple[str, ...]
    free: NDArray[np.bool_]


@dataclass(slots=True)
class _Draft:
    """A mesh before it is cut. `owners` has the province of each node, "" for the middle of a face."""

    owners: list[str]
    triangles: list[tuple[int, int, int]] = field(default_factory=list)
    frame: dict[int, tuple[float, float]] = field(default_factory=dict)

    def node(self, owner: str) -> int:
        self.owners.append(owner)
        return len(self.owners) - 1


def mesh_of(board: FlatBoard, outer: int) -> Mesh:
    """The mesh of a board whose face number `outer` lies outside, every triangle with some area."""
    draft = _draft(board, outer)
    return _cut(draft, _spread(draft))


def spread_of(board: FlatBoard, outer: int) -> float:
    """How evenly a board spreads with this face outside: the mean logarithm of its triangles' areas before
    anything is evened out. More is better."""
    draft = _draft(board, outer)
    areas = np.abs(signed_areas(_spread(draft), np.array(draft.triangles)))
    return float(np.log(np.maximum(areas, 1e-12)).mean())


def signed_areas(points: Points, triangles: Triangles) -> NDArray[np.float64]:
    """The area of each triangle, below 0 where its corners turn the other way."""
    first, second, third = (points[triangles[:, corner]] for corner in range(3))
    along, across = second - first, third - first
    areas: NDArray[np.float64] = 0.5 * (along[:, 0] * across[:, 1] - across[:, 0] * along[:, 1])
    return areas


def _draft(board: FlatBoard, outer: int) -> _Draft:
    draft = _Draft(list(board.provinces))
    number = {province: node for node, province in enumerate(board.provinces)}
    for index, face in enumerate(board.faces):
        walk = [number[province] for province in face]
        if index != outer and len(walk) == 3 and len(set(walk)) == 3:
            draft.triangles.append((walk[0], walk[1], walk[2]))
            continue
        ring = [draft.node(draft.owners[node]) for node in walk]
        for place, (node, corner) in enumerate(zip(walk, ring, strict=True)):
            following = (place + 1) % len(walk)
            draft.triangles += [(node, walk[following], corner),
                                (walk[following], ring[following], corner)]
        if index == outer:
            _frame(draft, ring)
        else:
            middle = draft.node("")
            draft.triangles += [(corner, ring[(place + 1) % len(ring)], middle)
                                for place, corner in enumerate(ring)]
    return draft


def _frame(draft: _Draft, ring: Sequence[int]) -> None:
    """Lead the outer face out to the rectangle: a node on its sides for each corner of the face, and one at
    each corner of the rectangle."""
    around = 2 * (WIDTH + HEIGHT)
    share = around / len(ring)
    stations = [(share * (corner + _START), corner) for corner in range(len(ring))]
    stations += [(bend, -1) for bend in (0.0, WIDTH, WIDTH + HEIGHT, 2 * WIDTH + HEIGHT)]
    latest, nodes = len(ring) - 1, []
    for way, corner in sorted(stations):
        latest = latest if corner < 0 else corner
        node = draft.node(draft.owners[ring[latest]])
        draft.frame[node] = _on_the_sides(way)
        nodes.append((node, latest))
    for place, (node, corner) in enumerate(nodes):
        after, next_corner = nodes[(place + 1) % len(nodes)]
        draft.triangles.append((ring[corner], node, after))
        if corner != next_corner:
            draft.triangles.append((ring[corner], after, ring[next_corner]))


def _on_the_sides(way: float) -> tuple[float, float]:
    """The point after a way around the rectangle from its corner (0, 0)."""
    if way < WIDTH:
        return way, 0.0
    if way < WIDTH + HEIGHT:
        return WIDTH, way - WIDTH
    if way < 2 * WIDTH + HEIGHT:
        return 2 * WIDTH + HEIGHT - way, HEIGHT
    return 0.0, 2 * (WIDTH + HEIGHT) - way


def _spread(draft: _Draft) -> Points:
    """The nodes so that each inner one is the middle of its neighbours: no two edges cross (W. T. Tutte, How
    to draw a graph, 1963)."""
    neighbours: list[set[int]] = [set() for _ in draft.owners]
    for triangle in draft.triangles:
        for node in triangle:
            neighbours[node].update(other for other in triangle if other != node)
    inner = [node for node in range(len(draft.owners)) if node not in draft.frame]
    row = {node: index for index, node in enumerate(inner)}
    middles, fixed = np.zeros((len(inner), len(inner))), np.zeros((len(inner), 2))
    for node, index in row.items():
        middles[index, index] = len(neighbours[node])
        for other in neighbours[node]:
            if other in row:
                middles[index, row[other]] -= 1
            else:
                fixed[index] += draft.frame[other]
    points = np.zeros((len(draft.owners), 2))
    points[inner] = np.linalg.solve(middles, fixed)
    for node, place in draft.frame.items():
        points[node] = place
    return points


def _cut(draft: _Draft, spread: Points) -> Mesh:
    """Each triangle cut into pieces of one province: from its middle to its corners and to the middles of its
    sides; at the middle of a face into halves."""
    points = [(float(x), float(y)) for x, y in spread]
    halves: dict[tuple[int, int], int] = {}

    def half(start: int, end: int) -> int:
        side = (min(start, end), max(start, end))
        if side not in halves:
            (x0, y0), (x1, y1) = points[side[0]], points[side[1]]
            points.append(((x0 + x1) / 2, (y0 + y1) / 2))
            halves[side] = len(points) - 1
        return halves[side]

    pieces: list[tuple[int, int, int]] = []
    provinces: list[str] = []
    for triangle in draft.triangles:
        turned = [triangle[place:] + triangle[:place] for place in range(3)]
        at_a_middle = [nodes for nodes in turned if not draft.owners[nodes[2]]]
        if at_a_middle:
            start, end, hub = at_a_middle[0]
            sides = [(start, end)]
        else:
            hub = len(points)
            points.append((sum(points[node][0] for node in triangle) / 3,
                           sum(points[node][1] for node in triangle) / 3))
            sides = [(nodes[0], nodes[1]) for nodes in turned]
        for start, end in sides:
            between = half(start, end)
            pieces += [(start, between, hub), (between, end, hub)]
            provinces += [draft.owners[start], draft.owners[end]]
    placed, triangles = np.array(points), np.array(pieces)
    mirrored = signed_areas(placed, triangles) < 0
    triangles[mirrored] = triangles[mirrored][:, [0, 2, 1]]
    return Mesh(placed, triangles, tuple(provinces), _free(placed, triangles))


def _free(points: Points, triangles: Triangles) -> NDArray[np.bool_]:
    """Inner points may go anywhere, those on a side of the rectangle along it, its corners nowhere."""
    sides = np.sort(np.concatenate([triangles[:, corners] for corners in ([0, 1], [1, 2], [2, 0])]), axis=1)
    lines, times = np.unique(sides, axis=0, return_counts=True)
    free = np.ones(points.shape, dtype=bool)
    for start, end in lines[times == 1]:
        along = np.isclose(points[start], points[end])
        for point in (start, end):
            free[point] &= ~along
    return free
