"""Which fleets could carry, and which of them a route needs (DATC 6.F.12, 6.G.19)."""

from __future__ import annotations

from random import Random

import pytest

import maps
from adjudicator.phases import convoys
from adjudicator.phases.convoys import Sea

CHART = maps.load("standard").context().tables


def _sea(*carriers: str) -> Sea:
    return Sea(CHART, frozenset(carriers))


def test_a_route_needs_a_whole_chain() -> None:
    assert _sea("NTH").joins("LON", "NWY")
    assert not _sea("ENG").joins("LON", "NWY")
    assert _sea("ENG", "MAO").joins("LON", "SPA")
    assert not _sea("ENG", "WES").joins("LON", "SPA")
    assert not _sea("NTH").joins("LON", "LON")


def test_a_route_can_be_asked_for_without_one_fleet() -> None:
    assert not _sea("NTH").joins("LON", "NWY", without="NTH")
    assert _sea("NTH", "ENG").joins("LON", "BEL", without="NTH")
    # A fleet that is not there can be left out.
    assert _sea("NTH").joins("LON", "NWY", without="SKA")


def test_a_fleet_beside_a_shorter_way_is_of_no_use() -> None:
    # ENG alone carries from London to Belgium; the Irish Sea only lengthens the way.
    sea = _sea("ENG", "IRI", "NTH")
    assert sea.useful("ENG", "LON", "BEL")
    assert sea.useful("NTH", "LON", "BEL")
    assert not sea.useful("IRI", "LON", "BEL")
    assert not sea.useful("MAO", "LON", "BEL")
    # A convoy from a province to itself is not a move (DATC 6.A.5).
    assert not sea.useful("ENG", "LON", "LON")
    # A fleet in harbour is not a fleet of the sea that comes first in the alphabet.
    assert not _sea("ADR").useful("TRI", "VEN", "ALB")


def test_a_fleet_in_the_middle_of_a_chain_is_of_use() -> None:
    sea = _sea("NTH", "NWG", "BAR", "NAO")
    assert sea.useful("NWG", "YOR", "STP")
    assert not sea.useful("NAO", "YOR", "STP")
    longer = _sea("ENG", "MAO", "WES", "TYS")
    # Neither end of the way touches the Mid-Atlantic or the Western Mediterranean.
    assert longer.useful("MAO", "LON", "ROM")
    assert longer.useful("WES", "LON", "ROM")


def test_where_patience_ends_a_fleet_counts_as_useful(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no valid route is ever broken (JUD-01). To North Africa only MAO leads: IRI is aside."""
    sea = _sea("MAO", "IRI", "TYS")
    assert not sea.useful("IRI", "POR", "NAF")
    monkeypatch.setattr(convoys, "_PATIENCE", 0)
    assert sea.useful("IRI", "POR", "NAF")


def test_a_crowded_sea_is_answered_in_time() -> None:
    context = maps.load("w3k").context()
    seas = frozenset(p for p, province in context.board.provinces.items() if province.is_sea)
    # A fleet in every sea: the induced path through one of them is hard to find in general, so the search has
    # a limit.
    crowded = Sea(context.tables, seas)
    shores = sorted(context.tables.shores)
    assert all(crowded.joins(shores[0], shore) for shore in shores[1:] if context.tables.waters[shore])
    useful = {fleet for fleet in seas if crowded.useful(fleet, "Caernarfonshire", "Aberdeen")}
    assert {"Irish Sea", "Dublin & Caernarfon Bays"} <= useful


def test_a_fleet_is_let_be_where_the_search_comes_to_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order that may be of use is never void for want of time."""
    fleets = ("NTH", "NWG", "BAR", "NAO")
    assert not _sea(*fleets).useful("NAO", "YOR", "STP")
    monkeypatch.setattr("adjudicator.phases.convoys._PATIENCE", 1)
    assert _sea(*fleets).useful("NAO", "YOR", "STP")


@pytest.mark.parametrize("slug", ["standard", "w3k", "bretwalda", "war1648", "britain1066"])
def test_no_whole_chain_is_broken_by_leaving_out_what_is_of_no_use(slug: str) -> None:
    """JUD-01: anyone else who is at sea, and the same for the way back."""
    chart, chance = maps.load(slug).context().tables, Random(slug)
    seas, shores = sorted(chart.seas), sorted(chart.shores)
    chains = 0
    for _ in range(300):
        fullness = chance.choice([0.4, 0.7])
        carriers = [sea for sea in seas if chance.random() < fullness]
        sea, (start, goal) = Sea(chart, carriers), chance.sample(shores, 2)
        ordered = [fleet for fleet in carriers if chance.random() < 0.9]
        useful = [fleet for fleet in ordered if sea.useful(fleet, start, goal)]
        assert useful == [fleet for fleet in ordered if sea.useful(fleet, goal, start)]
        if Sea(chart, ordered).joins(start, goal):
            chains += 1
            assert Sea(chart, useful).joins(start, goal), (carriers, ordered, start, goal)
    assert chains > 20


@pytest.mark.parametrize(("fleet", "start", "goal"), [
    ("Forties", "Caerlaverock Castle", "Caernarfonshire"),
    ("Fastnet", "Westmorland & Furness", "Belfast"),
    ("The Minch", "Cowal", "Caernarfonshire"),
    ("Lundy", "Down", "Renfrewshire"),
    ("Dingle Bay", "Cowal", "Isle of Man"),
    ("The Little Minch", "Isle of Man", "Belfast"),
])
def test_a_fleet_far_from_both_ends_is_ruled_out_where_all_seas_are_full(
    fleet: str, start: str, goal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LIB-05. From the fleet alone these took 5,700 to 9,200 steps, which was more than patience had; the two
    arms meet near the ends. Exhaustive search, without a bound, rules them out too."""
    monkeypatch.setattr(convoys, "_PATIENCE", 60)
    tables = maps.load("w3k").context().tables
    assert not Sea(tables, tables.seas).useful(fleet, start, goal)
