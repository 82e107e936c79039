"""The whole map as one SVG: water, land, control, marks, names, furniture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import shapely
from shapely.geometry.base import BaseGeometry

from maps.geometry import Shape
from maps.variant import Power, Variant
from service.pictures import furniture, ornament
from service.pictures.ground import Sheet, lay_out
from service.pictures.hatch import hatch
from service.pictures.labels import place_labels
from service.pictures.legend import draw_legend, legend_height
from service.pictures.map_index import index_page
from service.pictures.marks import LAND_TONE, attribute, ink_of, seal
from service.pictures.ornament import INK, fitted, title_lines
from service.pictures.render import to_pdf
from service.pictures.ship import ship
from service.pictures.svg import label as draw_label
from service.pictures.svg import path, text
from service.pictures.values import A3, Ground, Label, MapOptions, Paper, Place, Rect

PAPER_TONE, SEA_TONE, FAR_TONE = "#f3e8cd", "#e3e6d6", "#ece0c2"
TONES = (LAND_TONE, "#f4e7c4", "#f6ecdb", "#eef0d8", "#f7e6cf")
WATER, SEA_INK = "#5f7f8a", "#27475a"
WATERLINES = ((0.55, 0.16, 0.75), (1.15, 0.14, 0.6), (1.85, 0.12, 0.48), (2.7, 0.1, 0.36), (3.7, 0.09, 0.26))
"""Distance from the coast, width and strength of each line engraved around the land."""

TINT, GAP_LAND = 0.30, 1.15
CROWDED, SPARE = 24, 3
"""About one region in so many stands in short; and places for some more than the last try needed."""


class NoShapes(ValueError):
    """The board has no drawn shapes, so there is nothing to draw a map from."""


@dataclass(frozen=True, slots=True)
class MapPlan:
    """A sheet with every name and piece of furniture in its place; the same for every position of a board."""

    sheet: Sheet
    labels: tuple[Label, ...]
    pieces: Mapping[str, Rect]

    def short(self) -> tuple[Label, ...]:
        """Names that stand on the map in short, to be explained in the legend."""
        return tuple(one for one in self.labels if one.wording.short)


def plan_map(variant: Variant, shapes: Mapping[str, Shape], paper: Paper = A3) -> MapPlan:
    """Everything about a board's map that does not depend on who holds what. Raises NoShapes."""
    if not shapes:
        raise NoShapes(f"{variant.slug} has no drawn shapes")
    sheet = lay_out(variant, shapes, paper)
    room = len(shapes) // CROWDED
    while True:
        pieces = furniture.arrange(sheet, [
            furniture.Piece("title", 92.0, 45.0 if len(title_lines(variant.title)) > 1 else 36.0, (0.0, 0.0)),
            furniture.Piece("legend", 68.0, legend_height(variant, room), (1.0, 0.3)),
            furniture.Piece("compass", 40.0, 44.0, (0.75, 0.0), afloat=True),
            furniture.Piece("scale", 48.0, 15.0, (1.0, 1.0)),
            furniture.Piece("ship", 23.0, 22.0, (0.05, 0.85), afloat=True),
        ])
        plan = MapPlan(sheet, place_labels(sheet, pieces.values()), pieces)
        if len(plan.short()) <= room:
            return plan
        room = len(plan.short()) + SPARE


def draw_map(
    variant: Variant,
    shapes: Mapping[str, Shape],
    centres: Mapping[str, Iterable[str]],
    title: str,
    subtitle: str,
    options: MapOptions | None = None,
    plan: MapPlan | None = None,
) -> str:
    """The control of a board as SVG, sized in millimetres (MAP-01 to MAP-05).

    `centres` maps each owner to the regions it owns; owners that are no power of the variant, and regions that are
    none of the board, raise KeyError. A `plan` made before saves the placing of names. Raises NoShapes.
    """
    chosen = options or MapOptions()
    plan = plan or plan_map(variant, shapes, chosen.paper)
    held = {region: variant.powers[owner] for owner, regions in centres.items() for region in regions}
    for region in held:
        plan.sheet.places[region]
    sheet = plan.sheet
    paper = sheet.paper
    body = [
        _water(plan), _land(sheet, held), _lines(sheet), *_towns(sheet, held), _names(plan),
        ornament.cartouche(plan.pieces["title"], title, subtitle, "A map of the" if title == variant.title and title[-1] == "s" else "A map of" if title == variant.title else variant.title),
        _legend(plan, variant, held),
        ornament.compass(plan.pieces["compass"]),
        ship(plan.pieces["ship"], ornament.PALE),
        ornament.scale_bar(plan.pieces["scale"], sheet.scale),
        _imprint(sheet, chosen.acknowledgement or variant.note),
        ornament.border(sheet),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{paper.width:g}mm" height="{paper.height:g}mm" '
        f'viewBox="0 0 {paper.width:g} {paper.height:g}">{"".join(body)}</svg>'
    )


def _water(plan: MapPlan) -> str:
    sheet, inside = plan.sheet, plan.sheet.inside
    return (
        f'<rect width="{sheet.paper.width:g}" height="{sheet.paper.height:g}" fill="{PAPER_TONE}"/>'
        f'<rect x="{inside.x0:g}" y="{inside.y0:g}" width="{inside.width:g}" height="{inside.height:g}" fill="{SEA_TONE}"/>'
        f'<clipPath id="neat"><rect x="{inside.x0:g}" y="{inside.y0:g}" width="{inside.width:g}" height="{inside.height:g}"/></clipPath>'
        f'<g clip-path="url(#neat)">{ornament.rhumbs(plan.pieces["compass"], inside)}</g>{_waterlines(sheet)}'
    )


def _waterlines(sheet: Sheet) -> str:
    coast = shapely.union_all([sheet.land, sheet.far], grid_size=0.001).simplify(0.05)
    frame = _frame(sheet)
    parts = []
    for distance, width, strength in WATERLINES:
        line = coast.buffer(distance, quad_segs=3).simplify(0.02 + distance * 0.03).boundary
        line = shapely.intersection(line, frame.buffer(-0.05))
        parts.append(
            f'<path d="{path(line)}" fill="none" stroke="{WATER}" stroke-width="{width}" stroke-opacity="{strength}"/>'
        )
    return "".join(parts)


def _frame(sheet: Sheet) -> BaseGeometry:
    return shapely.box(sheet.inside.x0, sheet.inside.y0, sheet.inside.x1, sheet.inside.y1)


def _land(sheet: Sheet, held: Mapping[str, Power]) -> str:
    parts = [f'<path d="{path(sheet.far)}" fill="{FAR_TONE}"/>']
    tones = _tones(sheet)
    for place in sheet.places.values():
        power = held.get(place.id)
        if place.id in tones:
            tone = TONES[0] if power else TONES[tones[place.id]]
            parts.append(f'<path d="{path(place.shape)}" fill="{tone}" stroke="{tone}" stroke-width="0.1"/>')
        if power is not None and place.ground is not Ground.TOWN:
            parts.append(control(place.shape, power, GAP_LAND, place.name))
    return "".join(parts)


def _tones(sheet: Sheet) -> dict[str, int]:
    """A tone for each region on land so that neighbours differ, as a colourist would wash them."""
    land = [p for p in sheet.places.values() if p.ground is Ground.LAND]
    tree = shapely.STRtree([p.shape for p in land])
    tones: dict[str, int] = {}
    for place in land:
        near = {tones.get(land[at].id) for at in tree.query(place.shape, predicate="dwithin", distance=0.1)}
        tones[place.id] = min(range(len(TONES)), key=lambda tone: (tone in near, list(tones.values()).count(tone)))
    return tones


def control(shape: BaseGeometry, power: Power, gap: float, name: str = "") -> str:
    """A shape in a power's colour and pattern."""
    strokes = path(hatch(power.pattern, shape.simplify(0.03), gap))
    return (
        f'<g class="held" data-power="{attribute(power.id)}" data-pattern="{attribute(power.pattern)}" '
        f'data-region="{attribute(name)}"><path d="{path(shape)}" fill="{power.colour}" fill-opacity="{TINT}"/>'
        f'<path d="{strokes}" fill="none" stroke="{ink_of(power)}" stroke-width="{0.15 * gap + 0.04:.2f}"/></g>'
    )


def _lines(sheet: Sheet) -> str:
    land = [p for p in sheet.places.values() if p.ground is Ground.LAND]
    dry = [p for p in sheet.places.values() if p.ground in {Ground.LAND, Ground.TOWN}]
    seas = [p for p in sheet.places.values() if p.ground in {Ground.SEA, Ground.AREA}]
    edge = _frame(sheet).buffer(-0.08)
    solid = shapely.union_all([sheet.land, sheet.far], grid_size=0.001)
    shore = shapely.intersection(solid.boundary, edge)
    counties = shapely.difference(_net([p.shape for p in land]), shore.buffer(0.12))
    realms = shapely.difference(_net(_by_area(land)), shore.buffer(0.12))
    counties = shapely.intersection(shapely.difference(counties, realms.buffer(0.1)), edge)
    waters = shapely.difference(_net([p.shape for p in seas]), solid.buffer(0.15))
    areas = shapely.intersection(shapely.difference(_net(_by_area(seas)), solid.buffer(0.15)), edge)
    waters = shapely.intersection(shapely.difference(waters, areas.buffer(0.1)), edge)
    band = [
        shapely.difference(realm, realm.buffer(-0.9)) for realm in _by_area(dry) if realm.area > 30
    ]
    return "".join((
        f'<path d="{"".join(path(one) for one in band)}" fill="#b08a4a" fill-rule="evenodd" fill-opacity="0.20"/>',
        _stroke(waters, SEA_INK, 0.16, "0.7 0.7"),
        _stroke(areas, SEA_INK, 0.26, "2.4 0.8"),
        _stroke(counties, INK, 0.17, "0.9 0.45"),
        _stroke(shapely.intersection(realms, edge), INK, 0.42, "2.6 0.7 0.5 0.7"),
        _stroke(shore, INK, 0.3, ""),
    ))


def _net(shapes: Iterable[BaseGeometry]) -> BaseGeometry:
    return shapely.union_all([shape.boundary for shape in shapes], grid_size=0.005)


def _by_area(places: Iterable[Place]) -> list[BaseGeometry]:
    groups: dict[str, list[BaseGeometry]] = {}
    for place in places:
        groups.setdefault(place.area or "", []).append(place.shape)
    # Snapping closes the hairlines that laying the data on paper leaves between neighbours.
    return [shapely.union_all(shapes, grid_size=0.02) for shapes in groups.values()]


def _stroke(line: BaseGeometry, colour: str, width: float, dashes: str) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<path d="{path(shapely.line_merge(line))}" fill="none" stroke="{colour}" stroke-width="{width}" '
        f'stroke-linejoin="round"{dashed}/>'
    )


def _towns(sheet: Sheet, held: Mapping[str, Power]) -> list[str]:
    return [seal(place, held.get(place.id)) for place in sheet.places.values() if place.seal is not None]


def _names(plan: MapPlan) -> str:
    parts = []
    for one in plan.labels:
        ground = plan.sheet.places[one.region].ground
        wet = ground in {Ground.SEA, Ground.AREA}
        if one.leader is not None:
            (x0, y0), (x1, y1) = one.leader
            parts.append(f'<path d="M{x0:.2f} {y0:.2f}L{x1:.2f} {y1:.2f}" stroke="{INK}" stroke-width="0.15"/>')
        parts.append(draw_label(one, SEA_INK if wet else INK, SEA_TONE if wet else LAND_TONE))
    return "".join(parts)


def _legend(plan: MapPlan, variant: Variant, held: Mapping[str, Power]) -> str:
    short = [(one.wording.lines[0], plan.sheet.places[one.region].name) for one in plan.short()]
    room = plan.pieces["legend"]
    box = Rect(room.x0, room.y0, room.x1, min(room.y1, room.y0 + legend_height(variant, len(short))))
    return draw_legend(box, variant, held, short)


def _imprint(sheet: Sheet, words: str) -> str:
    """Who is to be thanked, in the strip below the border."""
    room = sheet.paper.width - 2 * sheet.paper.margin
    size = fitted(words, "italic", 2.6, room)
    y = (sheet.inside.y1 + 6.6 + sheet.paper.height) / 2 + 0.8
    return text(sheet.paper.width / 2, y, words, "italic", size, f'fill="{INK}"')


def map_pdf(
    variant: Variant,
    shapes: Mapping[str, Shape],
    centres: Mapping[str, Iterable[str]],
    title: str,
    subtitle: str,
    options: MapOptions | None = None,
    plan: MapPlan | None = None,
) -> bytes:
    """The map on its first page, the same control in words and all regions with their short names behind it."""
    held = {owner: tuple(regions) for owner, regions in centres.items()}
    picture = draw_map(variant, shapes, held, title, subtitle, options, plan)
    name = f"{title}, {subtitle}"
    return to_pdf([picture, index_page(variant, held, name)], title=name)
