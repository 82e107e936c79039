"""Recognisers. An engine is one file here that satisfies `Engine`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.page import Image, Posteriors

Quad: TypeAlias = npt.NDArray[np.float32]
"""4 x 2: corners x, y in pixels, clockwise from the top left."""


Contour: TypeAlias = npt.NDArray[np.integer[Any] | np.floating[Any]]
"""An outline as OpenCV gives it: n x 1 x 2."""


STRIKE_CLASSES = ("live", "single", "double", "wave", "zigzag", "cross", "black")
"""Live writing (underlined or not), then the ways to cross out: one level stroke, several, a wavy line, a
zigzag or scribble, an X or slashes, and ink until nothing shows."""


@dataclass(frozen=True, slots=True, eq=False)
class CrossingScores:
    """What an engine that sees crossing out says of a row, frame by frame as in its posteriors.

    `chances`: frames x CLASSES, each row summing to 1. `above`: 0..1, whether a word put in above the row
    stands there within the crop.
    """

    class_probs: npt.NDArray[np.float32]
    above_probs: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Recognition:
    """One crop as text. `score` 0..1; `posteriors` and `crossing` only from engines that have them."""

    text: str
    score: float
    posteriors: Posteriors | None = field(default=None, compare=False, repr=False)
    crossing: CrossingScores | None = field(default=None, compare=False, repr=False)


class Engine(Protocol):
    """Turns crops of single rows into text. Loaded on first use, once per process; never on the network."""

    @property
    def name(self) -> str:
        """Short, stable name that is kept with every alternative it gives."""
        ...

    def read(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """One Recognised per crop, in the same order. A crop is one row, upright, RGB or grey."""
        ...


class RowFinder(Protocol):
    """Finds stretches of writing on a sheet."""

    @property
    def name(self) -> str:
        """Short, stable name that is kept in the reading's steps."""
        ...

    def find(self, image: Image) -> tuple[Quad, ...]:
        """Boxes of words or rows, in any order, in pixels of `image`."""
        ...
