"""The crowded part of a map drawn again and larger, in a frame over open water.

The same solver places every name in it again, so that a name is whole where the map had room for a short one
only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from service.pictures.board.base_map import BaseMap, draw_base
from service.pictures.board.labels import Unplaceable, place_labels
from service.pictures.board.ornament import INK, PALE
from service.pictures.drawing.shapes import TOWN_MM, MapPaper, valid_polygons
from service.pictures.drawing.svg import path, text
from service.pictures.drawing.values import GroundKind, Label, LabelPlace, PaperSize, Rect

WIDE, HIGH = 38.0, 31.0
"""Millimetres of the map on A3 that an inset shows; on smaller paper as much less as its furniture."""

LARGER = 1.7
CROWD = 16
"""So many regions in such a window make a crowd."""

CAPTION = 4.6
"""Height of the line below the picture."""

FRAME = 1.4
MARGIN = 4.0
"""Millimetres drawn beyond the frame and cut off by it, so that no coast is seen where the cut is."""

SHOWN = 0.6
"""The part of a region that must be visible in an inset for its name to be there."""

_STEP = 1.0


@dataclass(frozen=True, slots=True)
class Inset:
    """A part of a map drawn larger: the `window` it shows and the `box` it stands in, both on the map;
    `sheet` and `labels` in millimetres of its own, origin top left."""

    window: Rect
    box: Rect
    sheet: MapPaper
    labels: tuple[Label, ...]
    base: BaseMap


def crowded(sheet: MapPaper) -> Rect | None:
    """The window with the most regions in it, None where no window has a crowd. The first of equals from the
    top left."""
    part = sheet.paper.furniture
    width, height, inside = WIDE * part, HIGH * part, sheet.inside
    points = [
        place.shape.representative_point() for place in sheet.places.values() if not place.shape.is_empty
    ]
    x, y = np.array([point.x for point in points]), np.array([point.y for point in points])
    best, most = None, CROWD - 1
    for left in np.arange(inside.x0, inside.x1 - width, _STEP):
        across = (x > left) & (x < left + width)
        # No window in this strip can have more than the best so far.
        if int(across.sum()) <= most:
            continue
        for top in np.arange(inside.y0, inside.y1 - height, _STEP):
            count = int((across & (y > top) & (y < top + height)).sum())
            if count > most:
                best, most = Rect(float(left), float(top), float(left) + width, float(top) + height), count
    return best


def size(window: Rect, paper: PaperSize) -> tuple[float, float]:
    """Width and height of the box that an inset of a window needs, frame and caption included."""
    return window.width * LARGER + 2 * FRAME, window.height * LARGER + CAPTION * paper.furniture + 2 * FRAME


def make_inset(sheet: MapPaper, window: Rect, box: Rect) -> Inset | None:
    """The inset of a window; None if its names still find no room."""
    detail = enlarged(sheet, window)
    labelled = {
        name for name, place in detail.places.items() if _is_visible(sheet.places[name], place, detail.inside)
    }
    try:
        labels = place_labels(detail, (), labelled)
    # The map is whole without an inset; more of its names are then short.
    except Unplaceable:
        return None
    return Inset(window, box, detail, labels, draw_base(detail, labels, None, like=sheet))


def hides_land(sheet: MapPaper, box: Rect) -> bool:
    """Whether a box would cover land of the board, or a mark on it."""
    area = shapely.box(box.x0, box.y0, box.x1, box.y1)
    marks = [
        shapely.Point(place.seal).buffer(place.radius)
        for place in sheet.places.values()
        if place.seal is not None
    ]
    return bool(sheet.land.intersection(area).area > 0.5 or shapely.intersects(area, marks).any())


def _is_visible(whole_place: LabelPlace, enlarged_place: LabelPlace, frame: Rect) -> bool:
    """Whether so much of a region is in the frame that its name belongs there."""
    if enlarged_place.seal is not None and not frame.grown(-enlarged_place.radius).meets(
        Rect(enlarged_place.seal[0], enlarged_place.seal[1], enlarged_place.seal[0], enlarged_place.seal[1])
    ):
        return False
    if whole_place.ground is GroundKind.TOWN:
        return enlarged_place.seal is not None
    visible_part = enlarged_place.shape.intersection(shapely.box(frame.x0, frame.y0, frame.x1, frame.y1))
    return bool(visible_part.area >= SHOWN * LARGER**2 * whole_place.shape.area)


def enlarged(sheet: MapPaper, window: Rect) -> MapPaper:
    """What a window shows, on a sheet of its own."""
    frame = Rect(0.0, 0.0, window.width * LARGER, window.height * LARGER)
    places = {}
    for name, place in sheet.places.items():
        shape = valid_polygons(_moved(place.shape, window, frame))
        if shape.area > 0.5:
            places[name] = _place(place, shape, window, frame)
    paper = PaperSize(frame.width, frame.height, 0.0, 0.0, sheet.paper.furniture, "inset")
    return replace(
        sheet, places=places, paper=paper, inside=frame, scale=sheet.scale / LARGER,
        land=_moved(sheet.land, window, frame),
        far=_moved(sheet.far, window, frame))


def _place(place: LabelPlace, shape: BaseGeometry, window: Rect, frame: Rect) -> LabelPlace:
    if place.seal is None:
        return replace(place, shape=shape)
    x, y = ((place.seal[0] - window.x0) * LARGER, (place.seal[1] - window.y0) * LARGER)
    if not (-MARGIN < x < frame.x1 + MARGIN and -MARGIN < y < frame.y1 + MARGIN):
        # The mark lies beyond what is drawn, and a name must not be placed by it.
        return replace(place, shape=shape, seal=None)
    if place.ground is GroundKind.TOWN:
        return replace(place, shape=shape, seal=(x, y), radius=max(TOWN_MM, math.sqrt(shape.area / math.pi)))
    # The mark of a county stands where it does on the map, so that it is found again.
    return replace(place, shape=shape, seal=(x, y))


def _moved(shape: BaseGeometry, window: Rect, frame: Rect) -> BaseGeometry:
    """A shape of the map cut at the window and laid into the frame."""
    larger = affinity.affine_transform(
        shape, [LARGER, 0, 0, LARGER, -window.x0 * LARGER, -window.y0 * LARGER]
    )
    room = frame.grown(MARGIN)
    return shapely.intersection(larger, shapely.box(room.x0, room.y0, room.x1, room.y1))


def outline(window: Rect, names: Iterable[Rect] = ()) -> str:
    """The edge of the window on the map, left out where a name stands across it."""
    frame = shapely.box(window.x0, window.y0, window.x1, window.y1).boundary
    boxes = [shapely.box(box.x0, box.y0, box.x1, box.y1).buffer(0.3) for box in names]
    line = shapely.difference(frame, shapely.union_all(boxes)) if boxes else frame
    return f'<path d="{path(line)}" fill="none" stroke="{INK}" stroke-width="0.35"/>'


def edges(window: Rect) -> tuple[Rect, ...]:
    """The four sides of the window, as thin boxes."""
    thin = 0.3
    return (Rect(window.x0 - thin, window.y0, window.x0 + thin, window.y1),
            Rect(window.x1 - thin, window.y0, window.x1 + thin, window.y1),
            Rect(window.x0, window.y0 - thin, window.x1, window.y0 + thin),
            Rect(window.x0, window.y1 - thin, window.x1, window.y1 + thin))


def draw_inset(inset: Inset, body: str) -> str:
    """The inset in its box with frame and caption; `body` is its content, in its own millimetres."""
    box, frame, part = inset.box, inset.sheet.inside, inset.sheet.paper.furniture
    height = frame.height
    return (
        f'<g class="inset" transform="translate({box.x0 + FRAME:.2f} {box.y0 + FRAME:.2f})"><rect '
        f'x="{-FRAME}" y="{-FRAME}" width="{box.width:.2f}" height="{box.height:.2f}" fill="{PALE}" '
        f'stroke="{INK}" stroke-width="0.55"/><clipPath id="inset"><rect width="{frame.width:.2f}" '
        f'height="{height:.2f}"/></clipPath><g clip-path="url(#inset)">{body}</g><rect '
        f'width="{frame.width:.2f}" height="{height:.2f}" fill="none" stroke="{INK}" stroke-width="0.3"/>'
        + text(
            frame.width / 2,
            height + 3.4 * part,
            "what stands in the frame on the map, drawn larger",
            "display-italic",
            2.9 * part,
            f'fill="{INK}"',
        )
        + "</g>"
    )
