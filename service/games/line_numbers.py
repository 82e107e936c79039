"""The number of each line of a sheet: one numbering for the desk, the receipt, the player's pages and the
sheet's own page, so that "line 5" is the same line wherever a person reads it."""

from __future__ import annotations

import string
from collections.abc import Sequence

from service.games.decisions import PART
from service.games.lines import SettledLine
from service.store.tables import LineState

HEADING = "heading"
"""Kind of a line that the machine takes for a part of the sheet's heading."""


def line_numbers(lines: Sequence[SettledLine]) -> dict[int, str]:
    """The numbers of a sheet's lines by their ids. `lines`: every line of one sheet, in the order of pages
    and rows.

    The machine's lines are counted from 1, whatever was decided about them, and the heading is left out: no
    decision changes the number of a line, and the player counts the same on the paper. A line that a person
    added, or cut out of others, has the number of the line above it and a letter ("5a"), and so has a line of
    the heading that is an order after all. Lines without a number: the heading, and parts whose cut was taken
    back.
    """
    numbers: dict[int, str] = {}
    number = extra = 0
    for line in lines:
        if line.kind not in {PART, HEADING}:
            number, extra = number + 1, 0
            numbers[line.id] = str(number)
        elif line.by is not None if line.kind == PART else _is_order(line):
            letters = string.ascii_lowercase
            numbers[line.id] = f"{number}{letters[extra % len(letters)] * (extra // len(letters) + 1)}"
            extra += 1
    return numbers


def _is_order(line: SettledLine) -> bool:
    return line.needs_a_person or line.state is not LineState.NOT_ORDER
