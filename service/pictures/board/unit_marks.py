"""Units on a map, for a game whose option requests them (MAP-03, Q-13): a plate in each unit's region with
the letter of its power on the power's colour, and the letter of its kind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from adjudicator.units import Unit
from maps.variant import Variant
from service.pictures.board.centre_marks import attribute
from service.pictures.board.ornament import INK, PALE, fitting_size
from service.pictures.drawing.raster import Boxes
from service.pictures.drawing.shapes import MapPaper, inscribed
from service.pictures.drawing.svg import text
from service.pictures.drawing.values import GroundKind, Label, LabelPlace, Rect

# The plate is as small as a letter at 2.5 mm can be read in print.
WIDE, HIGH = 4.4, 2.7
"""Millimetres of a plate on A3. On smaller paper it is smaller, as far as its type can still be read."""

WIDER = 1.5
"""Times that of a plate for a kind of more than one letter: "A/F", where a game keeps the kind hidden."""

LEAST = 0.78

CLEAR = 0.25
CROWN = 2.1
"""Millimetres that a capital's crown rises above its mark."""
RING = 1.5
"""Millimetres that the ring of a dislodged unit reaches beyond its plate, on A3."""
BETWEEN = 5.0
"""Millimetres between two plates on A3 that are room enough for a line from one to the other."""
HOST = 1.0
"""Millimetres about a town within which the county lies that it is in."""
_STEP, _AROUND, _AT_ONCE = 0.6, 4.0, 60
_OUT = np.array([-1.0, -1.0, 1.0, 1.0])

# Prices of the place of a plate; the cheapest place is taken.
_MARK = 60.0  # it covers a mark or another plate
_NAME = 40.0  # it covers a name whole
_TOUCH = 1.5  # it touches a name
_BESIDE = 9.0  # it is outside the region
_AWAY = 0.25  # each millimetre
_STRANGE = 25.0  # another mark is nearer than its own
_NEAR = 0.6  # each millimetre nearer to another plate than BETWEEN: lines between the two need room

EXPLAINED = "Units: the letter of the power next to {kinds}."


def unit_boxes(
    sheet: MapPaper, labels: Sequence[Label], units: Iterable[Unit], pieces: Iterable[Rect] = (),
    ringed: Collection[Unit] = ()
) -> dict[Unit, Rect]:
    """The place of each unit's plate: in its region if there is room, off every mark, every piece of
    furniture and every other plate. About those that are `ringed` there is room for the ring."""
    marks = [Rect(x - r, y - r - CROWN * place.capital, x + r, y + r)
             for place in sheet.places.values() if place.seal
             for (x, y), r in ((place.seal, place.radius + CLEAR),)]
    part = max(LEAST, sheet.paper.furniture)
    height = HIGH * part
    names = _box_rows([label.box for label in labels])
    taken = [*marks, *pieces]
    boxes_by_unit: dict[Unit, Rect] = {}
    between = BETWEEN * part
    # The smallest region first: it has the fewest places to choose from.
    for unit in sorted(set(units),
            key=lambda candidate: (sheet.places[candidate.region.province].shape.area, candidate)):
        place = sheet.places[unit.region.province]
        ring = RING * part if unit in ringed else 0.0
        width = WIDE * part * (1.0 if len(unit.kind) == 1 else WIDER)
        x0, y0, x1, y1 = place.shape.bounds
        across, down = np.meshgrid(
            np.arange(x0 - _AROUND, x1 + _AROUND, _STEP), np.arange(y0 - _AROUND, y1 + _AROUND, _STEP)
        )
        x, y = across.ravel(), down.ravel()
        boxes = np.column_stack([x - width / 2, y - height / 2, x + width / 2, y + height / 2])
        inside = sheet.inside.grown(-1.0)
        boxes = boxes[
            (boxes[:, 0] > inside.x0)
            & (boxes[:, 1] > inside.y0)
            & (boxes[:, 2] < inside.x1)
            & (boxes[:, 3] < inside.y1)
        ]
        middle = place.seal or place.home or inscribed(place.shape)
        away = np.hypot(
            (boxes[:, 0] + boxes[:, 2]) / 2 - middle[0], (boxes[:, 1] + boxes[:, 3]) / 2 - middle[1]
        )
        # A plate nearer to a neighbour's mark than to its own would be read as the neighbour's unit.
        strange = np.zeros(len(boxes))
        if place.seal:
            centres = np.array(
                [other.seal for other in sheet.places.values() if other.seal and other is not place]
            )
            middles = (boxes[:, :2] + boxes[:, 2:]) / 2
            strange = np.hypot(*(middles[:, None, :] - centres[None, :, :]).T).min(axis=0) < away
        covered = _covered_share(boxes, names)
        cost = (
            _MARK * (_covered_share(boxes + ring * _OUT, _box_rows(taken)) > 0)
            + _NAME * covered
            + _TOUCH * (covered > 0)
            + _AWAY * away
            + _STRANGE * strange
            + _NEAR * np.maximum(0.0, between - _gaps(boxes, _box_rows(list(boxes_by_unit.values()))))
        )
        box = Rect(*(float(v) for v in _cheapest_box(boxes, cost, _ground(sheet, place))))
        boxes_by_unit[unit] = box
        # The next plates keep off this one.
        taken.append(box.grown(CLEAR + ring))
    return boxes_by_unit


def _ground(sheet: MapPaper, place: LabelPlace) -> BaseGeometry:
    """The ground of a plate of a place: its shape; of a town, the county that it is in too, which is the
    one that has most of the ground around it."""
    if place.ground is not GroundKind.TOWN:
        return place.shape
    around = place.shape.buffer(HOST)
    counties = [other.shape for other in sheet.places.values() if other.ground is GroundKind.LAND
                and shapely.intersects(other.shape, around)]
    if not counties:
        return place.shape
    return place.shape.union(max(counties, key=lambda shape: float(shapely.area(shape.intersection(around)))))


def _cheapest_box(boxes: Boxes, cost: NDArray[np.float64], shape: BaseGeometry) -> Boxes:
    """The box of the least cost, to which standing outside a shape adds. What lies inside is dear to compute,
    so it is asked only of boxes that may still be the cheapest."""
    best, cheapest = np.inf, boxes[0]
    area = (boxes[0, 2] - boxes[0, 0]) * (boxes[0, 3] - boxes[0, 1])
    order = np.argsort(cost, kind="stable")
    for part in np.array_split(order, max(1, len(order) // _AT_ONCE)):
        # Costs rise from here on, and being outside only adds to them.
        if cost[part[0]] >= best:
            break
        inside = shapely.area(shapely.intersection(shapely.box(*boxes[part].T), shape)) / area
        total_cost = cost[part] + _BESIDE * (1 - inside)
        index = int(np.argmin(total_cost))
        if total_cost[index] < best:
            best, cheapest = float(total_cost[index]), boxes[part[index]]
    return np.asarray(cheapest)


def plates(variant: Variant, where: dict[Unit, Rect]) -> str:
    """The plates as SVG."""
    return "".join(_plate(variant, unit, box) for unit, box in where.items())


def explanation(variant: Variant, units: Iterable[Unit]) -> str:
    """The sentence that shows how a plate is read; "" without units."""
    kinds = [variant.kinds[letter] for letter in sorted({unit.kind for unit in units})]
    return (
        EXPLAINED.format(kinds=", ".join(f"{kind.letter} {kind.name.lower()}" for kind in kinds))
        if kinds
        else ""
    )


def _plate(variant: Variant, unit: Unit, box: Rect) -> str:
    power, part = variant.powers[unit.power], box.height / HIGH
    middle = box.x0 + WIDE * part / 2
    base = box.y1 - 0.62 * part
    kind = variant.kinds[unit.kind].letter  # "A/F" in a game that keeps the kind hidden
    return (
        f'<g class="unit" data-power="{attribute(power.id)}" data-kind="{attribute(unit.kind)}" '
        f'data-region="{attribute(unit.region.province)}"><rect x="{box.x0:.2f}" y="{box.y0:.2f}" '
        f'width="{box.width:.2f}" height="{box.height:.2f}" rx="0.35" fill="{PALE}"/><rect x="{box.x0:.2f}" '
        f'y="{box.y0:.2f}" width="{WIDE * part / 2:.2f}" height="{box.height:.2f}" rx="0.35" '
        f'fill="{power.colour}" fill-opacity="0.55"/><rect x="{box.x0:.2f}" y="{box.y0:.2f}" '
        f'width="{box.width:.2f}" height="{box.height:.2f}" rx="0.35" fill="none" stroke="{INK}" '
        'stroke-width="0.3"/>'
        + text((box.x0 + middle) / 2, base, power.letter, "bold", 2.5 * part, f'fill="{INK}"')
        + text((box.x1 + middle) / 2, base, kind, "display",
               fitting_size(kind, "display", 2.5 * part, box.x1 - middle - 0.4), f'fill="{INK}"')
        + "</g>"
    )


def _box_rows(boxes: Sequence[Rect]) -> Boxes:
    return np.array([(box.x0, box.y0, box.x1, box.y1) for box in boxes]).reshape(-1, 4)


def _gaps(boxes: Boxes, others: Boxes) -> NDArray[np.float64]:
    """Millimetres from each box to the nearest of others."""
    if not len(others):
        return np.full(len(boxes), np.inf)
    across = np.maximum(boxes[:, None, 0] - others[:, 2], others[:, 0] - boxes[:, None, 2])
    down = np.maximum(boxes[:, None, 1] - others[:, 3], others[:, 1] - boxes[:, None, 3])
    return np.asarray(np.hypot(np.maximum(0.0, across), np.maximum(0.0, down)).min(axis=1))


def _covered_share(boxes: Boxes, others: Boxes) -> Boxes:
    """The part of each box that others cover, those that overlap each other counted twice."""
    # Boxes of one plate lie close together, and a board has hundreds of names.
    near = ((others[:, 0] < boxes[:, 2].max()) & (others[:, 2] > boxes[:, 0].min())
            & (others[:, 1] < boxes[:, 3].max()) & (others[:, 3] > boxes[:, 1].min()))
    others = others[near]
    area = (boxes[:1, 2] - boxes[:1, 0]) * (boxes[:1, 3] - boxes[:1, 1])
    width = np.minimum(boxes[:, None, 2], others[None, :, 2]) - np.maximum(
        boxes[:, None, 0], others[None, :, 0]
    )
    height = np.minimum(boxes[:, None, 3], others[None, :, 3]) - np.maximum(
        boxes[:, None, 1], others[None, :, 1]
    )
    return np.asarray((np.maximum(0, width) * np.maximum(0, height)).sum(axis=1) / area)
