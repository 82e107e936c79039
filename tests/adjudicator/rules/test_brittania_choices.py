"""Each question that the printed rules of Brittania leave open: both answers, on one position (Q-60 is the
service's)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import maps
from adjudicator import rules
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.rules.brittania_realm import Ally, Chronicle, Conquer, Defend, Invest, Realm, Swap
from adjudicator.units import Unit

BRITTANIA = maps.load("brittania")


def _play(
    choice: str, answer: str, held: Mapping[str, Sequence[str]], orders: Sequence[Order],
    lots: Sequence[int] = (),
    kings: Mapping[str, str] | None = None, **realm: Any,
) -> Resolution:
    units = frozenset(Unit(power, "K", Region(state)) for power, state in (kings or {}).items())
    centres = {power: frozenset(states) for power, states in held.items()}
    position = Position(BRITTANIA.start.phase, units, centres, own=Realm(**realm))
    return judge(
        BRITTANIA.context(), rules.load("brittania", {choice: answer}), position, orders, Lots(tuple(lots))
    )


def _realm(resolution: Resolution) -> Realm:
    assert isinstance(resolution.position.own, Realm)
    return resolution.position.own


def _at(name: str) -> Region:
    return Region(name)


def test_every_choice_is_set_by_name_in_the_heading() -> None:
    assert set(BRITTANIA.rules.values) == set(BRITTANIA.rules.CHOICES)
    assert all(BRITTANIA.rules.values[key] == answers[0] for key, answers in BRITTANIA.rules.CHOICES.items())


@pytest.mark.parametrize(("answer", "owner"), [("lot", "Gold"), ("defender_keeps", "Green")])
def test_attackers_tied(answer: str, owner: str) -> None:
    """Q-62, WSB-12."""
    orders = [
        Conquer(power="Red", grain=8, state=_at("Kent")),
        Conquer(power="Gold", grain=8, state=_at("Kent")),
    ]
    held = {"Red": ["Essex"], "Gold": ["Wessex"], "Green": ["Kent"]}
    resolution = _play("attackers_tied", answer, held, orders, [1], grain={"Red": 8, "Gold": 8})
    assert "Kent" in resolution.position.centres[owner]


@pytest.mark.parametrize(("answer", "winner"), [("islands", None), ("land", None), ("any_sea", "Red")])
def test_continuous(answer: str, winner: str | None) -> None:
    """WSB-06: Fife is not held."""
    held = [
        "Essex",
        "Oxford",
        "Gloucester",
        "Glamorgan",
        "Hereford",
        "Chester",
        "Lancaster",
        "York",
        "Cumberland",
        "Lothian",
        "Perth",
        "Argyll",
        "Aberdeen",
        "Angus",
    ]
    # Without Fife no land joins Angus to Lothian. Both lie on the German Ocean, but on one land.
    resolution = _play("continuous", answer, {"Red": held}, [], kingdoms=frozenset({"Red"}))
    assert resolution.winner == winner


@pytest.mark.parametrize(("answer", "winner"), [("islands", "Red"), ("land", None)])
def test_continuous_with_an_island(answer: str, winner: str | None) -> None:
    """WSB-06: Man is joined to nothing by land."""
    held = [
        "Essex",
        "Oxford",
        "Gloucester",
        "Glamorgan",
        "Hereford",
        "Chester",
        "Lancaster",
        "York",
        "Cumberland",
        "Lothian",
        "Fife",
        "Perth",
        "Argyll",
        "Aberdeen",
        "Man",
    ]
    assert _play("continuous", answer, {"Red": held}, [], kingdoms=frozenset({"Red"})).winner == winner


@pytest.mark.parametrize(("answer", "dice"), [("each", [2, 4]), ("once", [1, 1])])
def test_defence_die(answer: str, dice: list[int]) -> None:
    """WSB-12: a die for the defender in each fight, or one for all."""
    orders = [
        Conquer(power="Red", grain=8, state=_at("Kent")), Conquer(power="Gold", grain=7, state=_at("Kent")),
        Defend(power="Green", grain=4, state=_at("Kent")),
    ]
    held = {"Red": ["Essex"], "Gold": ["Wessex"], "Green": ["Kent"]}
    resolution = _play("defence_die", answer, held, orders, [0, 1, 2, 3],
        grain={"Red": 8, "Gold": 8, "Green": 4})
    assert isinstance(resolution.report, Chronicle)
    assert [fight.defence_die for fight in resolution.report.battles[0].fights] == dice


@pytest.mark.parametrize(("answer", "output"), [("down", 7), ("up", 8)])
def test_halved_odd(answer: str, output: int) -> None:
    """Q-62, WSB-13."""
    orders = [Conquer(power="Red", grain=8, state=_at("Kent"))]
    held = {"Red": ["Essex"], "Green": ["Kent"]}
    resolution = _play("halved_odd", answer, held, orders, grain={"Red": 8}, output={"Kent": 15})
    assert _realm(resolution).yields("Kent") == output


@pytest.mark.parametrize(("answer", "output"), [("halved_with_it", 6), ("lost", 5)])
def test_invested_and_lost(answer: str, output: int) -> None:
    """WSB-13: 10 and 2 more, halved; or 10 halved."""
    orders = [
        Conquer(power="Red", grain=8, state=_at("Kent")),
        Invest(power="Green", grain=10, state=_at("Kent")),
    ]
    held = {"Red": ["Essex"], "Green": ["Kent"]}
    resolution = _play("invested_and_lost", answer, held, orders, grain={"Red": 8, "Green": 10})
    assert _realm(resolution).yields("Kent") == output


@pytest.mark.parametrize(("answer", "joint"), [("ten", ()), ("eight", ("Gold", "Red"))])
def test_joint_kingdom_states(answer: str, joint: tuple[str, ...]) -> None:
    """Q-61, WSB-07: two kingdom-type states of Ireland are not held."""
    held = {
        "Red": [
            "Essex",
            "Oxford",
            "Gloucester",
            "Glamorgan",
            "Hereford",
            "Chester",
            "Lancaster",
            "York",
            "Cumberland",
            "Lothian",
        ],
        "Gold": ["Argyll", "Perth", "Aberdeen", "Ulaid", "Ui Neill"],
    }
    resolution = _play("joint_kingdom_states", answer, held, [], alliances=frozenset({("Gold", "Red")}))
    assert resolution.joint == joint


@pytest.mark.parametrize(("answer", "king_state"), [("stays", "Essex"), ("enters", "Kent")])
def test_king_after_conquest(answer: str, king_state: str) -> None:
    """WSB-14."""
    orders = [Conquer(power="Red", grain=8, state=_at("Kent"), king=True)]
    held = {"Red": ["Essex"], "Green": ["Kent"]}
    resolution = _play("king_after_conquest", answer, held, orders, kings={"Red": "Essex"}, grain={"Red": 8})
    assert Unit("Red", "K", _at(king_state)) in resolution.position.units


@pytest.mark.parametrize(("answer", "lots_drawn"), [("yes", 2), ("no", 0)])
def test_king_alone_defends(answer: str, lots_drawn: int) -> None:
    """WSB-10, WSB-14: a king where no grain defends."""
    # Where the king counts he is 2 and dice are thrown; where he does not there is no fight, so no lot is
    # drawn.
    orders = [Conquer(power="Red", grain=8, state=_at("Kent"))]
    held = {"Red": ["Essex"], "Green": ["Kent", "Sussex"]}
    resolution = _play(
        "king_alone_defends", answer, held, orders, [9, 0], kings={"Green": "Kent"}, grain={"Red": 8}
    )
    assert resolution.lots_used == lots_drawn


@pytest.mark.parametrize(("answer", "lives"), [("land_and_sea", True), ("land", False)])
def test_king_reach(answer: str, lives: bool) -> None:
    """WSB-15: Ulaid and Ayr lie on the North Channel."""
    orders = [Conquer(power="Red", grain=8, state=_at("Ulaid"))]
    held = {"Red": ["Airgialla"], "Green": ["Ulaid", "Ayr"]}
    resolution = _play("king_reach", answer, held, orders, [9, 0], kings={"Green": "Ulaid"}, grain={"Red": 8})
    assert (Unit("Green", "K", _at("Ayr")) in resolution.position.units) == lives


@pytest.mark.parametrize(
    ("answer", "results"), [("in_order", ["succeeds", "void"]), ("void_all", ["void", "void"])]
)
def test_overspending(answer: str, results: list[str]) -> None:
    orders = [
        Defend(power="Red", grain=4, state=_at("Essex")),
        Invest(power="Red", grain=5, state=_at("Essex")),
    ]
    resolution = _play("overspending", answer, {"Red": ["Essex"]}, orders, grain={"Red": 5})
    assert [outcome.result.value for outcome in resolution.outcomes] == results


@pytest.mark.parametrize(("answer", "swapped"), [("given", True), ("received", False)])
def test_swap_price(answer: str, swapped: bool) -> None:
    """Q-64: 5 and 8 as printed are the yields of what each gives up."""
    orders = [
        Swap(power="Red", grain=5, give=_at("Oxford"), get=_at("Essex")),
        Swap(power="Gold", grain=8, give=_at("Essex"), get=_at("Oxford")),
    ]
    resolution = _play(
        "swap_price", answer, {"Red": ["Oxford"], "Gold": ["Essex"]}, orders, grain={"Red": 9, "Gold": 9},
        output={"Oxford": 5, "Essex": 8}, alliances=frozenset({("Gold", "Red")}))
    assert ("Essex" in resolution.position.centres["Red"]) == swapped


@pytest.mark.parametrize(("answer", "grain"), [("kept", 15), ("spent", 10)])
def test_unmatched_grain(answer: str, grain: int) -> None:
    """WSB-16: the 5 of a declaration that no one answers."""
    orders = [Ally(power="Red", grain=5, to_power="Gold")]
    resolution = _play("unmatched_grain", answer, {"Red": ["Essex"], "Gold": ["Kent"]}, orders,
        grain={"Red": 5})
    assert _realm(resolution).grain["Red"] == grain


@pytest.mark.parametrize(("answer", "grain"), [("carries_over", 17), ("rots", 10)])
def test_unspent_grain(answer: str, grain: int) -> None:
    """Q-62."""
    assert (
        _realm(_play("unspent_grain", answer, {"Red": ["Essex"]}, [], grain={"Red": 7})).grain["Red"] == grain
    )


def test_what_everybody_has_is_told() -> None:
    """WSB-04, WSB-05, WSB-16: grain, yields, kingdoms and alliances, with the results."""
    resolution = _play(
        "papers", "first", {"Red": ["Essex", "Kent"], "Gold": ["York"]}, [], grain={"Red": 3},
        output={"Kent": 5},
        kingdoms=frozenset({"Red"}), alliances=frozenset({("Gold", "Red")}))
    assert BRITTANIA.rules.public_holdings(BRITTANIA.context(), resolution.position) == (
        "Red, a kingdom, has 23 grain to spend; its states yield Essex 10, Kent 5",
        "Gold has 10 grain to spend; its states yield York 10", "Gold and Red are allies")


def test_where_each_king_is_is_told() -> None:
    """WSB-14: a power without a king is told its grain alone."""
    resolution = _play("papers", "first", {"Red": ["Essex", "Kent"], "Gold": ["York"]}, [],
        kings={"Red": "Kent"})
    # The king is the only piece there is, and the map draws none.
    assert BRITTANIA.rules.public_holdings(BRITTANIA.context(), resolution.position) == (
        "Red has 20 grain to spend; its states yield Essex 10, Kent 10; its king is in Kent",
        "Gold has 10 grain to spend; its states yield York 10")
