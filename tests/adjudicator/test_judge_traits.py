"""Unit kinds are traits: what the judge makes of a mercenary (TYW-06), and other doors that no shipped board
opens yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

import maps
from adjudicator.calendar import Calendar, Phase, PhaseKind
from adjudicator.context import Context
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Convoy, Move, Retreat
from adjudicator.position import Dislodgement, Position
from adjudicator.units import Unit, UnitKind, UnitRef
from tests.adjudicator.terse import orders

STANDARD = maps.load("standard")
PLAIN, RULES = STANDARD.context(), STANDARD.rules
MERCENARY = UnitKind(
    "M", "Mercenary", frozenset({"land"}), can_be_convoyed=True, can_attack=False, base_defence=0,
    can_retreat=False
)
HIRED = replace(PLAIN, kinds={**PLAIN.kinds, "M": MERCENARY})
SPRING = Phase(1901, "Spring", PhaseKind.MOVEMENT)


def _at(context: Context, *units: tuple[str, str, str]) -> Position:
    return Position(SPRING, frozenset(Unit(power, kind, Region.of(place)) for power, kind, place in units))


def test_a_mercenary_is_beaten_one_to_one_and_leaves_the_board() -> None:
    position = _at(HIRED, ("FRANCE", "M", "BUR"), ("GERMANY", "A", "MUN"))
    resolution = judge(HIRED, RULES, position, orders(GERMANY=["A MUN - BUR"]))
    assert [(str(d.unit), d.may_retreat) for d in resolution.dislodged] == [("FRANCE M BUR", frozenset())]


def test_a_mercenary_that_is_told_to_retreat_is_told_why_it_cannot() -> None:
    """JUD-04: not only that Paris is barred, which is free."""
    beaten = Dislodgement(Unit("FRANCE", "M", Region("BUR")), "MUN", may_retreat=frozenset())
    position = Position(Phase(1901, "Spring", PhaseKind.RETREAT), frozenset(), dislodged=(beaten,))
    order = Retreat(power="FRANCE", unit=UnitRef("M", Region("BUR")), to=Region("PAR"))
    resolution = judge(HIRED, RULES, position, [order])
    assert resolution.outcomes[0].why == "void: Mercenary Burgundy never retreats, so it is disbanded"
    assert resolution.disbanded == (beaten.unit,)


def test_a_mercenary_with_support_stands() -> None:
    position = _at(HIRED, ("FRANCE", "M", "BUR"), ("FRANCE", "A", "PAR"), ("GERMANY", "A", "MUN"))
    resolution = judge(HIRED, RULES, position, orders(GERMANY=["A MUN - BUR"], FRANCE=["A PAR S BUR"]))
    assert resolution.dislodged == ()


def test_a_mercenary_does_not_attack_but_may_go_where_nobody_stands() -> None:
    position = _at(HIRED, ("FRANCE", "M", "BUR"), ("GERMANY", "A", "MUN"))
    into, past = (
        judge(
            HIRED, RULES, position, [Move(power="FRANCE", unit=UnitRef("M", Region("BUR")), to=Region(to))]
        ).outcomes[0]
        for to in ("MUN", "PAR")
    )
    assert (into.reason, into.why) == ("illegal", "void: Mercenary Burgundy may not attack")
    assert past.reason is None


def test_who_may_be_carried_may_not_be_picked_up_at_sea_unless_that_is_a_trait() -> None:
    """A barge floats and lands; only a boat bunch is taken up at sea (BRE-16)."""
    barge = UnitKind("B", "Barge", frozenset({"land", "sea"}), can_be_convoyed=True)
    results = []
    for kind in (barge, replace(barge, boards_at_sea=True)):
        context = replace(PLAIN, kinds={**PLAIN.kinds, "B": kind})
        position = _at(context, ("ENGLAND", "B", "ENG"), ("ENGLAND", "F", "NTH"))
        bunch, fleet, to = UnitRef("B", Region("ENG")), UnitRef("F", Region("NTH")), Region("NWY")
        sailing = Move(power="ENGLAND", unit=bunch, to=to)
        carrying = Convoy(power="ENGLAND", unit=fleet, target=bunch, to=to)
        resolution = judge(context, RULES, position, [sailing, carrying])
        results.append(resolution.outcomes[0].reason)
    assert results == ["illegal", None]


def test_orders_of_another_phase_beside_a_dislodgement_say_whom_they_name() -> None:
    """An order without a unit names none, and an order for a fleet means the army that was there (Q-76)."""
    position = _at(PLAIN, ("GERMANY", "A", "MUN"), ("FRANCE", "A", "BUR"), ("FRANCE", "A", "RUH"))
    written = orders(FRANCE=["A BUR - MUN", "A RUH S A BUR - MUN", "Waive"],
                     GERMANY=["F MUN disbands", "A MUN disbands"])
    resolution = judge(PLAIN, RULES, position, written)
    assert [str(d.unit) for d in resolution.dislodged] == ["GERMANY A MUN"]
    assert [(o.reason, o.dislodged) for o in resolution.outcomes] == [
        (None, False), (None, False), ("illegal", False), ("illegal", True), ("illegal", True)]


def test_an_order_with_the_word_of_another_kind_is_good_and_the_results_name_both() -> None:
    """Q-76, DATC 4.C.2: in each kind of phase; but not for another's unit, or where a game decides so."""
    position = _at(PLAIN, ("FRANCE", "A", "BUR"), ("GERMANY", "F", "KIE"))
    written = orders(FRANCE=["F BUR - PAR", "F BUR - PAR", "A KIE H"], GERMANY=["A KIE S A BUR - PAR"])
    resolution = judge(PLAIN, RULES, position, written)
    assert [o.reason for o in resolution.outcomes] == [None, None, "no_such_unit", "illegal"]
    assert resolution.notes == (
        "Fleet Burgundy was written, and Army Burgundy is meant: only one unit is there",
        "Army Kiel was written, and Fleet Kiel is meant: only one unit is there")
    beaten = Dislodgement(Unit("FRANCE", "A", Region("BUR")), "MUN", may_retreat=frozenset({Region("PAR")}))
    retreat = Position(Phase(1901, "Spring", PhaseKind.RETREAT), frozenset(), dislodged=(beaten,))
    resolution = judge(PLAIN, RULES, retreat, orders(FRANCE=["F BUR R PAR"]))
    assert [str(unit) for unit in resolution.position.units] == ["FRANCE A PAR"]
    assert len(resolution.notes) == 1
    winter = replace(_at(PLAIN, ("FRANCE", "A", "BUR")), phase=Phase(1901, "Winter", PhaseKind.ADJUSTMENT))
    resolution = judge(PLAIN, RULES, winter, orders(FRANCE=["Remove F BUR"]))
    assert [o.result.value for o in resolution.outcomes] == ["succeeds"]
    assert len(resolution.notes) == 1
    strict = replace(RULES, values={"wrong_unit_type": "void"})
    assert [o.reason for o in judge(PLAIN, strict, position, written).outcomes] == ["no_such_unit"] * 4


def test_two_different_retreats_of_one_unit_are_none_and_the_same_twice_is_one() -> None:
    beaten = Dislodgement(
        Unit("FRANCE", "A", Region("BUR")), "MUN", may_retreat=frozenset({Region("PAR"), Region("GAS")})
    )
    position = Position(Phase(1901, "Spring", PhaseKind.RETREAT), frozenset(), dislodged=(beaten,))
    # Q-16, as for movement.
    torn = judge(PLAIN, RULES, position, orders(FRANCE=["A BUR R PAR", "A BUR R GAS"]))
    assert [o.reason for o in torn.outcomes] == ["illegal", "illegal"]
    assert torn.disbanded == (beaten.unit,)
    sure = judge(PLAIN, RULES, position, orders(FRANCE=["A BUR R PAR", "A BUR R PAR"]))
    assert [o.reason for o in sure.outcomes] == [None, None]
    assert [str(u) for u in sure.position.units] == ["FRANCE A PAR"]


def test_lots_are_a_tape_that_is_read_once() -> None:
    first, rest = Lots((7, 2)).draw(5)
    second, end = rest.draw(2)
    assert (first, second, end.used) == (2, 0, 2)
    with pytest.raises(IndexError, match="holds 2 numbers"):
        end.draw(1)
    with pytest.raises(ValueError, match="at least one"):
        Lots((1,)).draw(0)


def test_a_phase_that_no_rules_judge_is_our_own_fault() -> None:
    turn = Phase(1, "Move", PhaseKind.TURN)
    context = replace(PLAIN, calendar=Calendar((("Move", PhaseKind.TURN),)))
    with pytest.raises(ValueError, match="turn phase"):
        judge(context, RULES, Position(turn, frozenset()), [])


def test_eighteen_centres_win_on_the_classic_board_unless_another_has_as_many() -> None:
    centres = PLAIN.board.centres()
    autumn = Phase(1910, "Autumn", PhaseKind.RETREAT)

    def winner(own_count: int, theirs: int) -> str | None:
        owned = {
            "FRANCE": frozenset(centres[:own_count]),
            "GERMANY": frozenset(centres[own_count : own_count + theirs]),
        }
        return judge(PLAIN, RULES, Position(autumn, frozenset(), owned), []).winner

    # 18 of 34 is more than half; with 17 each no one has more than anybody.
    assert winner(18, 16) == "FRANCE"
    assert winner(17, 17) is None
    assert winner(10, 20) == "GERMANY"
