"""Where title, legend, compass and scale stand: over open water or foreign land, hiding no region of the board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from service.pictures.ground import Sheet
from service.pictures.raster import CELL, Grid, Sums, share, summed
from service.pictures.values import Ground, Rect

COARSE = 5
"""Every fifth cell is looked at: two millimetres."""

GAP = 4.0
_LAND, _LINES = 60_000.0, 1500.0
HIDDEN = 0.4
"""A sea may be covered by this part before it costs anything."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something of a size in millimetres that wants a place; `at` is the corner or side it is drawn to, each from 0
    (left, top) to 1 (right, bottom). What is `afloat` keeps off foreign land too."""

    name: str
    width: float
    height: float
    at: tuple[float, float]
    afloat: bool = False


def arrange(sheet: Sheet, pieces: Sequence[Piece]) -> Mapping[str, Rect]:
    """A rectangle for each piece, in the order given; pieces never overlap each other."""
    grid = Grid(sheet.paper, sheet.places)
    ids = grid.ids[::COARSE, ::COARSE]
    # Land is asked for cell by cell, so that no islet is covered; water may be taken coarsely.
    foreign = summed(grid.ids < 0)
    dry, lines = summed((grid.ids >= 0) & ~grid.sea), summed(grid.edge)
    cell = CELL * COARSE
    kinds = [place.ground for place in sheet.places.values()]
    land = np.array([kind in {Ground.LAND, Ground.TOWN} for kind in kinds] + [False])
    visible = np.bincount(ids.ravel() + 1, minlength=len(kinds) + 1)
    hidden = np.zeros_like(visible)
    placed: dict[str, Rect] = {}
    inside = sheet.inside.grown(-GAP)
    for piece in pieces:
        best: tuple[float, Rect] | None = None
        for y0 in np.arange(inside.y0, inside.y1 - piece.height + 0.01, 2 * cell):
            for x0 in np.arange(inside.x0, inside.x1 - piece.width + 0.01, 2 * cell):
                box = Rect(float(x0), float(y0), float(x0) + piece.width, float(y0) + piece.height)
                if any(box.grown(GAP).meets(other) for other in placed.values()):
                    continue
                under = _under(ids, box, cell, len(kinds))
                cost = 60.0 * float(under[1:][land[:-1]].sum()) + _LAND * _covered(dry, box)
                cost += _LAND * _covered(foreign, box) if piece.afloat else 0.0
                cost += _LINES * _covered(lines, box)
                part = (hidden + under)[1:] / np.maximum(1, visible[1:])
                cost += 3000.0 * float(np.maximum(0, part - HIDDEN)[(under[1:] > 0) & ~land[:-1]].sum())
                cost += _away(box, inside, piece.at)
                if best is None or cost < best[0]:
                    best = (cost, box)
        if best is None:
            raise ValueError(f"the paper is too small for the {piece.name} of this map")
        placed[piece.name] = best[1]
        hidden += _under(ids, best[1], cell, len(kinds))
    return placed


def _covered(mask: Sums, box: Rect) -> float:
    """The part of a box, a little grown, that a mask covers."""
    grown = box.grown(1.0)
    return float(share(mask, np.array([[grown.x0, grown.y0, grown.x1, grown.y1]]))[0])


def _under(ids: np.ndarray[tuple[int, ...], np.dtype[np.int32]], box: Rect, cell: float, count: int) -> np.ndarray[
    tuple[int, ...], np.dtype[np.int64]
]:
    grown = box.grown(1.5)
    rows = slice(max(0, int(grown.y0 / cell)), int(grown.y1 / cell) + 1)
    columns = slice(max(0, int(grown.x0 / cell)), int(grown.x1 / cell) + 1)
    return np.bincount(ids[rows, columns].ravel() + 1, minlength=count + 1)


def _away(box: Rect, inside: Rect, at: tuple[float, float]) -> float:
    x = (box.x0 - inside.x0) / max(0.1, inside.width - box.width)
    y = (box.y0 - inside.y0) / max(0.1, inside.height - box.height)
    return 160.0 * (abs(x - at[0]) + abs(y - at[1]))
