"""What the printed rules of Brittania say about their map, held against the board (WSB-01, WSB-04, WSB-06,
WSB-19, Q-63)."""

from __future__ import annotations

import maps
from adjudicator.geo import LAND, SEA

BRITTANIA = maps.load("brittania")
BOARD = BRITTANIA.board
KINGDOMS = {
    "Essex", "Glamorgan", "York", "Lancaster", "Lothian", "Aberdeen", "Argyll", "Ui Neill", "Connachta",
    "Laighin",
}
COLOURS = ["Red", "Gold", "Green", "Cyan", "Orange", "Silver", "Purple", "White", "Teal", "Lavender"]


def test_there_are_49_states_and_seven_seas() -> None:
    states = [p for p in BOARD.provinces.values() if not p.is_sea]
    assert len(states) == 49
    assert set(BOARD.centres()) == {state.id for state in states}
    assert sorted(p.abbr for p in BOARD.provinces.values() if p.is_sea) == [
        f"S{number}" for number in range(1, 8)
    ]
    assert {"Essex", "Kent", "Oxford", "Mide", "Ulaid", "Ayr"} <= set(BOARD.centres())


def test_the_ten_of_kingdom_type_are_those_of_the_list() -> None:
    assert {p.id for p in BOARD.provinces.values() if "kingdom" in p.marks} == KINGDOMS


def test_each_kingdom_type_state_can_make_a_kingdom() -> None:
    """WSB-05: "Some of the KINGDOM-states have more than 3 states adjacent to them": none has fewer."""
    counts = {state: len(BOARD.near(state, LAND)) for state in KINGDOMS}
    assert min(counts.values()) == 3
    assert max(counts.values()) > 3


def test_ulaid_and_ayr_face_each_other_across_a_sea() -> None:
    assert "Ayr" not in BOARD.near("Ulaid", LAND)
    # Two states are across a sea from each other when both touch it (WSB-19).
    assert {p for p in BOARD.near("Ulaid", SEA) & BOARD.near("Ayr", SEA) if BOARD.provinces[p].is_sea}


def test_essex_lies_beside_kent() -> None:
    assert "Kent" in BOARD.near("Essex", LAND)


def test_the_powers_are_the_ten_colours_and_begin_with_nothing() -> None:
    assert list(BRITTANIA.powers) == COLOURS
    assert not BRITTANIA.start.units
    assert not any(BRITTANIA.start.centres.values())
