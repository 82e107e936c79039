"""A large picture is searched in halves, for half of the memory: the same rows are found as at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.engines import ppocr
from ocr.image.find_sheet import find_sheets
from ocr.image.illumination import even_light
from ocr.layout.lines import RowStrip, row_strips
from ocr.page import Image

SHEETS = Path(__file__).parents[2] / "data" / "sheets"
SIDE = 768
MOST_OFF = 5.0
"""Pixels of a picture SIDE long, where a row is some 20 high, by which a corner may be off."""


def sheet(name: str) -> Image:
    """A sample sheet flattened and evenly lit, SIDE long."""
    bgr = cv2.imread(str(SHEETS / f"{name}.jpg"), cv2.IMREAD_COLOR)
    assert bgr is not None
    clean = even_light(find_sheets(np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), np.uint8))[0].image)
    scale = SIDE / max(clean.shape[:2])
    return np.asarray(cv2.resize(clean, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def rows(picture: Image) -> tuple[RowStrip, ...]:
    return row_strips(ppocr.PpFinder().find(picture))


@pytest.mark.parametrize("name", ["s005", "s006", "s007", "s019"])
def test_the_same_rows_are_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = sheet(name)
    at_once = rows(picture)
    monkeypatch.setattr(ppocr, "HALVED", 1)
    in_halves = rows(picture)
    assert len(at_once) > 5
    assert len(in_halves) == len(at_once)
    for row, same in zip(at_once, in_halves, strict=True):
        assert float(np.abs(row.quad - same.quad).max()) < MOST_OFF


@pytest.mark.parametrize("size", [(1280, 832), (832, 1280)])
def test_the_network_is_given_no_picture_as_large(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    run = ppocr._run

    def counted(session: Any, tensor: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], ...]:
        sizes.append(tensor.size // 3)
        return run(session, tensor)

    monkeypatch.setattr(ppocr, "_run", counted)
    picture = np.full((*size, 3), 250, np.uint8)
    ppocr.PpFinder().find(picture)
    assert len(sizes) == 2
    assert max(sizes) < 0.7 * 1280 * 832
