"""Photographing one sheet as its look states: the desk, its place in the picture, the light of a room."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from training.handwriting.noise import grain, smooth
from training.handwriting.paper import SIZE, Colour
from training.handwriting.sheet import DeskSurface, Look
from training.photographs import camera
from training.photographs.camera import Lamp, LeafPlace, Lens, PhoneFile, Photograph, Shadow

_DESKS = {
    DeskSurface.WOOD: (0.46, 0.31, 0.19),
    DeskSurface.CLOTH: (0.52, 0.30, 0.29),
    DeskSurface.SLATE: (0.25, 0.27, 0.30),
    DeskSurface.BAIZE: (0.15, 0.33, 0.24),
}
_SHADOW = Shadow(right=9, down=13, soft=11)


def photograph(sheet: Colour, look: Look, rng: np.random.Generator) -> Photograph:
    """Lay the sheet (SIZE) on its desk and take the picture; deterministic in `rng`."""
    rows, columns = look.long_side, round(look.long_side * 3 / 4)
    curl = camera.draw_curl(rng)
    place = LeafPlace(camera.leaf_matrix(sheet, _corners(look, (rows, columns), rng)), curl, SIZE[1])
    desk = _desk(look.desk, (rows, columns), rng)
    # The light's figures are of this phone held over a desk, from one side; nothing here is drawn but its
    # place.
    lamp = Lamp(look.gloom, 500, 260, (-0.05, 1.05), (0.3, 1.0), softness=0.05, strength=0.42, reach=0.40)
    lens = Lens(look.blur, 0, balance=(0.975, 1.025), brightness=1.0, noise=0.010, colour_cell=1)
    return camera.photograph(desk, [(sheet, place)], _SHADOW, lamp, lens, rng)


def jpeg(colour: Colour, look: Look) -> bytes:
    """The picture as a phone stores it: JPEG with EXIF orientation, and a place where the look says so."""
    return camera.jpeg(colour, PhoneFile(look.quality, look.orientation, look.gps, optimised=True))


def _corners(look: Look, size: tuple[int, int], rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Where the sheet's corners lie: it fills the picture, tilted and turned as the look states."""
    rows, columns = size
    height = rows * rng.uniform(0.90, 0.95)
    width = min(height * SIZE[1] / SIZE[0], columns * 0.94)
    height = width * SIZE[0] / SIZE[1]
    half = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    lean = look.tilt * rng.uniform(-1, 1, (4, 2)) * np.array([width, height]) * 0.022
    angle = np.deg2rad(look.turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shrink = 1 - 0.9 * abs(float(np.sin(angle)))  # a turned sheet needs more room
    centre = np.array([columns, rows]) / 2 + rng.uniform(-0.008, 0.008, 2) * columns
    return np.asarray((half * shrink + lean) @ spin.T + centre, np.float64)


def _desk(desk: DeskSurface, size: tuple[int, int], rng: np.random.Generator) -> Colour:
    base = np.array(_DESKS[desk], np.float32)
    match desk:
        case DeskSurface.WOOD:
            ys = np.arange(size[0], dtype=np.float32)[:, None]
            broad = np.sin(ys / 17 + 2.2 * smooth(size, 420, rng))
            rings = broad + 0.5 * np.sin(ys / 5 + 3 * smooth(size, 300, rng))
            tone = 1 + 0.10 * rings + 0.03 * grain(size, 1.0, rng)
        case DeskSurface.CLOTH | DeskSurface.BAIZE:
            ys, xs = np.mgrid[0 : size[0], 0 : size[1]].astype(np.float32)
            weave = np.sin(xs * 1.3) * np.sin(ys * 1.3)
            tone = 1 + 0.05 * weave + 0.07 * grain(size, 0.9, rng) + 0.04 * smooth(size, 200, rng)
        case DeskSurface.SLATE:
            veins = 0.06 * smooth(size, 25, rng)
            tone = 1 + veins + 0.06 * smooth(size, 240, rng) + 0.02 * grain(size, 0.7, rng)
    return np.asarray(base * tone[..., None], np.float32)
