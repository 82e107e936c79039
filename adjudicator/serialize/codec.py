"""Positions, resolutions and orders as JSON, exactly there and back.

The shape is read off the values' own type hints, so a new order kind or a new field with a default needs
nothing here. Every document carries "format"; raise `FORMAT` and convert the older shape in `_body` when a
change breaks it. A set is written sorted, so the same value always gives the same text.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, partial
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
    position: Position = _load(Position, _body(document, "position"), "position")
    return position


def dump_resolution(resolution: Resolution) -> Document:
    """{"format", "resolution"}."""
    return {"format": FORMAT, "resolution": _dump(resolution)}


def load_resolution(document: Document) -> Resolution:
    """Inverse of `dump_resolution`. Raises CodecError."""
    resolution: Resolution = _load(Resolution, _body(document, "resolution"), "resolution")
    return resolution


def dump_orders(orders: Sequence[Order]) -> Document:
    """{"format", "orders"}, in the order given."""
    return {"format": FORMAT, "orders": [_dump(o) for o in orders]}


def load_orders(document: Document) -> tuple[Order, ...]:
    """Inverse of `dump_orders`. Raises CodecError."""
    body = _expect(list, _body(document, "orders"), "orders")
    return tuple(_load(Order, item, ("orders", index)) for index, item in enumerate(body))


def dump_own(extension: Extension) -> Document:
    """A rule set's own state, field by field, without format and class."""
    return _dump_fields(extension)


def load_own(kind: type[_T], document: Document) -> _T:
    """Inverse of `dump_own` for a class that is known. Raises CodecError."""
    loaded: _T = _load_fields(kind, document, "state")
    return loaded


def _body(document: Document, name: str) -> Any:
    if not isinstance(document, dict) or name not in document:
        raise CodecError(f"this is not a stored {name}")
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
    # Fields that a class computes for itself are not part of the value.
    return {f.name: _dump(getattr(value, f.name)) for f in fields(value) if f.init}


def _sort_key(item: Any) -> str:
    return json.dumps(item, sort_keys=True)


# In

_Where = str | tuple[Any, str | int]
"""Where a value stands: its name, or the place that it is in with its field or its number there. Put into
words only for an error: a resolution has thousands of values."""
_Reader = Callable[[Any, _Where], Any]


def _load(kind: Any, data: Any, where: _Where) -> Any:
    return _reader(kind)(data, where)


@cache
def _reader(kind: Any) -> _Reader:
    """What loads values of a type: chosen once, and not for each value."""
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return _union_reader(kind)
    if origin is not None:
        return _collection_reader(origin, get_args(kind))
    return _value_reader(kind) if isinstance(kind, type) else _refusing_reader(kind)


def _value_reader(kind: type[Any]) -> _Reader:
    reader: _Reader
    if kind is Region:
        reader = _load_region
    elif issubclass(kind, Enum):
        reader = _enum_reader(kind)
    elif issubclass(kind, Order):
        reader = partial(_load_named, Order, "order")
    elif kind is Extension:
        reader = partial(_load_named, Extension, "own")
    elif kind in _PLAIN:
        reader = partial(_load_plain, kind)
    elif is_dataclass(kind):
        reader = partial(_load_dataclass, kind)
    else:
        reader = _refusing_reader(kind)
    return reader


def _refusing_reader(kind: Any) -> _Reader:
    def refuse(_data: Any, where: _Where) -> Any:
        raise CodecError(f"{_in_words(where)}: values of type {kind} cannot be stored")

    return refuse


def _enum_reader(kind: type[Enum]) -> _Reader:
    def load(data: Any, where: _Where) -> Enum:
        try:
            return kind(data)
        except ValueError as error:
            raise CodecError(f"{_in_words(where)}: {data!r} is no {kind.__name__}") from error

    return load


def _load_plain(kind: Any, data: Any, where: _Where) -> Any:
    if kind is float and type(data) is int:
        return float(data)
    if type(data) is not kind:  # True is an int to isinstance
        raise CodecError(f"{_in_words(where)}: expected {kind.__name__}, found {data!r}")
    return data


def _union_reader(kind: Any) -> _Reader:
    choices = [c for c in get_args(kind) if c is not type(None)]
    may_be_none = len(choices) < len(get_args(kind))
    only = _reader(choices[0]) if len(choices) == 1 else None

    def load(data: Any, where: _Where) -> Any:
        if data is None and may_be_none:
            return None
        if only is None:
            raise CodecError(f"{_in_words(where)}: the type {kind} does not identify the value")
        return only(data, where)

    return load


def _collection_reader(origin: Any, args: tuple[Any, ...]) -> _Reader:
    if origin is tuple and args[-1] is not Ellipsis:
        return partial(_load_tuple, [_reader(kind) for kind in args])
    if issubclass(origin, Mapping):
        return partial(_load_table, _reader(args[1]))
    return partial(_load_items, frozenset if issubclass(origin, frozenset) else tuple, _reader(args[0]))


def _load_tuple(readers: Sequence[_Reader], data: Any, where: _Where) -> Any:
    items = _expect(list, data, where)
    if len(items) != len(readers):
        raise CodecError(f"{_in_words(where)}: expected {len(readers)} values, found {len(items)}")
    return tuple(read(item, (where, index))
                 for index, (read, item) in enumerate(zip(readers, items, strict=True)))


def _load_table(read: _Reader, data: Any, where: _Where) -> Any:
    return {key: read(item, (where, key)) for key, item in _expect(dict, data, where).items()}


def _load_items(collection: Callable[[Iterable[Any]], Any], read: _Reader, data: Any, where: _Where) -> Any:
    return collection([read(item, (where, index)) for index, item in enumerate(_expect(list, data, where))])


def _load_region(data: Any, where: _Where) -> Region:
    match data:
        case str():
            return Region.of(data)
        case [str() as province, str() | None as coast]:
            return Region(province, coast)
        case _:
            raise CodecError(f"{_in_words(where)}: {data!r} is not a region")


def _load_named(base: type[Any], key: str, data: Any, where: _Where) -> Any:
    """A value of one of the classes below `base`, which `key` names. Rule sets bring classes of their own, so
    they are all imported before a name is given up."""
    table = dict(_expect(dict, data, where))
    name = table.pop(key, None)
    stored_class = _class_called(base, name)
    if stored_class is None:
        rules.import_all()
        stored_class = _class_called(base, name)
    if stored_class is None:
        raise CodecError(f"{_in_words(where)}: there is no {base.__name__.casefold()} called {name!r}")
    return _load_fields(stored_class, table, where)


_CLASSES: dict[tuple[type[Any], str], type[Any]] = {}
"""The classes that were looked for and are there."""


def _class_called(base: type[Any], name: Any) -> type[Any] | None:
    known = _CLASSES.get((base, name)) if isinstance(name, str) else None
    if known is not None and _is_current(known):
        return known
    called = next((c for c in _kinds_of(base) if c.__name__ == name), None)
    if called is not None:
        _CLASSES[base, name] = called
    return called


def _is_current(kind: type[Any]) -> bool:
    """Whether a class is the one that its module holds."""
    # A dataclass with slots is a second class next to the one written; only the one its module holds is
    # meant.
    return getattr(sys.modules[kind.__module__], kind.__name__, None) is kind


def _kinds_of(kind: type[Any]) -> list[type[Any]]:
    classes = [kind] if _is_current(kind) else []
    return classes + [deeper for sub in kind.__subclasses__() for deeper in _kinds_of(sub)]


def _load_dataclass(kind: Any, data: Any, where: _Where) -> Any:
    return _load_fields(kind, _expect(dict, data, where), where)


def _load_fields(kind: Any, table: Document, where: _Where) -> Any:
    known = _shape(kind)
    # A field that is not known comes from a newer program: dropping it would lose what it states.
    if not known.keys() >= table.keys():
        strange = ", ".join(sorted(set(table) - set(known)))
        raise CodecError(f"{_in_words(where)}: {kind.__name__} has no {strange}")
    values = {}
    for name, (has_default, read) in known.items():
        # A field that is missing takes its default: documents written before it was added stay readable.
        if name in table:
            values[name] = read(table[name], (where, name))
        elif not has_default:
            raise CodecError(f"{_in_words(where)}: {name} is missing")
    return kind(**values)


@cache
def _shape(kind: Any) -> dict[str, tuple[bool, _Reader]]:
    """Each field of a dataclass: whether it has a default, and what loads it."""
    hints = get_type_hints(kind)
    return {f.name: (f.default is not MISSING or f.default_factory is not MISSING, _reader(hints[f.name]))
            for f in fields(kind) if f.init}


def _expect(kind: type[_T], data: Any, where: _Where) -> _T:
    if not isinstance(data, kind):
        raise CodecError(f"{_in_words(where)}: expected {kind.__name__}, found {type(data).__name__}")
    return data


def _in_words(where: _Where) -> str:
    """A place as errors name it: "resolution.outcomes[3].order"."""
    if isinstance(where, str):
        return where
    around, part = where
    return _in_words(around) + (f"[{part}]" if isinstance(part, int) else f".{part}")
