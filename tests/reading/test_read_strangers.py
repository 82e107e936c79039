"""Pages of words that are not orders: they may be read, but nothing on them may go without a look as an
order."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

import maps
from ocr.engines.ppocr import default_engines
from ocr.page import Page
from ocr.read import read_images
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, vocabulary_of

Pixels = npt.NDArray[np.uint8]

SHOPPING = (
    "Shopping",
    "milk 2 pints",
    "bread",
    "eggs (6)",
    "butter",
    "potatoes 1 kg",
    "onions",
    "cheddar",
    "tea bags",
)
PROSE = (
    "It was the best of days when the old gardener",
    "came back from the market with a basket of",
    "pears under his arm, and nobody asked him where",
    "he had been so long since spring, for the whole",
    "village knew the answer and kept it to itself.",
)
LETTER = (
    "Dear Tom, the army of ants in the kitchen moves",
    "to the pantry every night. The fleet of toy boats",
    "holds in the bath. Aunt May supports the plan to",
    "build a shed and remove the hedge in London Road.",
)
"""The words of orders in other people's sentences."""


def page_of(lines: tuple[str, ...]) -> Page:
    image: Pixels = np.full((1000, 1700, 3), 245, np.uint8)
    for index, text in enumerate(lines):
        cv2.putText(
            image, text, (90, 110 + 100 * index), cv2.FONT_HERSHEY_COMPLEX, 1.6, (30, 30, 60), 3, cv2.LINE_AA
        )
    (page,) = read_images([image], default_engines()).pages
    return page


def lines_of(lines: tuple[str, ...]) -> tuple[InterpretedLine, ...]:
    variant = maps.load("w3k")
    reader = PageReader(vocabulary_of(variant))
    return reader.read_page(page_of(lines), [known_game(variant)]).lines


@pytest.mark.parametrize("words", [SHOPPING, PROSE, LETTER], ids=["a shopping list", "prose", "a letter"])
def test_no_line_of_a_stranger_becomes_an_order_by_itself(words: tuple[str, ...]) -> None:
    page_lines = lines_of(words)
    assert len(page_lines) >= len(words) - 1
    assert not [line for line in page_lines if line.status is LineState.AUTO]


def test_the_same_hand_writing_an_order_is_taken() -> None:
    # So the page above is legible enough, and is refused for its words.
    page_lines = lines_of(("The Crown", "Spring 1643 Movement Orders", "Army London moves to Surrey"))
    assert page_lines[-1].order == "A London - Surrey"
