"""A board's drawn shapes laid on paper: projection, window, and where the marks of centres go."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from maps.geometry import Shape
from maps.variant import Variant
from service.pictures.drawing.projection import Projection, projection_for
from service.pictures.drawing.values import KINGDOM, OFF_BOARD, GroundKind, LabelPlace, PaperSize, Rect

# Set by hand.
SEAL_MM = 1.75
TOWN_MM = 1.55
"""Smallest radius of a town's disc, so that its letter can be read; and of the mark in a county."""

ROUND = 0.9
BOX_ROOM = 12.0
"""Kilometres of empty ground around a box next to the board."""
TOWN_KM2 = 420.0


def valid_polygons(geometry: BaseGeometry) -> BaseGeometry:
    """The valid polygons of a shape, its stray lines and points left out."""
    parts = [
        p for p in shapely.get_parts(shapely.make_valid(geometry)) if isinstance(p, Polygon | MultiPolygon)
    ]
    return shapely.union_all(parts) if len(parts) != 1 else parts[0]


STRIP = 0.33
"""The width of the strip next to a sketch, in widths of the sketch: for title and legend."""


@dataclass(frozen=True, slots=True)
class MapPaper:
    """Every region on its paper. `scale` is kilometres a millimetre; `land` all land of the board; `far` land
    that is not a region; `west`, `north` the kilometres at the neat line's top left corner. `is_sketch`: the
    shapes come from the board's tables, so places and distances mean nothing."""

    places: Mapping[str, LabelPlace]
    paper: PaperSize
    scale: float
    west: float
    north: float
    land: BaseGeometry
    far: BaseGeometry
    inside: Rect
    projection: Projection
    is_sketch: bool = False


def lay_out_map(variant: Variant, shapes: Mapping[str, Shape], paper: PaperSize) -> MapPaper:
    """Put a board on paper. The paper is turned where the board is wider than high."""
    lons = [lon for shape in shapes.values() for rings in shape.polygons for lon, _ in rings[0]]
    projection = projection_for(min(lons), max(lons))
    kilometres = {
        name: valid_polygons(shapely.transform(_polygons(shape), projection.forward)) for name,
        shape in shapes.items()
    }
    seas = {name for name in kilometres if variant.board.provinces[name].is_sea}
    beside = {name for name in kilometres if OFF_BOARD in variant.board.provinces[name].marks}
    outer = _bounds(kilometres, beside)
    is_sketch = any(shape.also_near is not None for shape in shapes.values())
    if is_sketch:
        # Nothing lies beyond a sketch, so its legend gets its own strip.
        outer = (outer[0], outer[1], outer[2] + STRIP * (outer[2] - outer[0]), outer[3])
    left, bottom, right, top = (
        outer if is_sketch else _window(kilometres, seas, outer, variant.strip))
    # Paper is upright as defined; a wide board turns it.
    if (right - left) > (top - bottom):
        paper = replace(paper, width=paper.height, height=paper.width)
    inside = paper.inside
    scale = max((right - left) / inside.width, (top - bottom) / inside.height)
    # The neat line never reaches beyond what the data covers, but where only land goes on.
    left, right = _widen_span(
        left, right, scale * inside.width, outer[0], math.inf if variant.open_east else outer[2]
    )
    bottom, top = _widen_span(bottom, top, scale * inside.height, outer[1], outer[3])
    width, height = (right - left) / scale, (top - bottom) / scale
    aside, above = (inside.width - width) / 2, (inside.height - height) / 2
    inside = Rect(inside.x0 + aside, inside.y0 + above, inside.x1 - aside, inside.y1 - above)
    west, north = left, top
    frame = shapely.box(inside.x0, inside.y0, inside.x1, inside.y1)
    capitals = {name for pair in (variant.capitals or {}).values() for name in pair}
    capitals |= {province.id for province in variant.board.provinces.values() if KINGDOM in province.marks}
    places: dict[str, LabelPlace] = {}
    for name, shape in kilometres.items():
        on_paper = _to_paper(shape, west, north, scale, inside)
        round_one = name not in seas and _is_town(shape)
        cut = valid_polygons(shapely.intersection(on_paper, frame))
        places[name] = _label_place(
            variant, name, cut, sea=name in seas, town=round_one, capital=name in capitals
        )
        label_point = shapes[name].name_at
        if label_point is not None:
            kilometre = shapely.transform(shapely.Point(label_point), projection.forward)
            places[name] = _at_home(places[name], _to_paper(kilometre, west, north, scale, inside))
    water = {GroundKind.SEA, GroundKind.AREA}
    land = shapely.union_all([p.shape for p in places.values() if p.ground not in water], grid_size=0.001)
    board_area = shapely.union_all([p.shape for p in places.values()], grid_size=0.001)
    rest = shapely.get_parts(shapely.difference(frame, board_area))
    # Slivers along the neat line are where the data ends, not land.
    far = shapely.union_all([part for part in rest if part.area > 1.5 and not part.buffer(-1.0).is_empty])
    return MapPaper(places, paper, scale, west, north, land, far, inside, projection, is_sketch)


def _polygons(shape: Shape) -> MultiPolygon:
    return MultiPolygon([(rings[0], list(rings[1:])) for rings in shape.polygons])


def _to_paper(shape: BaseGeometry, west: float, north: float, scale: float, inside: Rect) -> BaseGeometry:
    return shapely.transform(
        shape,
        lambda points: np.column_stack([
            inside.x0 + (points[:, 0] - west) / scale,
            inside.y0 + (north - points[:, 1]) / scale,
        ]),
    )


def _bounds(
    shapes: Mapping[str, BaseGeometry], beside: Collection[str]
) -> tuple[float, float, float, float]:
    """What the shapes cover, with room around the boxes `beside` the board: the data ends there and no land
    does, and a box at the edge of all data lost its frame to the map's."""
    edges = np.array([shape.buffer(BOX_ROOM).bounds if name in beside else shape.bounds
                      for name, shape in shapes.items()])
    left, bottom = edges[:, :2].min(axis=0)
    right, top = edges[:, 2:].max(axis=0)
    return float(left), float(bottom), float(right), float(top)


def _widen_span(low: float, height: float, room: float, least: float, most: float) -> tuple[float, float]:
    """A span grown evenly to fill `room`, within the bounds."""
    room = min(room, most - least)
    low = min(max((low + height - room) / 2, least), most - room)
    return low, low + room


def _window(
    shapes: Mapping[str, BaseGeometry], seas: Iterable[str], outer: tuple[float, float, float, float],
    least: float
) -> tuple[float, float, float, float]:
    """The smallest rectangle of kilometres that shows land whole, and at least a strip, `least` kilometres
    wide, of every sea and of land that the data itself cut off."""
    bounds = {name: shape.bounds for name, shape in shapes.items()}
    water = set(seas)
    cut = {
        name for name, box in bounds.items()
        if name in water or any(abs(box[side] - outer[side]) < 1.0 for side in range(4))
    }
    window = []
    for side in range(4):
        sign = -1 if side < 2 else 1
        extents = [sign * bounds[name][side] + 10.0 for name in bounds if name not in cut]
        strip = [sign * bounds[name][(side + 2) % 4] + least for name in cut]
        window.append(sign * min(max(extents + strip), sign * outer[side]))
    return window[0], window[1], window[2], window[3]


def _is_town(shape: BaseGeometry) -> bool:
    # Isoperimetric quotient: 1 for a circle, 0.785 for a square.
    roundness = 4 * math.pi * shape.area / shape.length**2
    return bool(shape.area < TOWN_KM2 and roundness > ROUND)


def _label_place(
    variant: Variant, name: str, shape: BaseGeometry, *, sea: bool, town: bool, capital: bool
) -> LabelPlace:
    province = variant.board.provinces[name]
    ground = GroundKind.TOWN if town else GroundKind.LAND
    if sea:
        primary = province.role is None or province.role.value == "primary"
        ground = GroundKind.AREA if primary else GroundKind.SEA
    seal: tuple[float, float] | None = None
    radius = SEAL_MM
    if town:
        middle = shape.centroid
        seal, radius = (middle.x, middle.y), max(TOWN_MM, math.sqrt(shape.area / math.pi))
    elif province.centre:
        seal = inscribed(shape)
    return LabelPlace(
        name,
        province.name,
        province.abbr,
        ground,
        shape,
        province.area,
        province.centre,
        capital,
        seal,
        radius,
        is_box=OFF_BOARD in province.marks,
    )


def _at_home(place: LabelPlace, point: BaseGeometry) -> LabelPlace:
    """A region whose name and mark stand about a point: of land, in the part that lies nearest to it."""
    home = (float(shapely.get_x(point)), float(shapely.get_y(point)))
    if place.seal is None or place.ground is not GroundKind.LAND:
        return replace(place, home=home)
    parts = [part for part in shapely.get_parts(place.shape) if isinstance(part, Polygon)]
    seal = inscribed(min(parts, key=lambda part: float(shapely.distance(part, point))))
    return replace(place, seal=seal, home=seal)


def inscribed(shape: BaseGeometry) -> tuple[float, float]:
    """The middle of the largest circle that fits into the widest part of a shape."""
    widest = max(
        (part for part in shapely.get_parts(shape) if isinstance(part, Polygon)), key=lambda part: part.area
    )
    # The centroid of a crescent lies outside of it; this never does.
    spoke = shapely.maximum_inscribed_circle(widest, tolerance=0.3)
    if spoke is None:
        raise ValueError("a region has no area on this paper")
    x, y = shapely.get_coordinates(spoke)[0]
    return float(x), float(y)
