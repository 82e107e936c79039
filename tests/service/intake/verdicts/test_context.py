"""What a context of `galloper intake` may hold, and how a wrong one is refused."""

from __future__ import annotations

from typing import Any

import pytest

from service.intake.verdicts.context import ContextError, txt_records


def test_a_name_has_a_text_or_a_list_of_them() -> None:
    table = {"dns": {"a.example": "v=spf1 -all", "b.example": ["one", "two"]}}
    assert txt_records(table) == {"a.example": ("v=spf1 -all",), "b.example": ("one", "two")}
    assert txt_records({}) == {}


@pytest.mark.parametrize("dns", [[], {"a.example": 1}, {"a.example": [1]}, {"a.example": ["one", None]}])
def test_a_table_of_anything_else_is_refused(dns: Any) -> None:
    with pytest.raises(ContextError, match="dns in the context is not a table"):
        txt_records({"dns": dns})
