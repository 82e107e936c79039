"""The hidden fleet of 1066 is seen by only its owner before it shows itself (D66-06, D66-14)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import example, given, settings, strategies as st

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
        visible = RULES.visible_position(CONTEXT, start, power)
        assert not _hidden(visible)
        assert visible.units == start.units - _hidden(start)


def test_a_unit_that_showed_itself_is_seen() -> None:
    """D66-06: it tried to act outside and was stored off."""
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
        Unit(OTHERS[(seed + index) % len(OTHERS)], "A/F", Region(place))
        for index, place in enumerate(sorted(held)))
    orders = [
        _order(unit, BOXES[(seed // (index + 1)) % len(BOXES)], index, seed)
        for index, unit in enumerate(sorted(others))
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


def _order(unit: Unit, box: str, index: int, seed: int) -> Order:
    neighbours = sorted(VARIANT.board.near(unit.region.province, "any"))
    unit_ref, hidden_ref, to = UnitRef("A/F", unit.region), UnitRef("A/F",
        Region(box)), Region(neighbours[seed % len(neighbours)])
    choices: list[Order] = [
        Move(power=unit.power, unit=unit_ref, to=to),
        SupportMove(power=unit.power, unit=unit_ref, target=hidden_ref, to=to),
        SupportHold(power=unit.power, unit=unit_ref, target=hidden_ref),
        Convoy(power=unit.power, unit=unit_ref, target=hidden_ref, to=to),
        Move(power=unit.power, unit=hidden_ref, to=to),
        Hold(power=unit.power, unit=hidden_ref),
        Move(power=unit.power, unit=unit_ref, to=Region(box)),
    ]
    return choices[(seed >> (index + 3)) % len(choices)]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7), st.integers(0, 2**16)), max_size=8),
    st.integers(0, 2**32),
)
# The last hidden unit surfaces at the end of the second month, and its orders stay its owner's.
@example(chosen=[(0, 1, 0), (1, 2, 0), (2, 2, 6)], seed=0)
@settings(deadline=None, max_examples=80)
def test_no_other_power_is_told_of_a_unit_that_has_not_shown_itself(
    chosen: list[tuple[int, int, int]], seed: int
) -> None:
    """D66-06, D66-14: through the two hidden months, whatever the fleet is ordered and whatever others guess,
    no one else's view has a unit in a box, an order that names one, or a word of it, but of those that
    tried to act outside."""
    position = VARIANT.start
    for month in range(2):
        fleet = sorted(u for u in position.units if u.power == OWNER)
        orders = [
            order
            for index, choice, salt in chosen
            if index < len(fleet)
            for order in [_own(fleet[index], choice, salt + month)]
        ]
        guesses = [
            _order(unit, BOXES[(seed // (index + 1)) % len(BOXES)], index, seed)
            for index, unit in enumerate(sorted(position.units))
            if unit.power in {"The Northern Earls", "The Norse"}
        ]
        resolution = judge(CONTEXT, RULES, position, [*orders, *guesses])
        # A move that is possible shows its unit, also where it fails (docs/rulings/britain1066.md, The hidden
        # fleet).
        tried = {note[1] for note in resolution.position.memory.notes if note[0] == "seen"}
        moved = {o.order.unit.region.province for o in resolution.outcomes
                 if o.order.power == OWNER and isinstance(o.order, Move) and o.result is Result.SUCCEEDS}
        unseen = set(BOXES) - tried - moved
        for power in (*OTHERS, None):
            view = RULES.redact_resolution(CONTEXT, resolution, power)
            # "Had no order" would mention a unit as well as its place on the map.
            assert not {u for u in (*view.position.units, *view.unordered) if u.region.province in unseen}
            assert not [o for o in view.outcomes if o.order.power == OWNER and _of(o.order) & unseen]
            assert not [
                note for note in view.notes for box in unseen if CONTEXT.board.provinces[box].name in note
            ]
            assert not _hidden(RULES.visible_position(CONTEXT, resolution.position, power)) - {
                u for u in resolution.position.units if u.region.province in tried}
        position = replace(resolution.position, phase=Phase(1066, "April", PhaseKind.MOVEMENT), dislodged=())


def _of(order: Order) -> set[str]:
    """Where an order states that a unit is."""
    provinces = {getattr(order, name).region.province for name in ("unit", "target") if hasattr(order, name)}
    return provinces | ({order.place.province} if isinstance(order, Lie) else set())


def test_help_for_a_unit_that_stays_hidden_is_told_as_if_it_had_no_order() -> None:
    """D66-14: of the fleet's own units too."""
    def board(where: str) -> Position:
        return replace(VARIANT.start, units=frozenset({
            Unit(OWNER, "A/F", Region("Cly")), Unit(OWNER, "A/F", Region(where)),
            Unit("The Scots", "A", Region("Nth"))}))

    cly = UnitRef("A/F", Region("Cly"))
    # A unit in the open that was to help one that did not come shows where that one lies.
    silent = judge(CONTEXT, RULES, board("HG1"), [])
    for help_for in (
        SupportMove(power=OWNER, unit=cly, target=UnitRef("A/F", Region("HG2")), to=Region("Dun")),
        SupportMove(power=OWNER, unit=cly, target=UnitRef("A/F", Region("HG4")), to=Region("Dun")),
    ):
        views = [
            RULES.redact_resolution(CONTEXT, judge(CONTEXT, RULES, board(box), [help_for]), "The Scots")
            for box in ("HG2", "HG4")
        ]
        assert all(view.outcomes == () for view in views)
        assert all(
            view.unordered == RULES.redact_resolution(CONTEXT, silent, "The Scots").unordered
            for view in views
        )


def _own(unit: Unit, choice: int, salt: int) -> Order:
    """What Hardrada may write of one unit of the fleet: where it lies, and orders good and bad."""
    unit_ref = UnitRef(unit.kind, unit.region)
    neighbours = sorted(VARIANT.board.near(unit.region.province, "any")) or ["GER"]
    target, box = Region(neighbours[salt % len(neighbours)]), Region(BOXES[salt % len(BOXES)])
    choices: list[Order] = [
        Lie(power=OWNER, place=unit.region, sea=Region("WAS" if salt % 2 else "GER")),
        Hold(power=OWNER, unit=unit_ref),
        Move(power=OWNER, unit=unit_ref, to=target), Move(power=OWNER, unit=unit_ref, to=Region("Lun")),
        SupportHold(power=OWNER, unit=unit_ref, target=UnitRef("A/F", box)),
        Move(power=OWNER, unit=unit_ref, to=box),
        SupportMove(power=OWNER, unit=unit_ref, target=UnitRef("A/F", box), to=target),
        Convoy(power=OWNER, unit=unit_ref, target=UnitRef("A/F", box), to=target),
    ]
    return choices[choice]
