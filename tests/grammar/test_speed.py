"""A desk waits for no line: a few milliseconds for a clean one, well under a tenth of a second for a garbled
one."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from grammar.nearest_orders import nearest_orders
from tests.grammar.boards import DATA, forms, lexicon, read

# A measurement, and CI is not a place to measure: it runs with the long suites.
pytestmark = pytest.mark.slow


def _milliseconds(work: Callable[[], object]) -> float:
    begun = time.process_time()  # other work on the machine is not counted
    work()
    return 1000 * (time.process_time() - begun)


def _rows(name: str) -> list[dict[str, str]]:
    return [json.loads(row) for row in Path(DATA, name).read_text(encoding="utf-8").splitlines()]


def test_a_clean_line_takes_less_than_five_milliseconds() -> None:
    rows = [row for row in _rows("sample_orders.jsonl") if row["kind"] == "order"]
    for row in rows:
        read(row["text"], row["phase"])
    times = [_milliseconds(partial(read, row["text"], row["phase"])) for row in rows]
    assert statistics.median(times) < 5


def test_a_garbled_line_takes_less_than_sixty_milliseconds() -> None:
    def one(row: dict[str, str]) -> object:
        return nearest_orders(row["read"], lexicon=lexicon(), forms=forms(row["phase"]), power="Montrose")

    rows = _rows("misread.jsonl")
    for row in rows[:5] + rows[-10:]:
        one(row)
    assert statistics.median(_milliseconds(partial(one, row)) for row in rows) < 60
