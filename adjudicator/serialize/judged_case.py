"""A judged phase as a case of `galloper adjudicate`, so that a checker which shares no code can have it
judged again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from adjudicator.context import Context
from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Disband,
    Hold,
    Move,
    MoveHome,
    Order,
    Proxy,
    Remove,
    Retreat,
    SendSupply,
    SupportHold,
    SupportMove,
    UnitOrder,
)
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.ruleset import Ruleset
from adjudicator.serialize import codec, variant_state
from adjudicator.serialize.answers import answer
from adjudicator.serialize.cases import Case, CaseFault, CaseReader
from adjudicator.units import UnitRef


def case_of(
    context: Context, rules: Ruleset, position: Position, resolution: Resolution, numbers: Sequence[int]
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The case and its answer in the contract's form; None for both where that form cannot say all that was
    judged."""
    phase = position.phase
    try:
        case = {
            "id": str(phase),
            "phase": phase.kind.value,
            "season": phase.season,
            "year": phase.year,
            "units": sorted(map(str, position.units)),
            "centres": {power: sorted(owned) for power, owned in position.centres.items()},
            "dislodged": [
                {
                    "power": d.unit.power,
                    "type": d.unit.kind,
                    "loc": str(d.unit.region),
                    "attacker_from": d.attacker_from,
                    "by_convoy": d.by_convoy,
                    "may_retreat": sorted(map(str, d.may_retreat)),
                }
                for d in position.dislodged
            ],
            "contested": sorted(position.contested),
            "memory": {
                "converting": sorted(map(str, position.memory.converting)),
                **({"notes": sorted(map(list, position.memory.notes))} if position.memory.notes else {}),
            },
            **({} if position.own is None else {"state": codec.dump_own(position.own)}),
            "orders": [_order(outcome.order) for outcome in resolution.outcomes],
            "lots": list(numbers),
        }
        read = CaseReader(context, rules, phase.year).read(case)
    except (CaseFault, _Unsayable):
        return None, None
    if read.position != position or read.orders != tuple(_bare(o.order) for o in resolution.outcomes):
        return None, None
    return case, answer(Case(str(phase), position, read.orders, read.lots), resolution, rules)


class _Unsayable(Exception):
    """The contract has no words for this order."""


def _bare(order: Order) -> Order:
    return replace(order, line=None)


def _ref(unit: UnitRef, place: str = "loc", kind: str = "type") -> dict[str, Any]:
    found = {place: str(unit.region)}
    return found if unit.kind is None else {**found, kind: unit.kind}


def _target(unit: UnitRef) -> dict[str, Any]:
    return _ref(unit, "from", "from_type")


def _order(order: Order) -> dict[str, Any]:
    words = _WORDS.get(type(order))
    if words is None and order.WORD:
        return {"power": order.power, **variant_state.write_order(order)}
    if words is None:
        raise _Unsayable
    unit = _ref(order.unit) if isinstance(order, UnitOrder) else {}
    return {"power": order.power, "order": words[0], **unit, **words[1](order)}


def _convert(order: Convert) -> dict[str, Any]:
    named = {"to_type": order.to_kind, "coast": order.coast}
    return {key: value for key, value in named.items() if value is not None}


_WORDS: dict[type[Order], tuple[str, Callable[[Any], dict[str, Any]]]] = {
    Hold: ("hold", lambda _: {}),
    Move: (
        "move",
        lambda o: {"to": str(o.to), "via_convoy": o.via_convoy, **({"sheds": True} if o.sheds else {})},
    ),
    SupportHold: ("support_hold", lambda o: _target(o.target)),
    SupportMove: ("support_move", lambda o: {**_target(o.target), "to": str(o.to)}),
    Convoy: ("convoy", lambda o: {**_target(o.target), "to": str(o.to)}),
    Convert: ("convert", _convert),
    Proxy: ("proxy", lambda o: {"to_power": o.to_power}),
    Retreat: ("retreat", lambda o: {"to": str(o.to)}),
    Disband: ("disband", lambda _: {}),
    Build: ("build", lambda o: {"type": o.kind, "loc": str(o.region)}),
    Remove: ("remove", lambda _: {}),
    MoveHome: (
        "move_home",
        lambda o: {"to": str(o.to), **({} if o.origin is None else {"from": str(o.origin)})},
    ),
    SendSupply: ("send_supply", lambda o: {"to_power": o.to_power, "count": o.count}),
}
"""Each kind of order in the contract's words, and what it has besides its power and unit."""
