"""The states of a line: each a word that a column holds."""

from __future__ import annotations

from enum import StrEnum


class LineState(StrEnum):
    """AUTO goes out without a person, OPEN waits for one; READ, VOID, NOT_ORDER and SKIPPED are decisions."""

    AUTO = "auto"
    OPEN = "open"
    READ = "read"
    VOID = "void"
    NOT_ORDER = "not an order"
    SKIPPED = "skipped"
