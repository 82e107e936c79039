"""Positions, resolutions and orders as JSON, exactly there and back.

The shape is read off the values' own type hints, so a new order kind or a new field with a default needs
nothing here. Every document carries "format"; raise `FORMAT` and convert the older shape in `_body` when a
change breaks it. A set is written sorted, so the same value always gives the same text.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from adjudicator import rules
from adjudicator.errors import UserFacingError
from adjudicator.geo import Region
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Extension, Position

FORMAT = 1

Document = dict[str, Any]
_T = TypeVar("_T")
_PLAIN = (str, int, float, bool)


class CodecError(UserFacingError):
    """A stored document does not have the shape it should; the sentence names where."""


def dump_position(position: Position) -> Document:
    """{"format", "position"}."""
    return {"format": FORMAT, "position": _dump(position)}


def load_position(document: Document) -> Position:
    """Inverse of `dump_position`. Raises CodecError."""
    return _load(Position, _body(document, "position"), "position")


def dump_resolution(resolution: Resolution) -> Document:
    """{"format", "resolution"}."""
    return {"format": FORMAT, "resolution": _dump(resolution)}


def load_resolution(document: Document) -> Resolution:
    """Inverse of `dump_resolution`. Raises CodecError."""
    return _load(Resolution, _body(document, "resolution"), "resolution")


def dump_orders(orders: Sequence[Order]) -> Document:
    """{"format", "orders"}, in the order given."""
    return {"format": FORMAT, "orders": [_dump(o) for o in orders]}


def load_orders(document: Document) -> tuple[Order, ...]:
    """Inverse of `dump_orders`. Raises CodecError."""
    body = _expect(list, _body(document, "orders"), "orders")
    return tuple(_load(Order, item, f"orders[{index}]") for index, item in enumerate(body))


def dump_own(extension: Extension) -> Document:
    """A rule set's own state, field by field, without format and class."""
    return _dump_fields(extension)


def load_own(kind: type[_T], document: Document) -> _T:
    """Inverse of `dump_own` for a class that is known. Raises CodecError."""
    loaded: _T = _load_fields(kind, document, "state")
    return loaded


def _body(document: Document, name: str) -> Any:
    if not isinstance(document, dict) or name not in document:
        raise CodecError(f"this is no stored {name}")
    if document.get("format") != FORMAT:
        raise CodecError(
            f"a stored {name} has format {document.get('format')!r}, and this Galloper reads {FORMAT}; "
            "it was written by another version"
        )
    return document[name]


# Out


def _dump(value: Any) -> Any:
    data: Any
    match value:
        case Enum():
            data = value.value
        case None | str() | int() | float():
            data = value
        case Region():
            # A region whose text does not read back, as one with a stroke in a name, is stored in parts.
            data = str(value) if Region.of(str(value)) == value else [value.province, value.coast]
        case Order():
            data = {"order": type(value).__name__, **_dump_fields(value)}
        case Extension():
            data = {"own": type(value).__name__, **_dump_fields(value)}
        case Mapping():
            data = {str(key): _dump(item) for key, item in value.items()}
        case frozenset() | set():
            # The record's digests rest on this text, so a set must not be written in the order it happens to
            # have.
            data = sorted((_dump(item) for item in value), key=_sort_key)
        case tuple() | list():
            data = [_dump(item) for item in value]
        case _ if is_dataclass(value):
            data = _dump_fields(value)
        case _:
            raise CodecError(f"a {type(value).__name__} cannot be stored")
    return data


def _dump_fields(value: Any) -> Document:
    # Fields that a class computes for itself are no part of the value.
    return {f.name: _dump(getattr(value, f.name)) for f in fields(value) if f.init}


def _sort_key(item: Any) -> str:
    return json.dumps(item, sort_keys=True)


# In


def _load(kind: type[_T], data: Any, where: str) -> _T:
    loaded: Any = _load_any(kind, data, where)
    return loaded  # type: ignore[no-any-return]


def _load_any(kind: Any, data: Any, where: str) -> Any:
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return _load_union(kind, data, where)
    if origin is not None:
        return _load_collection(origin, get_args(kind), data, where)
    if not isinstance(kind, type):
        raise CodecError(f"{where}: values of type {kind} cannot be stored")
    return _load_one(kind, data, where)


def _load_one(kind: type[Any], data: Any, where: str) -> Any:
    value: Any
    if kind is Region:
        value = _load_region(data, where)
    elif issubclass(kind, Enum):
        try:
            value = kind(data)
        except ValueError as error:
            raise CodecError(f"{where}: {data!r} is no {kind.__name__}") from error
    elif issubclass(kind, Order):
        value = _load_named(Order, "order", data, where)
    elif kind is Extension:
        value = _load_named(Extension, "own", data, where)
    elif kind in _PLAIN:
        value = _load_plain(kind, data, where)
    elif is_dataclass(kind):
        value = _load_fields(kind, _expect(dict, data, where), where)
    else:
        raise CodecError(f"{where}: values of type {kind} cannot be stored")
    return value


def _load_plain(kind: Any, data: Any, where: str) -> Any:
    if kind is float and type(data) is int:
        return float(data)
    if type(data) is not kind:  # True is an int to isinstance
        raise CodecError(f"{where}: expected {kind.__name__}, found {data!r}")
    return data


def _load_union(kind: Any, data: Any, where: str) -> Any:
    choices = [c for c in get_args(kind) if c is not type(None)]
    if data is None and len(choices) < len(get_args(kind)):
        return None
    if len(choices) != 1:
        raise CodecError(f"{where}: the type {kind} does not say which value this is")
    return _load_any(choices[0], data, where)


def _load_collection(origin: Any, args: tuple[Any, ...], data: Any, where: str) -> Any:
    if origin is tuple and args[-1] is not Ellipsis:
        items = _expect(list, data, where)
        if len(items) != len(args):
            raise CodecError(f"{where}: expected {len(args)} values, found {len(items)}")
        return tuple(
            _load_any(k, item, f"{where}[{index}]")
            for index, (k, item) in enumerate(zip(args, items, strict=True))
        )
    if issubclass(origin, Mapping):
        table = _expect(dict, data, where)
        return {key: _load_any(args[1], item, f"{where}.{key}") for key, item in table.items()}
    items = [
        _load_any(args[0], item, f"{where}[{index}]")
        for index, item in enumerate(_expect(list, data, where))]
    return frozenset(items) if issubclass(origin, frozenset) else tuple(items)


def _load_region(data: Any, where: str) -> Region:
    match data:
        case str():
            return Region.of(data)
        case [str() as province, str() | None as coast]:
            return Region(province, coast)
        case _:
            raise CodecError(f"{where}: {data!r} is no region")


def _load_named(base: type[Any], key: str, data: Any, where: str) -> Any:
    """A value of one of the classes below `base`, which `key` names. Rule sets bring classes of their own, so
    they are all imported before a name is given up."""
    table = dict(_expect(dict, data, where))
    name = table.pop(key, None)
    stored_class = _class_called(base, name)
    if stored_class is None:
        rules.import_all()
        stored_class = _class_called(base, name)
    if stored_class is None:
        raise CodecError(f"{where}: there is no {base.__name__.casefold()} called {name!r}")
    return _load_fields(stored_class, table, where)


def _class_called(base: type[Any], name: Any) -> type[Any] | None:
    return next((c for c in _kinds_of(base) if c.__name__ == name), None)


def _kinds_of(kind: type[Any]) -> list[type[Any]]:
    # A dataclass with slots is a second class beside the one written; only the one its module holds is meant.
    classes = [kind] if getattr(sys.modules[kind.__module__], kind.__name__, None) is kind else []
    return classes + [deeper for sub in kind.__subclasses__() for deeper in _kinds_of(sub)]


def _load_fields(kind: Any, table: Document, where: str) -> Any:
    known = _shape(kind)
    # A field that is not known comes from a newer program: dropping it would lose what it says.
    if strange := set(table) - set(known):
        raise CodecError(f"{where}: {kind.__name__} has no {', '.join(sorted(strange))}")
    values = {}
    for name, (field, hint) in known.items():
        # A field that is missing takes its default: documents written before it was added stay readable.
        if name in table:
            values[name] = _load_any(hint, table[name], f"{where}.{name}")
        elif field.default is MISSING and field.default_factory is MISSING:
            raise CodecError(f"{where}: {name} is missing")
    return kind(**values)


@cache
def _shape(kind: Any) -> dict[str, tuple[Field[Any], Any]]:
    hints = get_type_hints(kind)
    return {f.name: (f, hints[f.name]) for f in fields(kind) if f.init}


def _expect(kind: type[_T], data: Any, where: str) -> _T:
    if not isinstance(data, kind):
        raise CodecError(f"{where}: expected {kind.__name__}, found {type(data).__name__}")
    return data
