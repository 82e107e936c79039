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
from adjudicator.outcome import Result
from adjudicator.position import Memory, Position
from adjudicator.rules.britain1066_hidden import Lie
from adjudicator.units import Unit, UnitRef

VARIANT = maps.load("britain1066")
CONTEXT = VARIANT.context()
RULES = VARIANT.rules
OWNER = "Harald Hardrada"
BOXES = [
    p.id for p in VARIANT.board.provinces.values() if any(mark.startswith("hidden=") for mark in p.marks)
]
OTHERS = [power for power in VARIANT.powers if power != OWNER]


def _hidden(position: Position) -> set[Unit]:
    return {unit for unit in position.units if unit.region.province in BOXES}


def test_the_owner_sees_its_fleet_and_others_do_not() -> None:
    """D66-06: nor does who looks on from outside."""
    start = VARIANT.start
    assert len(_hidden(RULES.visible_position(CONTEXT, start, OWNER))) == 4
    for power in (*OTHERS, None):
        seen = RULES.visible_position(CONTEXT, start, power)
        assert not _hidden(seen)
        assert seen.units == start.units - _hidden(start)


def test_a_unit_that_showed_itself_is_seen() -> None:
    """D66-06: it tried to act outside and was kept off."""
    position = replace(VARIANT.start, units=frozenset({
        Unit(OWNER, "A/F", Region("HG1")), Unit(OWNER, "A/F", Region("HG2")),
        Unit("The Northern Earls", "A", Region("Cly"))}))
    move = Move(power=OWNER, unit=UnitRef("A/F", Region("HG1")), to=Region("Cly"))
    after = judge(CONTEXT, RULES, position, [move]).position
    assert {u.region.province for u in _hidden(after)} == {"HG1", "HG2"}
    assert {u.region.province for u in _hidden(RULES.visible_position(CONTEXT, after, "The Scots"))} == {
        "HG1"
    }


places = st.sampled_from(sorted({n for box in BOXES for n in VARIANT.board.near(box, "any")}))


@given(
    st.sets(st.sampled_from(BOXES), max_size=4), st.sets(places, max_size=5), st.integers(0, 2**32),
    st.sampled_from(["March", "April"]),
)
@settings(deadline=None, max_examples=200)
def test_what_others_are_told_is_the_same_whether_or_not_anybody_is_hidden(
    boxes: set[str], held: set[str], seed: int, month: str
) -> None:
    """D66-14: orders by others that name boxes have the same outcomes, word for word, with a hidden fleet
    that stays where it is and with none."""
    phase = Phase(1066, month, PhaseKind.MOVEMENT)
    fleet = frozenset(Unit(OWNER, "A/F", Region(box)) for box in boxes)
    others = frozenset(
        Unit(OTHERS[(seed + at) % len(OTHERS)], "A/F", Region(place)) for at,
        place in enumerate(sorted(held)))
    orders = [
        _order(unit, BOXES[(seed // (at + 1)) % len(BOXES)], at, seed)
        for at, unit in enumerate(sorted(others))
    ]
    with_fleet = judge(CONTEXT, RULES, Position(phase, fleet | others, memory=Memory()), orders)
    without = judge(CONTEXT, RULES, Position(phase, others, memory=Memory()), orders)
    assert [(o.result, o.reason, o.why) for o in with_fleet.outcomes] == [
        (o.result, o.reason, o.why) for o in without.outcomes
    ]
    if month == "March":
        assert (
            RULES.visible_position(CONTEXT, with_fleet.position, "The Welsh").units == without.position.units
        )


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


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7), st.integers(0, 2**16)), max_size=8),
    st.integers(0, 2**32),
)
@settings(deadline=None, max_examples=80)
def test_no_other_power_is_told_of_a_unit_that_has_not_shown_itself(
    chosen: list[tuple[int, int, int]], seed: int
) -> None:
    """D66-06, D66-14: through the two hidden months, whatever the fleet is ordered and whatever others guess,
    nobody else's view has a unit in a box, an order that names one, or a word of it, but of those that tried
    to act outside."""
    position = VARIANT.start
    for month in range(2):
        fleet = sorted(u for u in position.units if u.power == OWNER)
        orders = [
            order
            for at, how, salt in chosen
            if at < len(fleet)
            for order in [_own(fleet[at], how, salt + month)]
        ]
        guesses = [
            _order(unit, BOXES[(seed // (at + 1)) % len(BOXES)], at, seed)
            for at, unit in enumerate(sorted(position.units))
            if unit.power in {"The Northern Earls", "The Norse"}
        ]
        resolution = judge(CONTEXT, RULES, position, [*orders, *guesses])
        tried = {note[1] for note in resolution.position.memory.notes if note[0] == "seen"}
        moved = {o.order.unit.region.province for o in resolution.outcomes
                 if o.order.power == OWNER and isinstance(o.order, Move) and o.result is Result.SUCCEEDS}
        unseen = set(BOXES) - tried - moved
        for power in (*OTHERS, None):
            told = RULES.redact_resolution(CONTEXT, resolution, power)
            assert not {u for u in (*told.position.units, *told.unordered) if u.region.province in unseen}
            assert not [o for o in told.outcomes if o.order.power == OWNER and _of(o.order) & unseen]
            assert not [
                note for note in told.notes for box in unseen if CONTEXT.board.provinces[box].name in note
            ]
            assert not _hidden(RULES.visible_position(CONTEXT, resolution.position, power)) - {
                u for u in resolution.position.units if u.region.province in tried}
        position = replace(resolution.position, phase=Phase(1066, "April", PhaseKind.MOVEMENT), dislodged=())


def _of(order: Order) -> set[str]:
    """Where an order says that a unit is."""
    found = {getattr(order, name).region.province for name in ("unit", "target") if hasattr(order, name)}
    return found | ({order.place.province} if isinstance(order, Lie) else set())


def test_help_for_a_unit_that_stays_hidden_is_told_as_if_it_had_no_order() -> None:
    """D66-14: of the fleet's own units too: that one in the open was to help one that did not come says where
    that one lies."""
    def board(where: str) -> Position:
        return replace(VARIANT.start, units=frozenset({
            Unit(OWNER, "A/F", Region("Cly")), Unit(OWNER, "A/F", Region(where)),
            Unit("The Scots", "A", Region("Nth"))}))

    cly = UnitRef("A/F", Region("Cly"))
    silent = judge(CONTEXT, RULES, board("HG1"), [])
    for help_for in (
        SupportMove(power=OWNER, unit=cly, target=UnitRef("A/F", Region("HG2")), to=Region("Dun")),
        SupportMove(power=OWNER, unit=cly, target=UnitRef("A/F", Region("HG4")), to=Region("Dun")),
    ):
        told = [
            RULES.redact_resolution(CONTEXT, judge(CONTEXT, RULES, board(box), [help_for]), "The Scots")
            for box in ("HG2", "HG4")
        ]
        assert all(one.outcomes == () for one in told)
        assert all(
            one.unordered == RULES.redact_resolution(CONTEXT, silent, "The Scots").unordered for one in told
        )


def _own(unit: Unit, how: int, salt: int) -> Order:
    """What Hardrada may write of one unit of the fleet: where it lies, and orders good and bad."""
    here = UnitRef(unit.kind, unit.region)
    near = sorted(VARIANT.board.near(unit.region.province, "any")) or ["GER"]
    there, box = Region(near[salt % len(near)]), Region(BOXES[salt % len(BOXES)])
    choices: list[Order] = [
        Lie(power=OWNER, place=unit.region, sea=Region("WAS" if salt % 2 else "GER")),
        Hold(power=OWNER, unit=here),
        Move(power=OWNER, unit=here, to=there), Move(power=OWNER, unit=here, to=Region("Lun")),
        SupportHold(power=OWNER, unit=here, target=UnitRef("A/F", box)), Move(power=OWNER, unit=here, to=box),
        SupportMove(power=OWNER, unit=here, target=UnitRef("A/F", box), to=there),
        Convoy(power=OWNER, unit=here, target=UnitRef("A/F", box), to=there),
    ]
    return choices[how]
