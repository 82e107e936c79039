"""A photograph that is not an order sheet: a meadow with hills, a river and a bridge, drawn here."""

from __future__ import annotations

import io

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from training.handwriting.noise import grain, smooth

_ROWS, _COLUMNS = 1200, 1600


def meadow(rng: np.random.Generator) -> bytes:
    """The JPEG of a landscape, 1600 x 1200; deterministic in `rng`."""
    ys, xs = np.mgrid[0:_ROWS, 0:_COLUMNS].astype(np.float32)
    size = (_ROWS, _COLUMNS)
    picture = _mix((0.42, 0.60, 0.84), (0.86, 0.88, 0.86), ys / 560)
    cloud = np.clip(smooth(size, 170, rng) + 0.5 * smooth(size, 60, rng), 0, 1.6) * np.clip(
        1.1 - ys / 480, 0, 1
    )
    picture += 0.13 * cloud[..., None]
    for index, (height, colour) in enumerate(
        (((430), (0.50, 0.58, 0.62)), ((520), (0.38, 0.50, 0.38)), ((610), (0.30, 0.44, 0.22)))
    ):
        ridge = height + 42 * np.sin(xs / (190 + 70 * index) + index) + 16 * smooth(size, 120, rng)[0]
        land = (ys > ridge)[..., None]
        texture = 1 + 0.08 * smooth(size, 30, rng) + 0.06 * grain(size, 1.0, rng)
        picture = np.where(land, np.array(colour, np.float32) * texture[..., None], picture)
    _river(picture, rng)
    _bridge(picture)
    soft = (
        cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 1.0) + 0.012 * grain(size, 0.6, rng)[..., None]
    )
    out = io.BytesIO()
    Image.fromarray(np.round(np.clip(soft, 0, 1) * 255).astype(np.uint8)).save(out, "JPEG", quality=78)
    return out.getvalue()


def _mix(
    top: tuple[float, float, float], bottom: tuple[float, float, float], share: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    part = np.clip(share, 0, 1)[..., None]
    return np.asarray(
        np.array(top, np.float32) * (1 - part) + np.array(bottom, np.float32) * part, np.float32
    )


def _river(picture: npt.NDArray[np.float32], rng: np.random.Generator) -> None:
    steps = np.linspace(0, 1, 60)
    middle = 900 + 260 * np.sin(steps * 3.4) - 330 * steps
    half = 18 + 210 * steps**1.7
    down = 640 + 560 * steps
    bank = np.concatenate(
        [np.column_stack([middle - half, down]), np.column_stack([middle + half, down])[::-1]]
    )
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(bank).astype(np.int32)], (255,))
    water = (
        np.array((0.45, 0.56, 0.66), np.float32) * (1 + 0.10 * smooth((_ROWS, _COLUMNS), 24, rng))[..., None]
    )
    share = cv2.GaussianBlur(mask, (0, 0), 2).astype(np.float32)[..., None] / 255
    picture[:] = picture * (1 - share) + water * share


def _bridge(picture: npt.NDArray[np.float32]) -> None:
    stone = (0.55, 0.48, 0.42)
    cv2.rectangle(picture, (520, 770), (1330, 850), stone, -1)
    for x in range(620, 1300, 210):
        cv2.ellipse(picture, (x, 852), (72, 58), 0, 180, 360, (0.22, 0.27, 0.30), -1, cv2.LINE_AA)
    for x in range(520, 1330, 27):
        cv2.line(picture, (x, 772), (x, 796), (0.44, 0.38, 0.33), 1, cv2.LINE_AA)
    cv2.line(picture, (520, 797), (1330, 797), (0.40, 0.34, 0.30), 2, cv2.LINE_AA)
