"""What happens should the solver ever meet orders that no rule decides: they fail, and the resolution lists
them."""

from __future__ import annotations

import pytest

import maps
from adjudicator import solver
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.outcome import Result
from adjudicator.position import Position
from adjudicator.serialize.answers import answer
from adjudicator.strength import PartialResolution
from adjudicator.units import Unit
from tests.adjudicator.terse import orders

STANDARD = maps.load("standard")
CONTEXT, RULES = STANDARD.context(), STANDARD.rules
PLACES = {"ENGLAND A LON", "ENGLAND F ENG", "FRANCE F BRE", "FRANCE F BEL"}
POSITION = Position(Phase(1901, "Spring", PhaseKind.MOVEMENT), frozenset(
    Unit(power, kind, Region(place)) for power, kind, place in map(str.split, PLACES)))
SHEETS = orders(
    ENGLAND=["A LON - BEL via convoy", "F ENG C A LON - BEL"], FRANCE=["F BRE - ENG", "F BEL S F BRE - ENG"])


def test_the_rules_decide_everything() -> None:
    resolution = judge(CONTEXT, RULES, POSITION, SHEETS)
    assert resolution.unresolved == ()
    assert "unresolved" not in answer("made up", PhaseKind.MOVEMENT, resolution, RULES)


def test_a_set_that_no_rule_decides_fails_and_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No real set is like that, so one is made up: the support of the paradox alone, without the move and the
    convoy."""

    def only_supports(state: PartialResolution, _: object) -> list[int]:
        return [number for number in state.undecided if number in state.orders.supports]

    monkeypatch.setattr(solver, "_bottom_set", only_supports)
    resolution = judge(CONTEXT, RULES, POSITION, SHEETS)
    assert resolution.unresolved == (SHEETS[3],)
    assert answer("made up", PhaseKind.MOVEMENT, resolution, RULES)["unresolved"] == [3]
    failed = resolution.outcomes[3]
    assert (failed.result, failed.reason) == (Result.FAILS, "cut")
    assert failed.why
    # What fails unresolved changes nothing on the board.
    assert resolution.dislodged == ()
