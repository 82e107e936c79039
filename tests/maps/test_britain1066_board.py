"""The board of 1066 against the printed rules: the list of names, who begins where, and who gets on the board
from where. Borders and centres are our own (GAP-05)."""

from __future__ import annotations

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region, Terrain
from maps.names import regions_named

VARIANT = maps.load("britain1066")
BOARD = VARIANT.board
LISTED = """
Alban Alb; Gwynedd Gwy; Sudfulc Sdf; Bedeford Bed; Hastings Has; Sudreys Sdr; Bernicia Brc; Hereford Her;
Sudsexe Sus; Berrocchescire Brc; Keredwigyawn Ker; Warawic War; Canterbury Can; Ledecestre Led; Wessexe Wes;
Carleol Car; Lincolia Lin; Chenth Chn; Lothian Lot; Chester Chs; Lundonia Lun; West Wales Wwa; Clyveland Cly;
Mamecastre Mam; Cumbria Cum; Man Man; Dalriada Dal; Mercia Mer; York Yor; Deira Dei; Morgannwg Mor; Derby Der;
Nordfulc Nrd; The Channel CHA; Devenscire Dev; Northumberland Nth; Firth of Forth FOF; Dorsete Dor; Offas Dyke
Off; Hebredies HEB; Dublin Dub; Oxeneford Oxe; Irish Sea IRI; Dunholm Dun; Peneverdant Pen; Oceanus Germanicus
GER; Dyfed Dyf; Ripun Rip; Solway Sol; Edwins Burgh Edw; Sciropescire Sci; Straits of Dover SOD; Ely Ely;
Scone Sco; Exsassa Exs; Snottingham Sno; Fife Fif; Stanford Sta; The Wash WAS; Galloway Gal; Stirling Sti;
Glastingberie Gla; Stranraer Stn; Glowecestre Glo; Strathclyde Sth; Windesores Win; Westmorland Wst; St.
Georges Channel Ses
"""
"""Name and code as printed: there sixty-five on one line each, and three with the code on the next line."""
START = {
    "Duke William": {"A SH1", "A SH2", "A SH3", "A SH4"},
    "Harald Hardrada": {"A/F HG1", "A/F HG2", "A/F HG3", "A/F HG4"},
    "Harold Godwinson": {"A Gloucestre", "A Wessex", "A Windesores", "A Ludnonia"},
    "The Norse": {"A/F Dublin", "A/F Man", "A/F Sudreys", "A/F Cumbria"},
    "The Northern Earls": {"A Dunholm", "A Ripun", "A Mamecastre", "A Dore"},
    "The Scots": {"F Fife", "A Stirling", "A Edwins Burgh", "A Bernicia"},
    "The Welsh": {"A West Wales", "A Morgannwg", "A Keredwigyawn", "A Gwynedd"},
}
"""As printed, spelling and all; who is off the board is in our boxes."""
BOXES = {p.id for p in BOARD.provinces.values() if "off_board" in p.marks}


def _entries() -> list[tuple[str, str]]:
    return [(entry.strip()[:-4], entry.strip()[-3:]) for entry in LISTED.replace("\n", " ").split(";")]


def test_the_list_has_68_names_and_the_board_dore_besides() -> None:
    """D66-13, Q-72: 59 lands and 9 seas; every name is that of one province, and every code but Brc means it
    alone."""
    listed = _entries()
    assert len(listed) == 68
    named = set()
    for name, code in listed:
        (region,) = regions_named(VARIANT.names, name)
        assert BOARD.provinces[region.province].name == name
        assert region in regions_named(VARIANT.names, code)
        # The printed list gives Brc to two lands.
        assert len(regions_named(VARIANT.names, code)) == (2 if code == "Brc" else 1)
        named.add(region.province)
    assert len(named) == 68
    assert {p for p in BOARD.provinces if p not in named} - BOXES == {"Dre"}
    assert sum(BOARD.provinces[p].terrain is Terrain.SEA for p in named) == 9


def test_spellings_that_vary_are_understood() -> None:
    """Q-71, Q-72."""
    for text, province in (
        ("Gloucestre", "Glo"),
        ("Wessex", "Wes"),
        ("Ludnonia", "Lun"),
        ("Snottingeham", "Sno"),
        ("Hebrides", "HEB"),
        ("Brn", "Brn"),
        ("Ber", "Brn"),
        ("Brk", "Brc"),
        ("Dore", "Dre"),
    ):
        assert regions_named(VARIANT.names, text) == (Region(province),)


def test_seven_powers_begin_with_four_units_each_where_the_text_says() -> None:
    """D66-01, D66-02."""
    assert set(VARIANT.powers) == set(START)
    for power, units in START.items():
        expected = set()
        for unit in units:
            kind, _, name = unit.partition(" ")
            (region,) = regions_named(VARIANT.names, name)
            expected.add((kind, region.province))
        assert {(u.kind, u.region.province) for u in VARIANT.start.units if u.power == power} == expected
        homes = {p.id for p in BOARD.provinces.values() if p.home == power}
        assert homes == ({place for _, place in expected} - BOXES)
        assert VARIANT.start.centres.get(power, frozenset()) == homes


def test_twenty_four_of_forty_six_centres_win_and_boxes_are_none() -> None:
    """D66-12."""
    assert VARIANT.victory == 24
    assert len(BOARD.centres()) == 46
    assert not BOXES & set(BOARD.centres())


def test_a_move_is_a_month_and_adjustments_follow_every_second() -> None:
    """D66-11: March 1066 first; April, June, August and so on have adjustments, over the turn of the year
    too."""
    assert VARIANT.start.phase == Phase(1066, "March", PhaseKind.MOVEMENT)
    phase, phases = VARIANT.start.phase, []
    for _ in range(60):
        phases.append(phase)
        phase = VARIANT.calendar.phase_after(phase)
    moves = [p for p in phases if p.kind is PhaseKind.MOVEMENT]
    assert [p.season for p in moves[:4]] == ["March", "April", "May", "June"]
    adjusted = [f"{p.season} {p.year}" for p in phases if p.kind is PhaseKind.ADJUSTMENT]
    assert adjusted[:6] == [
        "April 1066",
        "June 1066",
        "August 1066",
        "October 1066",
        "December 1066",
        "February 1067",
    ]
    for index, each_phase in enumerate(phases):
        if each_phase.kind is PhaseKind.ADJUSTMENT:
            assert phases[index - 1] == Phase(each_phase.year, each_phase.season, PhaseKind.RETREAT)


def test_boxes_are_left_and_never_entered() -> None:
    """D66-05, D66-06, D66-07, D66-08: where each leads, by coasts and seas of the board."""
    for table in BOARD.links.values():
        assert not any(target.province in BOXES for others in table.values() for target in others)
    assert BOARD.near("SH1", "land") == {p for p in BOARD.near("SOD", "sea") if not BOARD.provinces[p].is_sea}
    assert BOARD.near("SH1", "sea") == {"SOD"}
    assert BOARD.near("NM1", "sea") == {"SOD", "CHA"}
    shores = {p for sea in ("SOD", "CHA") for p in BOARD.near(sea, "sea") if not BOARD.provinces[p].is_sea}
    assert BOARD.near("NM1", "land") == shores
    assert BOARD.near("NW1", "any") == {"GER", "WAS", "FOF"}
    assert BOARD.near("HG1", "any") == {"GER", *BOARD.near("GER", "any")} - BOXES
    assert BOARD.near("HW1", "any") == {"WAS", *BOARD.near("WAS", "any")} - BOXES


def test_army_fleets_go_wherever_an_army_or_a_fleet_could() -> None:
    """D66-03."""
    for province in BOARD.provinces:
        assert BOARD.near(province, "any") == BOARD.near(province, "land") | BOARD.near(province, "sea")
