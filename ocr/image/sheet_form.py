"""The order sheet as a form to be filled in with a keyboard (BEY-08): the names of its fields, and what a
filled one states. Pure.

Anyone who cannot write by hand types into its fields, saves the file and mails it. It is read from the fields
and not from its picture, so nothing is misread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

HEADING = ("galloper-power", "galloper-game", "galloper-orders")
VERSION = "galloper-version"
ORDER = "galloper-order-"
"""Before the two digits of an order's number."""
MOST_FIELDS = 120
"""Fields of one file that are looked at; our own form has some forty."""
MOST_LETTERS = 300
"""Letters of one field that are taken; an order has some sixty."""
_ORDER = re.compile(rf"{ORDER}(\d{{2}})")


def rows_of(fields: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The rows of a filled form as they would be on a sheet: heading, version, and an order a row. Empty
    for a form that is not ours, and for one without any order: its picture is read then, where a person may
    have written by hand."""
    values = {name: " ".join(value.split())[:MOST_LETTERS] for name, value in fields}
    orders = sorted((int(match[1]), value) for name, value in values.items()
                    if value and (match := _ORDER.fullmatch(name)) is not None)
    if not orders:
        return ()
    heading = [values[name] for name in HEADING if values.get(name)]
    version = values.get(VERSION, "")
    numbered = [f"Version {version}"] if version.isdecimal() else []
    return (*heading, *numbered, *(order for _, order in orders))
