"""DATC 3.0, traps of other engines, and positions on which independent engines agree, through the command's
door."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import maps
from tests.adjudicator.expectation import Case, disagreeing

DATA = Path("tests/data/datc")
DATC: list[Case] = json.loads((DATA / "datc.json").read_text("utf-8"))["cases"]
TRAPS: list[Case] = json.loads((DATA / "engine_traps.json").read_text("utf-8"))["cases"]
RANDOM: list[Case] = [
    json.loads(line) for line in gzip.decompress((DATA / "random_public.jsonl.gz").read_bytes()).splitlines()
]
STANDARD = maps.load("standard")


def _before(case: Case) -> Case:
    return {"id": f"{case['id']} before", "phase": "movement", **case["before"]}


def test_the_files_are_whole() -> None:
    assert (len(DATC), len(TRAPS), len(RANDOM)) == (165, 10, 1000)


@pytest.mark.parametrize("case", DATC, ids=lambda case: str(case["id"]))
def test_datc(case: Case) -> None:
    assert disagreeing(STANDARD, [case]) == {}


@pytest.mark.parametrize("case", [c for c in DATC if "before" in c], ids=lambda case: str(case["id"]))
def test_the_movement_that_led_to_a_datc_retreat(case: Case) -> None:
    assert disagreeing(STANDARD, [_before(case)]) == {}


@pytest.mark.parametrize("case", TRAPS, ids=lambda case: str(case["id"]))
def test_traps_of_other_engines(case: Case) -> None:
    assert disagreeing(STANDARD, [case]) == {}


@pytest.mark.parametrize("tenth", range(10))
def test_random_positions(tenth: int) -> None:
    assert disagreeing(STANDARD, RANDOM[tenth::10]) == {}
