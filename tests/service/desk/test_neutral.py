"""DESK-04: the coordinator is neutral and ignorant of pacts; nothing in the service favours a power."""

from __future__ import annotations

from datetime import timedelta

import pytest

import maps
from adjudicator.calendar import PhaseKind
from reading.completions import suggest
from reading.vocabulary import parse_typed, printed
from service.games.ballots import RankedSubmission, count
from tests.support.desk_site import DEADLINE

W3K = maps.load("w3k")
POWERS = sorted(W3K.powers)
MISREAD = "Arrny Barnstaple moves to Derhan"


@pytest.mark.parametrize("power", POWERS)
def test_the_same_words_mean_the_same_whoever_wrote_them(power: str) -> None:
    """DESK-04: typed words and a misread text, by every power of the board."""
    for text in ("Army Kent moves to Essex", "F Irish Sea S A Dublin & the Pale H"):
        typed = parse_typed(W3K, PhaseKind.MOVEMENT, power, text)
        assert typed.complaint is None
        assert printed(typed.orders, W3K.board) == printed(
            parse_typed(W3K, PhaseKind.MOVEMENT, POWERS[0], text).orders, W3K.board)
    assert suggest(W3K, PhaseKind.MOVEMENT, power, MISREAD) == suggest(
        W3K, PhaseKind.MOVEMENT, POWERS[0], MISREAD
    )


def test_the_rule_of_versions_is_the_same_for_every_power() -> None:
    """DESK-04: the same four papers from each power, and the same one counts."""
    submissions = [
        RankedSubmission(power_index * 10 + n, power, DEADLINE - timedelta(hours=4 - n), version, instruction)
        for power_index, power in enumerate(POWERS)
        # The highest version comes in the middle, so that neither the first nor the last wins by its time.
        for n, (version, instruction) in enumerate(((1, None), (3, None), (2, None), (None, None)))
    ]
    assert {
        power: ballot.submission.id % 10 for power, ballot in count(submissions, DEADLINE).items()
    } == dict.fromkeys(POWERS, 1)
