"""A judge puts no sentence into words: that costs more than the judging, and most outcomes are never read."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.explain import Explainer
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.outcome import Result
from adjudicator.position import Position
from adjudicator.units import Unit
from tests.adjudicator.terse import orders

STANDARD = maps.load("standard")
CONTEXT, RULES = STANDARD.context(), STANDARD.rules
POSITION = Position(Phase(1901, "Spring", PhaseKind.MOVEMENT), frozenset(
    Unit(power, kind, Region(place)) for power, kind, place in (
        ("FRANCE", "A", "MAR"), ("FRANCE", "A", "GAS"), ("GERMANY", "A", "BUR"))))
SHEETS = orders(
    FRANCE=["A MAR - BUR", "A GAS S A MAR - BUR", "A GAS S A MAR - BUR"], GERMANY=["A BUR S A PAR"])


def test_nothing_is_said_while_judging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor for an order written twice, nor for a void one whose unit is dislodged: both outcomes are made from
    others."""
    with monkeypatch.context() as deaf:
        deaf.setattr(Explainer, "text", lambda *_: pytest.fail("a sentence was put into words"))
        outcomes = judge(CONTEXT, RULES, POSITION, SHEETS).outcomes
    assert [(o.order, o.result, o.dislodged) for o in outcomes] == [
        (SHEETS[0], Result.SUCCEEDS, False), (SHEETS[1], Result.SUCCEEDS, False),
        (SHEETS[2], Result.SUCCEEDS, False),
        (SHEETS[3], Result.VOID, True)]
    # Read now, after judging, and in words all the same.
    assert outcomes[1].why == outcomes[2].why == "support given to Army Marseilles"
    assert outcomes[3].why == "void: there is no unit in Paris to support"
