"""WOR-07: units that are beaten and have no place to go."""

from __future__ import annotations

import maps
from adjudicator import rules
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.units import Unit
from tests.adjudicator.terse import orders

VARIANT = maps.load("standard")
CONTEXT = VARIANT.context()


def _judged(units: list[str], sheets: dict[str, list[str]], season: str = "Spring") -> Resolution:
    parts = [unit.split() for unit in units]
    standing = frozenset(Unit(power, kind, Region.of(place)) for power, kind, place in parts)
    phase = Phase(1902, season, PhaseKind.MOVEMENT)
    position = Position(phase, standing, {"FRANCE": frozenset({"POR"})})
    return judge(CONTEXT, rules.load("standard", {}), position, orders(**sheets))


IN_A_CORNER = ["ENGLAND F MAO", "ENGLAND A SPA", "FRANCE A POR"]
"""DATC 6.H.17: an army in Portugal has Spain alone to go to."""
ATTACK = {"ENGLAND": ["F MAO S SPA - POR", "A SPA - POR"], "FRANCE": ["A POR H"]}


def test_a_season_whose_only_beaten_unit_has_no_place_to_go_is_followed_by_no_retreats() -> None:
    resolution = _judged(IN_A_CORNER, ATTACK)
    assert resolution.position.phase == Phase(1902, "Autumn", PhaseKind.MOVEMENT)
    assert [str(unit) for unit in resolution.disbanded] == ["FRANCE A POR"]
    assert [str(lost.unit) for lost in resolution.dislodged] == ["FRANCE A POR"]
    assert not resolution.position.dislodged
    assert not resolution.opens_retreats


def test_the_year_ends_with_the_board_as_it_is_then() -> None:
    resolution = _judged(IN_A_CORNER, ATTACK, "Autumn")
    assert resolution.position.phase.kind is PhaseKind.ADJUSTMENT
    assert resolution.position.centres["ENGLAND"] >= {"POR"}


def test_one_with_a_place_to_go_opens_them_for_all() -> None:
    resolution = _judged(
        [*IN_A_CORNER, "ITALY A VEN", "ITALY A TYR", "AUSTRIA A TRI"],
        {**ATTACK, "ITALY": ["A VEN - TRI", "A TYR S VEN - TRI"], "AUSTRIA": ["A TRI H"]})
    assert resolution.position.phase.kind is PhaseKind.RETREAT
    assert len(resolution.position.dislodged) == 2
    assert not resolution.disbanded


def test_where_units_hide_all_are_asked() -> None:
    """Which place is barred may mention a unit that is not seen."""
    asks = {slug: maps.load(slug).rules.asks_units_without_refuge() for slug in maps.variants()}
    assert {slug for slug, is_asked in asks.items() if is_asked} == {"britain1066"}
