"""The phase that a person means at the command line, by its number or its name."""

from __future__ import annotations

import pytest

from service.games.names import UnknownName, phase_called
from service.store.tables import PhaseRow

PHASES = [PhaseRow(ordinal=number, season=season, year=1642, kind=kind) for number, season, kind in (
    (1, "Summer", "movement"), (2, "Summer", "retreat"), (3, "Autumn", "movement"), (4, "Autumn", "retreat"))]


@pytest.mark.parametrize(("text", "number"), [
    ("3", 3), ("Autumn 1642 Retreats", 4), ("retreat orders, summer", 2), ("AUTUMN MOVEMENT", 3)])
def test_a_phase_has_a_number_and_a_name(text: str, number: int) -> None:
    assert phase_called(PHASES, text).ordinal == number


@pytest.mark.parametrize(("text", "words"), [
    ("5", "There is no phase 5 ahead. They are 1 (Summer 1642 Movement), 2 (Summer 1642 Retreat)"),
    ("Winter", "There is no phase Winter ahead. They are 1"), ("!", "There is no phase ! ahead."),
    ("Autumn", "Autumn may be 3 (Autumn 1642 Movement) or 4 (Autumn 1642 Retreat); write more of its name")])
def test_what_is_no_phase_or_several_is_refused_with_those_that_there_are(text: str, words: str) -> None:
    with pytest.raises(UnknownName) as refused:
        phase_called(PHASES, text)
    assert str(refused.value).startswith(words)


def test_a_game_without_a_phase_to_come_has_none() -> None:
    with pytest.raises(UnknownName, match="There is none"):
        phase_called([], "1")
