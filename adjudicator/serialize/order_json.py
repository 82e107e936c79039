"""Orders in the contract's JSON: the one reader and the one writer of that form, for `adjudicate`'s cases,
`parse --json` and the record. Keys follow the fields of the order classes (`adjudicator.orders`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from adjudicator.orders import SHARED_ORDERS, FieldKind, Order, order_fields
from adjudicator.ruleset import Ruleset
from adjudicator.serialize.case_fields import CaseFault, NameReader, as_object, flag, required

_UNIT_KEYS: Mapping[str, tuple[str, str]] = {"unit": ("type", "loc"), "target": ("from_type", "from")}
"""A unit takes two keys of its order's object. By field: the key of its kind, and that of its region."""


def order_words(rules: Ruleset) -> Mapping[str, type[Order]]:
    """Every order class that a case of these rules may have, by its name in JSON; the shared ones first."""
    own_orders = (order for orders in rules.ORDERS.values() for order in orders if order.WORD)
    # Shared words win: a rule set cannot give the contract's words another meaning.
    words = {order.WORD: order for order in SHARED_ORDERS}
    for order in own_orders:
        words.setdefault(order.WORD, order)
    return words


class OrderReader:
    """Reads orders of one variant; paths in its faults begin at the order's object."""

    def __init__(self, names: NameReader, rules: Ruleset) -> None:
        self._names = names
        self._read: Mapping[FieldKind, Callable[[str, Any], Any]] = {
            FieldKind.PLACE: names.region,
            FieldKind.POWER: names.power,
            FieldKind.UNIT_KIND: names.unit_kind,
            FieldKind.COUNT: _count,
            FieldKind.COAST: _coast,
            FieldKind.FLAG: flag,
        }
        # An order class with its units, and its other fields: name, key in JSON, how it is read, whether it
        # may be left out.
        self._classes = {word: self._plan(kind) for word, kind in order_words(rules).items()}

    def _plan(self, order_class: type[Order]) -> tuple[type[Order], list[_UnitField], list[_Field]]:
        fields = order_fields(order_class)
        units = [(name, *_UNIT_KEYS[name]) for name, (kind, _) in fields.items() if kind is FieldKind.UNIT]
        others = [
            (name, order_class.JSON_KEYS.get(name, name), self._read[kind], is_optional)
            for name, (kind, is_optional) in fields.items() if kind is not FieldKind.UNIT
        ]
        return order_class, units, others

    def read(self, data: Any) -> Order:
        """The order in an object. Raises CaseFault."""
        as_object("", data)
        word = data.get("order")
        plan = self._classes.get(word) if type(word) is str else None
        if plan is None:
            raise CaseFault("order", f"{required(data, 'order')!r} is not one of {', '.join(self._classes)}")
        order_class, units, others = plan
        names, power = self._names, data.get("power")
        values: dict[str, Any] = {
            "power": names.power("power", required(data, "power") if power is None else power)}
        for name, kind_key, loc_key in units:
            values[name] = names.reference(data, kind_key, loc_key)
        for name, key, read, is_optional in others:
            value = data.get(key)
            if value is not None:
                values[name] = read(key, value)
            elif not is_optional:
                required(data, key)
        return order_class(**values)


_UnitField = tuple[str, str, str]
_Field = tuple[str, str, Callable[[str, Any], Any], bool]


def _count(key: str, value: Any) -> int:
    # True is an int to isinstance.
    if type(value) is not int:
        raise CaseFault(key, f"{value!r} is not a whole number")
    return value


def _coast(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise CaseFault(key, f"{value!r} is not a coast")
    return value


def write_order(order: Order) -> dict[str, Any]:
    """An order as an object of a case, without its power; what was not written is left out."""
    data: dict[str, Any] = {"order": order.WORD}
    for name, (kind, _) in order_fields(type(order)).items():
        value = getattr(order, name)
        if kind is FieldKind.UNIT:
            kind_key, loc_key = _UNIT_KEYS[name]
            if value.kind is not None:
                data[kind_key] = value.kind
            data[loc_key] = str(value.region)
        elif value is not None and value is not False:
            data[order.JSON_KEYS.get(name, name)] = str(value) if kind is FieldKind.PLACE else value
    return data
