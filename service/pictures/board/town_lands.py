"""The land around a town in a pale wash of its owner's colour, so that control is seen at arm's length: on a
board of towns their discs alone are 3 mm wide (LET-16)."""

from __future__ import annotations

from collections.abc import Mapping

import shapely
from shapely.geometry.base import BaseGeometry

from maps.variant import Power
from service.pictures.board.base_map import UNSEEN
from service.pictures.board.centre_marks import attribute
from service.pictures.drawing.shapes import MapPaper
from service.pictures.drawing.svg import path
from service.pictures.drawing.values import GroundKind, LabelPlace

WASH = 0.26
"""Strength of the wash; a county that is held itself has its pattern too."""
NEAR_KM = 1.0
"""Kilometres between a town and a county that it is in or on the edge of, at most. Of ground and not of
paper, so that every map of a board states the same."""


def draw_town_lands(sheet: MapPaper, held: Mapping[str, Power]) -> str:
    """The washes as SVG. `held` maps region to owner. A county without a centre that no one holds has the
    colours of its towns, each the part that is nearest to it; the part of a town that no one owns stays
    plain."""
    towns = [place for place in sheet.places.values()
             if place.ground is GroundKind.TOWN and place.seal is not None]
    if not towns:
        return ""
    tree = shapely.STRtree([town.shape for town in towns])
    parts: dict[str, list[BaseGeometry]] = {}
    powers = {power.id: power for power in held.values()}
    for place in sheet.places.values():
        if place.ground is not GroundKind.LAND or place.centre or place.id in held:
            continue
        about = tree.query(place.shape, "dwithin", distance=NEAR_KM / sheet.scale)
        near = [towns[index] for index in sorted(about)]
        for town, part in _shares(place, near):
            if town.id in held and not part.is_empty:
                parts.setdefault(held[town.id].id, []).append(part)
    return "".join(
        f'<path class="around" data-power="{attribute(key)}" '
        f'd="{path(shapely.union_all(shares, grid_size=0.01).simplify(UNSEEN))}" '
        f'fill="{powers[key].colour}" fill-opacity="{WASH}"/>'
        for key, shares in sorted(parts.items()))


def _shares(place: LabelPlace, towns: list[LabelPlace]) -> list[tuple[LabelPlace, BaseGeometry]]:
    """Each town with the part of a county that is nearer to it than to the others."""
    if len(towns) < 2:
        return [(town, place.shape) for town in towns]
    points = [shapely.Point(*town.seal) for town in towns if town.seal is not None]
    cells = shapely.get_parts(shapely.voronoi_polygons(
        shapely.MultiPoint(points), extend_to=place.shape.buffer(10)))
    return [
        (town, shapely.intersection(place.shape, cell))
        for town, point in zip(towns, points, strict=True)
        for cell in cells if cell.contains(point)
    ]
