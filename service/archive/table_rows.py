"""The rows of `tables.jsonl`, checked before any of them comes near a database (SEC-01).

An archive may be made by anybody. So only tables of a game are taken, each value must have its column's type,
no key is there twice, and a row may point only to rows of the same archive. Every fault is one sentence that
names the table and the row.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import cache
from typing import Any, NoReturn, Union, get_args, get_origin, get_type_hints

from sqlalchemy import String, Table, UniqueConstraint

from reading.status import LineState
from service.facts.options import ReviewMode
from service.games.options import OptionFault, stored_options
from service.store import dump
from service.store.columns import MailState, OutboxState, PhaseState, TableBase

TableRows = Mapping[str, list[dict[str, Any]]]
"""The rows of each table, by its name: each a value by its column."""

MOST_ROWS = 2_000_000
"""Rows of one game; eight years of play with seven powers have a tenth of it."""
DEEPEST = 40
"""Levels of lists within lists in a value; a position has nine."""
_BIGGEST = 2**63 - 1
_SHORT = 60
"""Characters of a key or name that a sentence quotes."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_CLOSED_SETS: Mapping[tuple[str, str], type[StrEnum]] = {
    ("mails", "state"): MailState,
    ("outbox", "state"): OutboxState,
    ("phases", "state"): PhaseState,
    ("phases", "review"): ReviewMode,
    ("lines", "status"): LineState,
}
_DIGESTS = frozenset(
    {
        ("pages", "original"),
        ("pages", "upright"),
        ("mails", "sha256"),
        ("submissions", "sha256"),
        ("outbox", "message"),
        ("record", "link"),
        ("record", "leaf"),
        ("record_heads", "link"),
    }
)
"""Columns of a SHA-256: such a value becomes the name of a file."""


class RowFault(ValueError):
    """A row cannot be taken; the sentence names its table and key."""


def read_rows(text: bytes, names: frozenset[str]) -> dict[str, list[dict[str, Any]]]:
    """The rows in `tables.jsonl`, of the tables called `names` alone; with Python's own values of dates.

    Raises RowFault at the first line that is not such a row.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    tables = {table.name: table for table in dump.tables() if table.name in names}
    for number, line in enumerate(text.split(b"\n"), start=1):
        if not line.strip():
            continue
        if number > MOST_ROWS:
            raise RowFault(f"tables.jsonl has more than {MOST_ROWS} rows.")
        name, row = _line(line, number)
        if name not in tables:
            raise RowFault(
                f"Line {number} of tables.jsonl is a row of the table {name[:_SHORT]}, which does not "
                "belong in a game's archive."
            )
        rows.setdefault(name, []).append(_checked(tables[name], row, number))
    for name, table in tables.items():
        _check_once(table, rows.get(name, []))
    _check_references(tables.values(), rows)
    return rows


def key_of_row(table: Table, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values of a row's primary key."""
    return tuple(row[column.name] for column in table.primary_key.columns)


def words_of_key(key: Iterable[Any]) -> str:
    """A key as a sentence quotes it."""
    return ":".join(str(part)[:_SHORT] for part in key)


def _line(line: bytes, number: int) -> tuple[str, dict[str, Any]]:
    try:
        record = json.loads(line, object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except RecursionError:
        raise RowFault(f"Line {number} of tables.jsonl has lists within lists without end.") from None
    except ValueError as fault:
        reason = str(fault) if isinstance(fault, RowFault) else "it is not JSON"
        raise RowFault(f"Line {number} of tables.jsonl cannot be read: {reason}.") from None
    if not isinstance(record, dict) or set(record) != {"table", "row"}:
        raise RowFault(f"Line {number} of tables.jsonl is not a row of a table.")
    name, row = record["table"], record["row"]
    if not isinstance(name, str) or not isinstance(row, dict):
        raise RowFault(f"Line {number} of tables.jsonl is not a row of a table.")
    return name, row


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Readers differ in which of the two they take: a forger's friend.
    values = dict(pairs)
    if len(values) != len(pairs):
        raise RowFault("it has the same name twice")
    return values


def _no_constant(text: str) -> NoReturn:
    raise RowFault(f"it has {text}, which is not a number")


@dataclass(frozen=True, slots=True)
class _Column:
    """The values that a column may have. `choices`: the words of a closed set, if it is one."""

    kind: type
    nullable: bool
    longest: int | None
    choices: frozenset[str] | None
    is_digest: bool


@cache
def _columns(name: str) -> Mapping[str, _Column]:
    table = TableBase.metadata.tables[name]
    mapper = next(mapper for mapper in TableBase.registry.mappers if mapper.local_table is table)
    hints = get_type_hints(mapper.class_)
    columns = {}
    for attribute in mapper.column_attrs:
        column = attribute.columns[0]
        choices = _CLOSED_SETS.get((name, column.name))
        columns[column.name] = _Column(
            _kind(hints[attribute.key]),
            bool(column.nullable),
            column.type.length if isinstance(column.type, String) else None,
            None if choices is None else frozenset(choices),
            (name, column.name) in _DIGESTS,
        )
    return columns


def _kind(hint: Any) -> type:
    """The plain type in `Mapped[dict[str, Any] | None]`: here `dict`."""
    (inner,) = get_args(hint)
    is_union = get_origin(inner) is Union or type(inner).__name__ == "UnionType"
    parts = [part for part in (get_args(inner) if is_union else (inner,)) if part is not type(None)]
    plain = get_origin(parts[0]) or parts[0]
    assert isinstance(plain, type)
    return plain


def _checked(table: Table, row: dict[str, Any], number: int) -> dict[str, Any]:
    columns = _columns(table.name)
    for name in row:
        if name not in columns:
            raise RowFault(f"Line {number} of tables.jsonl: there is no column {table.name}.{name[:_SHORT]}.")
    for name in columns:
        if name not in row:
            raise RowFault(f"Line {number} of tables.jsonl: {table.name}.{name} is missing.")
    return {
        name: _value(columns[name], value, f"Line {number} of tables.jsonl: {table.name}.{name}")
        for name, value in row.items()
    }


def _value(column: _Column, value: Any, place: str) -> Any:
    if value is None:
        if not column.nullable:
            raise RowFault(f"{place} may not be empty.")
        return None
    if column.kind in {datetime, date}:
        return _moment(column.kind, value, place)
    # JSON writes a whole number for 1.0, and Python's bool is an int.
    is_number = column.kind is float and type(value) in {int, float}
    if type(value) is not column.kind and not is_number:
        raise RowFault(f"{place} is {type(value).__name__} and must be {column.kind.__name__}.")
    _check_parts(value, place)
    if isinstance(value, str):
        _check_text(column, value, place)
    if place.endswith(": outbox.files"):
        _check_files(value, place)
    if place.endswith(": games.options"):
        _check_options(value, place)
    return value


def _moment(kind: type, value: Any, place: str) -> date:
    try:
        moment = datetime.fromisoformat(value) if kind is datetime else date.fromisoformat(value)
    except (TypeError, ValueError):
        raise RowFault(f"{place} is not a time.") from None
    if isinstance(moment, datetime) and moment.tzinfo is None:
        raise RowFault(f"{place} is a time without a zone.")
    return moment


def _check_text(column: _Column, value: str, place: str) -> None:
    if column.longest is not None and len(value) > column.longest:
        raise RowFault(f"{place} has more than {column.longest} letters.")
    if column.choices is not None and value not in column.choices:
        raise RowFault(f"{place} is not one of {', '.join(sorted(column.choices))}.")
    if column.is_digest and not _DIGEST.fullmatch(value):
        raise RowFault(f"{place} is not a digest.")


def _check_files(value: Any, place: str) -> None:
    for file in value:
        is_file = (
            isinstance(file, dict) and isinstance(file.get("blob"), str) and _DIGEST.fullmatch(file["blob"])
        )
        if not is_file or not isinstance(file.get("at"), int | None):
            raise RowFault(f"{place} names a file by something other than its digest.")


def _check_options(value: Any, place: str) -> None:
    try:
        stored_options(value)
    except OptionFault as fault:
        raise RowFault(f"{place} has {fault}.") from fault


def _check_parts(value: Any, place: str) -> None:
    """Every plain value within a value is one that both databases keep as it is."""
    inside: list[tuple[Any, int]] = [(value, 0)]
    while inside:
        part, depth = inside.pop()
        if depth > DEEPEST:
            raise RowFault(f"{place} has lists within lists without end.")
        match part:
            case dict():
                inside += [(member, depth + 1) for pair in part.items() for member in pair]
            case list():
                inside += [(member, depth + 1) for member in part]
            case bool() | None:
                pass
            case str() if "\0" in part or not _encodes(part):
                raise RowFault(f"{place} has an invalid character.")
            case int() if abs(part) > _BIGGEST:
                raise RowFault(f"{place} is too large a number.")
            case float() if not math.isfinite(part):
                raise RowFault(f"{place} has an invalid number.")


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_once(table: Table, rows: list[dict[str, Any]]) -> None:
    """No key and nothing else that is unique is there twice."""
    unique = [tuple(column.name for column in table.primary_key.columns)]
    unique += [
        tuple(column.name for column in constraint.columns)
        for constraint in table.constraints
        if isinstance(constraint, UniqueConstraint)
    ]
    unique += [(column.name,) for column in table.columns if column.unique]
    for names in unique:
        known = set()
        for row in rows:
            values = tuple(row.get(name) for name in names)
            if None in values:
                continue
            if values in known:
                raise RowFault(
                    f"tables.jsonl has {', '.join(names)} {words_of_key(values)} twice in {table.name}."
                )
            known.add(values)


def _check_references(tables: Iterable[Table], rows: TableRows) -> None:
    """A row that pointed to one of the site would make that a part of the game."""
    for table in tables:
        for column, foreign in _foreign(table):
            known = {row.get(foreign.name) for row in rows.get(foreign.table.name, [])}
            for row in rows.get(table.name, []):
                value = row.get(column)
                if value is not None and value not in known:
                    raise RowFault(
                        f"The row {words_of_key(key_of_row(table, row))} of {table.name} in tables.jsonl "
                        "points to row "
                        f"{words_of_key([value])} of {foreign.table.name}, which the archive does not have."
                    )


def _foreign(table: Table) -> Iterator[tuple[str, Any]]:
    for column in table.columns:
        for key in column.foreign_keys:
            yield column.name, key.column
