"""Two people read a line: what needs it, what they come to, as a rule over values (desk plan, "Two-person
review")."""

from __future__ import annotations

import itertools

import pytest

from reading.status import LineState
from service.facts.options import ReviewMode
from service.games.agreement import ReviewDecision, Stage, needs_two, say_the_same, stage, two_readings, votes

READ, VOID, NO, SKIP = LineState.READ, LineState.VOID, LineState.NOT_ORDER, LineState.SKIPPED


def said(*rows: tuple[str, LineState, str]) -> list[ReviewDecision]:
    """Decisions from person, state and text, oldest first."""
    # A text in lower case is not an order, and one with "!" settles alone.
    return [
        ReviewDecision(
            f"k{index}", by, state, text.rstrip("!"), text if text.istitle() else None, text.endswith("!")
        )
        for index, (by, state, text) in enumerate(rows)
    ]


@pytest.mark.parametrize(("mode", "status", "decided", "expected"), [
    ("none", "open", True, False), ("doubtful", "open", False, True), ("doubtful", "auto", False, False),
    ("doubtful", "auto", True, True), ("all", "auto", False, True), ("all", "not an order", False, False),
    ("all", "not an order", True, True), ("doubtful", "not an order", True, True),
])
def test_which_lines_two_people_read(mode: str, status: str, decided: bool, expected: bool) -> None:
    standing = said(("Ada", READ, "A")) if decided else []
    assert needs_two(ReviewMode(mode), LineState(status), standing) is expected


@pytest.mark.parametrize(("rows", "expected_stage"), [
    ([], Stage.FIRST),
    ([("Ada", SKIP, "")], Stage.FIRST),
    ([("Ada", READ, "A")], Stage.SECOND),
    ([("Ada", READ, "A"), ("Ada", READ, "A")], Stage.SECOND),
    ([("Ada", READ, "A"), ("Ada", SKIP, "")], Stage.FIRST),
    ([("Ada", READ, "A"), ("Bea", READ, "A")], Stage.AGREED),
    ([("Ada", READ, "A"), ("Bea", READ, "B")], Stage.DIFFERS),
    ([("Ada", READ, "A"), ("Bea", VOID, "")], Stage.DIFFERS),
    ([("Ada", VOID, "a\nb"), ("Bea", VOID, "")], Stage.AGREED),
    ([("Ada", NO, ""), ("Bea", NO, "x")], Stage.AGREED),
    ([("Ada", READ, "god save"), ("Bea", READ, "GOD  save")], Stage.AGREED),
    ([("Ada", READ, "god save"), ("Bea", READ, "A")], Stage.DIFFERS),
    ([("Ada", READ, "A"), ("Bea", READ, "B"), ("Ada", READ, "B")], Stage.AGREED),
    ([("Ada", READ, "A"), ("Bea", READ, "B"), ("Cleo", READ, "A")], Stage.AGREED),
    ([("Ada", READ, "A"), ("Bea", READ, "A"), ("Cleo", READ, "B")], Stage.DIFFERS),
    ([("Ada", READ, "A"), ("Bea", READ, "B"), ("Bea", VOID, "A\nB!")], Stage.AGREED),
    ([("Ada", VOID, "A\nB!"), ("Ada", READ, "A")], Stage.SECOND),
])
def test_what_decisions_come_to(rows: list[tuple[str, LineState, str]], expected_stage: Stage) -> None:
    assert stage(votes(said(*rows))) is expected_stage


def test_one_person_alone_never_settles_a_line() -> None:
    """Whatever one person decides in whatever order, by itself it is not agreement."""
    for steps in itertools.product([(READ, "A"), (READ, "B"), (VOID, ""), (NO, ""), (SKIP, "")], repeat=3):
        rows = [("Ada", state, text) for state, text in steps]
        assert stage(votes(said(*rows))) in {Stage.FIRST, Stage.SECOND}


def test_agreement_does_not_depend_on_who_is_asked() -> None:
    decisions = said(
        ("Ada", READ, "A"), ("Bea", READ, "B"), ("Cleo", VOID, ""), ("Dan", NO, ""), ("Eve", READ, "words")
    )
    for left, right in itertools.product(decisions, decisions):
        assert say_the_same(left, right) is say_the_same(right, left) is (left is right)


@pytest.mark.parametrize(("rows", "readings"), [
    ([("Ada", READ, "A"), ("Bea", READ, "B")], ("A", "B")),
    ([("Ada", READ, "A"), ("Bea", NO, "x")], ("A", "no order")),
    ([("Ada", VOID, "x"), ("Bea", READ, "A")], ("unreadable", "A")),
    ([("Ada", VOID, "A\nB"), ("Bea", READ, "A")], ("B", "A")),
])
def test_a_closed_difference_keeps_one_reading_of_each_side(
    rows: list[tuple[str, LineState, str]], readings: tuple[str, str]
) -> None:
    """Q-01: both readings are printed in the results."""
    assert two_readings(votes(said(*rows))) == readings
