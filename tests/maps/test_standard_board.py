"""The classic board against the plain facts on which two public programs agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.geo import Region, Terrain
from maps.names import regions_named

FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "maps" / "standard_map.json").read_text("utf-8")
)
STANDARD = maps.load("standard")
BOARD = STANDARD.board


def _reach(region: Region, movement: str) -> set[str]:
    return {str(other) for other in BOARD.neighbours(region, movement)}


@pytest.mark.parametrize("code", FACTS["provinces"])
def test_a_province_is_as_the_facts_say(code: str) -> None:
    facts = FACTS["provinces"][code]
    province = BOARD.provinces[code]
    assert province.name == facts["name"]
    assert (
        province.terrain
        == {"land": Terrain.INLAND, "coastal": Terrain.COASTAL, "sea": Terrain.SEA}[facts["kind"]]
    )
    assert province.centre == facts["supply_centre"]
    assert province.home == facts.get("home_of")
    assert _reach(Region(code), "land") == set(facts.get("army", ()))
    assert {coast.id for coast in province.coasts} == set(facts.get("coasts", ()))
    for coast, places in facts.get("coasts", {}).items():
        assert _reach(Region(code, coast), "sea") == set(places)
    # A province with coasts has no links by sea of its own: its coasts have them.
    assert _reach(Region(code), "sea") == set(facts.get("fleet", ()))


def test_the_opening_is_as_the_facts_say() -> None:
    units = {power: set(units) for power, units in FACTS["start_units"].items()}
    assert set(STANDARD.powers) == set(FACTS["powers"])
    for power, listed in units.items():
        assert {f"{u.kind} {u.region}" for u in STANDARD.start.units if u.power == power} == listed
        assert STANDARD.start.centres[power] == set(FACTS["home_centres"][power])
    neutral = set(BOARD.centres()) - {c for owned in STANDARD.start.centres.values() for c in owned}
    assert neutral == set(FACTS["neutral_centres"])
    assert STANDARD.victory == FACTS["victory_centres"]
    assert STANDARD.start.phase.year == FACTS["start_phase"]["year"]
    assert STANDARD.start.phase.season == "Spring"
    assert STANDARD.start.phase.kind is PhaseKind.MOVEMENT


def test_the_calendar_ends_the_year_with_builds() -> None:
    phase = STANDARD.start.phase
    phases = []
    while phase.year == 1901:
        phases.append(str(phase))
        phase = STANDARD.calendar.phase_after(phase)
    assert phases == [
        "Spring 1901 Movement", "Spring 1901 Retreat", "Autumn 1901 Movement", "Autumn 1901 Retreat",
        "Winter 1901 Adjustment",
    ]
    assert str(phase) == "Spring 1902 Movement"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("NAT", "NAO"), ("mid-atlantic", "MAO"), ("English Channel", "ENG"), ("Saint Petersburg", "STP"),
        ("St. Petersburg", "STP"), ("Romania", "RUM"), ("Tyrol", "TYR"), ("Gulf of Lyons", "LYO"),
        ("nrg", "NWG"),
        ("Heligoland Bight", "HEL"), ("Marseille", "MAR"), ("spa", "SPA"),
    ],
)
def test_usual_spellings_resolve(text: str, code: str) -> None:
    assert regions_named(STANDARD.names, text) == (Region(code),)


def test_coasts_have_printed_names() -> None:
    spain = BOARD.provinces["SPA"]
    assert [(coast.id, coast.name) for coast in spain.coasts] == [
        ("NC", "North Coast"),
        ("SC", "South Coast"),
    ]
    assert spain.coast_id("north coast") == "NC"
    assert regions_named(STANDARD.names, "Spain (north coast)") == (Region("SPA", "NC"),)

