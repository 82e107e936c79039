"""The hidden fleet of 1066 is seen by nobody but its owner before it shows itself (D66-06, D66-14)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.orders import Convoy, Hold, Move, Order, SupportHold, SupportMove
from adjudicator.position import Memory, Position
from adjudicator.units import Unit, UnitRef

VARIANT = maps.load("britain1066")
SETTING = VARIANT.setting()
RULES = VARIANT.rules
OWNER = "Harald Hardrada"
BOXES = [p.id for p in VARIANT.board.provinces.values() if any(mark.startswith("hidden=") for mark in p.marks)]
OTHERS = [power for power in VARIANT.powers if power != OWNER]


def _hidden(position: Position) -> set[Unit]:
    return {unit for unit in position.units if unit.region.province in BOXES}


def test_the_owner_sees_its_fleet_and_others_do_not() -> None:
    """D66-06: nor does who looks on from outside."""
    start = VARIANT.start
    assert len(_hidden(RULES.sight(SETTING, start, OWNER))) == 4
    for power in (*OTHERS, None):
        seen = RULES.sight(SETTING, start, power)
        assert not _hidden(seen)
        assert seen.units == start.units - _hidden(start)


def test_a_unit_that_showed_itself_is_seen() -> None:
    """D66-06: it tried to act outside and was kept off."""
    position = replace(VARIANT.start, units=frozenset({
        Unit(OWNER, "A/F", Region("HG1")), Unit(OWNER, "A/F", Region("HG2")), Unit("The Northern Earls", "A", Region("Cly"))}))
    move = Move(power=OWNER, unit=UnitRef("A/F", Region("HG1")), to=Region("Cly"))
    after = judge(SETTING, position, [move]).position
    assert {u.region.province for u in _hidden(after)} == {"HG1", "HG2"}
    assert {u.region.province for u in _hidden(RULES.sight(SETTING, after, "The Scots"))} == {"HG1"}


places = st.sampled_from(sorted({n for box in BOXES for n in VARIANT.board.near(box, "any")}))


@given(
    st.sets(st.sampled_from(BOXES), max_size=4), st.sets(places, max_size=5), st.integers(0, 2**32),
    st.sampled_from(["March", "April"]),
)
@settings(deadline=None, max_examples=200)
def test_what_others_are_told_is_the_same_whether_or_not_anybody_is_hidden(
    boxes: set[str], held: set[str], seed: int, month: str
) -> None:
    """D66-14: orders by others that name boxes have the same outcomes, word for word, with a hidden fleet that stays where
    it is and with none."""
    phase = Phase(1066, month, PhaseKind.MOVEMENT)
    fleet = frozenset(Unit(OWNER, "A/F", Region(box)) for box in boxes)
    others = frozenset(
        Unit(OTHERS[(seed + at) % len(OTHERS)], "A/F", Region(place)) for at, place in enumerate(sorted(held)))
    orders = [_order(unit, BOXES[(seed // (at + 1)) % len(BOXES)], at, seed) for at, unit in enumerate(sorted(others))]
    with_fleet = judge(SETTING, Position(phase, fleet | others, memory=Memory()), orders)
    without = judge(SETTING, Position(phase, others, memory=Memory()), orders)
    assert [(o.result, o.reason, o.why) for o in with_fleet.outcomes] == [(o.result, o.reason, o.why) for o in without.outcomes]
    if month == "March":
        assert RULES.sight(SETTING, with_fleet.position, "The Welsh").units == without.position.units


def _order(unit: Unit, box: str, at: int, seed: int) -> Order:
    near = sorted(VARIANT.board.near(unit.region.province, "any"))
    here, there, to = UnitRef("A/F", unit.region), UnitRef("A/F", Region(box)), Region(near[seed % len(near)])
    choices: list[Order] = [
        Move(power=unit.power, unit=here, to=to),
        SupportMove(power=unit.power, unit=here, target=there, to=to),
        SupportHold(power=unit.power, unit=here, target=there),
        Convoy(power=unit.power, unit=here, target=there, to=to),
        Move(power=unit.power, unit=there, to=to),
        Hold(power=unit.power, unit=there),
        Move(power=unit.power, unit=here, to=Region(box)),
    ]
    return choices[(seed >> (at + 3)) % len(choices)]
