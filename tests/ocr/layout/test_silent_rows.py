"""Rows that every engine is silent on: writing is handed on as an empty line, specks are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.engines import Recognition
from ocr.engines.ppocr import PpOcr
from ocr.page import Image, Page
from ocr.read import read_images

Pixels = npt.NDArray[np.uint8]
ORDERS = ("Army London moves to Surrey", "Army York supports Army Kent", "Fleet Irish Sea holds")


@dataclass
class Deaf:
    """The usual first engine, which has nothing on rows that hold `word`: no picture makes it do so at
    will."""

    inner: PpOcr
    word: str
    name: str = "deaf"

    def read(self, crops: Sequence[Image]) -> tuple[Recognition, ...]:
        return tuple(
            replace(recognition, text="", score=0.0) if self.word in recognition.text else recognition
            for recognition in self.inner.read(crops)
        )


def page_of(texts: Sequence[str], word: str) -> Page:
    image: Pixels = np.full((700, 1300, 3), 245, np.uint8)
    for index, text in enumerate(texts):
        cv2.putText(
            image, text, (90, 110 + 100 * index), cv2.FONT_HERSHEY_COMPLEX, 1.6, (30, 30, 60), 3, cv2.LINE_AA
        )
    (page,) = read_images([image], [Deaf(PpOcr(), word)]).pages
    return page


@pytest.mark.parametrize("word", ["York", "Irish"])
def test_writing_that_nobody_can_read_is_a_line_without_text(word: str) -> None:
    lines = page_of(ORDERS, word).lines
    assert [line.text == "" for line in lines] == [word in order for order in ORDERS]
    silent = next(line for line in lines if not line.text)
    assert silent.score == 0.0
    assert silent.box.width > 300


def test_a_mark_that_nobody_can_read_is_no_line() -> None:
    assert all(line.text for line in page_of((*ORDERS, "x"), "x").lines)
