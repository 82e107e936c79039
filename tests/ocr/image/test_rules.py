"""Printed rules: whether one may be there is decided in a copy of blocks, which misses none (INK-08)."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from ocr.image.illumination import _may_span, without_rules


@pytest.mark.parametrize("seed", range(30))
def test_no_part_that_spans_is_missed(seed: int) -> None:
    # Wandering lines with gaps, and specks between them: some span, most do not.
    rng = np.random.default_rng(seed)
    height, width = int(rng.integers(20, 90)), int(rng.integers(60, 200))
    pixels = (rng.random((height, width)) < 0.02).astype(np.uint8)
    for _ in range(4):
        rows = np.clip(rng.integers(0, height) + rng.integers(-1, 2, width).cumsum(), 0, height - 1)
        columns = np.arange(width)[rng.random(width) < rng.choice([1.0, 0.97])]
        pixels[rows[columns], columns] = 1
    left, right = 0.04 * width, 0.96 * width
    stats = cv2.connectedComponentsWithStats(pixels, connectivity=8)[2][1:]
    spans = bool(((stats[:, 0] <= left) & (stats[:, 0] + stats[:, 2] >= right)).any())
    assert _may_span(pixels, left, right) or not spans


def test_a_sheet_that_is_not_written_on_has_none_and_a_ruled_one_has() -> None:
    bare = np.full((301, 403, 3), 250, np.uint8)
    assert not _may_span(np.zeros((31, 43), np.uint8), 2, 40)
    assert without_rules(bare)[1] == 0
    ruled = bare.copy()
    ruled[150:152] = 200
    clean, pixels = without_rules(ruled)
    assert pixels >= 2 * 403
    assert clean.min() >= 249
