"""Every statement the handbook makes about the w3k board, held against the loaded board.

The facts file has one entry a statement. A checker is here for each kind that speaks of the board;
statements about rules, clocks and post are listed by id with the reason and the requirement whose tests hold
them. An entry of neither sort fails, so nothing is passed over in silence.
"""

from __future__ import annotations

import colorsys
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region, SeaRole, Terrain
from adjudicator.units import Unit
from maps.names import regions_named

Fact = dict[str, Any]
FACTS: list[Fact] = json.loads(
    (Path(__file__).parents[1] / "data" / "maps" / "w3k_facts.json").read_text("utf-8")
)["facts"]
W3K = maps.load("w3k")
BOARD = W3K.board

DEADLINES = "a matter of the clock; tests/service, requirement "
JUDGE = "a rule of the judge; tests/adjudicator and maps/w3k/cases, requirement "
POST = "a matter of mail and post; tests/service, requirement "
# A statement that is no one's here must say whose it is.
ELSEWHERE: dict[str, str] = {
    "w3k-012": ("the Coordinator is a role of the service, requirement A5; the board has ten powers, see "
                "w3k-011"),
    "w3k-021": DEADLINES + "CAL-08, CAL-10",
    "w3k-022": DEADLINES + "CAL-03",
    "w3k-023": DEADLINES + "CAL-04",
    "w3k-024": DEADLINES + "CAL-05",
    "w3k-025": DEADLINES + "CAL-06, CAL-07",
    "w3k-026": DEADLINES + "CAL-03 and the day count of A4",
    "w3k-044": JUDGE + "DRW-01",
    "w3k-116": JUDGE + "G1",
    "w3k-117": JUDGE + "G2",
    "w3k-118": JUDGE + "G3",
    "w3k-119": JUDGE + "G4",
    "w3k-132": ("a slip in the heading of an example; the fixture of G13 (Q-31). Its names are checked by "
                "w3k-138"),
    "w3k-149": JUDGE + "CNV-03, G6d",
    "w3k-150": JUDGE + "CNV-02, G6e",
    "w3k-151": JUDGE + "CNV-04, G6a",
    "w3k-172": JUDGE + "OWN-02",
    "w3k-173": JUDGE + "OWN-01, G10",
    "w3k-174": JUDGE + "OWN-03",
    "w3k-175": JUDGE + "ADJ-07",
    "w3k-176": JUDGE + "ADJ-01",
    "w3k-177": JUDGE + "ADJ-06",
    "w3k-178": JUDGE + "MCY-01",
    "w3k-179": JUDGE + "MCY-02, G11",
    "w3k-180": JUDGE + "ORD-01 to ORD-06",
    "w3k-181": JUDGE + "ORD-02, ORD-11",
    "w3k-182": JUDGE + "CVT-01, CVT-02",
    "w3k-183": JUDGE + "CVT-03, CVT-04, G12",
    "w3k-184": JUDGE + "CVT-02",
    "w3k-185": JUDGE + "SEA-03",
    "w3k-186": JUDGE + "CMB-02",
    "w3k-187": JUDGE + "CMB-03",
    "w3k-188": JUDGE + "PRX-01 to PRX-06",
    "w3k-189": JUDGE + "PRX-05, G9",
    "w3k-190": JUDGE + "SUP-01, SUP-03",
    "w3k-191": JUDGE + "SUP-04, G8b",
    "w3k-192": JUDGE + "SUP-04, G8c",
    "w3k-193": JUDGE + "G8a; the board's part, five centres, stands in w3k-157 to w3k-161",
    "w3k-194": POST + "A1",
    "w3k-195": POST + "A1, Q-04",
    "w3k-196": POST + "SUBJ-01",
    "w3k-197": POST + "A8",
    "w3k-198": "the page of valid moves; tests/service/cli/test_check_board.py, requirement MOVE-01",
    "w3k-199": ("the map of control; tests/service, requirement MAP-01, MAP-02; centres are all alike by "
                "BRD-03"),
}


def only(text: str) -> Region:
    """The one region a name means."""
    actual = regions_named(W3K.names, text)
    assert len(actual) == 1, f"{text!r} means {actual}"
    return actual[0]


def touching(kinds: set[str]) -> list[tuple[Region, Region]]:
    with (Path(maps.__file__).parent / "w3k" / "borders.csv").open(encoding="utf-8") as file:
        return [
            (Region.of(row["a"]), Region.of(row["b"])) for row in csv.DictReader(file) if row["kind"] in kinds
        ]


def neighbours(region: Region, unit: str) -> frozenset[Region]:
    movement = {"army": "land", "fleet": "sea"}[unit]
    # The handbook leaves coasts out where any of them will do.
    if movement == "sea" and region.coast is None and BOARD.provinces[region.province].coasts:
        several = BOARD.regions(region.province, movement)
        return frozenset[Region]().union(*(BOARD.neighbours(coastal, movement) for coastal in several))
    return BOARD.neighbours(region, movement)


def ends(fact: Fact) -> list[tuple[Region, Region]]:
    """Both ends of a link, in every reading of an ambiguous name: the board must satisfy all of them
    (Q-44)."""
    sides = []
    for end in ("a", "b"):
        coast = fact.get(f"{end}_coast")
        actual = regions_named(W3K.names, fact[end])
        assert actual, fact[end]
        sides.append([Region(region.province, coast) if coast else region for region in actual])
    return [(a, b) for a in sides[0] for b in sides[1]]


def power(fact: Fact) -> None:
    actual = W3K.powers[fact["power"]]
    assert actual.kingdom == fact["kingdom"]
    assert actual.person in fact["leader"]


def power_count(fact: Fact) -> None:
    assert len(W3K.powers) == fact["value"]
    by_kingdom = [actual.kingdom for actual in W3K.powers.values()]
    assert [by_kingdom.count(name) for name in ("England", "Scotland", "Ireland")] == [5, 3, 2]


def colour(fact: Fact) -> None:
    code = W3K.powers[fact["power"]].colour
    red, green, blue = (int(code[start : start + 2], 16) / 255 for start in (1, 3, 5))
    hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
    degrees = hue * 360
    # A pale red would be called pink.
    assert saturation > 0.6
    match fact["colour"]:
        case "red":
            assert degrees < 15 or degrees > 345
            assert value > 0.6
        case "brown":
            assert 15 < degrees < 45
            assert value < 0.6
        case "magenta":
            assert 290 < degrees < 330
        case "blue":
            assert 200 < degrees < 250
        case other:
            raise AssertionError(f"no rule for {other}")


def calendar(fact: Fact) -> None:
    match fact:
        case {"start": [season, year]}:
            assert W3K.start.phase == Phase(year, season, PhaseKind.MOVEMENT)
            phase = W3K.start.phase
            played = set()
            while phase.year == year:
                played.add(phase.season)
                phase = W3K.calendar.phase_after(phase)
            # The first year has no Spring: the game begins in Summer 1642.
            assert played == {"Summer", "Autumn"}
        case {"first_adjustment": [season, year]}:
            autumn = Phase(year - 1, "Autumn", PhaseKind.RETREAT)
            assert W3K.calendar.phase_after(autumn) == Phase(year, season, PhaseKind.ADJUSTMENT)
        case {"seasons": seasons}:
            assert list(W3K.calendar.seasons()) == seasons
            assert [s for s, kind in W3K.calendar.steps if kind is PhaseKind.ADJUSTMENT] == ["Winter"]
            moving = [s for s, kind in W3K.calendar.steps if kind is PhaseKind.MOVEMENT]
            assert moving == ["Spring", "Summer", "Autumn"]
        case {"phases": phases}:
            for season in ("Spring", "Summer", "Autumn"):
                kinds = [kind.value.capitalize() for s, kind in W3K.calendar.steps if s == season]
                assert kinds == phases
        case _:
            raise AssertionError("a calendar fact of a new sort")


def region_kind(fact: Fact) -> None:
    kinds = {
        f"{p.role.value}_sea" if p.role else p.terrain.value for p in BOARD.provinces.values()
    }
    assert kinds == {"inland", "coastal", "primary_sea", "local_sea"}
    if "values" in fact:
        assert kinds == set(fact["values"])
    else:
        fields = set(type(BOARD.provinces["London"]).__slots__)
        assert not fields & {"circle", "symbol"}, "a circle makes no difference, so no province knows of it"


def unit_limit(fact: Fact) -> None:
    places = [unit.region.province for unit in W3K.start.units]
    assert max(places.count(place) for place in places) == fact["value"]


def kingdom(fact: Fact) -> None:
    assert {p.area for p in BOARD.provinces.values() if not p.is_sea} == set(fact["areas"])
    assert W3K.capitals is not None
    assert set(W3K.capitals) == set(fact["kingdoms"])


def capital(fact: Fact) -> None:
    assert W3K.capitals is not None
    capitals = W3K.capitals[fact["kingdom"]]
    assert len(capitals) == 2
    assert only(fact["region"]).province in capitals


def supply_centre(fact: Fact) -> None:
    province = BOARD.provinces[only(fact["region"]).province]
    assert province.centre
    if fact.get("example_build") == "fleet":
        assert province.terrain is Terrain.COASTAL


def victory(fact: Fact) -> None:
    assert W3K.victory == fact["supply_centres"]
    assert W3K.capitals is not None
    # One capital of each of three kingdoms (VIC-01).
    assert len(W3K.capitals) == 3


def inference_total(fact: Fact) -> None:
    assert len(BOARD.centres()) in fact["value"]


def sea_rule(fact: Fact) -> None:
    """Each rule read off the raw touching, one at a time, not through `maps.seas`."""
    water = [p for p in BOARD.provinces.values() if p.is_sea]
    members = {p.id: [q.id for q in water if q.area == p.area] for p in water}
    role = {p.id: p.role for p in water}
    primary = {p.id: next(q for q in members[p.id] if role[q] is SeaRole.PRIMARY) for p in water}
    beside: dict[str, set[Region]] = {}
    for a, b in touching({"coast-touch", "sea-touch"}):
        beside.setdefault(a.province, set()).add(b)
        beside.setdefault(b.province, set()).add(a)
    checked = 0
    for sea in water:
        if fact["rule"] == "S0":
            assert sea.area is not None
            checked += 1
            continue
        if fact["rule"][0] != ("L" if sea.role is SeaRole.LOCAL else "P"):
            continue
        expected_regions = _wanted(fact["rule"], sea.id, members, role, primary, beside)
        assert expected_regions <= BOARD.neighbours(Region(sea.id), "sea"), sea.id
        checked += len(expected_regions)
    assert checked > 20


def _wanted(
    rule: str,
    sea: str,
    members: dict[str, list[str]],
    role: dict[str, SeaRole | None],
    primary: dict[str, str],
    beside: dict[str, set[Region]],
) -> set[Region]:
    own_area = {Region(name) for name in members[sea] if name != sea}
    of_area = {other for name in members[sea] for other in beside.get(name, ())}
    touched = beside.get(sea, set()) if rule[0] == "L" else of_area
    foreign = {r for r in touched if r.province in role and r not in own_area and r.province != sea}
    match rule:
        case "L1" | "P1":
            return own_area
        case "L2":
            locals_ = {r for r in foreign if role[r.province] is SeaRole.LOCAL}
            return locals_ | {Region(primary[r.province]) for r in locals_}
        case "P2":
            return {r for r in foreign if role[r.province] is SeaRole.LOCAL}
        case "P3":
            return {Region(primary[r.province]) for r in foreign}
        case "L3" | "P4":
            return {r for r in touched if r.province not in role}
    raise AssertionError(rule)


def adjacent(fact: Fact) -> None:
    for a, b in ends(fact):
        assert b in neighbours(a, fact["unit"])
        assert a in neighbours(b, fact["unit"])


def not_adjacent(fact: Fact) -> None:
    for a, b in ends(fact):
        assert b.province not in {other.province for other in neighbours(a, fact["unit"])}
        assert a.province not in {other.province for other in neighbours(b, fact["unit"])}


def complete_list(fact: Fact) -> None:
    actual = {str(region) for region in BOARD.neighbours(only(fact["region"]), "sea")}
    assert len(fact["destinations"]) == fact["count"]
    allowed = {"Wight Sea Area"} if fact["region"] == "Portland Sea Area" else set()
    assert actual - allowed == set(fact["destinations"])


def sea_area(fact: Fact) -> None:
    area = {p.id: p.role for p in BOARD.provinces.values() if p.is_sea and p.area == fact["area"]}
    assert area[fact["primary"]] is SeaRole.PRIMARY
    assert all(area[only(name).province] is SeaRole.LOCAL for name in fact["locals"])
    if fact["id"] == "w3k-097":
        assert set(area) == {fact["primary"], *fact["locals"]}


def coast(fact: Fact) -> None:
    province = BOARD.provinces[only(fact["region"]).province]
    if fact.get("single"):
        assert province.coasts == ()
        assert BOARD.regions(province.id, "sea") == (Region(province.id),)
        return
    names = {actual.name for actual in province.coasts}
    assert names == {*fact["named"], *fact["other_inferred"]}


def ambiguity(fact: Fact) -> None:
    """Q-44, and Q-31 for names that look misprinted: each reading is a spelling of the one region."""
    regions = [regions_named(W3K.names, name) for name in fact["names"]]
    if fact["id"] == "w3k-084":
        island, primary = Region("The Isle of Wight"), Region("Wight Sea Area")
        assert set(regions[0]) == {island, primary}
        assert regions[1] == (primary,)
        assert {island, primary} <= BOARD.neighbours(Region("Portland Sea Area"), "sea")
        return
    assert len(set(regions)) == 1, "all these names mean one region"
    assert len(regions[0]) == 1


def alias(fact: Fact) -> None:
    """Q-31: the handbook's own spelling is taken, and so is the usual one."""
    written = fact["alias"] if isinstance(fact["alias"], list) else [fact["alias"]]
    for text in written:
        assert only(text) == Region(fact["region"])


def owner_example(fact: Fact) -> None:
    """Examples need places where such units can stand; they are not how the game opens."""
    units = set()
    for owner, listed in fact["units"].items():
        for text in listed:
            kind, _, place = text.partition(" ")
            region = only(place)
            assert any(BOARD.neighbours(region, movement) for movement in W3K.kinds[kind].moves), text
            units.add(Unit(owner, kind, region))
    assert not units <= W3K.start.units
    assert not fact["start"]


def alternative(fact: Fact) -> None:
    """Of the two readings of the border example a board must satisfy one: this, or the support of the
    move."""
    second = only(fact["b"]) in neighbours(only(fact["a"]), fact["unit"])
    first = only("Annandale") in neighbours(only(fact["a"]), fact["unit"])
    assert second or first


def convoy(fact: Fact) -> None:
    route = [only(name) for name in fact["fleet"]]
    assert len(route) == 1
    assert {only(fact["origin"]), only(fact["dest"])} <= BOARD.neighbours(route[0], "sea")


def region(fact: Fact) -> None:
    if "region" not in fact:
        names = {p.id for p in BOARD.provinces.values() if not p.is_sea}
        assert {"Staffordshire", "London", "Carham Castle", "Kinsale"} <= names, (
            "large areas and small circles"
        )
        return
    province = BOARD.provinces[only(fact["region"]).province]
    assert not province.is_sea
    if "region_kind" in fact:
        assert province.terrain.value == fact["region_kind"]


def build(fact: Fact) -> None:
    province = BOARD.provinces[only(fact["region"]).province]
    assert province.centre
    assert province.terrain is Terrain.COASTAL
    assert fact["unit"] == "fleet"
    assert BOARD.neighbours(Region(province.id), "sea")


CHECKS: dict[str, Callable[[Fact], None]] = {
    check.__name__: check
    for check in (
        power, power_count, colour, calendar, region_kind, unit_limit, kingdom, capital, supply_centre,
        victory,
        inference_total, sea_rule, adjacent, not_adjacent, complete_list, sea_area, coast, ambiguity, alias,
        owner_example, alternative, convoy, region, build,
    )
}


@pytest.mark.parametrize(
    "fact", [f for f in FACTS if f["id"] not in ELSEWHERE], ids=lambda fact: str(fact["id"])
)
def test_the_board_agrees_with_the_handbook(fact: Fact) -> None:
    """Inferred statements are checked with the rest: this board satisfies them all."""
    assert fact["kind"] in CHECKS, f"{fact['id']} is neither checked here nor listed as tested elsewhere"
    CHECKS[fact["kind"]](fact)


def test_every_fact_has_its_place() -> None:
    ids = [fact["id"] for fact in FACTS]
    assert len(set(ids)) == len(ids) == 199
    assert set(ELSEWHERE) <= set(ids)


def test_what_is_left_to_others_says_where() -> None:
    assert all("requirement" in reason or "Q-" in reason for reason in ELSEWHERE.values())
