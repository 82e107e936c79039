"""The part of a board's map that no position changes: water, land, borders and names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import shapely
from shapely.geometry.base import BaseGeometry

from service.pictures.board import ornament
from service.pictures.board.centre_marks import LAND_TONE
from service.pictures.board.ornament import INK
from service.pictures.drawing.shapes import MapPaper
from service.pictures.drawing.svg import label as draw_label, path
from service.pictures.drawing.values import GroundKind, Label, LabelPlace, Rect

PAPER_TONE, SEA_TONE, FAR_TONE = "#f3e8cd", "#e3e6d6", "#ece0c2"
TONES = (LAND_TONE, "#f4e7c4", "#f6ecdb", "#eef0d8", "#f7e6cf")
WATER, SEA_INK = "#5f7f8a", "#27475a"
WATERLINES = ((0.55, 0.16, 0.75), (1.15, 0.14, 0.6), (1.85, 0.12, 0.48), (2.7, 0.1, 0.36), (3.7, 0.09, 0.26))
"""Distance from the coast, width and strength of each line engraved around the land."""

UNSEEN = 0.03
"""Millimetres a drawn line may leave the data by: a third of a dot at 300 to the inch."""


@dataclass(frozen=True, slots=True)
class BaseMap:
    """SVG of the layers below the colours of control, of the lines above them, and of the names on top."""

    below: str
    lines: str
    names: str


def draw_base(
    sheet: MapPaper, labels: Iterable[Label], compass: Rect | None, like: MapPaper | None = None
) -> BaseMap:
    """The unchanging part of a sheet's map; winds blow from the `compass`, where there is one. Its land is
    washed in the tones of another sheet it is `like`."""
    return BaseMap(
        _water(sheet, compass, whole=like is None) + _land(sheet, _tones(like or sheet)),
        _lines(sheet),
        drawn_names(sheet, labels),
    )


def _water(sheet: MapPaper, compass: Rect | None, *, whole: bool) -> str:
    inside = sheet.inside
    if not whole:
        return (f'<rect width="{inside.width:.2f}" height="{inside.height:.2f}" '
                f'fill="{SEA_TONE}"/>{_waterlines(sheet)}')
    return (f'<rect width="{sheet.paper.width:g}" height="{sheet.paper.height:g}" fill="{PAPER_TONE}"/><rect '
            f'x="{inside.x0:g}" y="{inside.y0:g}" width="{inside.width:g}" height="{inside.height:g}" '
            f'fill="{SEA_TONE}"/><clipPath id="neat"><rect x="{inside.x0:g}" y="{inside.y0:g}" '
            f'width="{inside.width:g}" height="{inside.height:g}"/></clipPath><g '
            f'clip-path="url(#neat)">{"" if compass is None else ornament.rhumbs(compass, inside)}</g>'
            f'{_waterlines(sheet)}')


def _waterlines(sheet: MapPaper) -> str:
    # One coast for board and foreign land, so that no water line runs along a border.
    coast = shapely.union_all([sheet.land, sheet.far], grid_size=0.001).simplify(0.08)
    frame = _frame(sheet)
    parts = []
    for distance, width, strength in WATERLINES:
        line = coast.buffer(distance, quad_segs=2).simplify(0.05 + distance * 0.04).boundary
        line = shapely.intersection(line, frame.buffer(-0.05))
        parts.append(
            f'<path d="{path(line)}" fill="none" stroke="{WATER}" stroke-width="{width}" '
            f'stroke-opacity="{strength}"/>'
        )
    return "".join(parts)


def _frame(sheet: MapPaper) -> BaseGeometry:
    return shapely.box(sheet.inside.x0, sheet.inside.y0, sheet.inside.x1, sheet.inside.y1)


def _land(sheet: MapPaper, tones: Mapping[str, int]) -> str:
    parts = [f'<path d="{path(sheet.far)}" fill="{FAR_TONE}"/>']
    for name, tone in tones.items():
        if name not in sheet.places:
            continue
        shape = sheet.places[name].shape.simplify(UNSEEN)
        parts.append(f'<path d="{path(shape)}" fill="{TONES[tone]}" stroke="{TONES[tone]}" '
                     f'stroke-width="0.1"/>')
    return "".join(parts)


def _tones(sheet: MapPaper) -> dict[str, int]:
    """A tone for each region on land so that neighbours differ, as a colourist would wash them."""
    land = [p for p in sheet.places.values() if p.ground is GroundKind.LAND]
    tree = shapely.STRtree([p.shape for p in land])
    tones: dict[str, int] = {}
    for place in land:
        neighbour_tones = {
            tones.get(land[index].id) for index in tree.query(place.shape, predicate="dwithin", distance=0.1)
        }
        # Four colours would do for a map; five leave the greedy choice room.
        tones[place.id] = min(
            range(len(TONES)), key=lambda tone: (tone in neighbour_tones, list(tones.values()).count(tone))
        )
    return tones


def _lines(sheet: MapPaper) -> str:
    land = [p for p in sheet.places.values() if p.ground is GroundKind.LAND]
    dry = [p for p in sheet.places.values() if p.ground in {GroundKind.LAND, GroundKind.TOWN}]
    seas = [p for p in sheet.places.values() if p.ground in {GroundKind.SEA, GroundKind.AREA}]
    edge = _frame(sheet).buffer(-0.08)
    solid = shapely.union_all([sheet.land, sheet.far], grid_size=0.001)
    shore = shapely.intersection(solid.boundary, edge)
    by_shore, by_land = shore.buffer(0.12, quad_segs=1), solid.buffer(0.15, quad_segs=1)
    # No line is drawn over another: a shore before the border of an area, and that before a county's.
    counties = shapely.difference(_net([p.shape for p in land]), by_shore)
    realms = shapely.difference(_net(_by_area(land)), by_shore)
    counties = shapely.intersection(shapely.difference(counties, realms.buffer(0.1, quad_segs=1)), edge)
    waters = shapely.difference(_net([p.shape for p in seas]), by_land)
    areas = shapely.intersection(shapely.difference(_net(_by_area(seas)), by_land), edge)
    waters = shapely.intersection(shapely.difference(waters, areas.buffer(0.1, quad_segs=1)), edge)
    band = [
        shapely.difference(realm, realm.buffer(-0.9, quad_segs=2)).simplify(0.08)
        for realm in _by_area(dry)
        if realm.area > 30
    ]
    return "".join((
        (f'<path d="{"".join(path(ring) for ring in band)}" fill="#b08a4a" fill-rule="evenodd" '
         f'fill-opacity="0.20"/>'),
        _stroke(waters, SEA_INK, 0.16, "0.7 0.7"),
        _stroke(areas, SEA_INK, 0.26, "2.4 0.8"),
        _stroke(counties, INK, 0.17, "0.9 0.45"),
        _stroke(shapely.intersection(realms, edge), INK, 0.42, "2.6 0.7 0.5 0.7"),
        _stroke(shore, INK, 0.3, ""),
    ))


def _net(shapes: Iterable[BaseGeometry]) -> BaseGeometry:
    return shapely.union_all([shape.boundary for shape in shapes], grid_size=0.005)


def _by_area(places: Iterable[LabelPlace]) -> list[BaseGeometry]:
    groups: dict[str, list[BaseGeometry]] = {}
    for place in places:
        groups.setdefault(place.area or "", []).append(place.shape)
    # Snapping closes the hairlines that laying the data on paper leaves between neighbours.
    return [shapely.union_all(shapes, grid_size=0.02) for shapes in groups.values()]


def _stroke(line: BaseGeometry, colour: str, width: float, dashes: str) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (f'<path d="{path(shapely.line_merge(line).simplify(UNSEEN))}" fill="none" stroke="{colour}" '
            f'stroke-width="{width}" stroke-linejoin="round"{dashed}/>')


def drawn_names(sheet: MapPaper, labels: Iterable[Label]) -> str:
    """Every name as it was placed, as SVG."""
    parts = []
    for label in labels:
        ground = sheet.places[label.region].ground
        wet = ground in {GroundKind.SEA, GroundKind.AREA}
        if label.leader is not None:
            (x0, y0), (x1, y1) = label.leader
            parts.append(f'<path d="M{x0:.2f} {y0:.2f}L{x1:.2f} {y1:.2f}" stroke="{INK}" '
                         f'stroke-width="0.15"/>')
        parts.append(draw_label(label, SEA_INK if wet else INK, SEA_TONE if wet else LAND_TONE))
    return "".join(parts)
