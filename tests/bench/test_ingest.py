"""`galloper bench ingest`: a receipt for each mail, with reading off and on, as JSON lines."""

from __future__ import annotations

import io
import json
import os

import pytest

from bench import ingest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_every_figure_is_told_and_the_cores_are_given_back() -> None:
    before, out = os.sched_getaffinity(0), io.StringIO()
    assert ingest.run(2, out, io.StringIO()) == 0
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [row["what"].partition(" of ")[0] for row in rows] == [
        "receipt, reading off, median", "receipt, reading off, longest", "receipt, reading on, first mail",
        "receipt, reading on, median", "receipt, reading on, longest",
    ]
    assert all(
        0 < row["value"] < ingest.LOST_SECONDS and row["unit"] == "s" and row["cores"] == 1 for row in rows
    )
    # The figures: 5 s with reading off, 15 s with reading on.
    assert [row["limit"] for row in rows] == [5, 5, 15, 15, 15]
    assert [row for row in rows if row["processor"] > row["limit"]] == []
    # By the clock, where this core had no other work to speak of: the load is of all cores.
    quiet = [row for row in rows if row["load"] <= 2 * len(before)]
    assert [row for row in quiet if row["value"] > row["limit"]] == []
    assert os.sched_getaffinity(0) == before
