"""Outlines made lighter without tearing neighbours apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import STRtree
from shapely.geometry import mapping
from shapely.geometry.base import BaseGeometry

# Middle of the British board.
MIDDLE = (-4.0, 54.0)
EARTH_KM = 6371.0
# Corners that carry less than this area go (kilometres, as shapely squares it): takes off the steps of the
# cells.
TOLERANCE_KM = 1.2
# Uncovered slivers up to this size belong to a neighbour; larger holes are lakes.
SLIVER_KM2 = 1.0
# Straight in the plane is bent in degrees: longer lines get points on the way, so that neighbours keep
# together.
LONGEST_KM = 60.0
DECIMALS = 3


def to_plane(geometry: BaseGeometry, middle: tuple[float, float] = MIDDLE) -> BaseGeometry:
    """Degrees to kilometres east and north of `middle` (longitude, latitude), areas kept true (Lambert's
    azimuthal projection of a sphere)."""
    lon_0, lat_0 = np.radians(middle)

    def project(points: NDArray[np.float64]) -> NDArray[np.float64]:
        east, north = np.radians(points[:, 0]) - lon_0, np.radians(points[:, 1])
        across = np.sin(lat_0) * np.sin(north) + np.cos(lat_0) * np.cos(north) * np.cos(east)
        scale = EARTH_KM * np.sqrt(2 / (1 + across))
        up = np.cos(lat_0) * np.sin(north) - np.sin(lat_0) * np.cos(north) * np.cos(east)
        return np.column_stack([scale * np.cos(north) * np.sin(east), scale * up])

    return shapely.make_valid(shapely.transform(geometry, project))


def to_degrees(geometry: BaseGeometry, middle: tuple[float, float] = MIDDLE) -> BaseGeometry:
    """Inverse of `to_plane`."""
    lon_0, lat_0 = np.radians(middle)

    def unproject(points: NDArray[np.float64]) -> NDArray[np.float64]:
        away = np.maximum(np.hypot(points[:, 0], points[:, 1]), 1e-9)
        angle = 2 * np.arcsin(away / (2 * EARTH_KM))
        north = np.arcsin(np.cos(angle) * np.sin(lat_0) + points[:, 1] * np.sin(angle) * np.cos(lat_0) / away)
        down = away * np.cos(lat_0) * np.cos(angle) - points[:, 1] * np.sin(lat_0) * np.sin(angle)
        east = lon_0 + np.arctan2(points[:, 0] * np.sin(angle), down)
        return np.column_stack([np.degrees(east), np.degrees(north)])

    return shapely.transform(geometry, unproject)


def simplified(
    outlines: Mapping[str, BaseGeometry],
    labels: Mapping[str, tuple[float, float]],
    middle: tuple[float, float] = MIDDLE,
    tolerance_km: float = TOLERANCE_KM,
) -> Sequence[Mapping[str, Any]]:
    """One GeoJSON feature a province with `id` and `label` [longitude, latitude], common borders kept
    common."""
    names = list(outlines)
    coverage = _coverage([outlines[name] for name in names])
    lighter = shapely.segmentize(shapely.coverage_simplify(coverage, tolerance_km), LONGEST_KM)
    return [
        {
            "type": "Feature",
            "properties": {"id": name, "label": [round(x, DECIMALS) for x in labels[name]]},
            "geometry": _rounded(mapping(to_degrees(outline, middle))),
        }
        for name, outline in zip(names, lighter, strict=True)
    ]


def _coverage(outlines: Sequence[BaseGeometry]) -> list[BaseGeometry]:
    """The same areas with every corner shared by all who meet there: all lines are laid over each other, and
    each face of the net goes to the smallest area that covers it."""
    net = shapely.unary_union([outline.boundary for outline in outlines])
    faces = shapely.get_parts(shapely.polygonize([net]))
    tree = STRtree(list(outlines))
    parts: list[list[BaseGeometry]] = [[] for _ in outlines]
    for face in faces:
        inside = tree.query(face.representative_point(), predicate="intersects")
        if len(inside):
            owner = min(inside, key=lambda index: outlines[index].area)
        elif face.area <= SLIVER_KM2:
            owner = max(tree.query(face),
                key=lambda index: face.boundary.intersection(outlines[index]).length)
        else:
            continue
        parts[int(owner)].append(face)
    return [shapely.unary_union(faces) for faces in parts]


def _rounded(geometry: Mapping[str, Any]) -> dict[str, Any]:
    """The geometry to so many decimals, without the rings that are a line or a point then."""
    if geometry["type"] == "Polygon":
        return {"type": "Polygon", "coordinates": _open_rings(geometry["coordinates"])}
    polygons = [_open_rings(polygon) for polygon in geometry["coordinates"]]
    return {"type": "MultiPolygon", "coordinates": [polygon for polygon in polygons if polygon]}


def _open_rings(polygon: Iterable[Iterable[Iterable[float]]]) -> list[list[list[float]]]:
    """The outer ring and its holes that still have an area; nothing where the outer one has none."""
    outer, *holes = [[[round(x, DECIMALS) for x in point] for point in points] for points in polygon]
    return [outer, *filter(_is_open, holes)] if _is_open(outer) else []


def _is_open(points: Iterable[Iterable[float]]) -> bool:
    return len({tuple(point) for point in points}) > 2
