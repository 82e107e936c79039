"""The whole map as one SVG: water, land, control, marks, names, furniture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from adjudicator.errors import UserFacingError
from adjudicator.units import Unit
from maps.geometry import Shape
from maps.variant import Power, Variant
from service.pictures.board import furniture, inset, ornament, unit_marks
from service.pictures.board.base_map import UNSEEN, BaseMap, draw_base, drawn_names
from service.pictures.board.centre_marks import LAND_TONE, attribute, ink_of, seal
from service.pictures.board.coast_names import draw_coast_names
from service.pictures.board.index_pages import index_page
from service.pictures.board.inset import Inset
from service.pictures.board.labels import LinesBelow, NameGround, place_labels, step_aside, step_off_lines
from service.pictures.board.legend import draw_legend, legend_height
from service.pictures.board.ornament import INK, fitting_size, title_lines
from service.pictures.board.town_lands import draw_town_lands
from service.pictures.drawing.hatch import hatch
from service.pictures.drawing.render import to_pdf
from service.pictures.drawing.shapes import MapPaper, lay_out_map
from service.pictures.drawing.svg import path, text
from service.pictures.drawing.values import A3, GroundKind, Label, LabelPlace, MapOptions, PaperSize, Rect

_HULL = ("M14 70C16 62 15 58 13 54L24 56L25 62L66 63C74 61 79 58 83 53L90 50C88 58 84 66 78 73C64 77 30 77 "
         "20 75Z")
_WALES = ("M16 66C34 69 62 69 81 62M18 71C36 74 62 74 79 69M24 58L24 63M29 66L29 69M37 66.5L37 69.5M45 67L45 "
          "70M53 67L53 70M61 66L61 69M69 65L69 68")
_MASTS = "M28 62L28 20M48 63L48 8M68 62L68 18M83 53L99 42"
_SAILS = (
    "M19 46C22 39 22 32 20 26C25 24 32 24 37 26C40 33 40 40 38 46C32 49 25 49 19 46Z",
    "M35 52C40 44 40 37 37 30C43 27 54 27 60 30C65 38 65 46 61 52C53 56 43 56 35 52Z",
    "M39 27C42 22 42 18 40 14C45 12 51 12 56 14C59 19 59 23 57 27C51 29 45 29 39 27Z",
    "M59 48C63 41 63 35 60 30C65 27 72 27 77 30C81 36 81 43 79 48C73 51 65 51 59 48Z",
    "M62 27C64 24 64 21 63 18C66 17 70 17 74 18C76 21 76 24 75 27C71 28 66 28 62 27Z",
)
_FOLDS = ("M23 44C26 38 26 32 25 27M31 46C34 39 34 32 32 26M43 52C47 44 47 36 44 30M53 53C57 45 57 37 53 "
          "30M46 27C48 22 48 18 46 14M66 48C69 42 69 36 67 30M73 48C76 42 76 36 72 30")
_FLAGS = ("M48 8C53 5 56 10 62 7L61 4C56 7 53 2 48 5ZM28 20C24 18 21 22 16 20L17 17C21 19 24 15 28 17ZM68 "
          "18C72 15 75 20 80 17L79 14C75 17 72 12 68 15Z")
_SEA = ("M4 77C9 74 13 74 17 77C21 80 25 80 29 77C33 74 37 74 41 77C45 80 49 80 53 77C57 74 61 74 65 77C69 "
        "80 73 80 77 77C81 74 85 74 89 77C92 79 94 79 97 77M10 83C14 81 18 81 22 83M44 84C48 82 52 82 56 "
        "84M74 83C78 81 82 81 86 83")


def ship(box: Rect, paper: str) -> str:
    """The ship in a box; `paper` is the colour of its sails."""
    size = min(box.width, box.height)
    sails = "".join(f'<path d="{sail}" fill="{paper}" stroke="{INK}" stroke-width="1"/>' for sail in _SAILS)
    return (f'<g transform="translate({box.x0:.2f} {box.y0:.2f}) scale({size / 100:.4f})" '
            f'stroke-linecap="round"><path d="{_MASTS}" fill="none" stroke="{INK}" '
            'stroke-width="1.5"/><path d="M28 20L13 54M48 8L28 58M48 8L68 58M68 18L99 42M48 24L83 53" '
            f'fill="none" stroke="{INK}" stroke-width="0.4"/>{sails}<path d="{_FOLDS}" fill="none" '
            f'stroke="{INK}" stroke-width="0.45"/><path d="{_FLAGS}" fill="{INK}"/><path d="{_HULL}" '
            f'fill="{INK}"/><path d="{_WALES}" fill="none" stroke="{paper}" stroke-width="0.9"/><path '
            f'd="{_SEA}" fill="none" stroke="{INK}" stroke-width="0.8"/></g>')


TINT, GAP_LAND = 0.30, 1.15
CROWDED, SPARE = 24, 3
"""About one region in CROWDED has a short name; SPARE places more than the last try needed."""
BADGE_ROOM = 1.3
"""Millimetres between a plate and the furniture, which would cover the badge at the plate's corner."""
MOST_SHORT_ROWS, LEGEND_CLEAR = 14, 1.5
"""Rows of two short names in the legend, at most; and millimetres clear below it where it grows."""
MOST_PAIRS = 8
"""Pairs that a sketch names below its border; the page of moves has all."""


class NoShapes(UserFacingError, ValueError):
    """The board has no drawn shapes, so there is nothing to draw a map from."""


@dataclass(frozen=True, slots=True)
class MapPlan:
    """A sheet with every name and piece of furniture in its place; the same for every position of a board.
    While a phase is drawn: `stuck` are regions whose names found no place off the ends of lines; `is_draft`
    states that the names have not yet made room for lines, which will be placed once more."""

    sheet: MapPaper
    labels: tuple[Label, ...]
    pieces: Mapping[str, Rect]
    base: BaseMap
    insets: tuple[Inset, ...] = ()
    stuck: frozenset[str] = frozenset()
    is_draft: bool = False

    def short(self) -> tuple[Label, ...]:
        """Short names on the map, which the legend must explain."""
        return tuple(label for label in self.labels if label.wording.short)


@dataclass(frozen=True, slots=True)
class DrawnOrders:
    """What is drawn of orders, as SVG: below names and plates, and above them. `rooms`: what names should not
    cover; `ends` are the ends of lines among them."""

    below: str = ""
    above: str = ""
    rooms: tuple[Rect, ...] = ()
    ends: tuple[Rect, ...] = ()


DrawOrders = Callable[["MapPlan", Mapping[Unit, Rect]], DrawnOrders]
"""Draws orders on a plan by the places of plates."""


def furniture_boxes(plan: MapPlan) -> list[Rect]:
    """Title, legend and the other pieces, off which a plate stands."""
    return [box for name, box in plan.pieces.items() if name != "inset" or plan.insets]


def plan_map(variant: Variant, shapes: Mapping[str, Shape], paper: PaperSize = A3) -> MapPlan:
    """Everything about a board's map that does not depend on who holds what. Raises NoShapes."""
    if not shapes:
        raise NoShapes(f"{variant.slug} has no drawn shapes")
    sheet = lay_out_map(variant, shapes, paper)
    # How many names end up short is known only after placing them, and the legend that explains them takes
    # room from them: try, and give the legend more room where it was too small.
    room, windows = len(shapes) // CROWDED, list(inset.crowded(sheet))
    while True:
        window = windows[0] if windows else None
        pieces = _arrange_furniture(variant, sheet, room, window)
        # An inset that hides land is worse than crowded names.
        if window is not None and inset.hides_land(sheet, pieces["inset"]):
            windows.pop(0)
            continue
        labels = place_labels(sheet, pieces.values())
        short = sum(label.wording.short for label in labels)
        if short <= room:
            larger = None if window is None else inset.make_inset(sheet, window, pieces["inset"])
            if window is not None and larger is None:
                windows.pop(0)
                continue
            insets = () if larger is None else (larger,)
            return MapPlan(sheet, labels, pieces, draw_base(sheet, labels, pieces.get("compass")), insets)
        room = short + SPARE


def _arrange_furniture(
    variant: Variant, sheet: MapPaper, room: int, window: Rect | None
) -> Mapping[str, Rect]:
    """The places of the furniture; `room` is how many short names the legend has room for."""
    part, inside = sheet.paper.furniture, sheet.inside
    furniture_pieces = [
        furniture.FurniturePiece("title", 92.0 * part, part * _title_height(variant), (0.0, 0.0)),
        furniture.FurniturePiece("legend", 68.0 * part, part * legend_height(variant, room), (1.0, 0.3)),
        furniture.FurniturePiece("compass", 40.0 * part, 44.0 * part, (0.75, 0.0), afloat=True),
        furniture.FurniturePiece("scale", 48.0 * part, 15.0 * part, (1.0, 1.0)),
        furniture.FurniturePiece("ship", 23.0 * part, 22.0 * part, (0.05, 0.85), afloat=True),
    ]
    if sheet.is_sketch:
        # Next to a sketch there is a strip for title and legend; nothing on it lies north or has a distance.
        furniture_pieces = [
            replace(piece, anchor=(1.0, 0.0)) if piece.name == "title" else piece
            for piece in furniture_pieces if piece.name not in {"compass", "scale"}]
    if window is not None:
        width, height = inset.size(window, sheet.paper)
        anchor = ((window.x0 - inside.x0) / inside.width, (window.y0 - inside.y0) / inside.height)
        furniture_pieces.insert(2, furniture.FurniturePiece("inset", width, height, anchor, afloat=True))
    return furniture.arrange(sheet, furniture_pieces)


def _title_height(variant: Variant) -> float:
    return 45.0 if len(title_lines(variant.title)) > 1 else 36.0


def draw_map(
    variant: Variant,
    shapes: Mapping[str, Shape],
    centres: Mapping[str, Iterable[str]],
    title: str,
    subtitle: str,
    options: MapOptions | None = None,
    plan: MapPlan | None = None,
    orders: DrawOrders = lambda _plan, _plates: DrawnOrders(),
) -> str:
    """The control of a board as SVG, sized in millimetres (MAP-01 to MAP-05). `orders` draws what units were
    told to do, by the places of their plates, on the map and again on each inset.

    `centres` maps each owner to the regions it owns; owners that are not powers of the variant, and regions
    that are none of the board, raise KeyError. A `plan` made before saves the placing of names. Raises
    NoShapes.
    """
    chosen = options or MapOptions()
    plan = plan or plan_map(variant, shapes, chosen.paper)
    sheet, paper, pieces = plan.sheet, plan.sheet.paper, plan.pieces
    held = {
        sheet.places[region].id: variant.powers[owner]
        for owner, regions in centres.items()
        for region in sorted(regions)
    }
    # Units are placed first: names can step aside, plates cannot leave their region. Lines keep off both.
    pieces_and_badges = [box.grown(BADGE_ROOM) for box in furniture_boxes(plan)]
    plates = unit_marks.unit_boxes(sheet, plan.labels, chosen.units, pieces_and_badges, chosen.ringed)
    ground = NameGround(sheet, pieces.values())
    labels = step_aside(ground, plan.labels, list(plates.values())) if plates else plan.labels
    drawn = orders(replace(plan, labels=tuple(labels), is_draft=True), plates)
    rows = _legend_rows(plan, variant, [*plates.values(), *drawn.rooms]) if drawn.rooms else 0
    labels, drawn = _clear_of_lines(ground, plan, labels, plates, drawn, orders,
                                    max(0, 2 * rows - len(plan.short())))
    body = [
        # Painter's order: what comes later covers what came before.
        plan.base.below,
        draw_town_lands(sheet, held),
        *(_draw_control(sheet.places[region], power) for region, power in held.items()),
        plan.base.lines,
        *(inset.outline(inset_plan.window, [label.box for label in plan.labels])
          for inset_plan in plan.insets),
        # Ornaments lie below lines; title and legend above.
        _scaled(paper, pieces["ship"], lambda box: ship(box, ornament.PALE)),
        *(() if sheet.is_sketch else (
            _scaled(paper, pieces["compass"], ornament.compass),
            _scaled(paper, pieces["scale"],
                    lambda box: ornament.scale_bar(box, sheet.scale * paper.furniture)))),
        *(seal(place, held.get(place.id)) for place in sheet.places.values()),
        drawn.below,
        drawn_names(sheet, labels) if plates else plan.base.names,
        draw_coast_names(variant, sheet, _taken(plan, labels, [*plates.values(), *drawn.rooms])),
        unit_marks.plates(variant, plates),
        drawn.above,
        *(inset.draw_inset(inset_plan, _inset_body(variant, inset_plan, held, plates, orders, chosen.ringed))
          for inset_plan in plan.insets),
        _scaled(
            paper,
            pieces["title"],
            lambda box: ornament.cartouche(box, title, subtitle, _overline(variant, title)),
        ),
        _draw_legend(plan, labels, variant, held),
        _imprint(
            sheet,
            " ".join(words for words in (
                unit_marks.explanation(variant, chosen.units), sketch_words(variant, shapes),
                chosen.acknowledgement or variant.note, chosen.record) if words),
        ),
        ornament.border(sheet),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{paper.width:g}mm" height="{paper.height:g}mm" '
        f'viewBox="0 0 {paper.width:g} {paper.height:g}">{"".join(body)}</svg>'
    )


def _clear_of_lines(
    ground: NameGround, plan: MapPlan, labels: tuple[Label, ...], plates: Mapping[Unit, Rect],
    drawn: DrawnOrders, orders: DrawOrders, short: int = 0
) -> tuple[tuple[Label, ...], DrawnOrders]:
    """The names of a sheet off the lines, as far as they may go; and off the ends of lines farther, so many
    of them made `short`. Then the lines are placed once more, by the names as they are now: their ends keep
    off those that stay over an end."""
    boxes = list(plates.values())
    moved = _off_lines(ground, labels, boxes, drawn, short)
    stuck = frozenset(label.region for label in moved if any(label.box.meets(end) for end in drawn.ends))
    if not drawn.rooms:
        return moved, drawn
    again = orders(replace(plan, labels=moved, stuck=stuck), plates)
    left = short - sum(label.wording.short for label in moved) + sum(label.wording.short for label in labels)
    return _off_lines(ground, moved, boxes, again, left), again


def _off_lines(
    ground: NameGround, labels: tuple[Label, ...], plates: Sequence[Rect], drawn: DrawnOrders, short: int
) -> tuple[Label, ...]:
    if not drawn.rooms:
        return labels
    return step_off_lines(ground, labels, plates, LinesBelow(drawn.rooms, drawn.ends), short)


def _taken(plan: MapPlan, labels: Iterable[Label], drawn: Iterable[Rect]) -> list[Rect]:
    """What no further name may cover: names, marks, furniture, units and lines, and the edges of an inset's
    window."""
    marks = [Rect(x - place.radius, y - place.radius, x + place.radius, y + place.radius)
             for place in plan.sheet.places.values() if place.seal for x, y in (place.seal,)]
    edges = [edge for inset_plan in plan.insets for edge in inset.edges(inset_plan.window)]
    return [*(label.box for label in labels), *marks, *furniture_boxes(plan), *edges, *drawn]


def _inset_body(
    variant: Variant, inset_plan: Inset, held: Mapping[str, Power], plates: Mapping[Unit, Rect],
    orders: DrawOrders, ringed: frozenset[Unit]
) -> str:
    """The content of an inset: the same layers as on the map, with the units whose plates are in its
    window."""
    places = inset_plan.sheet.places
    units = [unit for unit, box in plates.items()
             if unit.region.province in places and inset_plan.window.meets(box)]
    boxes = unit_marks.unit_boxes(inset_plan.sheet, inset_plan.labels, units, ringed=ringed)
    ground = NameGround(inset_plan.sheet, ())
    labels = step_aside(ground, inset_plan.labels, list(boxes.values()))
    detail = MapPlan(inset_plan.sheet, labels, {}, inset_plan.base)
    drawn = orders(replace(detail, is_draft=True), boxes)
    labels, drawn = _clear_of_lines(ground, detail, labels, boxes, drawn, orders)
    return "".join(
        (
            inset_plan.base.below,
            draw_town_lands(inset_plan.sheet, {key: power for key, power in held.items() if key in places}),
            *(_draw_control(places[region], power) for region, power in held.items() if region in places),
            inset_plan.base.lines,
            *(seal(place, held.get(place.id)) for place in places.values()),
            drawn.below,
            drawn_names(inset_plan.sheet, labels) if boxes else inset_plan.base.names,
            unit_marks.plates(variant, boxes),
            drawn.above,
        )
    )


def _overline(variant: Variant, title: str) -> str:
    # The title is the game's name; a board drawn by itself bears the board's.
    if title != variant.title:
        return variant.title
    return "A map of the" if title.endswith(("s", "Board")) else "A map of"


def _draw_control(place: LabelPlace, power: Power) -> str:
    """A county in its power's colour and pattern, on plain paper; a town's disc shows them itself."""
    if place.ground is GroundKind.TOWN:
        return ""
    shape = place.shape.simplify(UNSEEN)
    outline = path(shape)
    # Pattern and letter say the owner without colour (MAP-05).
    strokes = path(hatch(power.pattern, shape, GAP_LAND))
    return (f'<g class="held" data-power="{attribute(power.id)}" data-pattern="{attribute(power.pattern)}" '
            f'data-region="{attribute(place.name)}"><path d="{outline}" fill="{LAND_TONE}"/><path '
            f'd="{outline}" fill="{power.colour}" fill-opacity="{TINT}"/><path d="{strokes}" fill="none" '
            f'stroke="{ink_of(power)}" stroke-width="{0.15 * GAP_LAND + 0.04:.2f}"/></g>')


def _legend_rows(plan: MapPlan, variant: Variant, drawn: Iterable[Rect]) -> int:
    """How many rows of two short names the legend has room for: where it is, and below it as far as it
    would cover nothing."""
    room, rows = plan.pieces["legend"], 0
    solid = [box for box in _taken(plan, plan.labels, drawn) if box is not room]
    while rows < MOST_SHORT_ROWS:
        height = _legend_height(plan, variant, 2 * rows + 2)
        below = Rect(room.x0, room.y1, room.x1, room.y0 + height + LEGEND_CLEAR)
        if room.y0 + height > room.y1 and (
                below.y1 > plan.sheet.inside.y1 or any(below.meets(box) for box in solid)
                or inset.hides_land(plan.sheet, below)):
            break
        rows += 1
    return rows


def _legend_height(plan: MapPlan, variant: Variant, short: int) -> float:
    towns = any(place.ground is GroundKind.TOWN for place in plan.sheet.places.values())
    return plan.sheet.paper.furniture * legend_height(variant, short, towns=towns)


def _draw_legend(
    plan: MapPlan, labels: Iterable[Label], variant: Variant, held: Mapping[str, Power]
) -> str:
    short = [(label.wording.lines[0], plan.sheet.places[label.region].name)
             for label in labels if label.wording.short]
    room, paper = plan.pieces["legend"], plan.sheet.paper
    towns = any(place.ground is GroundKind.TOWN for place in plan.sheet.places.values())
    height = room.y0 + _legend_height(plan, variant, len(short))
    return _scaled(
        paper,
        Rect(room.x0, room.y0, room.x1, height),
        lambda box: draw_legend(box, variant, held, short, towns=towns),
    )


def _scaled(paper: PaperSize, room: Rect, draw: Callable[[Rect], str]) -> str:
    """A piece of furniture in the size for this paper, at its place."""
    part = paper.furniture
    if part == 1.0:
        return draw(room)
    full_room = Rect(0.0, 0.0, room.width / part, room.height / part)
    return f'<g transform="translate({room.x0:.2f} {room.y0:.2f}) scale({part:g})">{draw(full_room)}</g>'


def sketch_words(variant: Variant, shapes: Mapping[str, Shape]) -> str:
    """What the reader of a sketch must know, "" on a true map: what touches is adjacent, and which pairs are
    adjacent without touching."""
    pairs = sorted({(min(shape.province, other), max(shape.province, other))
                    for shape in shapes.values() for other in shape.also_near or ()})
    if not any(shape.also_near is not None for shape in shapes.values()):
        return ""
    name = {province.id: province.name for province in variant.board.provinces.values()}
    named = [f"{name[first]} and {name[second]}" for first, second in pairs[:MOST_PAIRS]]
    words = "A sketch of the board: places that touch along a line are adjacent."
    if not named:
        return words
    more = f", and {len(pairs) - MOST_PAIRS} more pairs" if len(pairs) > MOST_PAIRS else ""
    return f"{words} Adjacent too: {', '.join(named)}{more}."


def _imprint(sheet: MapPaper, words: str) -> str:
    """Who is to be thanked, in the strip below the border."""
    room = sheet.paper.width - 2 * sheet.paper.margin
    size = fitting_size(words, "italic", 2.6, room)
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
    """The map on its first page, the same control in words and all regions with their short names behind
    it."""
    held = {owner: tuple(regions) for owner, regions in centres.items()}
    picture = draw_map(variant, shapes, held, title, subtitle, options, plan)
    name = f"{title}, {subtitle}"
    chosen = options or MapOptions()
    paper = (plan.sheet.paper if plan else chosen.paper).name
    return to_pdf([picture, index_page(variant, held, name, paper, chosen.units)], title=name)
