"""Outlines made lighter without tearing neighbours apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import STRtree
from shapely.geometry import mapping
from shapely.geometry.base import BaseGeometry

# Middle of the board; distances are true along the parallel and good to a few parts in a hundred elsewhere.
LON_0, LAT_0 = -4.0, 54.0
KM_NORTH = 111.2
KM_EAST = 111.32
# Corners that carry less than this area go (kilometres, as shapely squares it): takes off the steps of the cells.
TOLERANCE_KM = 1.2
# Uncovered slivers up to this size belong to a neighbour; larger holes are lakes.
SLIVER_KM2 = 1.0
DECIMALS = 3


def to_kilometres(geometry: BaseGeometry) -> BaseGeometry:
    """Degrees to kilometres east and north of the middle of the board, each parallel at its own length."""

    def project(points: NDArray[np.float64]) -> NDArray[np.float64]:
        east = (points[:, 0] - LON_0) * KM_EAST * np.cos(np.radians(points[:, 1]))
        return np.column_stack([east, (points[:, 1] - LAT_0) * KM_NORTH])

    return shapely.make_valid(shapely.transform(geometry, project))


def to_degrees(geometry: BaseGeometry) -> BaseGeometry:
    """Inverse of `to_kilometres`."""

    def unproject(points: NDArray[np.float64]) -> NDArray[np.float64]:
        north = points[:, 1] / KM_NORTH + LAT_0
        return np.column_stack([points[:, 0] / (KM_EAST * np.cos(np.radians(north))) + LON_0, north])

    return shapely.transform(geometry, unproject)


def simplified(
    outlines: Mapping[str, BaseGeometry], labels: Mapping[str, tuple[float, float]]
) -> Sequence[Mapping[str, Any]]:
    """One GeoJSON feature a province with `id` and `label` [longitude, latitude], common borders kept common."""
    names = list(outlines)
    whole = _coverage([outlines[name] for name in names])
    lighter = shapely.coverage_simplify(whole, TOLERANCE_KM)
    return [
        {
            "type": "Feature",
            "properties": {"id": name, "label": [round(x, DECIMALS) for x in labels[name]]},
            "geometry": _rounded(mapping(to_degrees(outline))),
        }
        for name, outline in zip(names, lighter, strict=True)
    ]


def _coverage(outlines: Sequence[BaseGeometry]) -> list[BaseGeometry]:
    """The same areas with every corner shared by all who meet there: all lines are laid over each other, and each
    face of the net goes to the smallest area that covers it."""
    net = shapely.unary_union([outline.boundary for outline in outlines])
    faces = shapely.get_parts(shapely.polygonize([net]))
    tree = STRtree(list(outlines))
    parts: list[list[BaseGeometry]] = [[] for _ in outlines]
    for face in faces:
        inside = tree.query(face.representative_point(), predicate="intersects")
        if len(inside):
            owner = min(inside, key=lambda at: outlines[at].area)
        elif face.area <= SLIVER_KM2:
            owner = max(tree.query(face), key=lambda at: face.boundary.intersection(outlines[at]).length)
        else:
            continue
        parts[int(owner)].append(face)
    return [shapely.unary_union(faces) for faces in parts]


def _rounded(geometry: Mapping[str, Any]) -> dict[str, Any]:
    def walk(value: Any) -> Any:
        if isinstance(value, float):
            return round(value, DECIMALS) if math.isfinite(value) else value
        return [walk(item) for item in value]

    return {"type": geometry["type"], "coordinates": walk(geometry["coordinates"])}
