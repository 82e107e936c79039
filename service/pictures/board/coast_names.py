"""The names of coasts, small and along their shore: where a fleet is in a region with two (LET-16)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from adjudicator.geo import Region
from maps.variant import Variant
from service.pictures.board.base_map import SEA_INK, SEA_TONE
from service.pictures.board.ornament import fitting_size
from service.pictures.drawing import fonts
from service.pictures.drawing.shapes import MapPaper
from service.pictures.drawing.svg import text
from service.pictures.drawing.values import Rect

SIZE, LEAST_SIZE = 2.0, 1.6
"""Millimetres of the type on A3, and the least on any paper."""
TOUCH = 0.35
"""Millimetres between a region and the sea before it, at most, along their common shore."""
SPACING = 0.6
"""Millimetres between two places that are tried along a shore."""
AWAY = (0.6, 1.4, 2.4, 3.6, 5.0, 6.5)
"""Millimetres from the shore to the nearest edge of the name, the best first."""
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (0.7, 0.7), (-0.7, 0.7), (0.7, -0.7), (-0.7, -0.7))
ROOM, WET = 0.4, 0.15
"""Millimetres between a name and all else that is drawn, and between it and land."""


def draw_coast_names(variant: Variant, sheet: MapPaper, taken: Iterable[Rect]) -> str:
    """The names as SVG, in the water off their shore and clear of everything in `taken`. A coast without
    room for its name, or without a shore on this sheet, has none: no name is better than one across
    another."""
    boxes, parts = list(taken), []
    solid = shapely.union_all([sheet.land, sheet.far])
    shapely.prepare(solid)
    for province in variant.board.provinces.values():
        for coast in province.coasts if province.id in sheet.places else ():
            shore = _shore(variant, sheet, Region(province.id, coast.id))
            box = _place(sheet, shore, coast.name, boxes, solid)
            if box is not None:
                boxes.append(box)
                parts.append(_drawn(box, coast.name, sheet))
    return "".join(parts)


def _shore(variant: Variant, sheet: MapPaper, region: Region) -> BaseGeometry:
    """The part of a region's edge that one coast has: where the seas before it touch."""
    others = {name for coast in variant.board.provinces[region.province].coasts if coast.id != region.coast
              for name in _seas(variant, Region(region.province, coast.id))}
    seas = _seas(variant, region)
    # A sea before both coasts has nothing of where the one ends.
    shapes = [sheet.places[name].shape for name in seas - others or seas if name in sheet.places]
    return shapely.intersection(
        sheet.places[region.province].shape.boundary, shapely.union_all(shapes).buffer(TOUCH))


def _seas(variant: Variant, region: Region) -> set[str]:
    return {near.province for movement in variant.board.links
            for near in variant.board.neighbours(region, movement)
            if variant.board.provinces[near.province].is_sea}


def _size(sheet: MapPaper) -> float:
    return max(LEAST_SIZE, SIZE * sheet.paper.furniture)


def _place(
    sheet: MapPaper, shore: BaseGeometry, words: str, boxes: Sequence[Rect], solid: BaseGeometry
) -> Rect | None:
    """The best free box in the water off a shore; None if there is none."""
    if shore.is_empty:
        return None
    size = _size(sheet)
    width, height = fonts.width(words, "italic", size), 0.95 * size
    inside = sheet.inside.grown(-1.0)
    middle = shore.interpolate(0.5, normalized=True) if shore.geom_type == "LineString" else shore.centroid
    points = shapely.get_coordinates(shapely.segmentize(shore, SPACING))
    points = points[:: max(1, len(points) // 60)]
    # Every point, at every distance, in every direction: an axis each.
    away, ways = np.array(AWAY)[None, :, None], np.array(DIRECTIONS)
    x = points[:, 0, None, None] + ways[:, 0] * (away + width / 2)
    y = points[:, 1, None, None] + ways[:, 1] * (away + height / 2)
    costs = (2.0 * np.arange(len(AWAY))[None, :, None]
             + 0.15 * np.hypot(points[:, 0] - middle.x, points[:, 1] - middle.y)[:, None, None])
    order = np.argsort(np.broadcast_to(costs, x.shape).ravel(), kind="stable")
    x, y = x.ravel()[order], y.ravel()[order]
    x0, y0, x1, y1 = x - width / 2, y - height / 2, x + width / 2, y + height / 2
    free = (inside.x0 <= x0) & (x1 <= inside.x1) & (inside.y0 <= y0) & (y1 <= inside.y1)
    left, top, right, bottom = x0.min() - ROOM, y0.min() - ROOM, x1.max() + ROOM, y1.max() + ROOM
    for other in boxes:
        if other.x1 < left or other.x0 > right or other.y1 < top or other.y0 > bottom:
            continue
        free &= ~((x0 - ROOM < other.x1) & (other.x0 < x1 + ROOM)
                  & (y0 - ROOM < other.y1) & (other.y0 < y1 + ROOM))
    # Land is asked last, the best places first: it is dear to ask.
    for index in np.flatnonzero(free):
        corners = float(x0[index]), float(y0[index]), float(x1[index]), float(y1[index])
        if not solid.intersects(shapely.box(*corners).buffer(WET)):
            return Rect(*corners)
    return None


def _drawn(box: Rect, words: str, sheet: MapPaper) -> str:
    size = fitting_size(words, "italic", _size(sheet), box.width + 0.01)
    x, y = (box.x0 + box.x1) / 2, box.y1 - 0.22 * size
    halo = f'fill="none" stroke="{SEA_TONE}" stroke-width="0.5" stroke-linejoin="round"'
    return (f'<g class="coast">{text(x, y, words, "italic", size, halo)}'
            f'{text(x, y, words, "italic", size, f"fill={chr(34)}{SEA_INK}{chr(34)}")}</g>')
