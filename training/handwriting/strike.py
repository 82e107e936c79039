"""Crossing out: the strokes people draw through what they no longer mean."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from training.handwriting.ink import Extent, Mask, draw_strokes

# The names a Look may give as `strike`.
STROKES = ("single", "double", "wave", "scribble")

# Every stroke that `cross_out` can draw.
# Apart from STROKES: a choice among more would give the demo's sheets other strokes for the same seed.
MORE_STROKES = (*STROKES, "zigzag", "cross")


def cross_out(mask: Mask, extent: Extent, stroke: str, width_px: float, rng: np.random.Generator) -> None:
    """Draw a stroke through an extent. Raises KeyError for a stroke not in MORE_STROKES."""
    draw_strokes(mask, [(path, max(2, round(width_px))) for path in _PATHS[stroke](extent, rng)])


def _level(extent: Extent, share: float, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    xs = np.linspace(extent.left - rng.uniform(2, 14), extent.right + rng.uniform(2, 18), 24)
    middle = extent.top + share * (extent.bottom - extent.top)
    ys = middle + np.cumsum(rng.normal(0, 0.9, 24)) + rng.normal(0, 3)
    return np.column_stack([xs, ys])


def _single(extent: Extent, rng: np.random.Generator) -> list[npt.NDArray[np.float64]]:
    return [_level(extent, 0.55, rng)]


def _double(extent: Extent, rng: np.random.Generator) -> list[npt.NDArray[np.float64]]:
    return [_level(extent, 0.45, rng), _level(extent, 0.62, rng)]


def _wave(extent: Extent, rng: np.random.Generator) -> list[npt.NDArray[np.float64]]:
    count = max(8, int((extent.right - extent.left) / 14))
    path = _level(extent, 0.55, rng)
    xs = np.linspace(path[0, 0], path[-1, 0], count)
    ys = np.interp(xs, path[:, 0], path[:, 1]) + np.where(np.arange(count) % 2, 9.0, -9.0)
    return [np.column_stack([xs, ys + rng.normal(0, 2, count)])]


def _scribble(extent: Extent, rng: np.random.Generator) -> list[npt.NDArray[np.float64]]:
    turns = np.linspace(0, (extent.right - extent.left) / 16 * np.pi, 60 + int(extent.right - extent.left))
    height = (extent.bottom - extent.top) * 0.3
    xs = np.linspace(extent.left, extent.right, len(turns)) + 14 * np.cos(turns)
    ys = (extent.top + extent.bottom) / 2 + height * np.sin(turns) * (0.8 + 0.4 * rng.random())
    return [np.column_stack([xs, ys]), _level(extent, 0.5, rng)]


def _zigzag(extent: Extent, rng: np.random.Generator) -> list[npt.NDArray[np.float64]]:
    width, height = extent.right - extent.left, extent.bottom - extent.top
    count = max(4, int(width / rng.uniform(18, 40)))
    xs = np.linspace(extent.left, extent.right, count) + rng.normal(0, 4, count)
    ys = (extent.top + extent.bottom) / 2 + np.where(np.arange(count) % 2, 0.34, -0.34) * height
    return [np.column_stack([xs, ys + rng.normal(0, 3, count)])]


def _cross(extent: Extent, rng: np.random.Generator) -> list[npt.NDArray[np.float64]]:
    xs = np.linspace(extent.left, extent.right, 16)
    down = np.linspace(extent.top - 4, extent.bottom + 4, 16)
    return [
        np.column_stack([xs, ys + np.cumsum(rng.normal(0, 0.8, 16))])
        for ys in (down, down[::-1])
    ]


_PATHS = {
    "single": _single, "double": _double, "wave": _wave, "scribble": _scribble, "zigzag": _zigzag,
    "cross": _cross,
}
