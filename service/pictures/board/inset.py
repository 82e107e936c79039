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
from numpy.typing import NDArray
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
"""How much larger an inset is drawn, at most: one whose window was grown is in the same room."""
CROWD = 16
"""So many regions in such a window make a crowd."""

CAPTION = 4.6
"""Height of the line below the picture."""

CUT, CLEAR = 2.0, 0.5
"""So many regions less is a window worth for each mark that its edge cuts, or comes nearer to than CLEAR
millimetres: a mark cut in two has no name."""
GROWN = 5.0
"""Millimetres that a window may grow on each side to hold a mark whole that its edge would cut."""
FRAME = 1.4
MARGIN = 4.0
"""Millimetres drawn beyond the frame and cut off by it, so that no coast is seen where the cut is."""

SHOWN = 0.6
"""The part of a region that must be visible in an inset for its name to be there."""

_STEP = 1.0


@dataclass(frozen=True, slots=True)
class Inset:
    """A part of a map drawn larger: the `window` it shows and the `box` it is in, both on the map;
    `sheet` and `labels` in millimetres of its own, origin top left."""

    window: Rect
    box: Rect
    sheet: MapPaper
    labels: tuple[Label, ...]
    base: BaseMap


def crowded(sheet: MapPaper) -> tuple[Rect, ...]:
    """The window with the most regions in it, fewer by CUT for each mark that its edge would cut; before it
    the same grown to hold those marks whole. () where no window has a crowd. The first of equals from the top
    left."""
    part = sheet.paper.furniture
    width, height, inside = WIDE * part, HIGH * part, sheet.inside
    points = [
        place.shape.representative_point() for place in sheet.places.values() if not place.shape.is_empty
    ]
    x, y = np.array([point.x for point in points]), np.array([point.y for point in points])
    marks = np.array([(*place.seal, place.radius + CLEAR) for place in sheet.places.values()
                      if place.seal is not None]).reshape(-1, 3)
    best, most = None, -np.inf
    tops = np.arange(inside.y0, inside.y1 - height, _STEP)
    for left in np.arange(inside.x0, inside.x1 - width, _STEP):
        across = (x > left) & (x < left + width)
        # No window in this strip can have more than the best so far.
        if int(across.sum()) <= most or int(across.sum()) < CROWD:
            continue
        counts = (across & (y > tops[:, None]) & (y < tops[:, None] + height)).sum(axis=1)
        cut = _cut(marks, float(left), tops, width, height)
        worth = np.where(counts < CROWD, -np.inf, counts - CUT * cut)
        index = int(np.argmax(worth))
        if worth[index] > most:
            top = float(tops[index])
            best, most = Rect(float(left), top, float(left) + width, top + height), float(worth[index])
    return () if best is None else tuple(dict.fromkeys((_whole(best, marks, inside), best)))


def _whole(window: Rect, marks: NDArray[np.float64], inside: Rect) -> Rect:
    """A window grown on the sides that would cut a mark, as far as it may."""
    x0, y0, x1, y1 = window.x0, window.y0, window.x1, window.y1
    for x, y, r in marks:
        if not (x + r > x0 and x - r < x1 and y + r > y0 and y - r < y1):
            continue
        if window.x0 - GROWN <= x - r and window.y0 - GROWN <= y - r \
                and x + r <= window.x1 + GROWN and y + r <= window.y1 + GROWN:
            x0, y0, x1, y1 = min(x0, x - r), min(y0, y - r), max(x1, x + r), max(y1, y + r)
    return Rect(max(float(x0), inside.x0), max(float(y0), inside.y0), min(float(x1), inside.x1),
                min(float(y1), inside.y1))


def _cut(
    marks: NDArray[np.float64], left: float, tops: NDArray[np.float64], width: float, height: float
) -> NDArray[np.int64]:
    """How many marks the edge of each window cuts; the windows are above each other."""
    x, y, r = marks.T
    top, bottom = tops[:, None], tops[:, None] + height
    across, down = (x + r > left) & (x - r < left + width), (y + r > top) & (y - r < bottom)
    within = (x - r > left) & (x + r < left + width) & (y - r > top) & (y + r < bottom)
    return np.asarray((across & down & ~within).sum(axis=1))


def size(window: Rect, paper: PaperSize) -> tuple[float, float]:
    """Width and height of the box that an inset of a window needs, frame and caption included."""
    larger = magnification(window, paper)
    return window.width * larger + 2 * FRAME, window.height * larger + CAPTION * paper.furniture + 2 * FRAME


def magnification(window: Rect, paper: PaperSize) -> float:
    """How many times larger than on the map a window of it is drawn."""
    part = paper.furniture
    return LARGER * min(1.0, WIDE * part / window.width, HIGH * part / window.height)


def make_inset(sheet: MapPaper, window: Rect, box: Rect) -> Inset | None:
    """The inset of a window; None if its names still find no room."""
    detail = enlarged(sheet, window)
    labelled = {
        name for name, place in detail.places.items()
        if _is_visible(sheet.places[name], place, detail.inside, magnification(window, sheet.paper))
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


def _is_visible(whole_place: LabelPlace, enlarged_place: LabelPlace, frame: Rect, larger: float) -> bool:
    """Whether so much of a region is in the frame that its name belongs there."""
    if enlarged_place.seal is not None and not frame.grown(-enlarged_place.radius).meets(
        Rect(enlarged_place.seal[0], enlarged_place.seal[1], enlarged_place.seal[0], enlarged_place.seal[1])
    ):
        return False
    if whole_place.ground is GroundKind.TOWN:
        return enlarged_place.seal is not None
    visible_part = enlarged_place.shape.intersection(shapely.box(frame.x0, frame.y0, frame.x1, frame.y1))
    return bool(visible_part.area >= SHOWN * larger**2 * whole_place.shape.area)


def enlarged(sheet: MapPaper, window: Rect) -> MapPaper:
    """The part of the map in a window, on its own sheet."""
    larger = magnification(window, sheet.paper)
    frame = Rect(0.0, 0.0, window.width * larger, window.height * larger)
    places = {}
    for name, place in sheet.places.items():
        shape = valid_polygons(_moved(place.shape, window, frame, larger))
        if shape.area > 0.5:
            places[name] = _place(place, shape, window, frame, larger)
    paper = PaperSize(frame.width, frame.height, 0.0, 0.0, sheet.paper.furniture, "inset")
    return replace(
        sheet, places=places, paper=paper, inside=frame, scale=sheet.scale / larger,
        land=_moved(sheet.land, window, frame, larger),
        far=_moved(sheet.far, window, frame, larger))


def _place(
    place: LabelPlace, shape: BaseGeometry, window: Rect, frame: Rect, larger: float
) -> LabelPlace:
    if place.seal is None:
        return replace(place, shape=shape)
    x, y = ((place.seal[0] - window.x0) * larger, (place.seal[1] - window.y0) * larger)
    if not (-MARGIN < x < frame.x1 + MARGIN and -MARGIN < y < frame.y1 + MARGIN):
        # The mark lies beyond what is drawn, and a name must not be placed by it.
        return replace(place, shape=shape, seal=None)
    if place.ground is GroundKind.TOWN:
        return replace(place, shape=shape, seal=(x, y), radius=max(TOWN_MM, math.sqrt(shape.area / math.pi)))
    # The mark of a county is where it does on the map, so that it is found again.
    return replace(place, shape=shape, seal=(x, y))


def _moved(shape: BaseGeometry, window: Rect, frame: Rect, larger: float) -> BaseGeometry:
    """A shape of the map cut at the window and laid into the frame."""
    enlarged_shape = affinity.affine_transform(
        shape, [larger, 0, 0, larger, -window.x0 * larger, -window.y0 * larger]
    )
    room = frame.grown(MARGIN)
    return shapely.intersection(enlarged_shape, shapely.box(room.x0, room.y0, room.x1, room.y1))


def outline(window: Rect, names: Iterable[Rect] = ()) -> str:
    """The edge of the window on the map, left out where a name crosses it."""
    frame = shapely.box(window.x0, window.y0, window.x1, window.y1).boundary
    boxes = [shapely.box(box.x0, box.y0, box.x1, box.y1).buffer(0.3)
             for box in names if window.meets(box.grown(0.3))]
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
            "the framed part of the map, enlarged",
            "display-italic",
            2.9 * part,
            f'fill="{INK}"',
        )
        + "</g>"
    )
