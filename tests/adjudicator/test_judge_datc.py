"""DATC 3.2, traps of other engines, and positions on which independent engines agree, through the command's
door."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import maps
from tests.adjudicator.expectation import Case, disagreeing, disagreeing_in_part

DATA = Path("tests/data/datc")
DATC: list[Case] = json.loads((DATA / "datc.json").read_text("utf-8"))["cases"]
TRAPS: list[Case] = json.loads((DATA / "engine_traps.json").read_text("utf-8"))["cases"]


def _packed(name: str) -> list[Case]:
    return [json.loads(line) for line in gzip.decompress((DATA / name).read_bytes()).splitlines()]


RANDOM, HARD = _packed("random_public.jsonl.gz"), _packed("hard_boards.jsonl.gz")
NEW: list[Case] = [json.loads(line) for line in (DATA / "datc_3_2.jsonl").read_text("utf-8").splitlines()]
STANDARD = maps.load("standard")


def _before(case: Case) -> Case:
    return {"id": f"{case['id']} before", "phase": "movement", **case["before"]}


def test_the_files_are_whole() -> None:
    assert (len(DATC), len(NEW), len(TRAPS), len(RANDOM), len(HARD)) == (165, 17, 10, 1000, 400)


@pytest.mark.parametrize("case", DATC, ids=lambda case: str(case["id"]))
def test_datc(case: Case) -> None:
    assert disagreeing(STANDARD, [case]) == {}


@pytest.mark.parametrize("case", NEW, ids=lambda case: str(case["id"]))
def test_datc_3_2(case: Case) -> None:
    """WOR-06: what 3.2 added to 3.0 or put otherwise."""
    assert disagreeing_in_part(STANDARD, [case]) == {}


@pytest.mark.parametrize("case", [c for c in DATC if "before" in c], ids=lambda case: str(case["id"]))
def test_the_movement_that_led_to_a_datc_retreat(case: Case) -> None:
    assert disagreeing(STANDARD, [_before(case)]) == {}


@pytest.mark.parametrize("case", TRAPS, ids=lambda case: str(case["id"]))
def test_traps_of_other_engines(case: Case) -> None:
    assert disagreeing(STANDARD, [case]) == {}


@pytest.mark.parametrize("tenth", range(10))
def test_random_positions(tenth: int) -> None:
    assert disagreeing(STANDARD, RANDOM[tenth::10]) == {}


@pytest.mark.parametrize("quarter", range(4))
def test_hard_boards(quarter: int) -> None:
    """WOR-06."""
    assert disagreeing_in_part(STANDARD, HARD[quarter::4]) == {}
