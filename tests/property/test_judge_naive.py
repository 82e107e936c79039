"""The judge against a naive exhaustive resolver, on small random positions from pieces of both boards."""

from __future__ import annotations

from random import Random

import pytest

import maps
from adjudicator.judge import judge
from adjudicator.orders import Move
from adjudicator.outcome import Outcome
from adjudicator.position import Position
from tests.adjudicator import positions
from tests.adjudicator.naive import Naive, NoOpinion

VARIANTS = {slug: maps.load(slug) for slug in ("standard", "w3k")}
SETTINGS = {slug: variant.setting() for slug, variant in VARIANTS.items()}


def _compare(slug: str, seed: int) -> tuple[tuple[Outcome, ...], int] | None:
    """Judge one random position both ways; its outcomes and the paradoxes in it, or None where the naive method has no
    opinion."""
    variant, chance = VARIANTS[slug], Random(seed)
    board = variant.board
    powers = list(variant.powers)[: chance.choice([2, 3, 4])]
    if seed % 3:
        units = positions.units(board, chance, positions.piece(board, chance, chance.randint(4, 13)), powers)
        orders = positions.orders(board, chance, units)
    else:
        units, given = positions.straits(board, chance, powers)
        orders = positions.orders(board, chance, units, given)
    if sum(isinstance(o, Move) for o in orders) > 8:
        return None
    resolution = judge(SETTINGS[slug], Position(variant.start.phase, frozenset(units)), orders)
    try:
        # Legality is not what is compared: a unit whose order is illegal holds for both.
        legal = [o.order for o in resolution.outcomes if o.reason != "illegal"]
        naive = Naive(board, units, legal)
        standing, beaten = naive.solve()
    except NoOpinion:
        return None
    detail = f"{slug} {seed}\n" + "\n".join(f"{o.order} {o.result} {o.why}" for o in resolution.outcomes)
    assert {d.unit for d in resolution.dislodged} == beaten, detail
    assert resolution.position.units == standing, detail
    return resolution.outcomes, naive.paradoxes


def _run(slug: str, seeds: range) -> None:
    judged = [found for seed in seeds if (found := _compare(slug, seed)) is not None]
    reasons = {o.reason for outcomes, _ in judged for o in outcomes}
    assert len(judged) > 0.8 * len(seeds)
    assert {"bounced", "cut", "dislodged", "no_convoy"} <= reasons
    assert sum(paradoxes for _, paradoxes in judged) > len(seeds) / 100


@pytest.mark.parametrize("slug", VARIANTS)
def test_both_resolvers_agree(slug: str) -> None:
    _run(slug, range(1000))


@pytest.mark.slow
@pytest.mark.parametrize("slug", VARIANTS)
def test_both_resolvers_agree_on_many_more(slug: str) -> None:
    _run(slug, range(1000, 12_000))
