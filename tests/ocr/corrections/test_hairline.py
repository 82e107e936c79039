"""A stroke much finer than the writing's, told by the gaps between letters (Q-16: struck text is not read;
doubt is for a person).

Drawn in OpenCV's lettering, in which nothing was fitted.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.corrections.apply import corrected_row
from ocr.corrections.hairline import find_hairline
from ocr.corrections.strike import CROSSED, FAINT, detect_strike
from ocr.corrections.strike_marks import soft_ink
from ocr.decoding.confidence import default_table
from ocr.engines.ppocr import PpOcr
from ocr.page import Box, Row, Strike

Pixels = npt.NDArray[np.uint8]
INK = (40, 30, 90)
TEXT = "Army Louth moves to Mull"
WIDE, BASE = 920, 58


def row(text: str = TEXT, face: int = cv2.FONT_HERSHEY_SIMPLEX) -> Pixels:
    image = np.full((84, WIDE, 3), 250, np.uint8)
    cv2.putText(image, text, (40, BASE), face, 1.7, INK, 3, cv2.LINE_AA)
    return image


def ends(image: Pixels) -> tuple[int, int]:
    columns = np.flatnonzero((image.min(axis=2) < 128).any(axis=0))
    return int(columns[0]), int(columns[-1])


def lined(image: Pixels, y: int, tilt: int = 0, ink: tuple[int, int, int] = INK, pen: int = 1) -> Pixels:
    """With a line from end to end of its writing."""
    left, right = ends(image)
    return np.asarray(
        cv2.line(image.copy(), (left - 8, y + tilt), (right + 8, y - tilt), ink, pen, cv2.LINE_AA), np.uint8
    )


def share(image: Pixels) -> float:
    return find_hairline(image, soft_ink(image)).gap_share


def strike_of(image: Pixels) -> Strike:
    (recognition,) = PpOcr().read([image])
    return detect_strike(image, recognition)


PENCIL = (150, 150, 150)


@pytest.mark.parametrize(("tilt", "ink"), [(-8, INK), (0, INK), (6, INK), (0, PENCIL)])
def test_a_hairline_from_end_to_end_shows_in_the_gaps(tilt: int, ink: tuple[int, int, int]) -> None:
    image = lined(row(), 44, tilt, ink)
    score, left, right = find_hairline(image, soft_ink(image))
    assert score >= CROSSED
    begin, end = ends(row())
    assert (left * WIDE, right * WIDE) == pytest.approx((begin, end), abs=12)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "A Lon - Sus.",
        "F Hurd's Deep H",
        "Fleet convoys - - to",
        "A Kent S A Lon",
        "Battle of Tettbury",
        "A Tyne - Leitrim - Tyree",
    ],
)
@pytest.mark.parametrize(
    "face", [cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_SCRIPT_COMPLEX], ids=["plain", "leaning"]
)
def test_live_writing_has_paper_in_its_gaps(text: str, face: int) -> None:
    assert share(row(text, face)) < CROSSED


@pytest.mark.parametrize(
    "y", [8, 14, BASE - 2, BASE + 6, 76], ids=["top", "tall letters", "base line", "underline", "below"]
)
def test_a_line_that_runs_above_or_below_the_small_letters_is_no_strike(y: int) -> None:
    # An underline, or what is left of a printed rule that people write on.
    assert share(lined(row(), y)) < CROSSED


@pytest.mark.parametrize("bend", [0, 3])
def test_a_rule_through_the_row_tells_nothing(bend: int) -> None:
    # A printed rule runs to both ends of the crop, on paper that need not be flat; a pen's stroke ends.
    image, (left, right) = row(), ends(row())
    way = np.array([[0, 44], [left, 44], [right, 44], [WIDE - 1, 44 - bend]])
    assert (
        share(
            np.asarray(
                cv2.polylines(image, [way], isClosed=False, color=INK, thickness=1, lineType=cv2.LINE_AA),
                np.uint8,
            )
        )
        < CROSSED
    )


def test_what_is_left_of_a_rule_through_the_writing_is_too_pale() -> None:
    assert share(lined(row(), 44, ink=(228, 232, 240))) < CROSSED


def test_a_stroke_through_a_word_is_not_one_through_the_row() -> None:
    left, right = ends(row())
    part = cv2.line(row(), (left, 44), (left + (right - left) // 4, 44), INK, 1, cv2.LINE_AA)
    assert share(np.asarray(part, np.uint8)) < CROSSED


@pytest.mark.parametrize(
    "image",
    [np.full((84, 920, 3), 250, np.uint8), np.full((3, 2), 0, np.uint8), row("v2"), row("l")],
    ids=["blank", "a speck", "a version", "a letter"],
)
def test_too_few_gaps_tell_nothing(image: Pixels) -> None:
    assert share(image) < CROSSED


def test_a_grey_row_is_judged_like_a_coloured_one() -> None:
    image = lined(row(), 44, -5)
    assert share(np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), np.uint8)) >= CROSSED


def test_a_row_so_crossed_asks_for_a_look_and_is_not_out() -> None:
    # A hairline may be a fold, so the order is stored and a person looks.
    strike = strike_of(lined(row(), 44, -5))
    assert strike.max_word_score >= default_table().thresholds.part_strike
    assert strike.score < 0.5
    (word,) = [word for word in strike.words if word.kind == "faint"]
    assert word.right - word.left > 0.5
    assert strike_of(row()) == Strike(strike_of(row()).score)


def test_the_score_of_a_faint_stroke_asks_for_a_look_and_takes_no_line_out() -> None:
    # The thresholds are data and may be fitted again; these relations must hold.
    thresholds = default_table().thresholds
    assert thresholds.part_strike <= FAINT < thresholds.struck_part


def test_a_stroke_that_is_seen_anyhow_is_told_once() -> None:
    strike = strike_of(lined(row(), 46, pen=4))
    assert {word.kind for word in strike.words} == {"single"}


def test_nothing_is_left_out_for_a_faint_stroke() -> None:
    # A faint stroke is a guess, so the row has no corrected reading.
    (recognition,) = PpOcr().read([row()])
    box = Box(((0, 0), (WIDE, 0), (WIDE, 84), (0, 84)))
    crossed_row = Row(box, recognition.text, recognition.score, strike=strike_of(lined(row(), 44, -5)),
        posteriors=recognition.posteriors)
    assert corrected_row(crossed_row) is None
