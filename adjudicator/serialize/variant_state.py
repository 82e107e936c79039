"""The JSON of `adjudicate` for what only one rule set knows: its orders, its state, and what it reports of a
phase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from adjudicator.geo import Region
from adjudicator.orders import FieldKind, Order, order_fields
from adjudicator.outcome import Resolution
from adjudicator.ruleset import Ruleset
from adjudicator.serialize import codec

Document = Mapping[str, Any]


class Fields(Protocol):
    """The fields of one order as they stand in a case, each read when asked for; a wrong one is the case's
    fault."""

    @property
    def data(self) -> Document: ...
    @property
    def power(self) -> str: ...
    def place(self, key: str) -> Region: ...
    def other_power(self, key: str) -> str: ...
    def number(self, key: str) -> int: ...
    def flag(self, key: str) -> bool: ...


def words(rules: Ruleset) -> Mapping[str, type[Order]]:
    """The names in JSON of the orders that only these rules have."""
    return {kind.WORD: kind for kinds in rules.ORDERS.values() for kind in kinds if kind.WORD}


def read_order(kind: type[Order], given: Fields) -> Order:
    """An order of a class that its rule set brings."""
    found: dict[str, Any] = {}
    for name, (holds, optional) in order_fields(kind).items():
        if optional and given.data.get(name) is None:
            continue
        match holds:
            case FieldKind.PLACE:
                found[name] = given.place(name)
            case FieldKind.POWER:
                found[name] = given.other_power(name)
            case FieldKind.COUNT:
                found[name] = given.number(name)
            case FieldKind.FLAG:
                found[name] = given.flag(name)
    return kind(power=given.power, **found)


def write_order(order: Order) -> dict[str, Any]:
    """Such an order as an object of a case, without its power; what was not written is left out."""
    found: dict[str, Any] = {"order": order.WORD}
    for name, (holds, _) in order_fields(type(order)).items():
        value = getattr(order, name)
        if value is not None and value is not False:
            found[name] = str(value) if holds is FieldKind.PLACE else value
    return found


def answer(resolution: Resolution, rules: Ruleset) -> dict[str, Any]:
    """What the answer to a case adds for a rule set with a state of its own or a phase of its own."""
    found: dict[str, Any] = {}
    if resolution.position.own is not None:
        found["state"] = codec.dump_own(resolution.position.own)
    if resolution.report is not None:
        found["report"] = codec.dump_own(resolution.report)
    if rules.RESOLVERS:
        found["notes"] = list(resolution.notes)
        found["joint"] = list(resolution.joint)
        found["winner"] = resolution.winner
        found["centres"] = {p: sorted(owned) for p, owned in resolution.position.centres.items()}
        found["lots_used"] = resolution.lots_used
    return found
