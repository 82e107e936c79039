"""The demo's two seasons and Winter, worked out by hand by another engineer before any judge was run on
them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import maps
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from tests.adjudicator.terse import order

EXPECTED = tomllib.loads(Path("demo/data/w3k/expected.toml").read_text("utf-8"))
VARIANT = maps.load("w3k")
CONTEXT, RULES = VARIANT.context(), VARIANT.rules


def _play() -> dict[str, tuple[Position, Resolution]]:
    position, played = VARIANT.start, {}
    for phase in EXPECTED["phase"]:
        lines = [order(power, text) for power, sheet in phase["orders"].items() for text in sheet]
        resolution = judge(CONTEXT, RULES, position, lines, Lots((0,) * 20))
        played[phase["name"]] = position, resolution
        position = resolution.position
    return played


PLAYED = _play()
PHASES = {phase["name"]: phase for phase in EXPECTED["phase"]}


@pytest.mark.parametrize("name", PHASES)
def test_every_order_comes_to_what_was_worked_out(name: str) -> None:
    position, resolution = PLAYED[name]
    assert str(position.phase) == name
    outcomes = iter(resolution.outcomes)
    for power, sheet in PHASES[name]["orders"].items():
        for text, expected in sheet.items():
            outcome = next(outcomes)
            assert (outcome.result.value, outcome.reason) == (expected["result"], expected.get("reason")), (
                power,
                text,
                outcome,
            )


@pytest.mark.parametrize("name", PHASES)
def test_dislodged_and_contested(name: str) -> None:
    resolution = PLAYED[name][1]
    expected: Any = sorted((d["unit"], d["attacker_from"]) for d in PHASES[name]["dislodged"])
    assert sorted((str(d.unit), d.attacker_from) for d in resolution.dislodged) == expected
    assert sorted(resolution.contested) == sorted(PHASES[name]["contested"])


@pytest.mark.parametrize("name", EXPECTED["positions"])
def test_positions(name: str) -> None:
    units = PLAYED[name][1].position.units
    expected = {
        f"{power} {unit}" for power, listed in EXPECTED["positions"][name].items() for unit in listed
    }
    assert {str(unit) for unit in units} == expected


def test_ownership_and_dues_at_the_years_end() -> None:
    before = VARIANT.start.centres
    resolution = PLAYED["Autumn 1642 Retreat"][1]
    after = resolution.position.centres
    gained = {
        p: sorted(after[p] - before.get(p, frozenset()))
        for p in after
        if after[p] - before.get(p, frozenset())
    }
    lost = {p: sorted(before[p] - after[p]) for p in before if before[p] - after[p]}
    assert gained == {p: sorted(c) for p, c in EXPECTED["ownership"]["gained"].items()}
    assert lost == EXPECTED["ownership"]["lost"]
    assert {p: resolution.adjust.get(p, 0) for p in VARIANT.powers} == EXPECTED["ownership"]["adjust"]
