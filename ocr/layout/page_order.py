"""The order of the sheets of one photograph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ocr.page import Page


def in_reading_order(pages: Sequence[Page]) -> list[Page]:
    """Sheets of one photograph in the order of taking them up: from the left, those in one column from the
    top."""

    def upright_corners(page: Page) -> npt.NDArray[np.float32]:
        points = np.array([corner for line in page.lines for corner in line.box.corners], dtype=np.float32)
        return points @ np.array(QUARTERS[pages[0].rotation], dtype=np.float32).T

    def place(page: Page) -> tuple[float, float]:
        points = upright_corners(page)
        middle = points[:, 0].mean()
        beside = [other for other in all_corners if not other[:, 0].min() < middle < other[:, 0].max()]
        # One column only: x has nothing, and the sheets go from the top.
        return (float(middle) if beside else 0.0, float(points[:, 1].mean()))

    if len(pages) < 2:
        return list(pages)
    all_corners = [upright_corners(page) for page in pages]
    return sorted(pages, key=place)


QUARTERS = {0: ((1, 0), (0, 1)), 90: ((0, -1), (1, 0)), 180: ((-1, 0), (0, -1)), 270: ((0, 1), (-1, 0))}
"""Rotation in degrees to the matrix that takes x, y of the photograph to x, y after that turn clockwise."""
