"""Conversions and units in proxy against the naive resolver: who commands changes nothing but whose sheet an
order is on (CMB-05, PRX-03, PRX-05, PRX-08), and a conversion stands unless a foreign unit attacks
(CVT-01..06, Q-21)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random

import pytest

import maps
from adjudicator.geo import LAND, SEA, Region
from adjudicator.judge import judge
from adjudicator.orders import Convert, Hold, Move, Order, Proxy, UnitOrder
from adjudicator.position import Memory, Position
from adjudicator.units import Unit, UnitRef
from tests.adjudicator import positions
from tests.adjudicator.naive import Naive, NoOpinion
from tests.adjudicator.naive_legality import NaiveLegality, waters

W3K = maps.load("w3k")
CONTEXT, RULES = W3K.context(), W3K.rules
WATERS = waters(W3K.board)
POWERS = list(W3K.powers)[:4]
SHORES = [c for c in W3K.board.centres() if W3K.board.near(c, SEA)]


@dataclass(slots=True)
class Sheets:
    """What is handed in: `carried_out` is the order each unit ought to carry out, `written` every line there
    is; `displaced` are owners' lines that must not count, and `foreign` lines of powers that were given
    nothing."""

    carried_out: list[UnitOrder] = field(default_factory=list)
    written: list[Order] = field(default_factory=list)
    displaced: list[Order] = field(default_factory=list)
    foreign: list[Order] = field(default_factory=list)


def _position(chance: Random) -> tuple[list[Unit], list[UnitOrder], dict[str, frozenset[str]]]:
    board = W3K.board
    first = chance.choice(SHORES)
    # Around a coastal centre, where conversions can be ordered (CVT-01).
    places = [first, *sorted({n for m in (LAND, SEA) for n in board.near(first, m)})]
    places += [p for p in positions.piece(board, chance, 6) if p not in places]
    units = positions.units(board, chance, places[:12], POWERS[: chance.choice([2, 3, 4])])
    owner = {c: chance.choice(POWERS) for c in board.centres()}
    owner.update(
        {u.region.province: u.power for u in units if u.region.province in owner and chance.random() < 0.8}
    )
    orders = [
        _maybe_convert(chance, o) for o in positions.orders(board, chance, units) if isinstance(o, UnitOrder)
    ]
    return units, orders, {p: frozenset(c for c, holder in owner.items() if holder == p) for p in POWERS}


def _maybe_convert(chance: Random, order: UnitOrder) -> UnitOrder:
    centre = W3K.board.provinces[order.unit.region.province].centre
    # Elsewhere than in a centre a conversion is illegal (CVT-01); a few are tried.
    if chance.random() > (0.6 if centre else 0.03):
        return order
    # A missing coast is void where there are several (CVT-06, Q-22).
    coast = chance.choice([None, "North Coast", "East Coast"])
    return Convert(power=order.power, unit=order.unit, to_kind=chance.choice([None, "A", "F"]), coast=coast)


def _sheets(chance: Random, orders: list[UnitOrder]) -> Sheets:
    """Some units are given in proxy: their order is on another power's sheet, next to the owner's consent
    and perhaps a line of the owner's. Some lines of strangers have no consent."""
    sheets = Sheets()
    for order in orders:
        owner = order.power
        other = chance.choice([p for p in POWERS if p != owner])
        stray = Move(power=other, unit=order.unit, to=Region(chance.choice(SHORES)))
        roll = chance.random()
        sheets.carried_out.append(order)
        # A proxy and the order of the power it names; the owner's own line is displaced, if there is one
        # (PRX-03).
        if roll < 0.25:
            sheets.written += [
                replace(order, power=other),
                Proxy(power=owner, unit=order.unit, to_power=other),
            ]
            if chance.random() < 0.5:
                sheets.displaced.append(Hold(power=owner, unit=order.unit))
        # A silent proxy: the owner's order counts.
        elif roll < 0.35:
            sheets.written += [order, Proxy(power=owner, unit=order.unit, to_power=other)]
        else:
            sheets.written.append(order)
            if roll < 0.45:
                sheets.foreign.append(stray)
    sheets.written += [*sheets.displaced, *sheets.foreign]
    chance.shuffle(sheets.written)
    return sheets


def _compare(seed: int, counts: Counter[str | None]) -> bool:
    chance = Random(seed)
    units, orders, centres = _position(chance)
    # The naive resolver tries every set of moves: 2 to the 8th.
    if sum(isinstance(o, Move) for o in orders) > 8:
        return False
    begun = frozenset(u for u in units if chance.random() < 0.5)
    sheets = _sheets(chance, orders)
    legality = NaiveLegality(W3K.board, WATERS, units, overseas_by_map=True, centres=centres)
    legal = legality.legal(sheets.carried_out)
    try:
        opinion = Naive(W3K.board, units, legal, begun).solve()
    except NoOpinion:
        return False
    position = Position(W3K.start.phase, frozenset(units), centres, memory=Memory(begun))
    resolution = judge(CONTEXT, RULES, position, sheets.written)
    detail = f"{seed}\n" + "\n".join(f"{o.order} {o.result} {o.why}" for o in resolution.outcomes)
    ours = {(type(o.order), o.order.unit.region.province): o.reason for o in resolution.outcomes
            if isinstance(o.order, UnitOrder) and o.reason not in {"overridden", "no_such_unit"}
            and not isinstance(o.order, Proxy)}
    naive = {(type(o), o.unit.region.province): opinion.reasons.get(o.unit.region.province, "illegal")
             for o in sheets.carried_out}
    assert ours == naive, detail
    assert {d.unit: d.may_retreat for d in resolution.dislodged} == opinion.dislodged, detail
    reasons = Counter(o.reason for o in resolution.outcomes)
    assert (reasons["overridden"], reasons["no_such_unit"]) == (len(sheets.displaced),
        len(sheets.foreign)), detail
    assert resolution.position.memory.converting == {
        u for u in units if opinion.reasons.get(u.region.province) == "begun"}, detail
    _replaced_where_completed(resolution.position.units, opinion.standing, opinion.reasons, legal, detail)
    counts.update(ours.values())
    return True


def _replaced_where_completed(
    after: frozenset[Unit], standing: frozenset[Unit], reasons: Mapping[str, str | None],
    legal: list[UnitOrder],
    detail: str,
) -> None:
    """The other kind is where a conversion was completed, on the coast named; all else is as it was."""
    completed = {o.unit.region.province: o for o in legal if reasons[o.unit.region.province] == "completed"}
    expected = set()
    for unit in standing:
        order = completed.get(unit.region.province)
        if not isinstance(order, Convert):
            expected.add(unit)
        elif unit.kind == "F":
            expected.add(Unit(unit.power, "A", Region(unit.region.province)))
        else:
            coast = order.coast if W3K.board.provinces[unit.region.province].coasts else None
            expected.add(Unit(unit.power, "F", Region(unit.region.province, coast)))
    assert after == expected, detail


def _run(seeds: range) -> None:
    counts: Counter[str | None] = Counter()
    judged = [seed for seed in seeds if _compare(seed, counts)]
    assert len(judged) > 0.8 * len(seeds)
    assert {"begun", "completed", "disrupted", "illegal", "bounced", "cut", "dislodged"} <= set(counts)


def test_conversions_and_proxies_agree() -> None:
    _run(range(600))


@pytest.mark.slow
def test_conversions_and_proxies_agree_on_many_more() -> None:
    _run(range(600, 15_000))


def test_an_order_without_consent_is_a_stranger_s() -> None:
    """PRX-05: without the owner's consent the unit is no one's to order."""
    unit = Unit("Newcastle", "A", Region("London"))
    order = Move(power="Argyll", unit=UnitRef("A", unit.region), to=Region("Surrey"))
    # The comparison above would not see a stranger's order that moved a unit whose owner wrote none.
    resolution = judge(CONTEXT, RULES, Position(W3K.start.phase, frozenset({unit})), [order])
    assert [(o.result, o.reason) for o in resolution.outcomes] == [("void", "no_such_unit")]
    assert resolution.position.units == {unit}
