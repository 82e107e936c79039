"""INK-03: where the letters of a line that is read stand, by free reading alone."""

from __future__ import annotations

from reading.sheet_letters import places_of, shown_signs
from tests.support.inked import ink


def test_each_letter_has_its_frames_and_spaces_have_none() -> None:
    shown = shown_signs(ink("A Lon"))
    assert [(sign.sign, sign.start, sign.end) for sign in shown] == [
        ("A", 0, 1), ("L", 4, 5), ("o", 6, 7), ("n", 8, 9)]
    assert places_of("a lon", shown) == {0: 0, 2: 1, 3: 2, 4: 3}


def test_a_misread_letter_keeps_its_place_and_a_lost_one_has_none() -> None:
    misread, lost = shown_signs(ink("A Lan")), shown_signs(ink("A Lo"))
    assert places_of("a lon", misread)[3] == 2
    assert misread[2].sign == "a"
    assert places_of("a lon", lost) == {0: 0, 2: 1, 3: 2}


def test_paper_shows_nothing() -> None:
    assert places_of("a lon", shown_signs(ink(" "))) == {}
