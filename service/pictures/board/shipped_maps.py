"""The maps of the boards that come with the program; the placing of names is worked out once for each board
and paper, and the newest drawings are stored, because a public page may be asked for at any rate.

A small map of the centres that changed hands is for the written results of a year's end (LET-09): only the
part of the board where they lie, each in its new owner's colour with its letter and its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from threading import Lock

import shapely

import maps
from adjudicator.units import Unit
from maps.variant import Variant
from service.pictures.board.centre_marks import LAND_TONE, attribute
from service.pictures.board.map_sheet import MapPlan, draw_map, map_pdf
from service.pictures.board.ornament import INK
from service.pictures.board.placement import plan_from
from service.pictures.drawing import fonts
from service.pictures.drawing.render import to_png
from service.pictures.drawing.svg import path, polygon, text
from service.pictures.drawing.values import A3, GroundKind, LabelPlace, MapOptions, PaperSize, Rect

PNG_WIDTH = 1600
"""Pixels across of a map for a screen; its names can be read at twice the size of a telephone."""

Held = tuple[tuple[str, tuple[str, ...]], ...]
_one_at_a_time = Lock()

MARGIN_MM, LEAST_MM = 14.0, 90.0
"""Room around the changed centres, and the least width and height of the part shown, in millimetres of the
large map."""
WIDE_MM, HIGH_MM = 96.0, 84.0
"""Room for the map on the sheet of results."""
TYPE = 0.034
"""Height of a name, in parts of the longer side of the part shown."""
_WATER, _SHORE = "#dfe6e3", "#8a7650"
_DETAIL_MM = 0.12
"""Detail of shores that is left out: smaller than a dot of the picture."""


def changes_svg(variant: Variant, plan: MapPlan, owners: Mapping[str, str | None]) -> str:
    """The map as SVG, at most `WIDE_MM` by `HIGH_MM`; `owners` has each centre that changed hands, with its
    new owner or None. "" if none of them is drawn."""
    places = {name: place for name, place in plan.sheet.places.items() if name in owners and place.seal}
    if not places:
        return ""
    window = _window(places, plan)
    frame = shapely.box(window.x0, window.y0, window.x1, window.y1)
    size = TYPE * max(window.width, window.height)
    parts = [polygon([(window.x0, window.y0), (window.x1, window.y0), (window.x1, window.y1),
                      (window.x0, window.y1)], f'fill="{_WATER}"')]
    for name, place in plan.sheet.places.items():
        if place.ground in {GroundKind.SEA, GroundKind.AREA}:
            continue
        drawn = shapely.intersection(shapely.simplify(place.shape, _DETAIL_MM), frame)
        power = variant.powers.get(owners.get(name) or "")
        fill = LAND_TONE if power is None else power.colour
        weight = 0.05 if name in owners else 0.025
        parts.append(f'<path d="{path(drawn)}" fill="{fill}" stroke="{INK if name in owners else _SHORE}" '
                     f'stroke-width="{weight * size:.2f}"/>')
    parts += [_marked(variant, place, owners[name], size, window) for name, place in places.items()]
    key = _key(variant, [owners[name] for name in places], window, size)
    high = window.height + (1.6 * len(key) + 0.5) * size
    parts += key
    words = ", ".join(place.name for place in places.values())
    scale = min(WIDE_MM / window.width, HIGH_MM / high)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{attribute(words)}" '
            f'width="{scale * window.width:.1f}mm" height="{scale * high:.1f}mm" '
            f'viewBox="{window.x0:.2f} {window.y0:.2f} {window.width:.2f} {high:.2f}">'
            f"{''.join(parts)}</svg>")


def _marked(variant: Variant, place: LabelPlace, owner: str | None, size: float, window: Rect) -> str:
    """The owner's letter on a disc, and the centre's name below it, inside of the window."""
    x, y = place.seal or (0.0, 0.0)
    power = variant.powers.get(owner or "")
    halo = f'fill="{LAND_TONE}" stroke="{LAND_TONE}" stroke-width="{0.3 * size:.2f}" stroke-linejoin="round"'
    half = fonts.width(place.name, "roman", size) / 2 + 0.3 * size
    middle = min(max(x, window.x0 + half), window.x1 - half)
    below = y + 1.6 * size
    return (
        f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{0.62 * size:.2f}" fill="{LAND_TONE}" stroke="{INK}" '
        f'stroke-width="{0.06 * size:.2f}"/>'
        + text(x, y + 0.3 * size, "–" if power is None else power.letter, "bold", 0.9 * size, f'fill="{INK}"')
        + text(middle, below, place.name, "roman", size, halo)
        + text(middle, below, place.name, "roman", size, f'fill="{INK}"')
    )


def _key(variant: Variant, owners: Sequence[str | None], window: Rect, size: float) -> list[str]:
    """The meaning of the letters, as lines below the map."""
    powers = [power for power in variant.powers.values() if power.id in owners]
    words = [f"{power.letter} {power.name}" for power in powers]
    words += ["– nobody"] if None in owners else []
    lines: list[str] = []
    for entry in words:
        longer = f"{lines[-1]}, {entry}" if lines else entry
        if lines and fonts.width(longer, "roman", size) > window.width - size:
            lines.append(entry)
        else:
            lines[-1:] = [longer]
    return [text(window.x0, window.y1 + (1.6 * number + 1.5) * size, line, "roman", size, f'fill="{INK}"',
                 "start")
            for number, line in enumerate(lines)]


def _window(places: Mapping[str, LabelPlace], plan: MapPlan) -> Rect:
    """The part of the map to show: around the changed centres, within the map."""
    inside = plan.sheet.inside
    left, top, right, bottom = shapely.total_bounds([place.shape for place in places.values()])

    def span(start: float, end: float, least: float, most: float) -> tuple[float, float]:
        room = min(max(end - start + 2 * MARGIN_MM, LEAST_MM), most - least)
        begins = min(max((start + end - room) / 2, least), most - room)
        return begins, begins + room

    x0, x1 = span(float(left), float(right), inside.x0, inside.x1)
    y0, y1 = span(float(top), float(bottom), inside.y0, inside.y1)
    return Rect(x0, y0, x1, y1)


@cache
def board_plan(slug: str, paper: PaperSize = A3) -> MapPlan:
    """The plan of one board on one paper. Raises NoShapes for a board that has no drawn shapes."""
    return plan_from(maps.folder(slug), maps.load(slug), maps.shapes(slug), paper)


def board_svg(
    variant: Variant, centres: Mapping[str, Iterable[str]], title: str, subtitle: str,
    units: Iterable[Unit] = ()
) -> str:
    """The control of a board as SVG; `centres` maps owner to regions. `units` are on it where a game asks
    for them."""
    return draw_map(
        variant,
        maps.shapes(variant.slug),
        centres,
        title,
        subtitle,
        MapOptions(units=frozenset(units)),
        board_plan(variant.slug),
    )


def board_pdf(
    variant: Variant, centres: Mapping[str, Iterable[str]], title: str, subtitle: str, paper: PaperSize = A3,
    units: Iterable[Unit] = (), record: str = "",
) -> bytes:
    """The same as PDF, with the table of control and the short names behind the map, and the root of a game's
    record below it."""
    with _one_at_a_time:
        return _pdf(
            variant.slug,
            _frozen(centres),
            title,
            subtitle,
            MapOptions(paper, units=frozenset(units), record=record),
        )


def board_png(
    variant: Variant, centres: Mapping[str, Iterable[str]], title: str, subtitle: str,
    units: Iterable[Unit] = ()
) -> bytes:
    """The same as a picture for a screen."""
    with _one_at_a_time:
        return _png(variant.slug, _frozen(centres), title, subtitle, frozenset(units))


def board_changes(variant: Variant, owners: Mapping[str, str | None]) -> str:
    """A small map of the centres that changed hands, as SVG: each with its new owner, None for no one. ""
    where none changed, and for a board that is not drawn."""
    if not owners or not maps.shapes(variant.slug):
        return ""
    return changes_svg(variant, board_plan(variant.slug), owners)


def _frozen(centres: Mapping[str, Iterable[str]]) -> Held:
    # The caches below need a key that can be hashed and is the same for the same control.
    return tuple((owner, tuple(sorted(regions))) for owner, regions in sorted(centres.items()))


@lru_cache(maxsize=16)
def _pdf(slug: str, held: Held, title: str, subtitle: str, options: MapOptions) -> bytes:
    return map_pdf(
        maps.load(slug), maps.shapes(slug), dict(held), title, subtitle, options,
        board_plan(slug, options.paper)
    )


@lru_cache(maxsize=16)
def _png(slug: str, held: Held, title: str, subtitle: str, units: frozenset[Unit]) -> bytes:
    return to_png(board_svg(maps.load(slug), dict(held), title, subtitle, units), PNG_WIDTH)
