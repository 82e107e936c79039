"""Photographing one leaf or two: the desk round them, shadows, light, lens, sensor, and the file a phone
makes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from training.handwriting.noise import grain, smooth
from training.handwriting.paper import Colour

_DESKS = ((0.46, 0.31, 0.19), (0.25, 0.27, 0.30), (0.12, 0.30, 0.20), (0.20, 0.12, 0.22), (0.62, 0.60, 0.56),
          (0.10, 0.10, 0.11), (0.40, 0.44, 0.50), (0.55, 0.42, 0.32))  # fmt: skip
_STORED = {3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_90, 8: Image.Transpose.ROTATE_270}


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a photograph is taken. `long_side` in pixels; `turn` and `motion_angle` in degrees; `tilt` the
    perspective (1 is marked); `gloom` 0..1; `blur` and `motion` in thousandths of the long side; `noise` a
    standard deviation (white is 1); `lying`: quarter turns anticlockwise that nothing in the file tells of;
    `orientation` the EXIF number.
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


@dataclass(frozen=True, slots=True)
class DrawnPhotograph:
    """A photograph as a viewer shows it, and for each leaf the way from its pixels into the picture."""

    colour: Colour
    ways: tuple[npt.NDArray[np.float64], ...]
    curls: tuple[float, ...]
    widths: tuple[int, ...]

    def place(self, leaf: int, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Points (n x 2) of a leaf as points of the photograph."""
        bent = points.astype(np.float64).copy()
        bent[:, 1] += self.curls[leaf] * np.sin(np.pi * points[:, 0] / self.widths[leaf])
        return np.asarray(cv2.perspectiveTransform(bent[None], self.ways[leaf])[0], np.float64)


def photograph(leaves: Sequence[Colour], how: Conditions, rng: np.random.Generator) -> DrawnPhotograph:
    """Lay leaves side by side on a desk and take the picture; deterministic in `rng`."""
    wide, high = sum(leaf.shape[1] for leaf in leaves), max(leaf.shape[0] for leaf in leaves)
    short = round(how.long_side * 3 / 4)
    rows, columns = (short, how.long_side) if wide > high else (how.long_side, short)
    scene = _desk((rows, columns), rng)
    ways, curls = [], []
    scale = how.fill * min(rows / high, columns / (wide * 1.04))
    x = (columns - wide * scale) / 2
    for leaf in leaves:
        way = _way(leaf.shape[:2], (x, (rows - leaf.shape[0] * scale) / 2), scale, how, rng)
        curl = float(rng.uniform(-10, 10))
        _put(scene, leaf, way, curl)
        ways.append(way)
        curls.append(curl)
        x += leaf.shape[1] * scale * 1.03
    scene *= _light(how.gloom, (rows, columns), rng)[..., None]
    scene *= rng.uniform(0.93, 1.05, 3).astype(np.float32) * float(rng.uniform(0.85, 1.05))
    seen = _lens(scene, how, rng)
    quarter = _quarter((rows, columns), how.lying)
    return DrawnPhotograph(
        np.ascontiguousarray(np.rot90(seen, how.lying)), tuple(quarter @ way for way in ways), tuple(curls),
        tuple(leaf.shape[1] for leaf in leaves),
    )


def jpeg(colour: Colour, how: Conditions) -> bytes:
    """The picture as a phone stores it, with its EXIF."""
    image = Image.fromarray(np.round(np.clip(colour, 0, 1) * 255).astype(np.uint8))
    if how.orientation in _STORED:
        image = image.transpose(_STORED[how.orientation])
    exif = Image.Exif()
    exif[0x0112] = how.orientation
    exif[0x010F] = "Invented"
    if how.gps:
        # The place is Powick Bridge near Worcester: of no living person.
        exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 10.0, 12.0), 3: "W", 4: (2.0, 14.0, 36.0)})
    out = io.BytesIO()
    image.save(out, "JPEG", quality=how.quality, subsampling=2, exif=exif)
    return out.getvalue()


def _way(
    size: tuple[int, ...], corner: tuple[float, float], scale: float, how: Conditions,
    rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    high, wide = size[0], size[1]
    half = np.array([[-wide, -high], [wide, -high], [wide, high], [-wide, high]]) * scale / 2
    half += how.tilt * rng.uniform(-1, 1, (4, 2)) * np.array([wide, high]) * scale * 0.03
    angle = np.deg2rad(how.turn + float(rng.normal(0, 0.3)))
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shrink = 1 - 0.7 * abs(float(np.sin(angle)))
    middle = np.array(corner) + np.array([wide, high]) * scale / 2
    corners = (half * shrink) @ spin.T + middle + rng.normal(0, 0.006, 2) * wide * scale
    page = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(page, corners.astype(np.float32)), np.float64)


def _put(scene: Colour, leaf: Colour, way: npt.NDArray[np.float64], curl: float) -> None:
    rows, columns = scene.shape[:2]
    high, wide = leaf.shape[:2]
    ys, xs = np.mgrid[0:high, 0:wide].astype(np.float32)
    ys -= (curl * np.sin(np.pi * xs / wide)).astype(np.float32)
    bent = cv2.remap(leaf, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    flags = cv2.INTER_LINEAR
    over = cv2.warpPerspective(np.ones((high, wide), np.float32), way, (columns, rows), flags=flags)
    seen = cv2.warpPerspective(bent, way, (columns, rows), flags=flags)
    unit = max(rows, columns) / 2000
    shift = np.array([[1, 0, 8 * unit], [0, 1, 12 * unit]], np.float32)
    cast = cv2.warpAffine(over, shift, (columns, rows))
    cast = 0.55 * cv2.blur(cv2.blur(cast, (int(22 * unit),) * 2), (int(22 * unit),) * 2)
    scene *= (1 - cast)[..., None]
    scene *= (1 - over)[..., None]
    scene += seen * over[..., None]


def _desk(size: tuple[int, int], rng: np.random.Generator) -> Colour:
    base = np.array(_DESKS[int(rng.integers(len(_DESKS)))], np.float32) * rng.uniform(0.8, 1.2, 3).astype(
        np.float32
    )
    unit = max(size) / 2000
    tone = 1 + 0.06 * smooth(size, 240 * unit, rng) + 0.03 * grain(size, 0.9, rng)
    style = int(rng.integers(4))
    ys, xs = np.mgrid[0 : size[0], 0 : size[1]].astype(np.float32) / unit
    if style == 0:
        tone += 0.10 * np.sin(ys / 17 + 2.2 * smooth(size, 420 * unit, rng))
    elif style == 1:
        tone += 0.06 * np.sin(xs * 0.6) * np.sin(ys * 0.6)
    elif style == 2:
        tone += 0.10 * smooth(size, 22 * unit, rng)
    return np.asarray(base * np.clip(tone, 0.3, 1.7)[..., None], np.float32)


def _light(gloom: float, size: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    rows, columns = size
    ys, xs = np.mgrid[0:rows, 0:columns].astype(np.float32)
    xs, ys = xs / columns, ys / rows
    angle = rng.uniform(0, 2 * np.pi)
    across = (xs - 0.5) * np.cos(angle) + (ys - 0.5) * np.sin(angle)
    light = 0.97 - (0.06 + 0.30 * gloom) * (across + 0.35) + 0.02 * smooth(size, 0.25 * rows, rng)
    # A hand or the phone between lamp and paper: a lobe with a soft edge, sharper the nearer it was.
    centre = np.array([rng.choice([-0.05, 0.2, 1.05]), rng.uniform(-0.1, 1.0)])
    reach = np.hypot((xs - centre[0]) * 1.2, ys - centre[1]) + 0.03 * smooth(size, 0.13 * rows, rng)
    soft = float(rng.uniform(0.015, 0.06))
    light *= 1 - float(rng.uniform(0.3, 0.5)) * gloom / (1 + np.exp((reach - rng.uniform(0.25, 0.5)) / soft))
    radius = np.hypot(xs - 0.5, ys - 0.5)
    return np.asarray(np.clip(light * (1 - 0.16 * radius**2), 0.12, 1.05), np.float32)


def _lens(scene: Colour, how: Conditions, rng: np.random.Generator) -> Colour:
    size = (scene.shape[0], scene.shape[1])
    soft = cv2.GaussianBlur(scene, (0, 0), max(0.3, how.blur * how.long_side / 1000))
    reach = round(how.motion * how.long_side / 1000)
    if reach > 1:
        kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
        angle = float(rng.uniform(0, np.pi))
        aside = np.array([np.cos(angle), np.sin(angle)]) * reach / 2
        start, end = (tuple(int(v) for v in np.round(reach + sign * aside)) for sign in (-1, 1))
        cv2.line(kernel, start, end, 1.0, 1)
        soft = cv2.filter2D(soft, -1, kernel / kernel.sum())
    noisy = soft + how.noise * grain(size, 0.7, rng)[..., None]
    noisy += 0.4 * how.noise * cv2.resize(
        rng.standard_normal((size[0] // 2, size[1] // 2, 3), np.float32), (size[1], size[0])
    )
    return np.asarray(np.clip(noisy, 0, 1), np.float32)


def _quarter(size: tuple[int, int], lying: int) -> npt.NDArray[np.float64]:
    """Where a point goes when the picture is turned `lying` quarters anticlockwise."""
    rows, columns = size
    way = np.eye(3)
    for _ in range(lying % 4):
        way = np.array([[0.0, 1, 0], [-1, 0, columns - 1], [0, 0, 1]]) @ way
        rows, columns = columns, rows
    return way
