"""Boxes of a reading lie where the words were written, in pixels of the photograph as shown, however it was
taken.

The places of the words come from the composer, which wrote them; the sheets are the demo's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image as Pillow, ImageOps

from ocr.engines.ppocr import PpOcr
from ocr.page import Page, Photo, Strike
from ocr.read import ReadOptions, read, read_images

Pixels = npt.NDArray[np.uint8]
Corners = npt.NDArray[np.float32]
FOLDER = Path(__file__).parents[2] / "demo" / "data" / "w3k"
TRUTH: dict[str, dict[str, Any]] = {
    sheet["id"]: sheet for sheet in json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))["sheets"]
}
QUIET = ReadOptions(detect_strike=lambda crop, score: Strike())
ONE, OTHER = "winter-ormond-v1", "winter-cumberland-v1"


def pixels(sheet: str) -> Pixels:
    with Pillow.open(FOLDER / f"{sheet}.jpg") as image:
        return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))


def places(sheet: str) -> Corners:
    """Corners of each row written, n x 4 x 2."""
    boxes = [box for line in TRUTH[sheet]["lines"] for box in line["boxes"]]
    return np.array(boxes, dtype=np.float32)


def rows(page: Page) -> Corners:
    return np.array([row.box.corners for line in page.lines for row in line.rows], dtype=np.float32)


def agreement(placed: Corners, written: Corners) -> float:
    """The least overlap, 0..1, of a row written with the row found that lies on it best."""

    def overlap(first: Corners, second: Corners) -> float:
        shared_area = float(cv2.intersectConvexConvex(first, second)[0])
        # What both cover as a share of what either covers. The same for the row's height alone would be some
        # 0.6: found boxes take in room round the ink.
        return shared_area / (float(cv2.contourArea(first)) + float(cv2.contourArea(second)) - shared_area)

    return min(max(overlap(place, box) for box in placed) for place in written)


LEAST = 0.4
"""Two boxes of one row overlap at least so; boxes of neighbouring rows less than a tenth."""


def pages(images: Sequence[Pixels]) -> tuple[Page, ...]:
    return read_images([np.ascontiguousarray(image) for image in images], (PpOcr(),), QUIET).pages


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_on_a_photograph_that_lies_on_a_side_or_upside_down(quarters: int) -> None:
    image = pixels(ONE)
    high, wide = image.shape[:2]
    written = places(ONE)
    for _ in range(quarters):
        # A quarter anticlockwise takes x, y to y, width - x; the sides change places.
        written = np.stack((written[..., 1], wide - written[..., 0]), axis=-1)
        high, wide = wide, high
    (page,) = pages([np.rot90(image, quarters)])
    assert page.rotation == 90 * quarters
    assert agreement(rows(page), written) > LEAST
    first = page.lines[0].box.corners[0]
    assert np.abs(np.array(first) - written[0, 0]).max() < 40, ("the first corner is the writing's own top "
                                                                "left")


def test_on_a_file_that_is_stored_turned() -> None:
    # The corners are those of the photograph as shown, after its EXIF orientation (6).
    name = "autumn-crown-v1"
    assert TRUTH[name]["exif_orientation"] == 6
    (page,) = read(Photo((FOLDER / f"{name}.jpg").read_bytes(), name), (PpOcr(),), QUIET).pages
    assert page.rotation == 0
    assert agreement(rows(page), places(name)) > LEAST


def test_on_two_sheets_in_one_photograph() -> None:
    left, right = pixels(ONE), pixels(OTHER)
    shift = np.array([left.shape[1], 0], dtype=np.float32)
    first, second = pages([np.hstack([left, right])])
    assert agreement(rows(first), places(ONE)) > LEAST
    assert agreement(rows(second), places(OTHER) + shift) > LEAST


def test_on_a_photograph_taken_from_aside() -> None:
    image = pixels(ONE)
    high, wide = image.shape[:2]
    frame = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32)
    slanted = np.array([[120, 40], [wide - 30, 160], [wide - 110, high - 60], [20, high - 10]], np.float32)
    way = cv2.getPerspectiveTransform(frame, slanted)
    aside = np.asarray(
        cv2.warpPerspective(image, way, (wide, high), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
    written = np.asarray(cv2.perspectiveTransform(places(ONE), way), np.float32)
    (page,) = pages([aside])
    assert agreement(rows(page), written) > LEAST


def test_on_each_page_of_one_file() -> None:
    out = BytesIO()
    images = [Pillow.fromarray(pixels(name)) for name in (ONE, OTHER)]
    images[0].save(out, "TIFF", save_all=True, append_images=images[1:], compression="tiff_lzw")
    pages = read(Photo(out.getvalue(), "orders.tif"), (PpOcr(),), QUIET).pages
    assert [page.number for page in pages] == [1, 2]
    for page, name in zip(pages, (ONE, OTHER), strict=True):
        assert agreement(rows(page), places(name)) > LEAST


def test_neighbouring_rows_do_not_pass_for_each_other() -> None:
    # Otherwise the tests above would prove nothing.
    written = places(ONE)
    assert agreement(written[1:], written[:1]) < 0.1
