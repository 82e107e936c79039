"""The text of a board's file. Boards are handed on from person to person, so the file may be anything."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

MOST_BYTES = 16_000_000
"""No file of a board is as large; the largest of the boards that are played has 0.4 MB."""
_TOO_DEEP = "it has brackets within brackets, deeper than any board's"


def board_text(path: Path, encoding: str = "utf-8") -> str:
    """The text of a file. Raises OSError for one that is missing, no plain file, or larger than any
    board's, and UnicodeDecodeError."""
    # A pipe is read for ever, and a device has no end.
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "it is no plain file", str(path))
    if status.st_size > MOST_BYTES:
        raise OSError(0, f"it has more than {MOST_BYTES:,} bytes, and no board has", str(path))
    return path.read_text(encoding)


def toml_table(text: str) -> dict[str, Any]:
    """The table of a TOML text. Raises tomllib.TOMLDecodeError, also where brackets stand too deep."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError(_TOO_DEEP) from None


def json_value(text: str) -> Any:
    """The value of a JSON text. Raises ValueError, also where brackets stand too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
