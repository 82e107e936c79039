"""The quick percentiles are NumPy's (INK-08)."""

from __future__ import annotations

import numpy as np
import pytest

from ocr.image.illumination import byte_counts, high_percentile, percentile_of_counts


@pytest.mark.parametrize("seed", range(20))
def test_of_bytes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    image = rng.integers(0, rng.integers(1, 257), (rng.integers(1, 90), rng.integers(1, 90))).astype(np.uint8)
    for percent in (0, 0.5, 2, 50, 99, 100):
        assert percentile_of_counts(byte_counts(image), percent) == np.percentile(image, percent)


@pytest.mark.parametrize("seed", range(20))
def test_of_floats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rng.integers(1, 90), rng.integers(1, 90))).astype(np.float32)
    # Sorted values are the worst for a sample, equal ones for a bound.
    for given in (values, np.sort(values, axis=None), np.round(values), np.zeros_like(values)):
        for percent in (50, 90, 99.5, 100):
            expected = float(np.percentile(given, percent))
            assert high_percentile(given, percent) == pytest.approx(expected, rel=1e-6)
