"""An entry of the record as bytes and digests: all of docs/record.md that is arithmetic. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import UTC, date, datetime
from typing import Any

FORMAT = 1
# PostgreSQL stores no NUL in text, and UTF-8 writes no half of a surrogate pair (RFC 3629, 3).
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
"""Characters that become U+FFFD."""


def digest(text: str) -> str:
    """SHA-256 of the UTF-8 bytes, in 64 lower-case hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def start(game_id: str) -> str:
    """The link before the first entry of a game."""
    return digest(f"galloper record {FORMAT}\n{game_id}")


def leaf(salt: str, body: str) -> str:
    """The digest of one entry's body."""
    # Without the salt anybody could try all likely orders on the leaf of an entry that is still closed.
    return digest(f"{salt}\n{body}")


def link(before: str, number: int, own_leaf: str) -> str:
    """The digest of the chain up to an entry: what letters call the root."""
    return digest(f"{before}\n{number}\n{own_leaf}")


def canonical(body: dict[str, Any]) -> str:
    """The one text of a body: RFC 8785, whose numbers are all whole here. `plain` makes any value fit."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """The value as a body may hold it: instants as text in UTC, numbers that are not whole as text, sets
    sorted."""
    # RFC 8785 writes floats as ECMAScript does, which every checker would have to repeat: 0.95 becomes text.
    match value:
        case None | bool() | int():
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
            plain_value = {plain(str(key)): plain(element) for key, element in value.items()}
        case set() | frozenset():
            plain_value = sorted((plain(element) for element in value), key=str)
        case list() | tuple():
            plain_value = [plain(element) for element in value]
        case _:
            raise TypeError(f"a record holds no {type(value).__name__}")
    return plain_value
