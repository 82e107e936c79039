"""The judge against a naive exhaustive resolver with its own idea of legality, on small random positions from
pieces of both boards: where everybody stands, who may retreat where, what is contested, and what each order
came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

import maps
from adjudicator.geo import Board, Region
from adjudicator.judge import judge
from adjudicator.orders import Convoy, Move, Order, SupportHold, SupportMove, UnitOrder
from adjudicator.position import Position
from adjudicator.units import Unit
from tests.adjudicator import positions
from tests.adjudicator.naive import Naive, NoOpinion
from tests.adjudicator.naive_legality import NaiveLegality, waters

VARIANTS = {slug: maps.load(slug) for slug in ("standard", "w3k")}
WATERS = {slug: waters(variant.board) for slug, variant in VARIANTS.items()}
BY_MAP = {"standard": False, "w3k": True}
"""Whether words that name a way overseas are a move without fleets on it (DATC 6.D.32; Q-17)."""

MOVES_AT_MOST = 8
"""The naive resolver tries every set of them."""


def _position(slug: str, chance: Random, *, strait: bool) -> tuple[list[Unit], list[Order]]:
    variant = VARIANTS[slug]
    board, powers = variant.board, list(variant.powers)[: chance.choice([2, 3, 4])]
    if strait:
        units, order_of = positions.straits(board, chance, powers)
        orders = positions.orders(board, chance, units, order_of)
    else:
        units = positions.units(board, chance, positions.piece(board, chance, chance.randint(4, 13)), powers)
        orders = positions.orders(board, chance, units)
    return units, [_odd(board, chance, order, units) if chance.random() < 0.08 else order for order in orders]


def _odd(board: Board, chance: Random, order: Order, units: list[Unit]) -> Order:
    """The order with one of its parts put wrong, or nearly."""
    goals = [u.region.province for u in units] + sorted(board.near(units[0].region.province, "sea"))
    province = chance.choice(goals)
    coasts = [None, *(coast.id for coast in board.provinces[province].coasts)]
    anywhere, somebody = Region(province, chance.choice(coasts)), chance.choice(units)
    match order:
        case Move():
            # Between neighbours "via convoy" is a trap of its own (T2 and T7 of
            # tests/data/datc/engine_traps.json).
            return chance.choice([replace(order, to=anywhere), replace(order, via_convoy=True)])
        case SupportMove() | Convoy():
            wrong = replace(order.target, region=somebody.region)
            return chance.choice([replace(order, to=anywhere), replace(order, target=wrong)])
        case SupportHold():
            # A kind left out is not a fault (ORD-04), so only the place can be wrong.
            return replace(order, target=replace(order.target, kind=None, region=somebody.region))
        case _:
            return order


def _compare(slug: str, seed: int, counts: Counter[str | None]) -> int | None:
    """Judge one random position both ways and note what orders came to. The paradoxes in it, or None where
    the naive resolver has no opinion."""
    # Every third position is made for paradoxes, which chance alone hardly ever brings about.
    units, orders = _position(slug, Random(seed), strait=seed % 3 == 0)
    if sum(isinstance(o, Move) for o in orders) > MOVES_AT_MOST:
        return None
    variant = VARIANTS[slug]
    legality = NaiveLegality(variant.board, WATERS[slug], units, overseas_by_map=BY_MAP[slug])
    naive = Naive(variant.board, units, legality.legal(orders))
    try:
        opinion = naive.solve()
    except NoOpinion:
        return None
    position = Position(variant.start.phase, frozenset(units))
    resolution = judge(variant.context(), variant.rules, position, orders)
    detail = f"{slug} {seed}\n" + "\n".join(f"{o.order} {o.result} {o.why}" for o in resolution.outcomes)
    reasons = {
        o.order.unit.region.province: o.reason for o in resolution.outcomes if isinstance(o.order, UnitOrder)
    }
    # Which orders are illegal is compared too: the naive resolver has reasons for legal ones only.
    assert {p: r for p, r in reasons.items() if r != "illegal"} == opinion.reasons, detail
    assert resolution.position.units == opinion.standing, detail
    assert {d.unit: d.may_retreat for d in resolution.dislodged} == opinion.dislodged, detail
    assert resolution.contested == opinion.contested, detail
    counts.update(reasons.values())
    return naive.paradoxes


def _run(slug: str, seeds: range) -> Counter[str | None]:
    """Compare a position for each seed; what orders came to. Enough of everything must have been in them."""
    counts: Counter[str | None] = Counter()
    judged = [size for seed in seeds if (size := _compare(slug, seed, counts)) is not None]
    assert {None, "illegal", "bounced", "cut", "dislodged", "no_convoy", "unmatched"} <= set(counts)
    # The check of the check: most positions had an answer, and one in a hundred a paradox.
    assert len(judged) > 0.8 * len(seeds)
    assert sum(judged) > len(seeds) / 100
    return counts


@pytest.mark.parametrize("slug", VARIANTS)
def test_both_resolvers_agree(slug: str) -> None:
    _run(slug, range(1000))


@pytest.mark.slow
@pytest.mark.parametrize("slug", VARIANTS)
def test_both_resolvers_agree_on_many_more(slug: str) -> None:
    """Over 30,000 positions for the two boards."""
    counts = _run(slug, range(1000, 20_000))
    assert counts["paradox"]
