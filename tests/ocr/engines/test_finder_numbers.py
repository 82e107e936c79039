"""The finder's numbers that are too small to be normal, which cost two thirds of its time, are 0; what it
finds is the same."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from ocr.engines import ppocr

SHEET = Path(__file__).parents[2] / "data" / "sheets" / "s006.jpg"
LEAST_NORMAL = np.finfo(np.float32).tiny


def denormals(network: bytes) -> int:
    """How many numbers of the listed arrays are below the least normal one, and not 0."""
    return sum(
        int(((np.abs(numbers) < LEAST_NORMAL) & (numbers != 0)).sum())
        for numbers in (np.frombuffer(network, "<f4", count, offset) for offset, count in ppocr.DENORMAL)
    )


def test_none_is_left_and_no_other_byte_is_changed() -> None:
    published = ppocr.network_file(ppocr.FINDER)
    ours = ppocr.without_denormals(published)
    assert denormals(published) > 250_000
    assert denormals(ours) == 0
    before, after = (np.frombuffer(network, np.uint8) for network in (published, ours))
    changed = np.flatnonzero(before != after)
    listed = np.concatenate([np.arange(offset, offset + 4 * count) for offset, count in ppocr.DENORMAL])
    assert np.isin(changed, listed).all()
    assert not after[changed].any()


def test_the_heat_is_that_of_the_published_file_to_the_bit() -> None:
    image = cv2.imread(str(SHEET), cv2.IMREAD_COLOR)
    assert image is not None
    # From a photograph as it is both large convolutions are at work.
    tensor = ppocr._tensor(np.asarray(cv2.resize(image, (320, 448), interpolation=cv2.INTER_AREA), np.uint8))
    published = ppocr._started(ppocr.network_file(ppocr.FINDER), ppocr._options(1))
    (expected,) = ppocr._run(published, tensor)
    (heat,) = ppocr._run(ppocr._session(ppocr.FINDER, 1), tensor)
    assert (heat > ppocr.PIXEL_PROB).any()
    assert np.array_equal(heat, expected)
