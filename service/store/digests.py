"""An entry of the record as bytes and digests: all of docs/record.md that is arithmetic. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, date, datetime
from typing import Any

FORMAT = 2
"""The rules by which a record is stored (docs/record.md)."""
# PostgreSQL stores no NUL in text, and UTF-8 writes no half of a surrogate pair (RFC 3629, 3).
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
"""Characters that become U+FFFD."""


def digest(text: str) -> str:
    """SHA-256 of the UTF-8 bytes, in 64 lower-case hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def start(game_id: str) -> str:
    """The link before the first entry of a game."""
    return digest(f"galloper record {FORMAT}\n{game_id}")


def head(body: dict[str, Any]) -> str:
    """The contents of a closed entry: its kind and the number of its phase, "-" where it names none."""
    phase = body["tells"].get("phase")
    return f"{body['what']} {phase if isinstance(phase, int) else '-'}"


def inner(salt: str, body: str) -> str:
    """The digest of one entry's body."""
    # Without the salt anybody could try all likely orders on the leaf of an entry that is still closed.
    return digest(f"{salt}\n{body}")


def leaf(salt: str, body: str, loaded: dict[str, Any] | None = None) -> str:
    """The leaf of an entry with this body; "" for a body that is none. `loaded`: the body as it is once
    loaded, where that is known."""
    try:
        own_head = head(json.loads(body) if loaded is None else loaded)
    except (ValueError, TypeError, KeyError, AttributeError):
        # A person wrote into the table of the record: no leaf fits.
        return ""
    return headed(own_head, inner(salt, body))


def kept_inner(salt: str, body: str) -> str:
    """The inner digest of an entry as the database keeps it: where its words were forgotten, it took the
    place of the salt. In an archive such an entry is closed, or anybody could write any words into it."""
    return salt if is_forgotten(body) else inner(salt, body)


def kept_leaf(salt: str, body: str, loaded: dict[str, Any] | None = None) -> str:
    """The leaf of an entry as the database keeps it; "" for a body that is none. `loaded`: see `leaf`."""
    if not is_forgotten(body):
        return leaf(salt, body, loaded)
    return headed(head(json.loads(body)), salt)


def is_forgotten(body: str) -> bool:
    """Whether the words of an entry were deleted because their player is forgotten."""
    try:
        return '"forgotten":true' in body and json.loads(body).get("forgotten") is True
    except (ValueError, AttributeError):
        return False


def headed(own_head: str, own_inner: str) -> str:
    """The leaf of an entry, which a reader computes for a closed entry too."""
    return digest(f"{own_head}\n{own_inner}")


def link(before: str, number: int, own_leaf: str) -> str:
    """The digest of the chain up to an entry: what letters call the root."""
    return digest(f"{before}\n{number}\n{own_leaf}")


def canonical(body: dict[str, Any]) -> str:
    """The one text of a body: RFC 8785, whose numbers are all whole here. `plain` makes any value fit."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """The value as a body may hold it: instants as text in UTC, numbers that are not whole as text, sets
    sorted."""
    # By the exact type first: a judged phase has thousands of values, and nearly all are of these kinds.
    kind = type(value)
    if kind is str:
        return value if value.isascii() and "\x00" not in value else _UNWRITABLE.sub("\ufffd", value)
    if kind is list:
        return [plain(element) for element in value]
    if kind is dict:
        return {plain(str(key)): plain(element) for key, element in value.items()}
    return value if value is None or kind is int or kind is bool else _plain_other(value)


def _plain_other(value: Any) -> Any:
    # RFC 8785 writes floats as ECMAScript does, which every checker would have to repeat: 0.95 becomes text.
    match value:
        case bool() | int():
            plain_value: Any = value
        case str():
            plain_value = _UNWRITABLE.sub("\ufffd", value)
        case float():
            plain_value = int(value) if value.is_integer() else repr(value)
        case datetime():
            plain_value = value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        case date():
            plain_value = value.isoformat()
        case dict():
            plain_value = plain(dict(value))
        case set() | frozenset():
            plain_value = sorted((plain(element) for element in value), key=str)
        case list() | tuple():
            plain_value = [plain(element) for element in value]
        case _:
            raise TypeError(f"a record holds no {type(value).__name__}")
    return plain_value
