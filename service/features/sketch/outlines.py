"""A board's tables to the shapes of a sketch, and those to a file of shapes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from shapely.geometry import LineString, Polygon, box, mapping
from shapely.geometry.base import BaseGeometry

from adjudicator.geo import Board
from service.features.sketch.mesh import HEIGHT, WIDTH, Mesh, Points, mesh_of, spread_of
from service.features.sketch.planar import Border, FlatBoard, lay_flat
from service.features.sketch.relax import relaxed
from service.pictures.drawing.projection import TransverseMercator

KILOMETRES = 600.0
"""The height of a sketch in its file, which has degrees of the British Isles; any place would do. Maps of
sketches have no scale."""
_TOUCH = 1e-7
"""The least length along which two provinces touch; the sketch is 1 high."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """The shapes of a board by province, in a rectangle of `WIDTH` by `HEIGHT` with y to the north, and the
    borders that it cannot show."""

    shapes: Mapping[str, Polygon]
    left_out: tuple[Border, ...]

    def geojson(self) -> str:
        """The sketch as a board's file of shapes. Each shape lists in `also_near` the provinces that it is
        adjacent to without touching them; the list also states that the shape is of a sketch."""
        near: dict[str, list[str]] = {province: [] for province in self.shapes}
        for first, second in self.left_out:
            near[first].append(second)
            near[second].append(first)
        features = [
            {"type": "Feature", "geometry": _degrees(shape),
             "properties": {"id": province, "label": _degrees(_middle(shape))["coordinates"],
                            "also_near": sorted(near[province])}}
            for province, shape in sorted(self.shapes.items())
        ]
        return json.dumps({"type": "FeatureCollection", "features": features}, indent=None) + "\n"


def sketch_board(
    board: Board, north: str = "", west: str = "", progress: Callable[[int], object] = lambda _step: None
) -> Sketch:
    """A sketch of a board. `north` and `west` are provinces that shall lie up and left, as far as turning the
    sheet over can do it. The same board gives the same sketch. Raises Scattered."""
    flat = lay_flat(board.provinces, borders_of(board))
    outer = max(range(len(flat.faces)), key=lambda face: (spread_of(flat, face), -face))
    shapes = _smooth(_cells(relaxed(mesh_of(flat, outer), progress)), flat)
    return Sketch(_turned(shapes, north, west), flat.left_out)


def borders_of(board: Board) -> list[Border]:
    """Every pair of provinces between which some unit may move: first those of two lands, last those of two
    seas. Of borders that cross, the first are drawn."""
    pairs = {
        (min(region.province, other.province), max(region.province, other.province))
        for regions in board.links.values() for region, near in regions.items() for other in near
        if other.province != region.province
    }
    return sorted(pairs, key=lambda pair: (sum(board.provinces[each].is_sea for each in pair), pair))


def touching(shapes: Mapping[str, Polygon]) -> set[Border]:
    """The pairs of shapes that touch along a line."""
    tree, provinces = shapely.STRtree(list(shapes.values())), list(shapes)
    pairs = {(min(a, b), max(a, b)) for a, b in tree.query(list(shapes.values()), "intersects").T if a != b}
    return {
        (min(first, second), max(first, second)) for a, b in pairs
        for first, second in [(provinces[a], provinces[b])]
        if shapes[first].intersection(shapes[second]).length > _TOUCH
    }


def _cells(mesh: Mesh) -> dict[str, Polygon]:
    pieces: dict[str, list[Polygon]] = {}
    for triangle, province in zip(mesh.triangles, mesh.provinces, strict=True):
        pieces.setdefault(province, []).append(Polygon(mesh.points[triangle]))
    cells: dict[str, Any] = {name: shapely.union_all(parts) for name, parts in sorted(pieces.items())}
    return cells


def _smooth(cells: Mapping[str, Polygon], flat: FlatBoard) -> Mapping[str, Polygon]:
    """The cells with rounded lines between the points where three meet, or as they are where rounding would
    change what touches."""
    sides = box(0, 0, WIDTH, HEIGHT).boundary
    lines = shapely.line_merge(shapely.union_all([cell.boundary for cell in cells.values()]))
    rounded = [
        line if sides.distance(line.interpolate(0.5, normalized=True)) < 1e-9 and _lies_on(sides, line)
        else LineString(_cut_corners(np.array(line.coords))) for line in shapely.get_parts(lines)
    ]
    shapes: dict[str, Polygon] = {}
    faces = shapely.get_parts(shapely.polygonize(rounded))
    tree, provinces = shapely.STRtree(list(cells.values())), list(cells)
    for shape in faces:
        near = tree.query(shape, "intersects")
        most = max(near, key=lambda number: cells[provinces[number]].intersection(shape).area)
        shapes.setdefault(provinces[most], shape)
    if len(faces) == len(shapes) == len(cells) and touching(shapes) == set(flat.borders):
        return dict(sorted(shapes.items()))
    return cells


def _lies_on(sides: BaseGeometry, line: BaseGeometry) -> bool:
    return max(sides.distance(shapely.Point(point)) for point in line.coords) < 1e-9


def _cut_corners(points: Points) -> Points:
    """A line with its corners cut twice, its ends kept (G. Chaikin, An algorithm for high-speed curve
    generation, 1974)."""
    for _ in range(2):
        if len(points) < 3:
            return points
        start, end = points[:-1], points[1:]
        cut = np.stack([0.75 * start + 0.25 * end, 0.25 * start + 0.75 * end], axis=1).reshape(-1, 2)
        points = np.vstack([points[:1], cut[1:-1], points[-1:]])
    return points


def _turned(shapes: Mapping[str, Polygon], north: str, west: str) -> Mapping[str, Polygon]:
    """The shapes turned over so that `north` lies up and `west` lies left."""
    down = north in shapes and _middle(shapes[north]).y < HEIGHT / 2
    right = west in shapes and _middle(shapes[west]).x > WIDTH / 2

    def turn(points: Points) -> Points:
        x, y = points[:, 0], points[:, 1]
        return np.column_stack([WIDTH - x if right else x, HEIGHT - y if down else y])

    return {province: shapely.transform(shape, turn) for province, shape in shapes.items()}


def _middle(shape: Polygon) -> shapely.Point:
    """The point of a shape that is farthest from its border."""
    return shapely.Point(shapely.maximum_inscribed_circle(shape, 0.002).coords[0])


def _degrees(shape: Any) -> Any:
    """A shape in degrees as the file has it, to a millionth: some 10 cm."""
    projection = TransverseMercator()

    def lay(points: Points) -> Points:
        middle = np.array([WIDTH / 2, HEIGHT / 2])
        return np.round(projection.inverse((points - middle) * KILOMETRES / HEIGHT), 6)

    return mapping(shapely.transform(shape, lay))
