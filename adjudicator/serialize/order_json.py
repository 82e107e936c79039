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
    for name, key, kind, is_optional in _keyed_fields(order_class):
        if kind is FieldKind.UNIT:
            parts[name] = values.unit(name)
        elif not is_optional or data.get(key) is not None:
            parts[name] = values.value(kind, key)
    return order_class(**parts)


def _keyed_fields(order_class: type[Order]) -> tuple[tuple[str, str, FieldKind, bool], ...]:
    """The fields of an order class: name, key in JSON, kind, whether it may be left out."""
    if order_class not in _KEYED_FIELDS:
        fields = order_fields(order_class).items()
        _KEYED_FIELDS[order_class] = tuple(
            (name, order_class.JSON_KEYS.get(name, name), kind, optional) for name, (kind, optional) in fields
        )
    return _KEYED_FIELDS[order_class]


_KEYED_FIELDS: dict[type[Order], tuple[tuple[str, str, FieldKind, bool], ...]] = {}


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
        region: Any = None
        unit_kind: Any = None
        for key, part in _UNIT_KEYS[name].items():
            if part == "region":
                region = self.names.region(f"{self.field}.{key}", required(self.data, key, f"{self.field}."))
            elif self.data.get(key) is not None:
                unit_kind = self.names.unit_kind(f"{self.field}.{key}", self.data[key])
        return UnitRef(unit_kind, region)

    def value(self, kind: FieldKind, key: str) -> Any:
        """What a key holds, which is there unless the field is a flag."""
        if kind is FieldKind.FLAG:
            return flag(self.data, key, f"{self.field}.")
        path = f"{self.field}.{key}"
        value = required(self.data, key, f"{self.field}.")
        # Places come first: most values of a turn are places.
        if kind is FieldKind.PLACE:
            return self.names.region(path, value)
        if kind is FieldKind.POWER:
            return self.names.power(path, value)
        if kind is FieldKind.UNIT_KIND:
            return self.names.unit_kind(path, value)
        # True is an int to isinstance.
        if kind is FieldKind.COUNT and type(value) is not int:
            raise CaseFault(path, f"{value!r} is not a whole number")
        if kind is FieldKind.COAST and not isinstance(value, str):
            raise CaseFault(path, f"{value!r} is no coast")
        return value
