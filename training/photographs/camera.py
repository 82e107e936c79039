"""The camera of every made photograph: leaves on a desk, their shadow, the light, the lens, the phone's file.

Who photographs lays the leaves and chooses the desk (`one_sheet`, `one_or_two_sheets`); everything that light
and glass do to them is here. Colours are float32, height x width x 3, RGB, 0 to 1; places are pixels.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from training.handwriting.noise import grain, smooth
from training.handwriting.paper import Colour

Matrix: TypeAlias = npt.NDArray[np.float64]
"""3 x 3: the perspective from pixels of a leaf to pixels of the photograph."""

NumberOrRange: TypeAlias = float | tuple[float, float]
"""A number, or the range that a number is drawn from."""

# A picture is stored turned by this much, so that its EXIF orientation turns it upright again.
_STORED = {3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_90, 8: Image.Transpose.ROTATE_270}
_GREY = 0.55  # how much of the desk's light a leaf's shadow takes
_CURL_PX = 10  # the most that the middle of a leaf's edge bows up or down


@dataclass(frozen=True, slots=True)
class LeafPlace:
    """Where a leaf lies: the perspective, the bow of its edges in pixels (down is positive), its width."""

    matrix: Matrix
    curl: float
    width: int

    def to_photograph(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Points (n x 2) of the leaf as points of the photograph."""
        bent = points.astype(np.float64)
        bent[:, 1] += self.curl * np.sin(np.pi * points[:, 0] / self.width)
        return np.asarray(cv2.perspectiveTransform(bent[None], self.matrix)[0], np.float64)


@dataclass(frozen=True, slots=True)
class Photograph:
    """A photograph as a viewer shows it, and where each leaf lies in it."""

    colour: Colour
    leaves: tuple[LeafPlace, ...]


@dataclass(frozen=True, slots=True)
class Shadow:
    """A leaf's shadow on the desk, in pixels: how far it falls right and down, and how soft it is.

    `box`: the side of the box filter, run twice; 0 takes a Gaussian of standard deviation `soft`.
    """

    right: float
    down: float
    soft: float = 0.0
    box: int = 0


@dataclass(frozen=True, slots=True)
class Lamp:
    """The light, and what comes between the lamp and the desk: a hand or the phone, a lobe with a soft edge.

    `gloom` 0..1 is how strongly both show. `slow_px` and `edge_px` are the sizes of the light's unevenness
    and of the lobe's. `sides` are the lobe's places across, `heights` the range down, both in shares of the
    picture; `softness`, `strength` and `reach` are the lobe's edge, depth and radius.
    """

    gloom: float
    slow_px: float
    edge_px: float
    sides: tuple[float, ...]
    heights: tuple[float, float]
    softness: NumberOrRange
    strength: NumberOrRange
    reach: NumberOrRange


@dataclass(frozen=True, slots=True)
class Lens:
    """Lens and sensor: blur and shake in pixels, white balance, brightness, noise (standard deviation, white
    is 1), and how many pixels share the colour noise."""

    blur_px: float
    shake_px: int
    balance: tuple[float, float]
    brightness: NumberOrRange
    noise: float
    colour_cell: int


@dataclass(frozen=True, slots=True)
class PhoneFile:
    """How a phone stores a picture: JPEG quality, EXIF orientation (1, 3, 6 or 8), and whether it states
    where."""

    quality: int
    orientation: int
    gps: bool
    optimised: bool = False


def draw_curl(rng: np.random.Generator) -> float:
    """The bow of a leaf's edges in pixels."""
    return float(rng.uniform(-_CURL_PX, _CURL_PX))


def leaf_matrix(leaf: Colour, corners: npt.NDArray[np.float64]) -> Matrix:
    """The perspective that puts a leaf's corners (clockwise from the top left) there."""
    height, width = leaf.shape[:2]
    page = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(page, corners.astype(np.float32)), np.float64)


def photograph(
    desk: Colour, leaves: Sequence[tuple[Colour, LeafPlace]], shadow: Shadow, lamp: Lamp, lens: Lens,
    rng: np.random.Generator,
) -> Photograph:
    """The picture of leaves on a desk; draws on the array `desk`. Deterministic in `rng`."""
    for leaf, place in leaves:
        _lay(desk, leaf, place, shadow)
    desk *= _light(lamp, (desk.shape[0], desk.shape[1]), rng)[..., None]
    balance = rng.uniform(*lens.balance, 3).astype(np.float32)
    desk *= balance * _drawn(lens.brightness, rng)
    return Photograph(_seen(desk, lens, rng), tuple(place for _, place in leaves))


def jpeg(colour: Colour, file: PhoneFile) -> bytes:
    """The picture as a phone stores it, with its EXIF."""
    image = Image.fromarray(np.round(np.clip(colour, 0, 1) * 255).astype(np.uint8))
    if file.orientation in _STORED:
        image = image.transpose(_STORED[file.orientation])
    exif = Image.Exif()
    exif[0x0112] = file.orientation
    exif[0x010F] = "Invented"
    if file.gps:
        # The place is Powick Bridge near Worcester: of no living person.
        exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 10.0, 12.0), 3: "W", 4: (2.0, 14.0, 36.0)})
    out = io.BytesIO()
    # subsampling 2 is 4:2:0, which phones use: thin coloured ink loses its colour first.
    image.save(out, "JPEG", quality=file.quality, subsampling=2, optimize=file.optimised, exif=exif)
    return out.getvalue()


def _lay(scene: Colour, leaf: Colour, place: LeafPlace, shadow: Shadow) -> None:
    """Draw a leaf into the scene, its shadow under it."""
    size = (scene.shape[1], scene.shape[0])
    height, width = leaf.shape[:2]
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    ys -= (place.curl * np.sin(np.pi * xs / width)).astype(np.float32)
    bent = cv2.remap(leaf, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    leaf_picture = cv2.warpPerspective(bent, place.matrix, size, flags=cv2.INTER_LINEAR)
    cover = cv2.warpPerspective(
        np.ones((height, width), np.float32), place.matrix, size, flags=cv2.INTER_LINEAR
    )
    scene *= (1 - _shade(np.asarray(cover, np.float32), shadow))[..., None]
    scene *= (1 - cover)[..., None]
    scene += leaf_picture * cover[..., None]


def _shade(cover: npt.NDArray[np.float32], shadow: Shadow) -> npt.NDArray[np.float32]:
    shift = np.array([[1, 0, shadow.right], [0, 1, shadow.down]], np.float32)
    moved = cv2.warpAffine(cover, shift, (cover.shape[1], cover.shape[0]))
    if shadow.box:
        # Two box filters come near a Gaussian and cost the same at any size; a photograph may have 12
        # megapixels.
        moved = cv2.blur(cv2.blur(moved, (shadow.box, shadow.box)), (shadow.box, shadow.box))
    else:
        moved = cv2.GaussianBlur(moved, (0, 0), shadow.soft)
    return np.asarray(_GREY * moved, np.float32)


def _light(lamp: Lamp, size: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Brightness by pixel: it falls off across the desk, in the lobe, and towards the lens's corners."""
    rows, columns = size
    ys, xs = np.mgrid[0:rows, 0:columns].astype(np.float32)
    xs, ys = xs / columns, ys / rows
    angle = rng.uniform(0, 2 * np.pi)
    across = (xs - 0.5) * np.cos(angle) + (ys - 0.5) * np.sin(angle)
    light = 0.97 - (0.06 + 0.30 * lamp.gloom) * (across + 0.35) + 0.02 * smooth(size, lamp.slow_px, rng)
    centre = np.array([rng.choice(lamp.sides), rng.uniform(*lamp.heights)])
    distance = np.hypot((xs - centre[0]) * 1.2, ys - centre[1]) + 0.03 * smooth(size, lamp.edge_px, rng)
    softness, strength = _drawn(lamp.softness, rng), _drawn(lamp.strength, rng)
    light *= 1 - strength * lamp.gloom / (1 + np.exp((distance - _drawn(lamp.reach, rng)) / softness))
    radius = np.hypot(xs - 0.5, ys - 0.5)
    return np.asarray(np.clip(light * (1 - 0.16 * radius**2), 0.12, 1.05), np.float32)


def _seen(scene: Colour, lens: Lens, rng: np.random.Generator) -> Colour:
    """The scene through the lens and on the sensor."""
    rows, columns = scene.shape[:2]
    soft = cv2.GaussianBlur(scene, (0, 0), max(lens.blur_px, 0.3))
    if lens.shake_px > 1:
        soft = cv2.filter2D(soft, -1, _shake(lens.shake_px, rng))
    noisy = soft + lens.noise * grain((rows, columns), 0.7, rng)[..., None]
    # A sensor sees each colour at fewer pixels than it stores, so colour noise is coarser than grain.
    cell = lens.colour_cell
    colour_noise = rng.standard_normal((rows // cell, columns // cell, 3), np.float32)
    noisy += 0.4 * lens.noise * cv2.resize(colour_noise, (columns, rows))
    return np.asarray(np.clip(noisy, 0, 1), np.float32)


def _shake(reach: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """The filter of a hand that moved along a line, `reach` pixels long."""
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    angle = float(rng.uniform(0, np.pi))
    aside = np.array([np.cos(angle), np.sin(angle)]) * reach / 2
    start, end = (tuple(int(v) for v in np.round(reach + sign * aside)) for sign in (-1, 1))
    cv2.line(kernel, start, end, 1.0, 1)
    return np.asarray(kernel / kernel.sum(), np.float32)


def _drawn(value: NumberOrRange, rng: np.random.Generator) -> float:
    return float(rng.uniform(*value)) if isinstance(value, tuple) else value
