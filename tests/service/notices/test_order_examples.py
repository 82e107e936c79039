"""What our own letters write, our own grammar reads: an order of each kind in full words (LET-08, BEY-08)."""

from __future__ import annotations

import pytest

import maps
from reading.vocabulary import parse_typed
from service.games.results import order_text
from service.notices.order_examples import order_examples


@pytest.mark.parametrize("slug", maps.variants())
def test_each_example_of_a_letter_is_read_word_for_word_as_itself(slug: str) -> None:
    """So whoever types an order as the welcome has it, by form or by mail, waits for nobody."""
    variant = maps.load(slug)
    power = next(iter(variant.powers))
    for kind in sorted({kind for _, kind in variant.calendar.steps}):
        examples = order_examples(variant, kind)
        parsed = [parse_typed(variant, kind, power, text) for text in examples]
        assert [line.complaint and line.complaint.message for line in parsed] == [None] * len(examples)
        assert {line.score for line in parsed} <= {1.0}
        assert [order_text(variant, order) for line in parsed for order in line.orders] == list(examples)
