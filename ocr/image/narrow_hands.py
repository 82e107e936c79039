"""Rows of a narrow hand, widened for the second opinion."""

from __future__ import annotations

import cv2
import numpy as np

from ocr.engines import Engine, Recognition
from ocr.page import Image

NARROW: tuple[tuple[float, float], ...] = ((1.6, 2.0), (2.2, 1.6))
"""Frames of the first reading for each of its letters, below which a hand is so narrow that the crop is
widened for the second opinion, and by what factor; narrowest first. The network needs two frames to tell a
letter from the next, and the second opinion, whose crops are not widened as the first's are, has three
quarters of the first's. Letters wrong in free reading of 500 lines in hands that tuned nothing, by frames a
letter (rows) and factor (columns):

| | 1.0 | 1.3 | 1.6 | 2.0 | 2.5 | lines |
| --- | --- | --- | --- | --- | --- | --- |
| below 1.3 | .454 | .223 | .167 | .145 | .157 | 15 |
| 1.3 to 1.6 | .188 | .099 | .091 | .090 | .102 | 47 |
| 1.6 to 1.9 | .124 | .100 | .098 | .105 | .117 | 95 |
| 1.9 to 2.2 | .098 | .088 | .086 | .090 | .096 | 120 |
| 2.2 to 2.6 | .072 | .073 | .074 | .079 | .085 | 116 |
| above | .083 | .083 | .091 | .099 | .113 | 107 |
"""
LEAST_LETTERS = 8
"""Letters of a reading below which the margins of its crop count for too much."""


SCRAWLED = 0.75
"""Score, 0..1, of both opinions, below which a row that was widened for the second is read unwidened for it.
By hand."""


def widened(crop: Image, frames: int, letters: int) -> Image:
    """A crop for the second opinion: wider if it is of a narrow hand, else as it is. `frames`: of the first
    reading; `letters`: that it found, or that are known to be there."""
    if letters < LEAST_LETTERS:
        return crop
    factor = next((factor for limit, factor in NARROW if frames / letters < limit), 1.0)
    if factor == 1.0:
        return crop
    size = (round(crop.shape[1] * factor), crop.shape[0])
    return np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def second_opinion(engine: Engine, crop: Image, first: Recognition) -> Recognition:
    """What another engine reads in a crop after the first one: of a narrow hand in a wider one."""
    wide = crop if first.posteriors is None else widened(
        crop, len(first.posteriors.log_probs), len(first.text))
    (reading,) = engine.read([wide])
    # A scrawl has many strokes too, and is not a narrow hand.
    if wide is not crop and max(first.score, reading.score) < SCRAWLED:
        (reading,) = engine.read([crop])
    return reading
