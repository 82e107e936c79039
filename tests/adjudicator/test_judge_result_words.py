"""JUD-04: a sentence's first word fits its result, in every game."""

from __future__ import annotations

from random import Random

import pytest

import maps
from adjudicator.judge import judge
from adjudicator.outcome import Result
from bench.adjudicate.random_orders import lots, phase_orders


@pytest.mark.parametrize("slug", maps.variants())
def test_only_what_is_void_is_called_void(slug: str) -> None:
    variant, chance = maps.load(slug), Random(slug)
    position = variant.start
    said: set[Result] = set()
    for _ in range(8):
        orders = phase_orders(variant, position, chance)
        resolution = judge(variant.context(), variant.rules, position, orders, lots())
        for outcome in resolution.outcomes:
            said.add(outcome.result)
            assert outcome.why.startswith("void: ") == (outcome.result is Result.VOID), outcome
        position = resolution.position
    assert said == set(Result)
