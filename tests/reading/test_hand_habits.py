"""A letter that a hand makes like another is told by the words of its orders (INK-05), and lets no other word
pass (INK-03)."""

from __future__ import annotations

import numpy as np
import pytest

import maps
from adjudicator.calendar import PhaseKind
from ocr.decoding.open_reasons import OpenReason
from reading.hand_habits import SeenLetter, habits_of, posteriors_by
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, vocabulary_of
from tests.support import inked
from tests.support.inked import LETTERS, ink, page

VARIANT = maps.load("w3k")
HEADING = ("Ada Marlowe", "Montrose", "Summer 1642 Movement Orders")
OTHERS = ("Aemy Kent moves to Essex", "Fleet Hull suppoets Aemy Devon", "Aemy Wilts holds")
"""Orders in which every r is an e to the recogniser."""


def lines_of(*texts: str) -> tuple[InterpretedLine, ...]:
    reader = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))
    return reader.read_page(page([*HEADING, *texts]), [known_game(VARIANT)]).lines


@pytest.fixture(autouse=True)
def _clear_print(monkeypatch: pytest.MonkeyPatch) -> None:
    # The recogniser is as sure of each letter as of those of real neat print.
    monkeypatch.setattr(inked, "SURE", 0.9998)


def test_a_name_that_the_hands_own_words_explain_passes() -> None:
    line = lines_of(*OTHERS, "Aemy Kent moves to Foefae")[-1]
    assert line.order == "A Kent - Angus"
    assert line.status is LineState.AUTO


def test_a_name_that_they_do_not_explain_waits() -> None:
    # An e is no r in these lines, and no letter is an m.
    for text in ("Army Kent moves to Foefae", "Army Kent moves to Fosfas"):
        others = [other.replace("Aemy", "Army").replace("poets", "ports") for other in OTHERS]
        line = lines_of(*others, text)[-1]
        assert line.status is LineState.OPEN
        assert OpenReason.UNKNOWN_NAME in line.why_open


def test_a_plain_word_of_no_list_waits_in_such_a_hand() -> None:
    line = lines_of(*OTHERS, "Aemy Kent moves to Gondoe")[-1]
    assert line.status is LineState.OPEN


def seen(*pairs: str) -> list[SeenLetter]:
    return [SeenLetter(pair[0], pair[1], index % 3) for index, pair in enumerate(pairs)]


def test_a_habit_is_seen_often_on_several_lines_and_for_much_of_its_letter() -> None:
    assert habits_of(seen("re", "re", "rr", "re")) == {("r", "e"): 0.75}
    assert habits_of(seen("re", "re", "rr")) == {}
    assert habits_of([SeenLetter("r", "e", 1)] * 4) == {}
    assert habits_of(seen("re", "re", "re", *["rr"] * 10)) == {}


def test_what_shows_stays_and_the_letter_meant_is_likely_too() -> None:
    before = ink("Meese")
    after = posteriors_by(before, {("r", "e"): 0.75})
    e, r = (LETTERS.index(letter) + 1 for letter in "er")
    assert after.log_probs[2, e] == before.log_probs[2, e]
    assert after.log_probs[2, r] == pytest.approx(np.log(0.75), abs=0.01)
