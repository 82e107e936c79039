"""Threads that come first together start one network: its tuned arrays would be freed under the other's
rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import numpy.typing as npt

from ocr.engines import ppocr

THREADS = 4


def test_rows_read_the_same_whoever_starts_the_network() -> None:
    crop = np.random.default_rng(1642).integers(0, 255, (48, 400, 3), dtype=np.uint8)
    ppocr._tuned_session.cache_clear()
    ppocr._alphabet.cache_clear()
    together = Barrier(THREADS)

    def read(_: int) -> npt.NDArray[np.float32]:
        together.wait()
        posteriors = ppocr.PpOcr(1).read([crop])[0].posteriors
        assert posteriors is not None
        return posteriors.log_probs

    with ThreadPoolExecutor(THREADS) as pool:
        by_thread = list(pool.map(read, range(THREADS)))
    assert all(np.array_equal(by_thread[0], log_probs) for log_probs in by_thread[1:])
