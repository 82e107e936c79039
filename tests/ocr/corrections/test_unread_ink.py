"""Ink that the recogniser passed over in silence requests a look (RDR: doubt means open)."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.corrections.strike import detect_strike, unread_stretches
from ocr.corrections.strike_marks import soft_ink
from ocr.engines import Recognition
from ocr.page import Posteriors

INK = (40, 30, 90)
WIDE = 920
FRAMES = 115


def row(*words: tuple[str, int]) -> npt.NDArray[np.uint8]:
    """Words of OpenCV's lettering at their columns."""
    image = np.full((84, WIDE, 3), 250, np.uint8)
    for word, x in words:
        cv2.putText(image, word, (x, 58), cv2.FONT_HERSHEY_SIMPLEX, 1.7, INK, 3, cv2.LINE_AA)
    return image


def posteriors_of(*spans: tuple[int, int]) -> Posteriors:
    """Sure of a letter every 16 columns of these, and of none elsewhere."""
    logs = np.full((FRAMES, 3), -12.0, np.float32)
    logs[:, 0] = -0.01
    for a, b in spans:
        for x in range(a, b, 16):
            frame = x * FRAMES // WIDE
            logs[frame] = (-6.0, -0.01, -9.0)
    return Posteriors(logs, "ab")


WHOLE = row(("Army", 40), ("Leeds", 220), ("to York", 440))


def test_a_word_passed_over_in_silence_is_a_stretch() -> None:
    ((left, right, high),) = unread_stretches(soft_ink(WHOLE), posteriors_of((40, 200), (440, 680)))
    assert left * WIDE == pytest.approx(200, abs=30)
    assert right * WIDE == pytest.approx(440, abs=30)
    assert high > 1.0


def test_a_row_read_from_end_to_end_has_none() -> None:
    assert unread_stretches(soft_ink(WHOLE), posteriors_of((40, 680))) == ()


def test_bare_paper_is_no_unread_ink() -> None:
    assert unread_stretches(soft_ink(row(("Army", 40), ("Hull", 700))),
        posteriors_of((40, 180), (700, 860))) == ()


@pytest.mark.parametrize("sign", ["-", "A", "W"])
def test_a_sign_passed_over_is_too_little(sign: str) -> None:
    image = row(("Army", 40), (sign, 260), ("York", 440))
    assert unread_stretches(soft_ink(image), posteriors_of((40, 190), (440, 600))) == ()


def test_unread_ink_counts_as_touched_and_never_as_a_row_struck() -> None:
    strike = detect_strike(WHOLE, Recognition("Army to York", 0.9, posteriors_of((40, 200), (440, 680))))
    assert strike.max_word_score >= 0.6
    assert [word.kind for word in strike.words] == ["unread"]
    assert strike.score == 0.0


def test_without_posteriors_nothing_is_unread() -> None:
    assert all(
        word.kind != "unread" for word in detect_strike(WHOLE, Recognition("Army Leeds to York", 0.9)).words
    )
