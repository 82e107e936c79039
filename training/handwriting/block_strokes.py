"""Crossing out a block: the strokes people draw over several rows at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from itertools import pairwise

import numpy as np

from training.handwriting.ink import Extent, Mask, StrokePath, draw_strokes


class BlockStroke(StrEnum):
    """How a block of rows is crossed out."""

    CROSS = "cross"
    SLASH = "slash"
    TWO_STROKES = "two_strokes"
    BOX = "box"
    SERPENTINE = "serpentine"
    HATCHING = "hatching"
    SHORT_SLASH = "short_slash"
    SHORT_CROSS = "short_cross"


def cross_out_block(
    mask: Mask, block: Extent, row_height: float, stroke: BlockStroke, width_px: float,
    rng: np.random.Generator,
) -> None:
    """Draw strokes over a block. `row_height`: from row to row, in pixels."""
    paths = _PATHS[stroke](block, row_height, rng)
    draw_strokes(mask, [(path, max(2, round(width_px))) for path in paths])


def _stroke(begin: tuple[float, float], end: tuple[float, float], rng: np.random.Generator) -> StrokePath:
    """One movement of the hand: nearly straight, bowed to one side, and not quite steady."""
    shares = np.linspace(0, 1, 40)
    start, step = np.array(begin), np.subtract(end, begin)
    length = float(np.hypot(*step))
    aside = np.array([-step[1], step[0]]) / max(1.0, length)
    bow = length * float(rng.normal(0, 0.025)) * np.sin(np.pi * shares)
    shake = np.cumsum(rng.normal(0, 0.35, len(shares)))
    return np.asarray(start + shares[:, np.newaxis] * step + (bow + shake)[:, np.newaxis] * aside, np.float64)


def _past(block: Extent, row_height: float, rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Left, top, right and foot of a mark: people begin and end about a block's corners."""
    wide = block.right - block.left
    return (
        block.left + float(rng.uniform(-0.05, 0.15)) * wide,
        block.top + float(rng.uniform(-0.3, 0.35)) * row_height,
        block.right + float(rng.uniform(-0.2, 0.05)) * wide,
        block.bottom + float(rng.uniform(-0.35, 0.3)) * row_height,
    )


def _rising(block: Extent, row_height: float, rng: np.random.Generator) -> StrokePath:
    left, top, right, foot = _past(block, row_height, rng)
    return _stroke((left, foot), (right, top), rng)


def _falling(block: Extent, row_height: float, rng: np.random.Generator) -> StrokePath:
    left, top, right, foot = _past(block, row_height, rng)
    return _stroke((left, top), (right, foot), rng)


def _cross(block: Extent, row_height: float, rng: np.random.Generator) -> list[StrokePath]:
    return [_rising(block, row_height, rng), _falling(block, row_height, rng)]


def _slash(block: Extent, row_height: float, rng: np.random.Generator) -> list[StrokePath]:
    # Right-handed people mostly draw it upwards.
    return [(_rising if rng.random() < 0.8 else _falling)(block, row_height, rng)]


def _two_strokes(block: Extent, row_height: float, rng: np.random.Generator) -> list[StrokePath]:
    path = _slash(block, row_height, rng)[0]
    aside = np.array([float(rng.uniform(0.4, 1.2)) * row_height, float(rng.uniform(-0.2, 0.2)) * row_height])
    return [path, path + aside + rng.normal(0, 0.6, path.shape)]


def _box(block: Extent, row_height: float, rng: np.random.Generator) -> list[StrokePath]:
    room = 0.3 * row_height

    def near(x: float, y: float) -> tuple[float, float]:
        return x + float(rng.normal(0, room / 3)), y + float(rng.normal(0, room / 3))

    left, right = block.left - room, block.right + room
    corners = [near(left, block.top), near(right, block.top), near(right, block.bottom),
               near(left, block.bottom), near(left, block.top)]
    # The pen stays on the paper.
    corners[-1] = (corners[0][0] + float(rng.normal(0, 3)), corners[0][1] + float(rng.normal(0, 3)))
    return [_stroke(*pair, rng) for pair in pairwise(corners)]


def _serpentine(block: Extent, row_height: float, rng: np.random.Generator) -> list[StrokePath]:
    left, top, right, foot = _past(block, row_height, rng)
    turns = max(3, round((foot - top) / row_height / float(rng.uniform(0.3, 0.6))))
    heights = np.linspace(top, foot, turns + 1)
    points = [
        ((left if turn % 2 == 0 else right) + float(rng.normal(0, 0.3)) * row_height, float(height))
        for turn, height in enumerate(heights)]
    return [_stroke(*pair, rng) for pair in pairwise(points)]


def _hatching(block: Extent, row_height: float, rng: np.random.Generator) -> list[StrokePath]:
    left, top, right, foot = _past(block, row_height, rng)
    lean = float(rng.uniform(0.3, 1.2)) * (foot - top)
    count = max(3, round((right - left) / row_height / float(rng.uniform(0.8, 2.0))))
    return [
        _stroke((float(x), foot + float(rng.normal(0, 0.15)) * row_height),
                (float(x) + lean, top + float(rng.normal(0, 0.15)) * row_height), rng)
        for x in np.linspace(left, max(left + 1, right - lean / 2), count)]


def _short_slash(block: Extent, row_height: float, rng: np.random.Generator) -> list[StrokePath]:
    """One stroke through the rows at one place, as long as it must be."""
    top, foot = (edge + float(rng.uniform(-0.15, 0.25)) * row_height * way
                 for edge, way in ((block.top, 1), (block.bottom, -1)))
    across = float(rng.uniform(0.1, 1.4)) * (foot - top)
    wide = block.right - block.left
    left = block.left + float(rng.uniform(0.1, 0.7)) * max(0.0, wide - across)
    begin, end = (foot, top) if rng.random() < 0.8 else (top, foot)
    return [_stroke((left, begin), (left + across, end), rng)]


def _short_cross(block: Extent, row_height: float, rng: np.random.Generator) -> list[StrokePath]:
    (path,) = _short_slash(block, row_height, rng)
    mirrored = path.copy()
    mirrored[:, 0] = path[:, 0].min() + path[:, 0].max() - path[:, 0]
    return [path, mirrored + rng.normal(0, 0.08 * row_height, 2)]


_PATHS: Mapping[
    BlockStroke, Callable[[Extent, float, np.random.Generator], list[StrokePath]]
] = {
    BlockStroke.CROSS: _cross, BlockStroke.SLASH: _slash, BlockStroke.TWO_STROKES: _two_strokes,
    BlockStroke.BOX: _box, BlockStroke.SERPENTINE: _serpentine, BlockStroke.HATCHING: _hatching,
    BlockStroke.SHORT_SLASH: _short_slash, BlockStroke.SHORT_CROSS: _short_cross,
}
