"""Numbers of rows as forms and addresses send them."""

from __future__ import annotations

NONE = -1
"""A number that no row has."""


def row_number(text: object) -> int:
    """The number that a form or an address names, or NONE for anything that is none.

    Digits of other scripts are numbers to some readers and not to others. A number of twenty digits fits no
    column and one of five thousand not even Python's own reading; both were faults of ours before.
    """
    digits = str(text)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else NONE
