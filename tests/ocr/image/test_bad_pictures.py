"""Pictures that hold no order sheet, drawn here: each is turned away for its own reason and none crashes the
eye."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image as Pillow, ImageOps

from ocr.engines.ppocr import PpOcr
from ocr.page import Reading, Status, Strike, UnreadableReason
from ocr.read import ReadOptions, read_images

Pixels = npt.NDArray[np.uint8]
SHEETS = Path(__file__).parents[2] / "data" / "sheets"


def reading_of(image: Pixels) -> Reading:
    return read_images([image], (PpOcr(),), ReadOptions(detect_strike=lambda crop, score: Strike()))


def on_table(sheet: Pixels) -> Pixels:
    grain = np.random.default_rng(1).normal(0, 4, (sheet.shape[0] + 240, sheet.shape[1] + 240, 3))
    image: Pixels = np.clip(np.array((95, 70, 50)) + grain, 0, 255).astype(np.uint8)
    image[120:-120, 120:-120] = sheet
    return image


def paper() -> Pixels:
    return np.full((1600, 1200, 3), 242, np.uint8)


def ruled() -> Pixels:
    image = paper()
    image[100::48] = (170, 190, 220)
    return on_table(image)


def squared() -> Pixels:
    image = paper()
    image[40::40] = (190, 205, 225)
    image[:, 40::40] = (190, 205, 225)
    return on_table(image)


def shaded() -> Pixels:
    """An empty sheet with the shadow of a hand and a telephone over it."""
    image = on_table(paper())
    light = np.ones(image.shape[:2], np.float32)
    cv2.fillPoly(light, [np.array([[430, 1840], [500, 830], [1080, 740], [1300, 1840]])], 0.45)
    soft = np.asarray(cv2.GaussianBlur(light, (0, 0), 25))
    return np.asarray(image * soft[..., np.newaxis], dtype=np.uint8)


def music() -> Pixels:
    image, chance = paper(), np.random.default_rng(3)
    for top in range(120, 1500, 200):
        for line in range(5):
            cv2.line(image, (80, top + 16 * line), (1120, top + 16 * line), (20, 20, 20), 2)
        for x in range(150, 1100, 55):
            y = top + 8 * int(chance.integers(-1, 10))
            cv2.ellipse(image, (x, y), (11, 8), -20, 0, 360, (10, 10, 10), -1)
            cv2.line(image, (x + 10, y), (x + 10, y - 56), (10, 10, 10), 3)
    return on_table(image)


def drawing() -> Pixels:
    """A child's loops and rings."""
    image, chance = paper(), np.random.default_rng(4)
    for _ in range(60):
        centre = int(chance.integers(100, 1100)), int(chance.integers(100, 1500))
        size = int(chance.integers(10, 200)), int(chance.integers(10, 200))
        cv2.ellipse(
            image,
            centre,
            size,
            float(chance.integers(180)),
            0,
            float(chance.integers(90, 360)),
            (30, 30, 60),
            3,
        )
    return on_table(image)


def fur() -> Pixels:
    """Grain of four sizes and thousands of hairs: what a cat's back looks like from near."""
    chance = np.random.default_rng(8)
    image = np.zeros((1600, 1200, 3), np.float32)
    for size, depth in ((60, 60), (20, 30), (5, 18), (1.5, 10)):
        grain = chance.normal(0, 1, image.shape).astype(np.float32)
        image += np.asarray(cv2.GaussianBlur(grain, (0, 0), size)) * size * depth
    coat: Pixels = ((image - image.min()) / np.ptp(image) * 200).astype(np.uint8)
    for _ in range(9000):
        x, y, shade = int(chance.integers(1200)), int(chance.integers(1600)), int(chance.integers(30, 200))
        tip = int(x + chance.normal(0, 6)), y + int(chance.integers(10, 30))
        cv2.line(coat, (x, y), tip, (shade, int(0.8 * shade), int(0.6 * shade)), 1, cv2.LINE_AA)
    return coat


def chess() -> Pixels:
    squares = (np.indices((8, 8)).sum(axis=0) % 2).repeat(150, axis=0).repeat(150, axis=1)
    return np.where(squares[..., np.newaxis], (230, 220, 190), (90, 60, 40)).astype(np.uint8)


def sample() -> Pixels:
    with Pillow.open(SHEETS / "s006.jpg") as image:
        return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))


def shaken() -> Pixels:
    """The camera moved by a fortieth of the width while the shutter was open."""
    path = np.zeros((41, 41), np.float32)
    path[20] = 1 / 41
    return np.asarray(cv2.filter2D(sample(), -1, path), dtype=np.uint8)


def unfocused() -> Pixels:
    return np.asarray(cv2.GaussianBlur(sample(), (0, 0), 9), dtype=np.uint8)


PICTURES = {
    "blank ruled paper": (ruled, UnreadableReason.BLANK),
    "blank squared paper": (squared, UnreadableReason.BLANK),
    "blank paper in shadow": (shaded, UnreadableReason.BLANK),
    "music": (music, UnreadableReason.NOT_A_SHEET),
    "a child's drawing": (drawing, UnreadableReason.NOT_A_SHEET),
    "fur": (fur, UnreadableReason.NOT_A_SHEET),
    "a chess board": (chess, UnreadableReason.NOT_A_SHEET),
    "a shaken photograph": (shaken, UnreadableReason.BLURRED),
    "a photograph out of focus": (unfocused, UnreadableReason.BLURRED),
}


@pytest.mark.parametrize("case", [
    pytest.param(case, marks=pytest.mark.slow) if case in {"fur", "a child's drawing"} else case
    for case in PICTURES])
def test_each_is_turned_away_for_its_own_reason(case: str) -> None:
    make, reason = PICTURES[case]
    reading = reading_of(make())
    assert (reading.status, reading.reason, reading.pages) == (Status.UNUSABLE, reason, ())


def test_a_dim_photograph_is_still_read() -> None:
    # A tenth of the light: it looks dark, but the ink is well above the noise.
    dim = sample() * 0.1 + np.random.default_rng(0).normal(0, 2, sample().shape)
    reading = reading_of(np.clip(dim, 0, 255).astype(np.uint8))
    assert reading.status is Status.READ
    assert len(reading.pages[0].lines) >= 14
