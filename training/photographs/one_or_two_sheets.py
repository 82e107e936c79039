"""Photographing one leaf or two as people do: any desk, any light, any phone, sometimes lying on a side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from training.handwriting.noise import grain, smooth
from training.handwriting.paper import Colour
from training.photographs import camera
from training.photographs.camera import Lamp, LeafPlace, Lens, Matrix, PhoneFile, Photograph, Shadow

_DESKS = ((0.46, 0.31, 0.19), (0.25, 0.27, 0.30), (0.12, 0.30, 0.20), (0.20, 0.12, 0.22), (0.62, 0.60, 0.56),
          (0.10, 0.10, 0.11), (0.40, 0.44, 0.50), (0.55, 0.42, 0.32))  # fmt: skip
_UNIT = 2000  # the long side, in pixels, that lengths on the desk are meant for


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a photograph is taken. `long_side` in pixels; `turn` in degrees; `tilt` the perspective (1 is
    marked); `fill` the share of the picture; `gloom` 0..1; `blur` and `motion` in thousandths of the long
    side; `noise` a standard deviation (white is 1); `lying`: quarter turns anticlockwise that nothing in the
    file mentions; `orientation` the EXIF number.
    """

    long_side: int
    turn: float
    tilt: float
    fill: float
    gloom: float
    blur: float
    motion: float
    noise: float
    quality: int
    orientation: int
    lying: int
    gps: bool


def photograph(leaves: Sequence[Colour], conditions: Conditions, rng: np.random.Generator) -> Photograph:
    """Lay leaves side by side on a desk and take the picture; deterministic in `rng`."""
    width, height = sum(leaf.shape[1] for leaf in leaves), max(leaf.shape[0] for leaf in leaves)
    short = round(conditions.long_side * 3 / 4)
    rows, columns = (short, conditions.long_side) if width > height else (conditions.long_side, short)
    desk = _desk((rows, columns), rng)
    scale = conditions.fill * min(rows / height, columns / (width * 1.04))
    x = (columns - width * scale) / 2
    placed = []
    for leaf in leaves:
        corners = _corners(leaf.shape[:2], (x, (rows - leaf.shape[0] * scale) / 2), scale, conditions, rng)
        place = LeafPlace(camera.leaf_matrix(leaf, corners), camera.draw_curl(rng), leaf.shape[1])
        placed.append((leaf, place))
        # Two leaves lie 3 % of a width apart.
        x += leaf.shape[1] * scale * 1.03
    unit = max(rows, columns) / _UNIT
    shadow = Shadow(right=8 * unit, down=12 * unit, box=int(22 * unit))
    photo = camera.photograph(desk, placed, shadow, _lamp(conditions, rows), _lens(conditions), rng)
    turned = _quarter_turns((rows, columns), conditions.lying)
    return Photograph(
        np.ascontiguousarray(np.rot90(photo.colour, conditions.lying)),
        tuple(replace(place, matrix=turned @ place.matrix) for place in photo.leaves),
    )


def jpeg(colour: Colour, conditions: Conditions) -> bytes:
    """The picture as a phone stores it, with its EXIF."""
    return camera.jpeg(colour, PhoneFile(conditions.quality, conditions.orientation, conditions.gps))


def _lamp(conditions: Conditions, rows: int) -> Lamp:
    return Lamp(
        conditions.gloom, slow_px=0.25 * rows, edge_px=0.13 * rows, sides=(-0.05, 0.2, 1.05),
        heights=(-0.1, 1.0),
        softness=(0.015, 0.06), strength=(0.3, 0.5), reach=(0.25, 0.5),
    )


def _lens(conditions: Conditions) -> Lens:
    return Lens(
        blur_px=conditions.blur * conditions.long_side / 1000,
        shake_px=round(conditions.motion * conditions.long_side / 1000),
        balance=(0.93, 1.05), brightness=(0.85, 1.05), noise=conditions.noise, colour_cell=2,
    )


def _corners(
    size: tuple[int, ...], corner: tuple[float, float], scale: float, conditions: Conditions,
    rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Where a leaf's corners lie, its top left one about `corner`."""
    height, width = size[0], size[1]
    half = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) * scale / 2
    half += conditions.tilt * rng.uniform(-1, 1, (4, 2)) * np.array([width, height]) * scale * 0.03
    angle = np.deg2rad(conditions.turn + float(rng.normal(0, 0.3)))
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shrink = 1 - 0.7 * abs(float(np.sin(angle)))  # a turned leaf needs more room
    middle = np.array(corner) + np.array([width, height]) * scale / 2
    return np.asarray((half * shrink) @ spin.T + middle + rng.normal(0, 0.006, 2) * width * scale, np.float64)


def _desk(size: tuple[int, int], rng: np.random.Generator) -> Colour:
    """One of four surfaces in one of eight colours: wood, cloth, stone, or a plain one."""
    base = np.array(_DESKS[int(rng.integers(len(_DESKS)))], np.float32)
    base = base * rng.uniform(0.8, 1.2, 3).astype(np.float32)
    unit = max(size) / _UNIT
    tone = 1 + 0.06 * smooth(size, 240 * unit, rng) + 0.03 * grain(size, 0.9, rng)
    # 0 wood with a wavy grain, 1 woven cloth, 2 stone in patches, 3 a plain surface.
    style = int(rng.integers(4))
    ys, xs = np.mgrid[0 : size[0], 0 : size[1]].astype(np.float32) / unit
    if style == 0:
        tone += 0.10 * np.sin(ys / 17 + 2.2 * smooth(size, 420 * unit, rng))
    elif style == 1:
        tone += 0.06 * np.sin(xs * 0.6) * np.sin(ys * 0.6)
    elif style == 2:
        tone += 0.10 * smooth(size, 22 * unit, rng)
    return np.asarray(base * np.clip(tone, 0.3, 1.7)[..., None], np.float32)


def _quarter_turns(size: tuple[int, int], lying: int) -> Matrix:
    """Where a point goes when the picture is turned `lying` quarters anticlockwise."""
    rows, columns = size
    turned = np.eye(3)
    for _ in range(lying % 4):
        turned = np.array([[0.0, 1, 0], [-1, 0, columns - 1], [0, 0, 1]]) @ turned
        rows, columns = columns, rows
    return turned
