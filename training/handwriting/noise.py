"""Smooth chance: fields that vary slowly over a picture."""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

Field: TypeAlias = npt.NDArray[np.float32]
"""Height x width, any range."""


def smooth(shape: tuple[int, int], cell: float, rng: np.random.Generator) -> Field:
    """A field of mean 0 and about unit spread that changes over `cell` pixels."""
    rows, columns = (max(4, int(side / cell) + 3) for side in shape)
    coarse = rng.normal(0, 1, (rows, columns)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), np.float32)


def grain(shape: tuple[int, int], blur: float, rng: np.random.Generator) -> Field:
    """Fine noise of unit spread, softened over `blur` pixels."""
    field = rng.standard_normal(shape, np.float32)
    if blur > 0:
        field = np.asarray(cv2.GaussianBlur(field, (0, 0), blur), np.float32)
    return field / max(float(field.std()), 1e-6)
