"""Crossed-out rows and words against live ones, drawn here in OpenCV's own lettering, which no judge was
fitted on.

The sample sheets' own struck lines are in test_read (RDR: a struck line is never taken as live).
"""

from __future__ import annotations

import time
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.corrections.strike import detect_strike
from ocr.engines import Recognition
from ocr.engines.ppocr import PpOcr
from ocr.layout.wrap import STRUCK
from ocr.page import Strike

Pixels = npt.NDArray[np.uint8]
INK = (40, 30, 90)
TEXT = "Army Louth moves to Mull"
SURE, HARDLY = 0.9, 0.3


def strike_of(image: Pixels, legible: float | None = None) -> Strike:
    """The statement of the judge about a crop that the recogniser read; `legible` in place of the
    recogniser's own score."""
    (recognition,) = PpOcr().read([image])
    return detect_strike(image, recognition if legible is None else replace(recognition, score=legible))


def row(text: str = TEXT) -> Pixels:
    """A row of OpenCV's own lettering."""
    image = np.full((84, 920, 3), 250, np.uint8)
    cv2.putText(image, text, (40, 58), cv2.FONT_HERSHEY_SIMPLEX, 1.7, INK, 3, cv2.LINE_AA)
    return image


def written(image: Pixels) -> tuple[int, int]:
    columns = np.flatnonzero((image.min(axis=2) < 128).any(axis=0))
    return int(columns[0]), int(columns[-1])


def word(number: int) -> tuple[int, int]:
    """First and last column of a word of TEXT."""
    before = " ".join([*TEXT.split()[:number], ""])
    upto = " ".join(TEXT.split()[: number + 1])
    face = cv2.FONT_HERSHEY_SIMPLEX
    return 40 + cv2.getTextSize(before, face, 1.7, 3)[0][0], 40 + cv2.getTextSize(upto, face, 1.7, 3)[0][0]


def stroke(image: Pixels, a: int, b: int, y: int = 46, tilt: int = 0, thickness: int = 3) -> Pixels:
    """A stroke of the pen from column to column."""
    return np.asarray(
        cv2.line(image.copy(), (a, y + tilt), (b, y - tilt), INK, thickness, cv2.LINE_AA), np.uint8
    )


def zigzag(image: Pixels, a: int, b: int) -> Pixels:
    points = [(x, 32 if n % 2 else 62) for n, x in enumerate(range(a, b, 12))]
    return np.asarray(
        cv2.polylines(image.copy(), [np.array(points)], isClosed=False, color=INK, thickness=3), np.uint8
    )


def highest_score(strike: Strike) -> float:
    return max(strike.score, strike.max_word_score)


@pytest.mark.parametrize(
    "text",
    [TEXT, "A Lon - Sus.", "F Hurd's Deep H", "Fleet convoys - - to", "A Kent S A Lon", "Battle of Tettbury"],
)
def test_live_writing_is_not_struck(text: str) -> None:
    assert highest_score(strike_of(row(text))) < HARDLY


@pytest.mark.parametrize("tilt", [-10, 0, 8])
@pytest.mark.parametrize("thickness", [2, 4])
def test_a_stroke_from_end_to_end_strikes_the_row(tilt: int, thickness: int) -> None:
    image = row()
    left, right = written(image)
    assert strike_of(stroke(image, left - 10, right + 10, tilt=tilt, thickness=thickness)).score > SURE


@pytest.mark.parametrize("tilt", [-10, 0, 8])
def test_a_row_struck_with_a_fine_pen_counts_as_struck(tilt: int) -> None:
    image = row()
    left, right = written(image)
    assert strike_of(stroke(image, left - 10, right + 10, tilt=tilt, thickness=2)).score > STRUCK


def test_two_strokes_strike_the_row() -> None:
    image = row()
    left, right = written(image)
    assert strike_of(stroke(stroke(image, left - 8, right + 4, 40), left - 3, right + 9, 51)).score > SURE


def test_a_bent_stroke_strikes_the_row() -> None:
    image = row()
    left, right = written(image)
    xs = np.arange(left - 5, right + 5)
    ys = 46 + 6 * np.sin(np.linspace(0, 2 * np.pi, len(xs)))
    bent = cv2.polylines(
        image, [np.column_stack([xs, ys]).astype(np.int32)], isClosed=False, color=INK, thickness=3
    )
    assert strike_of(np.asarray(bent, np.uint8)).score > SURE


@pytest.mark.parametrize("legible", [0.7, 0.95])
def test_a_zigzag_over_all_of_it_strikes_the_row(legible: float) -> None:
    image = row()
    assert strike_of(zigzag(image, *written(image)), legible).score > SURE


def test_an_x_over_all_of_it_is_seen() -> None:
    image = row()
    left, right = written(image)
    crossed = stroke(stroke(image, left, right, tilt=22), left, right, tilt=-22)
    assert highest_score(strike_of(crossed)) > 0.6


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_struck_word_is_a_stretch_of_a_live_row(number: int) -> None:
    a, b = word(number)
    strike = strike_of(stroke(row(), a - 6, b + 4))
    assert strike.score < SURE
    (stretch,) = strike.words
    assert (stretch.left, stretch.right) == pytest.approx((a / 920, b / 920), abs=0.06)
    assert stretch.score > 0.2


def test_a_stroke_a_letter_into_the_next_word_strikes_the_first_only() -> None:
    # People overshoot, so whole words are left out, not letters.
    (start, end), (after, _) = word(0), word(1)
    (stretch,) = strike_of(stroke(row(), start - 4, after + 30)).words
    assert stretch.left * 920 == pytest.approx(start, abs=20)
    assert end - 20 < stretch.right * 920 < after + 10


@pytest.mark.parametrize(("start", "end"), [(0.35, 0.65), (0.75, 1.0)])
def test_a_struck_stretch_is_found_where_it_lies(start: float, end: float) -> None:
    # Shares of the writing's width; both stretches end near a gap.
    image = row()
    left, right = written(image)
    a, b = round(left + start * (right - left)), round(left + end * (right - left))
    strike = strike_of(stroke(image, a, b))
    assert strike.score < STRUCK
    (stretch,) = strike.words
    shares = [(edge * image.shape[1] - left) / (right - left) for edge in (stretch.left, stretch.right)]
    assert shares == pytest.approx([start, end], abs=0.06)
    assert stretch.score > 0.6


def test_a_version_alone_is_not_struck() -> None:
    assert highest_score(strike_of(row("v2"))) < STRUCK


def test_the_common_bar_of_three_t_is_no_strike() -> None:
    assert highest_score(strike_of(row("Battle of tt ttt"))) < HARDLY


def test_a_scribbled_word_is_a_stretch_of_a_live_row() -> None:
    a, b = word(2)
    (stretch,) = strike_of(zigzag(row(), a, b)).words
    assert (stretch.left, stretch.right) == pytest.approx((a / 920, b / 920), abs=0.06)


def test_a_blacked_out_word_is_seen() -> None:
    a, b = word(1)
    image = row()
    cv2.rectangle(image, (a, 28), (b, 62), INK, -1)
    (stretch,) = strike_of(image).words
    assert stretch.kind in {"black", "zigzag"}
    assert stretch.score > 0.6


@pytest.mark.parametrize("number", [None, 1])
def test_an_underline_is_no_strike(number: int | None) -> None:
    image = row()
    a, b = written(image) if number is None else word(number)
    assert highest_score(strike_of(stroke(image, a, b, 68))) < HARDLY


def test_a_long_bar_of_the_t_is_no_strike() -> None:
    a, b = word(3)
    assert highest_score(strike_of(stroke(row(), a - 4, b, 34))) < 0.6


@pytest.mark.parametrize("y", [6, 78])
def test_what_the_next_row_leaves_at_the_edge_is_no_strike(y: int) -> None:
    assert highest_score(strike_of(stroke(row(), 0, 919, y))) < HARDLY


def test_what_is_left_of_a_printed_rule_is_no_strike() -> None:
    ruled = row()
    pale = np.asarray(cv2.line(ruled, (0, 60), (919, 60), (215, 222, 235), 2), np.uint8)
    assert highest_score(strike_of(np.minimum(pale, row()))) < HARDLY


def test_a_row_that_no_engine_saw_crossing_out_in_is_not_struck() -> None:
    image = row()
    assert detect_strike(stroke(image, *written(image)), Recognition(TEXT, 0.9)) == Strike()


def test_an_empty_row_is_not_struck() -> None:
    assert strike_of(np.full((84, 920, 3), 250, np.uint8)) == Strike()


def test_a_speck_is_not_struck() -> None:
    assert highest_score(strike_of(np.full((3, 2), 0, np.uint8))) <= 1.0


def test_a_grey_row_is_judged_like_a_coloured_one() -> None:
    # The recogniser sees colours, so chances differ a little.
    image = stroke(row(), *written(row()), thickness=4)
    grey = strike_of(np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), np.uint8))
    for strike in (grey, strike_of(image)):
        assert strike.score > SURE
        assert strike.max_word_score > SURE


def test_judging_a_row_costs_milliseconds() -> None:
    image = stroke(row(), *written(row()))
    (recognition,) = PpOcr().read([image])
    detect_strike(image, recognition)
    started = time.process_time()
    for _ in range(20):
        detect_strike(image, recognition)
    assert (time.process_time() - started) / 20 < 0.02


def test_bare_paper_between_two_cells_is_no_struck_word() -> None:
    """INK-11: in the row of a table it looked as if a word were blacked out."""
    image = np.full((84, 1500, 3), 250, np.uint8)
    for text, left in (("A", 30), ("Fife", 160), ("Surrey", 1150)):
        cv2.putText(image, text, (left, 58), cv2.FONT_HERSHEY_SIMPLEX, 1.7, INK, 3, cv2.LINE_AA)
    gap = (320 / 1500, 1130 / 1500)
    assert not [word for word in strike_of(image).words
                if word.score >= 0.5 and gap[0] < (word.left + word.right) / 2 < gap[1]]
