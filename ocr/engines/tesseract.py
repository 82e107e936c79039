"""Tesseract 5, for typed sheets and as a second opinion; on handwriting it reads next to nothing."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import cv2
import numpy as np
import pytesseract

from ocr.engines import Recognition
from ocr.page import Image

HEIGHT = 64
"""Rows are handed over at this height, in pixels; the engine likes capitals of 30 to 40."""

SETTINGS = "--oem 1 --psm 7 -c thresholding_method=0"
"""LSTM network; the crop is a single line."""


def is_installed() -> bool:
    """Whether the program is on this machine; without it this engine must not be asked."""
    return shutil.which("tesseract") is not None


class Tesseract:
    """One process a row, one thread each, so a hung row is cut off by its own time limit."""

    def __init__(self, seconds: float = 5.0, language: str = "eng") -> None:
        """`seconds`: a row that takes longer reads as nothing."""
        self._seconds = seconds
        self._language = language

    @property
    def name(self) -> str:
        """See Engine."""
        return "tesseract"

    def read(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """See Engine. The score is the mean of the words', weighted by their length."""
        return tuple(self._read(crop) for crop in crops)

    def _read(self, crop: Image) -> Recognition:
        grey = crop if crop.ndim == 2 else cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
        width = max(HEIGHT, round(grey.shape[1] * HEIGHT / grey.shape[0]))
        row = cv2.resize(grey, (width, HEIGHT), interpolation=cv2.INTER_AREA)
        row = cv2.copyMakeBorder(row, 12, 12, 16, 16, cv2.BORDER_CONSTANT, value=250)
        try:
            data = pytesseract.image_to_data(
                np.asarray(row),
                lang=self._language,
                config=SETTINGS,
                timeout=self._seconds,
                output_type=pytesseract.Output.DICT,
            )
        except RuntimeError:
            # pytesseract's word for a run past its time limit.
            return Recognition("", 0.0)
        words = [(w.strip(), float(c)) for w, c in zip(data["text"], data["conf"], strict=True) if w.strip()]
        letters = sum(len(w) for w, _ in words)
        score = sum(len(w) * max(0.0, c) for w, c in words) / letters / 100 if letters else 0.0
        return Recognition(" ".join(w for w, _ in words), score)
