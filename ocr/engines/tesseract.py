"""Tesseract 5, for typed sheets and as a second opinion. On handwriting it reads next to nothing (CER
.689)."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import cv2
import numpy as np
import pytesseract

from ocr.engines import Recognition
from ocr.page import Image

# Tuning values. "By hand": no measurement on record.
HEIGHT = 64  # pixels, 32..128, of a row that is handed over; the engine likes capitals of 30 to 40. By hand
BORDER = (12, 16)  # pixels, 0..32, of paper added above and below, and left and right. By hand
PAPER = 250  # grey of that paper, as on an evened sheet
SETTINGS = "--oem 1 --psm 7 -c thresholding_method=0"
"""LSTM network; the crop is a single line; Otsu's threshold."""


def is_installed() -> bool:
    """True if the program is on this machine. Without it this engine must not be used."""
    return shutil.which("tesseract") is not None


class Tesseract:
    """One process a row, so a row that hangs is ended by its own time limit."""

    def __init__(self, seconds: float = 5.0, language: str = "eng") -> None:
        """`seconds`: a row that takes longer reads as nothing. `language`: Tesseract's name for it."""
        self._seconds = seconds
        self._language = language

    @property
    def name(self) -> str:
        """See Engine."""
        return "tesseract"

    def read(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        """See Engine. The score is the mean of the words' scores, weighted by length."""
        return tuple(self._read(crop) for crop in crops)

    def _read(self, crop: Image) -> Recognition:
        grey = crop if crop.ndim == 2 else cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
        width = max(HEIGHT, round(grey.shape[1] * HEIGHT / grey.shape[0]))
        row = cv2.resize(grey, (width, HEIGHT), interpolation=cv2.INTER_AREA)
        down, across = BORDER
        row = cv2.copyMakeBorder(row, down, down, across, across, cv2.BORDER_CONSTANT, value=PAPER)
        try:
            data = pytesseract.image_to_data(
                np.asarray(row),
                lang=self._language,
                config=SETTINGS,
                timeout=self._seconds,
                output_type=pytesseract.Output.DICT,
            )
        except RuntimeError:
            # pytesseract raises this for a run past its time limit.
            return Recognition("", 0.0)
        words = [
            (word.strip(), float(percent))
            for word, percent in zip(data["text"], data["conf"], strict=True)
            if word.strip()
        ]
        letters = sum(len(word) for word, _ in words)
        total = sum(len(word) * max(0.0, percent) for word, percent in words)
        score = total / letters / 100 if letters else 0.0
        return Recognition(" ".join(word for word, _ in words), score)
