"""Orders in the contract's JSON: the one reader and the one writer of that form, for `adjudicate`'s cases,
`parse --json` and the record. Keys follow the fields of the order classes (`adjudicator.orders`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudicator.orders import SHARED_ORDERS, FieldKind, Order, order_fields
from adjudicator.ruleset import Ruleset
from adjudicator.serialize.case_fields import CaseFault, Document, NameReader, as_object, flag, required
from adjudicator.units import UnitRef

_UNIT_KEYS: Mapping[str, Mapping[str, str]] = {
    "unit": {"type": "kind", "loc": "region"},
    "target": {"from": "region", "from_type": "kind"},
}
"""A unit takes two keys of its order's object. By field: the key, and the part of the unit that it holds."""


def order_words(rules: Ruleset) -> Mapping[str, type[Order]]:
    """Every order class that a case of these rules may have, by its name in JSON; the shared ones first."""
    own_orders = (order for orders in rules.ORDERS.values() for order in orders if order.WORD)
    # Shared words win: a rule set cannot give the contract's words another meaning.
    words = {order.WORD: order for order in SHARED_ORDERS}
    for order in own_orders:
        words.setdefault(order.WORD, order)
    return words


def read_order(names: NameReader, words: Mapping[str, type[Order]], field: str, data: Any) -> Order:
    """The order in the object `data`, whose path in its case is `field`. Raises CaseFault."""
    as_object(field, data)
    word = required(data, "order", f"{field}.")
    order_class = words.get(word) if isinstance(word, str) else None
    if order_class is None:
        raise CaseFault(f"{field}.order", f"{word!r} is not one of {', '.join(words)}")
    values = _OrderValues(names, field, data)
    parts: dict[str, Any] = {"power": names.power(f"{field}.power", required(data, "power", f"{field}."))}
    for name, (kind, is_optional) in order_fields(order_class).items():
        key = order_class.JSON_KEYS.get(name, name)
        if kind is FieldKind.UNIT:
            parts[name] = values.unit(name)
        elif not is_optional or data.get(key) is not None:
            parts[name] = values.value(kind, key)
    return order_class(**parts)


def write_order(order: Order) -> dict[str, Any]:
    """An order as an object of a case, without its power; what was not written is left out."""
    data: dict[str, Any] = {"order": order.WORD}
    for name, (kind, _) in order_fields(type(order)).items():
        value = getattr(order, name)
        if kind is FieldKind.UNIT:
            parts = {key: getattr(value, part) for key, part in _UNIT_KEYS[name].items()}
            data |= {key: str(part) for key, part in parts.items() if part is not None}
        elif value is not None and value is not False:
            data[order.JSON_KEYS.get(name, name)] = str(value) if kind is FieldKind.PLACE else value
    return data


@dataclass(frozen=True, slots=True)
class _OrderValues:
    """The values of one order's object, each read when it is asked for."""

    names: NameReader
    field: str
    data: Document

    def unit(self, name: str) -> UnitRef:
        """A unit by its two keys; its kind may be left out (ORD-04)."""
        parts = {}
        for key, part in _UNIT_KEYS[name].items():
            if part == "region" or self.data.get(key) is not None:
                kind = FieldKind.PLACE if part == "region" else FieldKind.UNIT_KIND
                parts[part] = self.value(kind, key)
        return UnitRef(parts.get("kind"), parts["region"])

    def value(self, kind: FieldKind, key: str) -> Any:
        """What a key holds, which is there unless the field is a flag."""
        path = f"{self.field}.{key}"
        if kind is FieldKind.FLAG:
            return flag(self.data, key, f"{self.field}.")
        value = required(self.data, key, f"{self.field}.")
        match kind:
            case FieldKind.PLACE:
                value = self.names.region(path, value)
            case FieldKind.POWER:
                value = self.names.power(path, value)
            case FieldKind.UNIT_KIND:
                value = self.names.unit_kind(path, value)
            case FieldKind.COUNT if type(value) is not int:  # True is an int to isinstance
                raise CaseFault(path, f"{value!r} is not a whole number")
            case FieldKind.COAST if not isinstance(value, str):
                raise CaseFault(path, f"{value!r} is no coast")
        return value
