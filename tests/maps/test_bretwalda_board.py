"""The board of Bretwalda I against the printed rules: the list of provinces, ports, homes, and what the
examples say of who borders whom. Borders themselves are our own (GAP-02)."""

from __future__ import annotations

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import COAST, LAND, SEA, Region, Terrain

VARIANT = maps.load("bretwalda")
BOARD = VARIANT.board
LETTERS = {
    "P": "Pictland", "G": "Gwynedd", "N": "Northumbria", "D": "Dalriada", "E": "East Anglia", "L": "Leinster",
    "K": "Kernow",
    "W": "Wessex", "M": "Mercia",
}
LAND_LIST = """
Abn:P* Aby:G* Alc:* Arm:* Art Ath:P Bam:N* Ban:D* Ber:N Buc:* Bui:G Bur:P* Cae:G* Cai:P Cam:E* Can:* Cas:L*
Che:* Cir:P Cum Dal:L Dei:N Den:G* Dor:* Dun:D* Dyf:G Elm:* Ess:E Exe:K* Exm:K Fla:* Far:W* Gal:* Gla:* Glo:M*
God:* GrG:D Gyr:E Ham:W Hat:* Heb:* Her:M Hwi Inv:P* IoM:* Ion:D* Ips:E* Ker:K Lan:N* Lin:* Lon:* Man May Mer
Mgn:* Mun:L Nrw:E* Ntn Ork:* Pns:N Por:W* Pow:G Rhe:* Ros Sci:K* Sha Shr:M* SSt Sus Tam:M* Tar:L* Tin:K* Tir:D
Tre:M Tyr:D War:M* Wea:W Wex:L* Wic Wil:W Win:W* Wiv:K Wix:E Wol:N Wro:M Yor:N* Yst:*
"""
"""The printed list: the code, after a colon the home letter, and a star for a centre."""
SEA_LIST = """
ANG BCH CDG CEL COL CRS DOG ECH FAS FFT HBS IRI LYM MAO MIN MOF MOR NAO NCH NSN NSS PEF SEV SOD SOJ SOL STG
THA WAS
"""
PORTS = {
    "Dalriada": {"Ion"}, "East Anglia": {"Ips"}, "Gwynedd": {"Cae"}, "Kernow": {"Sci"}, "Leinster": {"Wex"},
    "Mercia": {"Glo"},
    "Northumbria": {"Bam"}, "Pictland": {"Abn", "Bur"}, "Wessex": {"Por"},
}
NEUTRAL_PORTS = {"Rhe", "IoM", "Heb", "Gal", "Yst", "Lon", "Fla"}
PRINTED = {entry.partition(":")[0]: entry.partition(":")[2] for entry in LAND_LIST.split()}


def test_the_list_has_87_lands_and_29_seas_with_codes_of_three_letters_no_two_alike() -> None:
    """BRE-18."""
    assert len(PRINTED) == 87
    assert len(SEA_LIST.split()) == 29
    assert set(BOARD.provinces) == {*PRINTED, *SEA_LIST.split()}
    codes = [code.casefold() for code in BOARD.provinces]
    assert len(set(codes)) == len(codes) == 116
    assert {len(code) for code in codes} == {3}
    assert {p.id for p in BOARD.provinces.values() if p.terrain is Terrain.SEA} == set(SEA_LIST.split())


def test_home_letters_are_those_of_the_list() -> None:
    """BRE-18: 48 provinces bear a letter of one of the nine powers (BRE-07)."""
    assert set(VARIANT.powers) == set(LETTERS.values())
    for code, marks in PRINTED.items():
        letter = marks.rstrip("*")
        assert BOARD.provinces[code].area == (LETTERS[letter] if letter else None), code


def test_the_list_stars_48_centres_and_two_make_up_the_fifty() -> None:
    """BRE-19, BRE-03, Q-40: 28 at home, 20 neutral, and the two that we propose are marked."""
    starred = {code for code, marks in PRINTED.items() if "*" in marks}
    assert len(starred) == 48
    unstarred = {p.id for p in BOARD.provinces.values() if "unstarred" in p.marks}
    assert unstarred == {"Sus", "Hwi"}
    assert set(BOARD.centres()) == starred | unstarred
    # 26 of 50, more than half (BRE-03).
    assert VARIANT.victory == 26


def test_homes_are_the_starred_provinces_with_a_letter_four_for_mercia_and_three_for_each_other() -> None:
    """BRE-06, BRE-19, Q-42."""
    homes = {code: LETTERS[marks[0]] for code, marks in PRINTED.items() if len(marks) == 2}
    assert len(homes) == 28
    assert {p.id: p.home for p in BOARD.provinces.values() if p.home} == homes
    assert {power: len(owned) for power, owned in VARIANT.start.centres.items()} == {
        power: 4 if power == "Mercia" else 3 for power in VARIANT.powers}


def test_ports() -> None:
    """BRE-07, BRE-08."""
    marked = {p.id for p in BOARD.provinces.values() if "port" in p.marks}
    assert marked == set().union(*PORTS.values()) | NEUTRAL_PORTS
    for power, ports in PORTS.items():
        assert {p.id for p in BOARD.provinces.values() if p.home == power} & marked == ports
    assert all(
        BOARD.provinces[port].centre and BOARD.provinces[port].terrain is Terrain.COASTAL for port in marked
    )


def test_the_game_begins_in_winter_620_with_an_empty_board() -> None:
    """BRE-01, Q-43: and Spring 621 follows."""
    assert VARIANT.start.phase == Phase(620, "Winter", PhaseKind.ADJUSTMENT)
    assert not VARIANT.start.units
    assert VARIANT.calendar.phase_after(VARIANT.start.phase) == Phase(621, "Spring", PhaseKind.MOVEMENT)


@pytest.mark.parametrize("other", ["Dun", "GrG", "Ros"])
def test_no_army_walks_between_iona_and_the_mainland(other: str) -> None:
    """BRE-04: fleets and bunches go."""
    iona = Region("Ion")
    assert Region(other) not in BOARD.neighbours(iona, LAND)
    assert Region(other) in BOARD.neighbours(iona, SEA)
    assert Region(other) in BOARD.neighbours(iona, COAST)


@pytest.mark.parametrize(("a", "b", "movement", "meet"), [
    ("NSN", "WAS", COAST, True), ("NSN", "NSS", COAST, False), ("NSN", "NSS", SEA, True),
    ("Wic", "CDG", COAST, True), ("CDG", "Aby", COAST, True), ("Den", "Pow", LAND, True),
    ("Che", "Pow", LAND, True),
    ("Den", "Che", LAND, True), ("Den", "Che", COAST, True), ("Den", "COL", SEA, True),
    ("Mer", "COL", SEA, True),
    ("Den", "Mer", LAND, False), ("IRI", "CDG", SEA, True), ("IRI", "Arm", SEA, True),
    ("CDG", "Arm", SEA, False),
    ("IoM", "IRI", SEA, True), ("NCH", "IRI", COAST, True), ("Ban", "Arm", LAND, True),
])
def test_what_the_examples_say_of_who_borders_whom(a: str, b: str, movement: str, meet: bool) -> None:
    """BRE-11, BRE-12, G7."""
    assert (Region(b) in BOARD.neighbours(Region(a), movement)) is meet


def test_coasts_for_bunches_are_worked_out_from_shared_shores() -> None:
    """BRE-11: from sea to sea where a province touches both; between land and sea freely."""
    for region, others in BOARD.links[SEA].items():
        for target in others:
            both_sea = BOARD.provinces[region.province].is_sea and BOARD.provinces[target.province].is_sea
            shared = any(
                {region, target} <= others_of
                for land, others_of in BOARD.links[SEA].items() if not BOARD.provinces[land.province].is_sea)
            assert (target in BOARD.links[COAST][region]) is (not both_sea or shared), (region, target)
    assert "coast" not in maps.load("w3k").board.links, "other boards do not pay for it"


def test_three_kinds_of_unit() -> None:
    """BRE-09, BRE-15: only fleets convoy; armies and bunches are convoyed, a bunch from a sea too
    (BRE-16)."""
    assert set(VARIANT.kinds) == {"A", "F", "B"}
    assert {k.letter for k in VARIANT.kinds.values() if k.can_convoy} == {"F"}
    assert {k.letter for k in VARIANT.kinds.values() if k.can_be_convoyed} == {"A", "B"}
    assert {k.letter for k in VARIANT.kinds.values() if k.boards_at_sea} == {"B"}
