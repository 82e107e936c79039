"""The drawn shapes of a board as plain coordinates, read only when a person draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from adjudicator.geo import Board
from maps.faults import Faults, MapError
from maps.files import board_text, json_value

FILE = "partition.geojson"

Point = tuple[float, float]
Ring = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """One province as drawn. Points are (longitude, latitude) in degrees, WGS84. `label` is a point in its
    middle; each of `polygons` is an outer ring followed by its holes, rings closed. `name_at` is where its
    name and its mark stand if not in its widest part, or None.

    `also_near` is None on a true map. On a sketch, made of a board's tables, it has the provinces that this
    one is adjacent to without touching them.
    """

    province: str
    label: Point
    polygons: tuple[tuple[Ring, ...], ...]
    name_at: Point | None = None
    also_near: tuple[str, ...] | None = None


def shapes(path: Path) -> Mapping[str, Shape]:
    """Province id to its shape, for a board's folder. Empty for a board that has no drawn shapes; a file that
    does not fit its board raises MapError."""
    return _shapes(path)


# Every letter and page that draws needs it; w3k has 287 shapes.
@cache
def _shapes(path: Path) -> Mapping[str, Shape]:
    if not (path / FILE).exists():
        return {}
    faults = Faults()
    by_province = _read(path, faults)
    if faults.all():
        raise MapError(path.name, faults.all())
    return by_province


def check_shapes(path: Path, board: Board, faults: Faults) -> None:
    """A board is drawn whole or not at all: with a file of shapes, each province has one and no shape is left
    over."""
    if not (path / FILE).exists():
        return
    before = faults.all()
    shapes_by_province = _read(path, faults)
    # The file could not be read at all: that one fault states enough.
    if not shapes_by_province and faults.all() != before:
        return
    for missing in board.provinces.keys() - shapes_by_province.keys():
        faults.add(FILE, 0, f"{missing} has no shape")
    for extra in shapes_by_province.keys() - board.provinces.keys():
        faults.add(FILE, 0, f"there is a shape for {extra!r}, which is not a province of this board")


def _read(path: Path, faults: Faults) -> dict[str, Shape]:
    try:
        data = json_value(board_text(path / FILE))
        features = data["features"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        faults.add(FILE, 0, f"the file is not a GeoJSON collection: {error}")
        return {}
    by_province: dict[str, Shape] = {}
    for number, feature in enumerate(features, start=1):
        try:
            shape = _shape(feature)
        except (KeyError, TypeError, ValueError) as error:
            faults.add(FILE, 0, f"shape {number} cannot be read: {type(error).__name__} {error}")
            continue
        if shape.province in by_province:
            faults.add(FILE, 0, f"{shape.province} has two shapes")
        by_province[shape.province] = shape
    return by_province


def _shape(feature: Any) -> Shape:
    geometry = feature["geometry"]
    match geometry["type"]:
        case "Polygon":
            polygons = [geometry["coordinates"]]
        case "MultiPolygon":
            polygons = geometry["coordinates"]
        case other:
            raise ValueError(f"{other} is neither Polygon nor MultiPolygon")
    east, north = feature["properties"]["label"]
    return Shape(
        province=str(feature["properties"]["id"]),
        label=(float(east), float(north)),
        polygons=tuple(tuple(_ring(ring) for ring in polygon) for polygon in polygons),
        name_at=_point(feature["properties"].get("name_at")),
        also_near=_ids(feature["properties"].get("also_near")),
    )


def _point(point: Any) -> Point | None:
    return None if point is None else (float(point[0]), float(point[1]))


def _ids(ids: Any) -> tuple[str, ...] | None:
    return None if ids is None else tuple(str(each) for each in ids)


def _ring(points: Any) -> Ring:
    ring = tuple((float(point[0]), float(point[1])) for point in points)
    # RFC 7946, 3.1.6: a linear ring is closed and has four or more positions.
    if len(ring) < 4 or ring[0] != ring[-1]:
        raise ValueError("a ring needs four points, the last being the first")
    return ring

