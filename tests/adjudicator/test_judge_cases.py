"""Every worked example that a board brings with it (`maps/<slug>/cases/*.toml`)."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import maps
from tests.adjudicator.expectation import Case, disagreeing, disagreeing_in_part

CASES = [
    pytest.param(slug, case, id=f"{slug}-{case['id']}")
    for slug in maps.variants()
    for path in sorted(Path("maps", slug, "cases").glob("*.toml"))
    for case in tomllib.loads(path.read_text("utf-8"))["case"]
]


def test_the_handbooks_examples_are_all_there() -> None:
    ids = {param.id for param in CASES}
    example_names = [
        "G1",
        "G2",
        "G3",
        "G4",
        "G5a",
        "G5b",
        "G6a",
        "G6b",
        "G6c",
        "G6d",
        "G6e",
        "G8a",
        "G8b",
        "G8c",
        "G9a",
        "G9b",
        "G10",
        "G11a",
        "G11b",
        "G12",
    ]
    assert {f"w3k-{name}" for name in example_names} <= ids


@pytest.mark.parametrize(("slug", "case"), CASES)
def test_case(slug: str, case: Case) -> None:
    assert disagreeing(maps.load(slug), [case]) == {}


OF_OTHERS: list[Case] = [
    json.loads(line) for line in Path("tests/data/rules_cases.jsonl").read_text("utf-8").splitlines()]
"""Worked out from the printed rules of the five games by a person who had not seen the judge."""


@pytest.mark.parametrize("case", OF_OTHERS, ids=lambda case: f"{case['variant']}-{case['id']}")
def test_case_of_others(case: Case) -> None:
    """WOR-06."""
    assert disagreeing_in_part(maps.load(case["variant"]), [case]) == {}
