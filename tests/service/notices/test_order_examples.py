"""What our own letters write, our own grammar reads: an order of each kind in full words (LET-08, BEY-08)."""

from __future__ import annotations

from dataclasses import replace

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Build, Convoy, Hold, Move, Order, Retreat, SupportHold, SupportMove, UnitOrder
from adjudicator.outcome import Result
from adjudicator.units import Unit
from maps.variant import Variant
from reading.vocabulary import parse_typed
from service.games.results import order_text
from service.notices.order_sheets import order_examples


@pytest.mark.parametrize("slug", maps.variants())
def test_each_example_of_a_letter_is_read_word_for_word_as_itself(slug: str) -> None:
    """So anyone who types an order as the welcome has it, by form or by mail, waits for no one."""
    variant = maps.load(slug)
    power = next(iter(variant.powers))
    for kind in sorted({kind for _, kind in variant.calendar.steps}):
        examples = order_examples(variant, kind)
        parsed = [parse_typed(variant, kind, power, text) for text in examples]
        assert [line.complaint and line.complaint.message for line in parsed] == [None] * len(examples)
        assert {line.score for line in parsed} <= {1.0}
        assert [order_text(variant, order) for line in parsed for order in line.orders] == list(examples)


def _result(variant: Variant, order: Order, units: frozenset[Unit]) -> Result:
    """The statement of the judge about an order given alone, with the units of all examples on the board; of
    a build, of the power whose home the place is."""
    kind, start = PhaseKind.MOVEMENT, replace(variant.start, units=units)
    if isinstance(order, Retreat):
        order = Move(power=order.power, unit=order.unit, to=order.to)
    if isinstance(order, Build):
        kind, place = PhaseKind.ADJUSTMENT, order.region.province
        order = replace(order, power=variant.board.provinces[place].home or order.power)
        start = replace(start, centres={order.power: frozenset({place})})
    season = next(season for season, of in variant.calendar.steps if of is kind)
    position = replace(start, phase=replace(start.phase, season=season, kind=kind))
    resolution = judge(variant.context(), variant.rules, position, [order], Lots(range(99)))
    return next(outcome.result for outcome in resolution.outcomes if outcome.order == order)


@pytest.mark.parametrize("slug", maps.variants())
def test_the_board_allows_every_example(slug: str) -> None:
    """No army of an example goes or retreats where none can go, no fleet helps where it cannot be, and what
    is built is built: by the judge, on a board that has nothing else."""
    variant = maps.load(slug)
    for kind in sorted({kind for _, kind in variant.calendar.steps} - {PhaseKind.TURN}):
        classic = {
            text: order for text in order_examples(variant, kind)
            if text.startswith(("Army ", "Fleet ", "Build an Army "))
            for order in parse_typed(variant, kind, next(iter(variant.powers)), text).orders
            if isinstance(order, Hold | Move | SupportHold | SupportMove | Convoy | Retreat | Build)
        }
        assert len(classic) == {PhaseKind.MOVEMENT: 6, PhaseKind.RETREAT: 1, PhaseKind.ADJUSTMENT: 1}[kind]
        units = frozenset(Unit(order.power, order.unit.kind or "", order.unit.region)
                          for order in classic.values() if isinstance(order, UnitOrder))
        results = {text: _result(variant, order, units) for text, order in classic.items()}
        # A support and a convoy fail without the order that they are for; they are orders all the same.
        assert [text for text, result in results.items() if result is Result.VOID] == []
        assert {text for text, result in results.items() if result is Result.FAILS} <= {
            text for text in results if text.startswith("Fleet") or text.endswith("via convoy")}
