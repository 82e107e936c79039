"""The reconstructed board of Wars of the Three Kingdoms against its independent sources."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import maps
from adjudicator.geo import Region, SeaRole, Terrain
from adjudicator.units import Unit
from maps.names import regions_named, suggestions

DATA = Path(__file__).parents[1] / "data" / "maps"
W3K = maps.load("w3k")
BOARD = W3K.board


def _pairs(movement: str) -> set[frozenset[str]]:
    return {frozenset({str(a), str(b)}) for a, others in BOARD.links[movement].items() for b in others}


@pytest.mark.parametrize(("movement", "listed"), [("land", "army"), ("sea", "fleet")])
def test_links_equal_the_independent_list(movement: str, listed: str) -> None:
    """The list was worked out by another program from the same shapes; no link differs."""
    expected_pairs: Any = json.loads((DATA / "w3k_adjacency.json").read_text("utf-8"))[listed]
    assert _pairs(movement) == {frozenset(pair) for pair in expected_pairs}


def test_the_board_has_its_regions_centres_and_seas() -> None:
    count = Counter(province.terrain for province in BOARD.provinces.values())
    assert count == {Terrain.INLAND: 67, Terrain.COASTAL: 147, Terrain.SEA: 73}
    assert len(BOARD.centres()) == 109
    role = Counter(province.role for province in BOARD.provinces.values())
    # 67 + 147 lands have no role; 23 + 50 are the 73 seas.
    assert role == {None: 214, SeaRole.PRIMARY: 23, SeaRole.LOCAL: 50}


def test_two_powers_cannot_reach_victory_together() -> None:
    """Q-30: that would need twice 55 centres."""
    assert len(BOARD.centres()) < 2 * W3K.victory == 110


def test_ten_powers_start_with_six_units_each_on_centres_of_their_own() -> None:
    assert Counter(unit.power for unit in W3K.start.units) == dict.fromkeys(W3K.powers, 6)
    for power in W3K.powers:
        places = {unit.region.province for unit in W3K.start.units if unit.power == power}
        assert places == W3K.start.centres[power]
    some = {
        Unit("The Crown", "F", Region("Pendennis Castle")),
        Unit("Manchester", "A", Region("London")),
        Unit("Argyll", "A", Region("Edinburgh")),
        Unit("Confederacy", "F", Region("Galway")),
    }
    # One of each kind and kingdom, written from the setup by hand.
    assert some <= W3K.start.units


def test_coasts_lie_on_different_sea_areas() -> None:
    """A region has named coasts only where separate stretches of its shore lie on different sea areas."""
    split = {p.id for p in BOARD.provinces.values() if p.coasts}
    assert split == {"Brittany", "Cornwall", "Devon", "Dorset", "Lower Normandy", "Sutherland"}
    for name in split:
        areas = [
            {
                BOARD.provinces[o.province].area
                for o in BOARD.neighbours(region, "sea")
                if BOARD.provinces[o.province].is_sea
            }
            for region in BOARD.regions(name, "sea")
        ]
        assert len(areas) == 2
        assert not areas[0] & areas[1], name


def test_every_open_question_of_the_rules_is_answered_on_the_board_file() -> None:
    """The answers are the decisions of part H of the requirements; a ruling represents each."""
    rulings = (Path(__file__).parents[2] / "docs" / "rulings" / "w3k.md").read_text("utf-8")
    assert W3K.rules.name == "w3k"
    assert set(W3K.rules.values) == set(type(W3K.rules).CHOICES)
    assert dict(W3K.rules.values) == {
        "wrong_unit_type": "forgiven", "support_of_mover": "unmatched", "double_orders": "hold",
        "impossible_move": "by_map", "convoy_paradox": "szykman", "conversion_over_winter": "goes_on",
        "own_attack_disrupts": "no", "missing_coast": "void", "proxy_silent": "owner",
        "proxy_of_proxy": "void",
        "proxy_retreats": "owner_first", "removals_beside_builds": "struck", "supply_sent": "surplus",
        "supply_sent_on": "no", "victory_tested": "autumn", "draw": "on_request", "mercy_converts": "no",
        "mercy_supply": "greater",
    }
    assert all(f"`{key}`" in rulings for key in W3K.rules.values)


def test_shores_join_regions_that_touch_by_land() -> None:
    for pair in _pairs("sea"):
        provinces = {Region.of(text).province for text in pair}
        if not any(BOARD.provinces[name].is_sea for name in provinces):
            assert frozenset(provinces) in _pairs("land")


# Names the handbook itself uses (requirements B10), each with the region meant.
HANDBOOK = {
    "London": "London", "York": "York", "Edinburgh": "Edinburgh", "Glasgow": "Glasgow", "Belfast": "Belfast",
    "Dublin": "Dublin & the Pale", "Dublin & the Pale": "Dublin & the Pale", "Staffordshire": "Staffordshire",
    "Shropshire": "Shropshire", "Cheshire": "Cheshire", "Surrey": "Surrey", "Devon": "Devon",
    "Dorset": "Dorset",
    "Ashby-de-la-Zouch Castle": "Ashby-de-la-Zouch Castle", "Ashby-de-la-Zouch": "Ashby-de-la-Zouch Castle",
    "The Isle of Portland": "The Isle of Portland", "Portland (Dorset)": "The Isle of Portland",
    "Corfe Castle": "Corfe Castle", "Brittany": "Brittany", "Lower Normandy": "Lower Normandy",
    "Cherbourg": "Cherbourg", "Jersey": "Jersey", "Guernsey": "Guernsey",
    "Caernarfonshire": "Caernarfonshire",
    "Carlisle": "Carlisle", "Eskdale": "Eskdale", "Annandale & Nithsdale": "Annandale & Nithsdale",
    "Annandale": "Annandale & Nithsdale", "Northumberland": "Northumberland",
    "Carham Castle": "Carham Castle",
    "Carham": "Carham Castle", "Teesdale": "Teviotdale", "Merse": "Merse", "Fort William": "Fort William",
    "Kisimul Castle": "Kisimul Castle", "Glamorganshire": "Glamorganshire",
    "Hastings & Pevensey": "Hastings & Pevensey", "Lyme Bay": "Lyme Bay",
    "Portland Sea Area": "Portland Sea Area", "Plymouth Sea Area": "Plymouth Sea Area",
    "Les Sept-Isles and Eddystone Rocks": "Les Sept-Isles and Eddystone Rocks",
    "Les Sept-Isles": "Les Sept-Isles and Eddystone Rocks",
    "Eddystone Rocks": "Les Sept-Isles and Eddystone Rocks",
    "Les Abers & Point de Corsen": "Les Abers & Point de Corsen",
    "Barfleur & La Hougue": "Barfleur & La Hougue",
    "Hurd's Deep": "Hurd's Deep", "Alderney Race": "Alderney Race", "Gulf of Mayo": "Gulf of Mayo",
    "Irish Sea": "Irish Sea", "Morecombe Bay": "Morecombe Bay", "Morecombe": "Morecombe Bay",
    "Solway Firth": "Solway Firth", "Dublin & Caernarfon Bays": "Dublin & Caernarfon Bays",
}


@pytest.mark.parametrize("text", HANDBOOK)
def test_names_of_the_handbook_resolve(text: str) -> None:
    assert regions_named(W3K.names, text) == (Region(HANDBOOK[text]),)


def test_the_isle_of_wight_is_the_island_first_and_may_be_the_sea_area() -> None:
    regions = (Region("The Isle of Wight"), Region("Wight Sea Area"))
    # unit and order decide between land and sea.
    assert regions_named(W3K.names, "The Isle of Wight") == regions
    assert regions_named(W3K.names, "Isle of Wight") == regions
    assert {
        row.region for row in W3K.names if row.ambiguous and row.text == "The Isle of Wight"
    } == {regions[0]}
    assert {row.text for row in W3K.names if row.ambiguous and row.region == regions[1]} == {
        "Isle of Wight",
        "Wight",
    }


def test_either_half_of_a_joined_name_will_do() -> None:
    """Except where the half is the name of another region: Holland, and Dublin."""
    for name in BOARD.provinces:
        if " & " not in name or name.endswith(" Bays"):
            continue
        for half in name.split(" & "):
            if half != "Holland" and name != "Dublin & the Pale":
                assert Region(name) in regions_named(W3K.names, half), half
    assert regions_named(W3K.names, "Dublin Bay") == (Region("Dublin & Caernarfon Bays"),)
    assert regions_named(W3K.names, "Caernarfon Bay") == (Region("Dublin & Caernarfon Bays"),)
    assert regions_named(W3K.names, "Holland") == (Region("Holland"),)


def test_names_that_readers_are_scored_on_mean_the_same_regions() -> None:
    """The list for the eye has name, aliases and coasts of every region."""
    rows: list[dict[str, Any]] = json.loads((DATA / "w3k_names.json").read_text("utf-8"))
    assert {row["name"] for row in rows} == set(BOARD.provinces)
    for row in rows:
        province = BOARD.provinces[row["name"]]
        assert [coast.name for coast in province.coasts] == row["coasts"]
        for text in (row["name"], row["abbr"], *row["aliases"]):
            assert Region(row["name"]) in regions_named(W3K.names, text), text


def test_a_code_of_the_sea_that_is_a_name_on_land_gives_way_to_the_name() -> None:
    assert regions_named(W3K.names, "Mayo") == (Region("Mayo"), Region("Gulf of Mayo"))
    assert regions_named(W3K.names, "Down") == (Region("Down"), Region("The Downs"))
    assert regions_named(W3K.names, "Lorn") == (Region("Lorn"), Region("Firth of Lorn"))


def test_a_slip_of_the_pen_is_answered_with_the_name() -> None:
    assert suggestions(W3K.names, "Staffordshyre")[0] == "Staffordshire"
    assert "Caerlaverock Castle" in suggestions(W3K.names, "Carlaverock Castle")
    assert suggestions(W3K.names, "xyzzy") == ()


def test_every_power_has_a_person_and_a_kingdom() -> None:
    assert all(power.person and power.kingdom for power in W3K.powers.values())


def test_touching_rows_hold_nothing_derived() -> None:
    """Raw touching is less than the borders that follow from it."""
    with (maps.folder("w3k") / "borders.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert Counter(row["kind"] for row in rows) == {
        "land": 413,
        "shore": 141,
        "coast-touch": 238,
        "sea-touch": 143,
    }
    # The primary of Portland touches no Jersey, and yet borders it by the rule of sea areas.
    touched = {row["b"] for row in rows if row["a"] == "Jersey" and row["kind"] == "coast-touch"}
    assert "Portland Sea Area" not in touched
    assert Region("Jersey") in BOARD.neighbours(Region("Portland Sea Area"), "sea")
