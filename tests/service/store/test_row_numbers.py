"""Numbers of rows as strangers send them."""

from __future__ import annotations

import pytest

from service.store.row_numbers import NONE, row_number


@pytest.mark.parametrize(("text", "number"), [
    ("7", 7), ("007", 7), ("999999999", 999_999_999), ("0", 0),
    # What another reader takes for 7, what no column holds, and what Python itself refuses to read.
    ("٧", NONE), ("⁷", NONE), ("9" * 10, NONE), ("9" * 5000, NONE), ("-1", NONE), ("+1", NONE), ("1_0", NONE),
    ("", NONE), ("7 ", NONE), (None, NONE),
])
def test_only_plain_digits_that_a_column_holds_are_a_number(text: object, number: int) -> None:
    assert row_number(text) == number
