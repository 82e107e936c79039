"""Numbers of rows as strangers send them."""

from __future__ import annotations

import pytest

from service.store.columns import NO_ROW, row_number


@pytest.mark.parametrize(("text", "number"), [
    ("7", 7), ("007", 7), ("999999999", 999_999_999), ("0", 0),
    # What another reader takes for 7, what no column holds, and what Python itself refuses to read.
    ("٧", NO_ROW), ("⁷", NO_ROW), ("9" * 10, NO_ROW), ("9" * 5000, NO_ROW), ("-1", NO_ROW), ("+1", NO_ROW),
    ("1_0", NO_ROW), ("", NO_ROW), ("7 ", NO_ROW), (None, NO_ROW),
])
def test_only_plain_digits_that_a_column_holds_are_a_number(text: object, number: int) -> None:
    assert row_number(text) == number
