"""Whole games of w3k with random orders, judged as values and, next to it, through the command's JSON, where
each answer is all that the next case knows. Both must stay the same game, and every phase leave a sound
board."""

from __future__ import annotations

import io
import json
from collections import Counter
from random import Random
from typing import Any

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.geo import LAND, SEA, Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Move,
    Order,
    Remove,
    Retreat,
    SendSupply,
    SupportHold,
    SupportMove,
    UnitOrder,
)
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.units import UnitRef
from service.cli.adjudicate import run_adjudicate
from tests.adjudicator import positions

W3K = maps.load("w3k")
CONTEXT, RULES = W3K.context(), W3K.rules
TAPE = tuple(range(3, 203))
KINDS = {
    "Hold": "hold",
    "Move": "move",
    "SupportHold": "support_hold",
    "SupportMove": "support_move",
    "Convoy": "convoy",
    "Convert": "convert",
    "Retreat": "retreat",
    "Build": "build",
    "Remove": "remove",
    "SendSupply": "send_supply",
}


def _orders(chance: Random, position: Position) -> list[Order]:
    match position.phase.kind:
        case PhaseKind.MOVEMENT:
            return [_maybe_convert(chance, position, o)
                    for o in positions.orders(W3K.board, chance, sorted(position.units))]
        case PhaseKind.RETREAT:
            return [
                Retreat(
                    power=d.unit.power,
                    unit=UnitRef(d.unit.kind, d.unit.region),
                    to=chance.choice(sorted(d.may_retreat)),
                )
                for d in position.dislodged
                if d.may_retreat and chance.random() < 0.9
            ]
        case _:
            return [order for power in W3K.powers for order in _winter(chance, position, power)]


def _maybe_convert(chance: Random, position: Position, order: Order) -> Order:
    assert isinstance(order, UnitOrder)
    began = {u.region.province for u in position.memory.converting}
    place = order.unit.region.province
    # What has begun is mostly gone on with, or no conversion would ever be completed.
    if chance.random() > (0.9 if place in began else 0.1):
        return order
    coasts = W3K.board.provinces[place].coasts
    return Convert(power=order.power, unit=order.unit, to_kind="F" if order.unit.kind == "A" else "A",
                   coast=coasts[0].id if coasts else None)


def _winter(chance: Random, position: Position, power: str) -> list[Order]:
    orders: list[Order] = []
    for centre in sorted(position.centres.get(power, ())):
        kind = "F" if W3K.board.near(centre, SEA) and chance.random() < 0.5 else "A"
        if chance.random() < 0.5:
            orders.append(Build(power=power, kind=kind, region=Region(centre)))
    if chance.random() < 0.4:
        orders.append(
            SendSupply(power=power, to_power=chance.choice([p for p in W3K.powers if p != power]), count=1)
        )
    if chance.random() < 0.3:
        own_units = [unit for unit in sorted(position.units) if unit.power == power]
        return [Remove(power=power, unit=UnitRef(unit.kind, unit.region)) for unit in own_units[:2]]
    return orders


# The same in JSON
# ----------------------------------------------------------------------------------------------------


def _written(order: Order) -> dict[str, Any]:
    data: dict[str, Any] = {"power": order.power, "order": KINDS[type(order).__name__]}
    if isinstance(order, UnitOrder):
        data |= {"type": order.unit.kind, "loc": str(order.unit.region)}
    match order:
        case Move() | Retreat():
            data["to"] = str(order.to)
        case SupportMove() | Convoy():
            data |= {"from": str(order.target.region), "to": str(order.to)}
        case SupportHold():
            data["from"] = str(order.target.region)
        case Convert():
            data |= {"to_type": order.to_kind, "coast": order.coast}
        case Build():
            data |= {"type": order.kind, "loc": str(order.region)}
        case SendSupply():
            data |= {"to_power": order.to_power, "count": order.count}
        case _:
            pass
    return data


def _ask(case: dict[str, Any]) -> dict[str, Any]:
    out = io.StringIO()
    assert run_adjudicate(W3K, [json.dumps(case)], out) == 0, out.getvalue()
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


def _next_case(case: dict[str, Any], answer: dict[str, Any], phase: Any) -> dict[str, Any]:
    """What a stranger who has only the last case and its answer would hand in next."""
    retreats = phase.kind is PhaseKind.RETREAT
    return {
        "phase": str(phase.kind), "season": phase.season, "year": phase.year, "units": answer["positions"],
        "centres": answer.get("centres", case["centres"]), "memory": answer["memory"],
        "dislodged": answer["dislodged"] if retreats else [],
        "contested": answer["contested"] if retreats else [],
    }


def _same(position: Position, case: dict[str, Any], resolution: Resolution, answer: dict[str, Any]) -> None:
    assert sorted(map(str, resolution.position.units)) == sorted(answer["positions"])
    assert [(o.result, o.reason, o.why) for o in resolution.outcomes] == [
        (o["result"], o.get("reason"), o["why"]) for o in answer["orders"]], (position, case)
    assert sorted(map(str, resolution.position.memory.converting)) == sorted(answer["memory"]["converting"])


def _sound(before: Position, resolution: Resolution) -> None:
    after = resolution.position
    assert len({u.region.province for u in after.units}) == len(after.units)
    assert after.memory.converting <= after.units
    owners = Counter(c for owned in after.centres.values() for c in owned)
    assert set(owners.values()) <= {1}
    if before.phase.kind is PhaseKind.MOVEMENT:
        # Those without a place to go are gone at once where no phase of retreats opens (WOR-07).
        assert len(after.units) + len(after.dislodged) + len(resolution.disbanded) == len(before.units)
    for unit in after.units:
        assert unit.region in W3K.board.regions(unit.region.province, LAND if unit.kind == "A" else SEA) or (
            unit.kind == "A" and not W3K.board.provinces[unit.region.province].is_sea)


def _play(seed: int, years: int) -> Counter[str | None]:
    chance = Random(seed)
    position = W3K.start
    case: dict[str, Any] = {
        "phase": str(position.phase.kind), "season": position.phase.season, "year": position.phase.year,
        "units": list(map(str, position.units)),
        "centres": {p: sorted(c) for p, c in position.centres.items()},
    }
    reasons: Counter[str | None] = Counter()
    while position.phase.year < W3K.start.phase.year + years:
        orders = _orders(chance, position)
        resolution = judge(CONTEXT, RULES, position, orders, Lots(TAPE))
        answer = _ask(case | {"orders": list(map(_written, orders)), "lots": TAPE})
        _same(position, case, resolution, answer)
        _sound(position, resolution)
        reasons.update(o.reason for o in resolution.outcomes)
        position = resolution.position
        # From the answer alone: what it leaves out is lost to the stranger's game.
        case = _next_case(case, answer, position.phase)
    return reasons


def test_a_game_through_json_is_the_same_game() -> None:
    reasons = _play(1642, 4)
    assert {None, "bounced", "cut", "dislodged", "begun", "completed", "disrupted"} <= set(reasons)


@pytest.mark.slow
def test_many_games_through_json_are_the_same_games() -> None:
    reasons: Counter[str | None] = Counter()
    for seed in range(40):
        reasons += _play(seed, 8)
    assert {"no_convoy", "no_supply", "unmatched"} <= set(reasons)
