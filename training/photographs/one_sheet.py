"""Photographing a sheet: the desk round it, its place in the picture, light, lens, sensor, file."""

from __future__ import annotations

import io
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from training.handwriting.noise import grain, smooth
from training.handwriting.paper import SIZE, Colour
from training.handwriting.sheet import DeskSurface, Look

_DESKS = {
    DeskSurface.WOOD: (0.46, 0.31, 0.19),
    DeskSurface.CLOTH: (0.52, 0.30, 0.29),
    DeskSurface.SLATE: (0.25, 0.27, 0.30),
    DeskSurface.BAIZE: (0.15, 0.33, 0.24),
}
_BACK = {3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_90, 8: Image.Transpose.ROTATE_270}
"""How a picture is turned before it is stored, so that its EXIF orientation turns it upright again."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A photograph and the way from the sheet into it. `colour` is upright, as a viewer shows it."""

    colour: Colour
    matrix: npt.NDArray[np.float64]
    curl: float

    def place(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Points of the sheet (n x 2, pixels) as points of the photograph."""
        bent = points.copy()
        bent[:, 1] += self.curl * np.sin(np.pi * points[:, 0] / SIZE[1])
        return np.asarray(cv2.perspectiveTransform(bent[None].astype(np.float64), self.matrix)[0], np.float64)


def photograph(sheet: Colour, look: Look, rng: np.random.Generator) -> Shot:
    """Lay the sheet on its desk and take the picture; deterministic in `rng`."""
    rows, columns = look.long_side, round(look.long_side * 3 / 4)
    curl = float(rng.uniform(-10, 10))
    matrix = _matrix(look, (rows, columns), rng)
    page = _curled(sheet, curl)
    outline = np.full(SIZE, 1.0, np.float32)
    over = _through(_curled(outline, curl), matrix, (rows, columns))
    seen = _through(page, matrix, (rows, columns))
    desk = _desk(look.desk, (rows, columns), rng) * (1 - _cast(over))[..., None]
    scene = np.asarray(desk * (1 - over[..., None]) + seen * over[..., None], np.float32)
    scene *= _light(look.gloom, (rows, columns), rng)[..., None]
    scene *= rng.uniform(0.975, 1.025, 3).astype(np.float32)
    return Shot(_lens(scene, look.blur, rng), matrix, curl)


def jpeg(colour: Colour, look: Look) -> bytes:
    """The picture as a phone stores it: JPEG with EXIF orientation, and a place where the look says so."""
    image = Image.fromarray(np.round(np.clip(colour, 0, 1) * 255).astype(np.uint8))
    if look.orientation in _BACK:
        image = image.transpose(_BACK[look.orientation])
    exif = Image.Exif()
    exif[0x0112] = look.orientation
    exif[0x010F] = "Invented"
    if look.gps:
        # The place is Powick Bridge near Worcester: of no living person.
        exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 10.0, 12.0), 3: "W", 4: (2.0, 14.0, 36.0)})
    out = io.BytesIO()
    image.save(out, "JPEG", quality=look.quality, subsampling=2, optimize=True, exif=exif)
    return out.getvalue()


def _matrix(look: Look, size: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.float64]:
    rows, columns = size
    fill = rng.uniform(0.90, 0.95)
    height = rows * fill
    width = min(height * SIZE[1] / SIZE[0], columns * 0.94)
    height = width * SIZE[0] / SIZE[1]
    half = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    lean = look.tilt * rng.uniform(-1, 1, (4, 2)) * np.array([width, height]) * 0.022
    angle = np.deg2rad(look.turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shrink = 1 - 0.9 * abs(float(np.sin(angle)))
    centre = np.array([columns, rows]) / 2 + rng.uniform(-0.008, 0.008, 2) * columns
    corners = (half * shrink + lean) @ spin.T + centre
    page = np.array([[0, 0], [SIZE[1], 0], [SIZE[1], SIZE[0]], [0, SIZE[0]]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(page, corners.astype(np.float32)), np.float64)


def _through(
    picture: npt.NDArray[np.float32], matrix: npt.NDArray[np.float64], size: tuple[int, int]
) -> npt.NDArray[np.float32]:
    rows, columns = size
    return np.asarray(cv2.warpPerspective(picture, matrix, (columns, rows), flags=cv2.INTER_AREA), np.float32)


def _curled(picture: npt.NDArray[np.float32], curl: float) -> npt.NDArray[np.float32]:
    ys, xs = np.mgrid[0 : SIZE[0], 0 : SIZE[1]].astype(np.float32)
    ys -= (curl * np.sin(np.pi * xs / SIZE[1])).astype(np.float32)
    return np.asarray(
        cv2.remap(picture, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def _desk(desk: DeskSurface, size: tuple[int, int], rng: np.random.Generator) -> Colour:
    base = np.array(_DESKS[desk], np.float32)
    match desk:
        case DeskSurface.WOOD:
            ys = np.arange(size[0], dtype=np.float32)[:, None]
            rings = np.sin(ys / 17 + 2.2 * smooth(size, 420, rng)) + 0.5 * np.sin(
                ys / 5 + 3 * smooth(size, 300, rng)
            )
            tone = 1 + 0.10 * rings + 0.03 * grain(size, 1.0, rng)
        case DeskSurface.CLOTH | DeskSurface.BAIZE:
            ys, xs = np.mgrid[0 : size[0], 0 : size[1]].astype(np.float32)
            weave = np.sin(xs * 1.3) * np.sin(ys * 1.3)
            tone = 1 + 0.05 * weave + 0.07 * grain(size, 0.9, rng) + 0.04 * smooth(size, 200, rng)
        case DeskSurface.SLATE:
            tone = (
                1
                + 0.06 * smooth(size, 25, rng)
                + 0.06 * smooth(size, 240, rng)
                + 0.02 * grain(size, 0.7, rng)
            )
    return np.asarray(base * tone[..., None], np.float32)


def _cast(over: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The sheet's own soft shadow on the desk, falling down and to the right."""
    shift = np.array([[1, 0, 9], [0, 1, 13]], np.float32)
    moved = cv2.warpAffine(over, shift, (over.shape[1], over.shape[0]))
    return np.asarray(0.55 * cv2.GaussianBlur(moved, (0, 0), 11), np.float32)


def _light(gloom: float, size: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    rows, columns = size
    ys, xs = np.mgrid[0:rows, 0:columns].astype(np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    across = (xs / columns - 0.5) * np.cos(angle) + (ys / rows - 0.5) * np.sin(angle)
    light = 0.97 - (0.06 + 0.30 * gloom) * (across + 0.35)
    light += 0.02 * smooth(size, 500, rng)
    # A hand or the phone itself, between lamp and paper: a soft-edged lobe from one side.
    centre = np.array([rng.choice([-0.05, 1.05]), rng.uniform(0.3, 1.0)])
    reach = np.hypot((xs / columns - centre[0]) * 1.2, ys / rows - centre[1])
    reach += 0.03 * smooth(size, 260, rng)
    light *= 1 - 0.42 * gloom / (1 + np.exp((reach - 0.40) / 0.05))
    radius = np.hypot(xs / columns - 0.5, ys / rows - 0.5)
    return np.asarray(np.clip(light * (1 - 0.16 * radius**2), 0.12, 1.05), np.float32)


def _lens(scene: Colour, blur: float, rng: np.random.Generator) -> Colour:
    soft = cv2.GaussianBlur(scene, (0, 0), max(blur, 0.3))
    size = (scene.shape[0], scene.shape[1])
    noisy = soft + 0.010 * grain(size, 0.7, rng)[..., None]
    noisy += 0.004 * rng.standard_normal(scene.shape, np.float32)
    return np.asarray(np.clip(noisy, 0, 1), np.float32)
