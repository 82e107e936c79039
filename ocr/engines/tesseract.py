"""Tesseract 5, asked last: on rows that both networks are lost on (docs/adr/0015-what-tesseract-is-for.md).

On handwriting it reads next to nothing (CER .689); on typed sheets the networks leave it nothing to do.
"""

from __future__ import annotations

import shutil
import subprocess
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
SETTINGS = "-c tessedit_create_tsv=1 --oem 1 --psm 7 -c thresholding_method=0"
"""A table of words; LSTM network; the crop is a single line; Otsu's threshold."""


# A run past its time limit or one that failed (both RuntimeError), a program that is missing or no program
# (OSError), and the table of a version that writes another one.
_FAULTS = (RuntimeError, OSError, LookupError, ValueError, TypeError)


def is_installed() -> bool:
    """True if the program is on this machine."""
    return shutil.which("tesseract") is not None


def fault(language: str = "eng", seconds: float = 10.0) -> str:
    """What keeps the program from being asked, as the beginning of a sentence; "" if nothing does."""
    if not is_installed():
        return "the program tesseract is missing"
    try:
        # Our own command, with nothing from outside in it.
        answer = subprocess.run(
            ["tesseract", "--list-langs"],  # noqa: S607
            capture_output=True, text=True, check=True, timeout=seconds, errors="replace",
        )
    except subprocess.TimeoutExpired:
        return f"the program tesseract does not answer within {seconds:g} seconds"
    except (OSError, subprocess.CalledProcessError):
        return "the program tesseract does not start"
    # Tesseract 3 lists them on standard error.
    if language not in f"{answer.stdout}\n{answer.stderr}".split():
        return f"the program tesseract lacks the data of the language {language}"
    return ""


class Tesseract:
    """One process a row, so a row that hangs is ended by its own time limit.

    It is a second opinion at most, and so no fault of the program is anybody else's: a row that it cannot
    read reads as nothing, and once it hangs, is missing or fails, the other rows of that call do too.
    """

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
        recognitions: list[Recognition] = []
        for crop in crops:
            try:
                recognitions.append(self._read(crop))
            except _FAULTS:
                # A sheet waits for one hanging process, not for one a row.
                break
        silent = [Recognition("", 0.0)] * (len(crops) - len(recognitions))
        return (*recognitions, *silent)

    def _read(self, crop: Image) -> Recognition:
        grey = crop if crop.ndim == 2 else cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
        width = max(HEIGHT, round(grey.shape[1] * HEIGHT / grey.shape[0]))
        row = cv2.resize(grey, (width, HEIGHT), interpolation=cv2.INTER_AREA)
        down, across = BORDER
        row = cv2.copyMakeBorder(row, down, down, across, across, cv2.BORDER_CONSTANT, value=PAPER)
        # `image_to_data` requests the version first, without a time limit, and ends the process with
        # SystemExit where it does not like the answer.
        table = pytesseract.run_and_get_output(
            np.asarray(row), "tsv", self._language, SETTINGS, timeout=self._seconds
        )
        words = _words(table)
        letters = sum(len(word) for word, _ in words)
        total = sum(len(word) * max(0.0, percent) for word, percent in words)
        score = total / letters / 100 if letters else 0.0
        return Recognition(" ".join(word for word, _ in words), score)


def _words(table: str) -> list[tuple[str, float]]:
    """The words of Tesseract's table and how sure it is of each, in hundredths. Raises ValueError for any
    other table."""
    head, *rows = [line.split("\t") for line in table.splitlines() if line]
    text, sureness = head.index("text"), head.index("conf")
    # The last word of a row may be empty, and is left out then with its tabulator.
    full = [row for row in rows if len(row) > text and row[text].strip()]
    return [(row[text].strip(), float(row[sureness])) for row in full]
