"""Print an order and parse it, for every class of order that any game has: the order comes back. The classic
orders come back from their prose too; the prose of orders that a game brings is for letters alone."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.orders import Order
from bench.adjudicate.random_orders import any_order, classes, written
from grammar.print import canonical, prose
from maps.variant import Variant
from reading import vocabulary
from tests.grammar.boards import loses_to_another_place

PHASES = [
    (slug, kind)
    for slug in maps.variants()
    for kind in dict.fromkeys(k for _, k in maps.load(slug).calendar.steps)
]
FEW = settings(deadline=None, max_examples=5)
seeds = st.integers(0, 2**32)


def _orders(variant: Variant, kind: PhaseKind, seed: int) -> list[Order]:
    """One order of each class, by one power."""
    chance = Random(seed)
    power = chance.choice(sorted(variant.powers))
    return [written(any_order(variant, order, chance, power)) for order in classes(variant, kind)]


@pytest.mark.parametrize(("slug", "kind"), PHASES)
@FEW
@given(seed=seeds)
def test_canonical_text_gives_the_order_back(slug: str, kind: PhaseKind, seed: int) -> None:
    variant = maps.load(slug)
    for order in _orders(variant, kind, seed):
        text = canonical(order, variant.board)
        assert vocabulary.orders_of(variant, kind, order.power, text, 7) == [replace(order, line=7)]
        if not loses_to_another_place(order, vocabulary.lexicon_of(variant)):
            assert vocabulary.parse_typed(variant, kind, order.power, text).orders == (order,)


@pytest.mark.parametrize(("slug", "kind"), PHASES)
@FEW
@given(seed=seeds)
def test_prose_gives_the_classic_orders_back(slug: str, kind: PhaseKind, seed: int) -> None:
    """As players copy it from a results letter: kinds and powers by their printed names."""
    variant = maps.load(slug)
    powers = {power.id: power.name for power in variant.powers.values()}
    lexicon = vocabulary.lexicon_of(variant)
    for order in (candidate for candidate in _orders(variant, kind, seed) if not candidate.PROSE):
        if loses_to_another_place(order, lexicon):
            continue
        text = prose(order, variant.board, variant.kinds, powers)
        # With the full stop that ends a sentence of a letter.
        assert vocabulary.parse_typed(variant, kind, order.power, f"{text}.").orders == (order,), text


@pytest.mark.parametrize(("slug", "kind"), PHASES)
@FEW
@given(seed=seeds)
def test_a_stored_line_of_several_orders_gives_them_back_in_order(
    slug: str, kind: PhaseKind, seed: int
) -> None:
    variant = maps.load(slug)
    orders = _orders(variant, kind, seed)
    text = vocabulary.printed(orders, variant.board)
    assert text is not None
    assert vocabulary.orders_of(variant, kind, orders[0].power, text, 7) == [
        replace(order, line=7) for order in orders
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "kind"), PHASES)
def test_five_hundred_of_each_come_back(slug: str, kind: PhaseKind) -> None:
    variant = maps.load(slug)
    powers = {power.id: power.name for power in variant.powers.values()}
    for seed in range(500):
        for order in _orders(variant, kind, seed):
            if loses_to_another_place(order, vocabulary.lexicon_of(variant)):
                continue
            texts = [canonical(order, variant.board)]
            texts += [] if order.PROSE else [f"{prose(order, variant.board, variant.kinds, powers)}."]
            for text in texts:
                assert vocabulary.parse_typed(variant, kind, order.power, text).orders == (order,), text
