"""Recognisers: crops of rows to text, letter probabilities, and signs of crossing out.

Door: `Engine`, `LetterEngine` and `RowFinder` (Protocols), `default.default_engines`. An engine is one file
here.

- `ppocr`: PP-OCRv6 through onnxruntime, recogniser and row finder.
- `finetuned`, `crossing`: the recogniser's layers tuned to handwriting; the head that sees crossed-out
  writing.
- `hand`: one person's own output layer, fitted to lines of theirs.
- `runtime`: onnxruntime, which measures its use unless that is switched off, as here.
- `tesseract`: asked last, on rows that both networks are lost on.

Imports only `page` and `freed_memory`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from ocr.page import Image, Posteriors

Quad: TypeAlias = npt.NDArray[np.float32]
"""Corners x, y in pixels, clockwise from the top left: float32, shape (4, 2)."""

Contour: TypeAlias = npt.NDArray[np.integer[Any] | np.floating[Any]]
"""An outline as OpenCV gives it: shape (n, 1, 2)."""

STRIKE_CLASSES = ("live", "single", "double", "wave", "zigzag", "cross", "black")
"""Live writing (underlined or not), then the ways to cross out: one level stroke, several, a wavy line, a
zigzag or scribble, an X or slashes, and ink until nothing shows."""

LEAST_PROB = 1e-12
"""Probability: lower ones count as this, so that logarithms stay finite."""


@dataclass(frozen=True, slots=True, eq=False)
class CrossingScores:
    """An engine's verdict on crossing out in a row, frame by frame as in its posteriors.

    `class_probs`: float32, shape (frames, len(STRIKE_CLASSES)), each frame sums to 1. `above_probs`: float32,
    shape (frames,), 0..1, the probability that an inserted word is above the row there, within the crop.
    """

    class_probs: npt.NDArray[np.float32]
    above_probs: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Recognition:
    """One crop as text. `score`: 0..1. `posteriors` and `crossing` only from engines that have them."""

    text: str
    score: float
    posteriors: Posteriors | None = field(default=None, compare=False, repr=False)
    crossing: CrossingScores | None = field(default=None, compare=False, repr=False)


class Engine(Protocol):
    """Turns crops of single rows into text. Loaded on first use, once per process; never on the network."""

    @property
    def name(self) -> str:
        """Short, stable name that is stored with every alternative it gives."""
        ...

    def read(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """One Recognition per crop, in the same order. A crop is one row, upright, uint8, RGB or grey."""
        ...


@runtime_checkable
class LetterEngine(Engine, Protocol):
    """An engine that looks for crossing out at a price, and reads for less without."""

    def read_letters(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """As `read`, with the same text, score and posteriors, and no `crossing`."""
        ...


class RowFinder(Protocol):
    """Finds stretches of writing on a sheet."""

    @property
    def name(self) -> str:
        """Short, stable name that is stored in the reading's steps."""
        ...

    def find(self, image: Image) -> tuple[Quad, ...]:
        """Boxes of words or rows, in any order, in pixels of `image` (uint8 RGB)."""
        ...


def best_path(posteriors: Posteriors) -> Recognition:
    """The text of the likeliest letter in each frame. The score is their mean probability where they
    begin."""
    best = posteriors.log_probs.argmax(axis=1)
    starts = np.flatnonzero((best != 0) & np.concatenate(([True], best[1:] != best[:-1])))
    text = "".join(posteriors.letters[best[k] - 1] for k in starts)
    score = float(np.exp(posteriors.log_probs[starts, best[starts]]).mean()) if len(starts) else 0.0
    return Recognition(" ".join(text.split()), min(1.0, score), posteriors)
