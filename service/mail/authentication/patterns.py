"""Names of hosts with "*" for one or more labels, or for a part of one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    # "*.messagingengine.com" is a whole name: neither "evilmessagingengine.com" nor
    # "mx1.messagingengine.com.evil.example" fits.
    parts = (re.escape(part) for part in pattern.strip().rstrip(".").casefold().split("*"))
    return re.compile(r"[a-z0-9_-](?:[a-z0-9_.-]*[a-z0-9_-])?".join(parts))


def fits(name: str, patterns: Iterable[str]) -> bool:
    """Whether a host's name or an authserv-id is one of `patterns`, whole and without regard to case."""
    plain = name.rstrip(".").casefold()
    return ".." not in plain and any(_expression(pattern).fullmatch(plain) for pattern in patterns)


def is_too_wide(pattern: str) -> bool:
    """Whether a pattern would trust strangers: "*", "*.com", "mx*"."""
    if "*" not in pattern:
        return False
    labels = [label for label in pattern.strip().rstrip(".").split(".") if label]
    fixed = [label for label in labels if "*" not in label]
    return len(fixed) < 2
