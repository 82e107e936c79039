"""The named choices of Wars of the Three Kingdoms, the year's end, and what is stored between phases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

import maps
from adjudicator import rules
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.ruleset import Ruleset
from adjudicator.units import Unit, UnitRef
from tests.adjudicator.terse import orders

VARIANT = maps.load("w3k")
CONTEXT = VARIANT.context()
SUMMER = Phase(1643, "Summer", PhaseKind.MOVEMENT)
AUTUMN = Phase(1643, "Autumn", PhaseKind.MOVEMENT)
WINTER = Phase(1644, "Winter", PhaseKind.ADJUSTMENT)


def _position(
    phase: Phase, units: list[tuple[str, str, str]], centres: Mapping[str, list[str]] | None = None
) -> Position:
    standing = frozenset(Unit(power, kind, Region.of(place)) for power, kind, place in units)
    return Position(phase, standing, {p: frozenset(c) for p, c in (centres or {}).items()})


def _results(resolution: Resolution) -> list[str]:
    return [f"{o.result} {o.reason}" if o.reason else str(o.result) for o in resolution.outcomes]


def _judged(
    phase: Phase,
    units: list[tuple[str, str, str]],
    written: list[Order],
    centres: Mapping[str, list[str]] | None = None,
    **choices: str,
) -> Resolution:
    ruled = rules.load("w3k", choices)
    return judge(CONTEXT, ruled, _position(phase, units, centres), written, Lots((0,) * 9))


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("w3k", {"double_order": "hold"}, "rules.values.double_order"),
        ("w3k", {"double_orders": "both"}, "rules.values.double_orders"),
        ("standard", {"double_orders": "hold"}, "rules.values.double_orders"),
        ("nosuch", {}, "nosuch"),
        ("../w3k", {}, "../w3k"),
    ],
)
def test_a_wrong_choice_is_our_own_fault_and_named(
    name: str, values: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        rules.load(name, values)


def test_the_defaults_are_those_of_the_board_file() -> None:
    for key, answers in type(VARIANT.rules).CHOICES.items():
        assert VARIANT.rules.choice(key) == answers[0]


def test_of_two_orders_the_first_may_be_chosen_to_count() -> None:
    units, written = [("The Crown", "A", "London")], orders(The_Crown=["A London - Surrey", "A London H"])
    held = _judged(SUMMER, units, written)
    assert _results(held) == ["void illegal", "void illegal"]
    # It had orders, too many of them: results must not state that it had none.
    assert held.unordered == ()
    assert _results(_judged(SUMMER, units, written, double_orders="first")) == ["succeeds", "void illegal"]


def test_the_same_order_twice_is_one_order() -> None:
    written = orders(The_Crown=["A London - Surrey", "A London - Surrey"])
    resolution = _judged(SUMMER, [("The Crown", "A", "London")], written)
    assert _results(resolution) == ["succeeds", "succeeds"]
    assert [o.order for o in resolution.outcomes] == written
    bare = UnitRef(None, Region("London"))
    plainer = [written[0], replace(written[1], unit=bare, line=9)]  # type: ignore[call-arg]
    assert _results(_judged(SUMMER, [("The Crown", "A", "London")], plainer)) == ["succeeds", "succeeds"]


def test_a_wrong_unit_type_may_be_forgiven_or_not() -> None:
    units, written = [("The Crown", "A", "London")], orders(The_Crown=["F London - Surrey"])
    assert _results(_judged(SUMMER, units, written)) == ["succeeds"]
    assert _results(_judged(SUMMER, units, written, wrong_unit_type="void")) == ["void no_such_unit"]


def test_an_own_attack_may_be_chosen_to_disrupt_a_conversion() -> None:
    units = [("Argyll", "A", "Carrickfergus Castle"), ("Argyll", "A", "Antrim")]
    written = orders(Argyll=["A Carrickfergus Castle converts to F", "A Antrim - Carrickfergus Castle"])
    centres = {"Argyll": ["Carrickfergus Castle"]}
    assert _results(_judged(SUMMER, units, written, centres))[0] == "succeeds begun"
    assert (
        _results(_judged(SUMMER, units, written, centres, own_attack_disrupts="yes"))[0] == "fails disrupted"
    )


def test_the_owner_of_a_unit_in_silent_hands_may_be_chosen_to_be_unheard() -> None:
    units, written = (
        [("The Crown", "A", "London")],
        orders(The_Crown=["A London proxy Argyll", "A London - Surrey"]),
    )
    assert _results(_judged(SUMMER, units, written)) == ["succeeds", "succeeds"]
    holding = _judged(SUMMER, units, written, proxy_silent="hold")
    assert _results(holding) == ["succeeds", "void overridden"]
    assert holding.position.units == frozenset(_position(SUMMER, units).units)


def test_a_unit_given_to_two_powers_is_given_to_nobody() -> None:
    written = orders(
        The_Crown=["A London proxy Argyll", "A London proxy Ormond"], Argyll=["A London - Surrey"]
    )
    assert _results(_judged(SUMMER, [("The Crown", "A", "London")], written)) == [
        "void illegal", "void illegal", "void no_such_unit"]


def _dislodged_in_proxy(**choices: str) -> tuple[Ruleset, Resolution]:
    units = [
        ("Newcastle", "A", "Staffordshire"),
        ("The Crown", "A", "Ashby-de-la-Zouch Castle"),
        ("The Crown", "A", "Shropshire"),
    ]
    written = orders(Newcastle=["A Staffordshire proxy Montrose"], The_Crown=[
        "A Ashby-de-la-Zouch Castle - Staffordshire",
        "A Shropshire S A Ashby-de-la-Zouch Castle - Staffordshire"])
    ruled = rules.load("w3k", choices)
    return ruled, judge(CONTEXT, ruled, _position(SUMMER, units), written)


def test_a_proxy_may_order_the_retreat_when_the_owner_does_not() -> None:
    """Q-25."""
    ruled, beaten = _dislodged_in_proxy()
    by_proxy = judge(CONTEXT, ruled, beaten.position, orders(Montrose=["A Staffordshire R Cheshire"]))
    assert _results(by_proxy) == ["succeeds"]
    resolution = judge(CONTEXT, ruled, beaten.position, orders(
        Montrose=["A Staffordshire R Cheshire"], Newcastle=["A Staffordshire R Derbyshire"]))
    assert _results(resolution) == ["void overridden", "succeeds"]
    ruled, beaten = _dislodged_in_proxy(proxy_retreats="owner_only")
    refused = judge(CONTEXT, ruled, beaten.position, orders(Montrose=["A Staffordshire R Cheshire"]))
    assert _results(refused) == ["void no_such_unit"]
    # The owner wrote nothing, and no unit retreats by itself (RET-03).
    assert [str(u) for u in refused.disbanded] == ["Newcastle A Staffordshire"]


def test_removals_beside_builds_may_be_chosen_to_count() -> None:
    units = [("Argyll", "A", "Glasgow"), ("Argyll", "A", "Ayr")]
    written = orders(Argyll=["Remove A Glasgow", "Build A Fife"])
    centres = {"Argyll": ["Fife"]}
    assert _results(_judged(WINTER, units, written, centres)) == ["void struck", "void no_supply"]
    assert _results(_judged(WINTER, units, written, centres, removals_beside_builds="count")) == [
        "succeeds", "void no_supply"]


def test_conversion_begun_in_autumn_goes_on_in_spring() -> None:
    """Q-20: Winter is between them and takes no orders for units."""
    ruled = rules.load("w3k", {})
    position = _position(
        AUTUMN, [("Argyll", "A", "Carrickfergus Castle")], {"Argyll": ["Carrickfergus Castle"]}
    )
    convert = orders(Argyll=["A Carrickfergus Castle converts to F"])
    autumn = judge(CONTEXT, ruled, position, convert)
    winter = judge(CONTEXT, ruled, autumn.position, [])
    spring = judge(CONTEXT, ruled, winter.position, convert)
    assert [r.position.phase.season for r in (autumn, winter, spring)] == ["Winter", "Spring", "Summer"]
    assert _results(spring) == ["succeeds completed"]
    assert [str(u) for u in spring.position.units] == ["Argyll F Carrickfergus Castle"]


def _year_end(centres: Mapping[str, list[str]], units: list[tuple[str, str, str]]) -> Resolution:
    position = _position(Phase(1643, "Autumn", PhaseKind.RETREAT), units, centres)
    return judge(CONTEXT, rules.load("w3k", {}), position, [])


ALL = sorted(VARIANT.board.centres())
CAPITALS = {"London", "York", "Edinburgh", "Glasgow", "Dublin & the Pale", "Belfast"}
PLAIN = [centre for centre in ALL if centre not in CAPITALS]


@pytest.mark.parametrize(
    ("capitals", "number", "winner"),
    [
        (["London", "Glasgow", "Belfast"], 55, "Argyll"),
        (["York", "Edinburgh", "Dublin & the Pale"], 55, "Argyll"),
        # One short.
        (["London", "Glasgow", "Belfast"], 54, None),
        # Seventy centres without a capital of Ireland are not a victory.
        (["London", "York", "Glasgow", "Edinburgh"], 70, None),
    ],
)
def test_victory(capitals: list[str], number: int, winner: str | None) -> None:
    """VIC-01: 55 centres and a capital of each kingdom."""
    owned = [*capitals, *PLAIN][:number]
    rest = [centre for centre in ALL if centre not in owned]
    assert _year_end({"Argyll": owned, "Ormond": rest[:54]}, []).winner == winner


def test_a_draw_is_open_when_every_survivor_holds_both_capitals_of_a_kingdom() -> None:
    """DRW-01."""
    capitals = {"Argyll": ["Edinburgh", "Glasgow"], "Ormond": ["Belfast", "Dublin & the Pale"]}
    assert _year_end(capitals, []).draw_open_to == ("Argyll", "Ormond")
    # A survivor has a unit or a centre: Hamilton has one of them and no capitals.
    assert _year_end(capitals, [("Hamilton", "A", "Ayr")]).draw_open_to is None
    assert _year_end({**capitals, "Hamilton": ["Ayr"]}, []).draw_open_to is None
    assert _year_end({**capitals, "Ormond": ["Belfast", "York"]}, []).draw_open_to is None


def test_the_autumn_says_what_each_power_may_build_and_must_remove() -> None:
    """CAL-06, MCY-01: mercy is not a build, and a lone unit is not asked for."""
    resolution = _year_end(
        {"Argyll": ["Edinburgh", "Fife"], "Ormond": ["Cork"]},
        [("Argyll", "A", "Ayr"), ("Ormond", "A", "Meath"), ("Ormond", "A", "Down"), ("Ormond", "A", "Kerry"),
         ("Hamilton", "A", "Mar"), ("Montrose", "A", "Fair Isle"), ("Montrose", "F", "Irish Sea")],
    )
    assert resolution.position.centres["Argyll"] == {"Ayr", "Edinburgh", "Fife"}
    assert resolution.adjust == {"Argyll": 2, "Montrose": -1}


def test_mercy_with_supply_received_is_as_many_units_as_were_sent() -> None:
    """Q-39: allowance is the greater of one and what is received; no centre, so no build."""
    units = [("Hamilton", "A", "Mar"), ("Hamilton", "A", "Ayr"), ("Argyll", "A", "Fife")]
    written = orders(Argyll=["Send 2 supply to Hamilton"])
    resolution = _judged(WINTER, units, written, {"Argyll": ["Fife", "Edinburgh", "Glasgow"]})
    assert resolution.removed == ()
    alone = _judged(WINTER, units, [], {"Argyll": ["Fife", "Edinburgh", "Glasgow"]})
    assert [str(u) for u in alone.removed_by_lot] == ["Hamilton A Ayr"]


def test_a_crossing_that_no_fleet_serves_is_a_move_that_fails() -> None:
    """Q-17: a crossing that a fleet could serve; the classic answer is DATC 6.D.32."""
    units = [("The Crown", "A", "Caernarfonshire")]
    for goal, result in (
        ("Dublin & the Pale", "fails no_convoy"),
        # No sea joins Londonderry with anything, so that is not a move at all.
        ("Londonderry", "void illegal"),
        ("York", "void illegal"),
    ):
        assert _results(_judged(SUMMER, units, orders(The_Crown=[f"A Caernarfonshire - {goal}"]))) == [result]
