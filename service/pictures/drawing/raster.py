"""The sheet as a grid of cells: four look-ups show what is under a box."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from shapely import get_parts
from shapely.geometry import Polygon

from service.pictures.drawing.values import GroundKind, LabelPlace, PaperSize, Rect

CELL = 0.4
"""Millimetres a cell."""

FOREIGN = -1
Sums = NDArray[np.int64]
Boxes = NDArray[np.float64]


class Grid:
    """Region numbers by cell, in the order of `names`; FOREIGN where no region is."""

    def __init__(self, paper: PaperSize, places: Mapping[str, LabelPlace]) -> None:
        self.paper = paper
        self.names = tuple(places)
        self.shape = (round(paper.height / CELL), round(paper.width / CELL))
        image = Image.new("I", (self.shape[1], self.shape[0]), FOREIGN)
        draw = ImageDraw.Draw(image)
        # Outer rings only: islands are laid on the seas, towns on the land.
        rank = {GroundKind.AREA: 0, GroundKind.SEA: 0, GroundKind.LAND: 1, GroundKind.TOWN: 2}
        order = sorted(range(len(self.names)), key=lambda index: rank[places[self.names[index]].ground])
        for number in order:
            for part in get_parts(places[self.names[number]].shape):
                if isinstance(part, Polygon):
                    draw.polygon([(x / CELL, y / CELL) for x, y in part.exterior.coords], fill=number)
        self.ids = np.asarray(image)
        ground = np.array(
            # FOREIGN is -1 and so picks the last value.
            [places[name].ground in {GroundKind.SEA, GroundKind.AREA} for name in self.names] + [False]
        )
        self.sea = ground[self.ids]
        edge = np.zeros(self.shape, dtype=bool)
        edge[:, 1:] |= self.ids[:, 1:] != self.ids[:, :-1]
        edge[1:, :] |= self.ids[1:, :] != self.ids[:-1, :]
        self.edge = edge

    def own(self, number: int, bounds: tuple[float, float, float, float]) -> tuple[Sums, tuple[int, int]]:
        """Summed cells of one region within its bounds (millimetres), and where that part of the grid
        begins."""
        x0, y0 = (max(0, int(v / CELL) - 1) for v in bounds[:2])
        x1, y1 = (int(v / CELL) + 2 for v in bounds[2:])
        return summed_area(self.ids[y0:y1, x0:x1] == number), (x0, y0)

    def blocked(
        self, boxes: Iterable[Rect], discs: Iterable[tuple[float, float, float]]
    ) -> NDArray[np.bool_]:
        """Cells no name may cover: boxes, and discs given by middle and radius."""
        image = Image.new("1", (self.shape[1], self.shape[0]), 0)
        draw = ImageDraw.Draw(image)
        for box in boxes:
            draw.rectangle([v / CELL for v in (box.x0, box.y0, box.x1, box.y1)], fill=1)
        for x, y, radius in discs:
            draw.ellipse([v / CELL for v in (x - radius, y - radius, x + radius, y + radius)], fill=1)
        return np.asarray(image).astype(bool)


def summed_area(mask: NDArray[np.bool_]) -> Sums:
    """Sums of all cells above and left of each corner."""
    sums: Sums = np.zeros((mask.shape[0] + 1, mask.shape[1] + 1), dtype=np.int64)
    sums[1:, 1:] = mask.cumsum(axis=0, dtype=np.int64).cumsum(axis=1)
    return sums


def covered_share(sums: Sums, boxes: Boxes, corner: tuple[int, int] = (0, 0)) -> NDArray[np.float64]:
    """The part, 0 to 1, of each box (rows x0, y0, x1, y1 in millimetres) that the mask covers; `corner` is
    the column and row of the grid where the mask begins, outside of which nothing is covered."""
    rows, columns = sums.shape[0] - 1, sums.shape[1] - 1
    cells = np.column_stack([np.floor(boxes[:, :2] / CELL), np.ceil(boxes[:, 2:] / CELL)]).astype(int)
    area = np.maximum(1, (cells[:, 2] - cells[:, 0]) * (cells[:, 3] - cells[:, 1]))
    x0, x1 = (np.clip(cells[:, side] - corner[0], 0, columns) for side in (0, 2))
    y0, y1 = (np.clip(cells[:, side] - corner[1], 0, rows) for side in (1, 3))
    total = sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0]
    return np.asarray(total / area, dtype=np.float64)
