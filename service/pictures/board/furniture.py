"""The places of title, legend, compass and scale: over open water or foreign land, hiding no region of the
board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.pictures.drawing.raster import CELL, Boxes, Grid, covered_share, summed_area
from service.pictures.drawing.shapes import MapPaper
from service.pictures.drawing.values import GroundKind, Rect

# Every fifth cell is looked at. Pieces are 20 to 90 mm wide, so 2 mm is near enough; set by hand.
COARSE = 5

GAP = 4.0
HIDDEN = 0.4
"""A sea may be covered by this part before it costs anything."""

# Prices of the place of a piece, set by hand in this order of harm.
_LAND = 60_000.0  # it covers nothing but land
_HIDING = 3000.0  # it hides a sea whole
_LINES = 1500.0  # it covers nothing but borders
_AWAY = 160.0  # it is at the far side of the map


@dataclass(frozen=True, slots=True)
class FurniturePiece:
    """A piece of furniture, its size in millimetres. `anchor` is the corner or side that it is drawn to, each
    from 0 (left, top) to 1 (right, bottom). A piece that is `afloat` keeps off foreign land too."""

    name: str
    width: float
    height: float
    anchor: tuple[float, float]
    afloat: bool = False


def arrange(sheet: MapPaper, pieces: Sequence[FurniturePiece]) -> Mapping[str, Rect]:
    """A rectangle for each piece, in the order given; pieces never overlap each other."""
    ground = _OpenGround(sheet)
    placed: dict[str, Rect] = {}
    for piece in pieces:
        placed[piece.name] = ground.best(piece, sheet.inside.grown(-GAP), placed.values())
        ground.cover(placed[piece.name])
    return placed


class _OpenGround:
    """What a piece would be on, and how much of each sea is hidden already."""

    def __init__(self, sheet: MapPaper) -> None:
        grid = Grid(sheet.paper, sheet.places)
        self.ids = grid.ids[::COARSE, ::COARSE]
        # Land is asked for cell by cell, so that no islet is covered, nor its mark, which may be wider; water
        # may be taken coarsely.
        marks = grid.blocked(
            (), ((*place.seal, place.radius) for place in sheet.places.values() if place.seal is not None)
        )
        self.dry, self.foreign = summed_area((grid.ids >= 0) & ~grid.sea | marks), summed_area(grid.ids < 0)
        self.lines = summed_area(grid.edge)
        self.wet = np.array(
            [place.ground in {GroundKind.AREA, GroundKind.SEA} for place in sheet.places.values()]
        )
        self.visible = np.maximum(1, np.bincount(self.ids.ravel() + 1, minlength=len(self.wet) + 1)[1:])
        self.hidden = np.zeros_like(self.visible)

    def best(self, piece: FurniturePiece, inside: Rect, placed: Iterable[Rect]) -> Rect:
        """The cheapest free spot for a piece."""
        step = 2 * CELL * COARSE
        across, down = np.meshgrid(
            np.arange(inside.x0, inside.x1 - piece.width + 0.01, step),
            np.arange(inside.y0, inside.y1 - piece.height + 0.01, step),
        )
        boxes = np.column_stack([
            across.ravel(), down.ravel(), across.ravel() + piece.width, down.ravel() + piece.height
        ])
        for other in placed:
            margin_box = other.grown(GAP)
            free = (
                (boxes[:, 0] > margin_box.x1)
                | (boxes[:, 2] < margin_box.x0)
                | (boxes[:, 1] > margin_box.y1)
                | (boxes[:, 3] < margin_box.y0)
            )
            boxes = boxes[free]
        costs = self._price(piece, boxes, inside)
        best_box, price = None, np.inf
        for index in np.argsort(costs, kind="stable"):
            if costs[index] >= price:
                break
            box = Rect(*(float(v) for v in boxes[index]))
            total_cost = costs[index] + self._hiding(box)
            if total_cost < price:
                best_box, price = box, total_cost
        if best_box is None:
            raise ValueError(f"the paper is too small for the {piece.name} of this map")
        return best_box

    def cover(self, box: Rect) -> None:
        """Count a box as hidden from now on."""
        self.hidden += self._under(box)

    def _price(self, piece: FurniturePiece, boxes: Boxes, inside: Rect) -> NDArray[np.float64]:
        with_margin = boxes + np.array([-1.0, -1.0, 1.0, 1.0])
        price = _LAND * covered_share(self.dry, with_margin) + _LINES * covered_share(self.lines, with_margin)
        if piece.afloat:
            price += _LAND * covered_share(self.foreign,
                with_margin) + _LAND * (covered_share(self.dry, with_margin) > 0)
        x = (boxes[:, 0] - inside.x0) / max(0.1, inside.width - piece.width)
        y = (boxes[:, 1] - inside.y0) / max(0.1, inside.height - piece.height)
        return np.asarray(price + _AWAY * (np.abs(x - piece.anchor[0]) + np.abs(y - piece.anchor[1])))

    def _hiding(self, box: Rect) -> float:
        under = self._under(box)
        part = np.maximum(0.0, (self.hidden + under) / self.visible - HIDDEN)
        return _HIDING * float(part[(under > 0) & self.wet].sum())

    def _under(self, box: Rect) -> NDArray[np.int64]:
        grown, cell = box.grown(1.5), CELL * COARSE
        rows = slice(max(0, int(grown.y0 / cell)), int(grown.y1 / cell) + 1)
        columns = slice(max(0, int(grown.x0 / cell)), int(grown.x1 / cell) + 1)
        return np.asarray(np.bincount(self.ids[rows, columns].ravel() + 1, minlength=len(self.wet) + 1)[1:])
