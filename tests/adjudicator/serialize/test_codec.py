"""Positions, resolutions and orders survive the database unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from adjudicator import orders as o
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.position import Dislodgement, Memory, Position
from adjudicator.serialize import codec
from adjudicator.units import Unit, UnitRef

# The stroke is what parts a province from its coast, so a region with one in a name must come back too.
words = st.text("aB /é'", min_size=1, max_size=5)
regions = st.builds(Region, words, st.none() | words)
units = st.builds(Unit, words, words, regions)
refs = st.builds(UnitRef, st.none() | words, regions)
lines = st.none() | st.integers(0, 99)
any_order = st.one_of(
    st.builds(o.Hold, power=words, line=lines, unit=refs),
    st.builds(o.Move, power=words, line=lines, unit=refs, to=regions, via_convoy=st.booleans()),
    st.builds(o.SupportHold, power=words, line=lines, unit=refs, target=refs),
    st.builds(o.SupportMove, power=words, line=lines, unit=refs, target=refs, to=regions),
    st.builds(o.Convoy, power=words, line=lines, unit=refs, target=refs, to=regions),
    st.builds(
        o.Convert, power=words, line=lines, unit=refs, to_kind=st.none() | words, coast=st.none() | words
    ),
    st.builds(o.Proxy, power=words, line=lines, unit=refs, to_power=words),
    st.builds(o.Retreat, power=words, line=lines, unit=refs, to=regions),
    st.builds(o.Disband, power=words, line=lines, unit=refs),
    st.builds(o.Build, power=words, line=lines, kind=words, region=regions),
    st.builds(o.Remove, power=words, line=lines, unit=refs),
    st.builds(o.SendSupply, power=words, line=lines, to_power=words, count=st.integers(1, 20)),
)
phases = st.builds(Phase, st.integers(1, 2000), words, st.sampled_from(PhaseKind))
beaten = st.builds(Dislodgement, units, words, st.booleans(), st.frozensets(regions, max_size=3))
positions = st.builds(
    Position,
    phases,
    st.frozensets(units, max_size=4),
    st.dictionaries(words, st.frozensets(words, max_size=3), max_size=3),
    st.lists(beaten, max_size=2).map(tuple),
    st.frozensets(words, max_size=3),
    st.builds(Memory, st.frozensets(units, max_size=2)),
)
outcomes = st.builds(
    Outcome,
    any_order,
    st.sampled_from(Result),
    st.none() | words,
    st.none() | any_order,
    words,
    st.booleans(),
)
some_units = st.lists(units, max_size=2).map(tuple)
resolutions = st.builds(
    Resolution,
    outcomes=st.lists(outcomes, max_size=4).map(tuple),
    position=positions,
    dislodged=st.lists(beaten, max_size=2).map(tuple),
    contested=st.frozensets(words, max_size=2),
    unordered=some_units,
    disbanded=some_units,
    built=some_units,
    removed=some_units,
    removed_by_lot=some_units,
    lots_used=st.integers(0, 9),
    winner=st.none() | words,
    draw_open_to=st.none() | st.lists(words, max_size=3).map(tuple),
    adjust=st.dictionaries(words, st.integers(-5, 5), max_size=3),
)


def through_json(document: dict[str, Any]) -> dict[str, Any]:
    again: dict[str, Any] = json.loads(json.dumps(document))
    return again


@settings(max_examples=30, deadline=None)
@given(positions)
def test_a_position_comes_back_equal(position: Position) -> None:
    assert codec.load_position(through_json(codec.dump_position(position))) == position


@settings(max_examples=30, deadline=None)
@given(resolutions)
def test_a_resolution_comes_back_equal(resolution: Resolution) -> None:
    assert codec.load_resolution(through_json(codec.dump_resolution(resolution))) == resolution


@settings(max_examples=30, deadline=None)
@given(st.lists(any_order, max_size=6))
def test_orders_come_back_equal_and_of_their_own_kind(given_orders: list[o.Order]) -> None:
    back = codec.load_orders(through_json(codec.dump_orders(given_orders)))
    assert back == tuple(given_orders)
    assert [type(x) for x in back] == [type(x) for x in given_orders]


def test_equal_sets_give_the_same_text() -> None:
    phase = Phase(1642, "Summer", PhaseKind.MOVEMENT)
    some = [
        Unit("Argyll", "A", Region("Kintyre")),
        Unit("Argyll", "F", Region("Devon", "North Coast")),
        Unit("Argyll", "F", Region("Devon")),
    ]
    position, two = Position(phase, frozenset(some)), Position(phase, frozenset(reversed(some)))
    assert json.dumps(codec.dump_position(position)) == json.dumps(codec.dump_position(two))


def test_what_a_stored_position_looks_like() -> None:
    position = Position(
        Phase(1642, "Summer", PhaseKind.MOVEMENT),
        frozenset({Unit("Argyll", "F", Region("Devon", "South Coast"))}),
        {"Argyll": frozenset({"Kintyre"})},
    )
    document = codec.dump_position(position)
    assert document["format"] == 1
    assert document["position"]["units"] == [{"power": "Argyll", "kind": "F", "region": "Devon/South Coast"}]
    assert document["position"]["phase"] == {"year": 1642, "season": "Summer", "kind": "movement"}


def test_a_field_with_a_default_may_be_missing() -> None:
    document = {
        "format": 1,
        "position": {"phase": {"year": 1, "season": "Spring", "kind": "retreat"}, "units": []},
    }
    assert codec.load_position(document) == Position(Phase(1, "Spring", PhaseKind.RETREAT), frozenset())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": 2}, "format 2"),
        ({"position": {"units": []}}, "phase is missing"),
        (
            {"position": {"phase": {"year": "1", "season": "S", "kind": "movement"}, "units": []}},
            "position.phase.year",
        ),
        (
            {"position": {"phase": {"year": True, "season": "S", "kind": "movement"}, "units": []}},
            "position.phase.year",
        ),
        ({"position": {"phase": {"year": 1, "season": "S", "kind": "siege"}, "units": []}}, "siege"),
        ({"position": {"phase": {"year": 1, "season": "S", "kind": "turn"}, "units": {}}}, "position.units"),
        # A field of a newer Galloper: to drop it in silence would lose what it states.
        ({"position": {"phase": {"year": 1, "season": "S", "kind": "turn"}, "units": [], "moon": 1}}, "moon"),
    ],
)
def test_a_broken_document_is_refused_with_its_place(change: dict[str, Any], says: str) -> None:
    good = {"format": 1, "position": {"phase": {"year": 1, "season": "S", "kind": "turn"}, "units": []}}
    codec.load_position(good)
    with pytest.raises(codec.CodecError, match=says):
        codec.load_position({**good, **change})


def test_an_unknown_order_kind_is_refused() -> None:
    with pytest.raises(codec.CodecError, match="Besiege"):
        codec.load_orders({"format": 1, "orders": [{"order": "Besiege", "power": "Argyll"}]})
