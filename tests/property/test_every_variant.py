"""What holds of every game there is, whatever is ordered, in every kind of phase it has: games of random
papers, phase after phase, through the judge alone. A game that is added is tried without a line here."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Convert, Order
from adjudicator.outcome import Resolution, Result
from adjudicator.position import Position
from adjudicator.serialize import codec
from adjudicator.serialize.answers import case_of
from bench.adjudicate.random_orders import TAPE, lots, phase_orders
from maps.valid_moves import has_movement_phases
from maps.variant import Variant
from service.cli.adjudicate import run_adjudicate

SLUGS = maps.variants()
FEW = settings(deadline=None, max_examples=2)
"""Games, each of a few phases with some thirty orders; the slow test plays a hundred times as much."""
PHASES = 6
seeds = st.integers(0, 2**32)


def _played(
    variant: Variant, seed: int, phases: int = PHASES
) -> Iterator[tuple[Position, list[Order], Resolution]]:
    """A game from its opening on: each phase's position, papers and resolution."""
    chance, context, position = Random(seed), variant.context(), variant.start
    for _ in range(phases):
        orders = phase_orders(variant, position, chance)
        resolution = judge(context, variant.rules, position, orders, lots())
        yield position, orders, resolution
        position = resolution.position


def _said(resolution: Resolution) -> list[tuple[Order, Result, str | None, bool, str]]:
    return [(o.order, o.result, o.reason, o.dislodged, o.why) for o in resolution.outcomes]


def _check(variant: Variant, seed: int, phases: int = PHASES) -> None:
    for position, orders, resolution in _played(variant, seed, phases):
        _every_order_is_answered(variant, orders, resolution)
        _units_are_where_they_can_be(variant, resolution.position)
        _nobody_comes_from_nowhere(position, resolution)
        _retreats_are_free_and_near(variant, resolution)
        _centres_have_one_owner(variant, resolution.position)
        _whose_paper_lies_on_top_makes_no_difference(variant, position, orders, resolution)
        _the_same_comes_of_the_same(variant, position, orders, resolution)
        _what_is_stored_comes_back(position, resolution)
        _the_command_says_the_same(variant, position, resolution)
        _nothing_hidden_is_told(variant, resolution)
        _the_calendar_goes_on(variant, position, resolution.position)


def _every_order_is_answered(variant: Variant, orders: list[Order], resolution: Resolution) -> None:
    """Each order has one outcome, in its place, with its sentence; only what came true has no reason."""
    assert [o.order for o in resolution.outcomes] == orders
    for outcome in resolution.outcomes:
        assert outcome.why
        # A brace left over is a sentence whose parts were never filled in.
        assert "{" not in outcome.why
        assert outcome.reason or outcome.result is Result.SUCCEEDS, outcome
    assert not resolution.unresolved, variant.slug


def _the_calendar_goes_on(variant: Variant, before: Position, after: Position) -> None:
    """Each phase follows the one before it; retreats that no one has to make are passed over."""
    phase = variant.calendar.phase_after(before.phase)
    while phase.kind is PhaseKind.RETREAT and not after.dislodged:
        phase = variant.calendar.phase_after(phase)
    assert after.phase == phase


def _units_are_where_they_can_be(variant: Variant, position: Position) -> None:
    places = [unit.region.province for unit in position.units]
    assert len(set(places)) == len(places) or not has_movement_phases(variant)
    for unit in position.units:
        assert unit.power in variant.powers
        ways = variant.kinds[unit.kind].moves
        assert any(unit.region in variant.board.links[way] for way in ways), unit


def _nobody_comes_from_nowhere(before: Position, resolution: Resolution) -> None:
    """While units move no one gets more of them, but by a conversion; afterwards a retreat adds none."""
    if before.phase.kind not in {PhaseKind.MOVEMENT, PhaseKind.RETREAT}:
        return
    was = Counter(u.power for u in [*before.units, *(d.unit for d in before.dislodged)])
    left = Counter(u.power for u in [*resolution.position.units, *(d.unit for d in resolution.dislodged)])
    assert not left - was
    kinds = Counter((u.power, u.kind) for u in [*before.units, *(d.unit for d in before.dislodged)])
    now = Counter(
        (u.power, u.kind) for u in [*resolution.position.units, *(d.unit for d in resolution.dislodged)]
    )
    other = sum(isinstance(o.order, Convert) and o.result is Result.SUCCEEDS for o in resolution.outcomes)
    shed = sum(getattr(o.order, "sheds", False) for o in resolution.outcomes) + _afloat(before)
    assert sum((now - kinds).values()) <= other + shed


def _afloat(position: Position) -> int:
    """Units that may be another kind after a phase without an order for it: those that carry boats along."""
    return sum(
        unit.kind not in {"A", "F"} for unit in [*position.units, *(d.unit for d in position.dislodged)]
    )


def _retreats_are_free_and_near(variant: Variant, resolution: Resolution) -> None:
    taken = {u.region.province for u in resolution.position.units}
    for beaten in resolution.dislodged:
        ways = variant.kinds[beaten.unit.kind].moves
        neighbours = {to for way in ways for to in variant.board.neighbours(beaten.unit.region, way)}
        assert beaten.may_retreat <= neighbours
        assert not {region.province for region in beaten.may_retreat} & (taken | resolution.contested)


def _centres_have_one_owner(variant: Variant, position: Position) -> None:
    owners = Counter(centre for owned in position.centres.values() for centre in owned)
    assert set(owners.values()) <= {1}
    assert set(owners) <= set(variant.board.centres())
    assert set(position.centres) <= set(variant.powers)


def _whose_paper_lies_on_top_makes_no_difference(
    variant: Variant, position: Position, orders: list[Order], resolution: Resolution
) -> None:
    """The papers in another order; what is on one of them stays in its own."""
    turned = sorted(orders, key=lambda order: [-ord(letter) for letter in order.power])
    other = judge(variant.context(), variant.rules, position, turned, lots())
    assert other.position == resolution.position
    assert Counter(_said(other)) == Counter(_said(resolution))


def _the_same_comes_of_the_same(
    variant: Variant, position: Position, orders: list[Order], resolution: Resolution
) -> None:
    """Judged again, with just the lots that were drawn; and no lot falls that is not on the tape."""
    context, used = variant.context(), resolution.lots_used
    again = judge(context, variant.rules, position, orders, Lots(TAPE[:used]))
    assert again == resolution
    assert _said(again) == _said(resolution)
    assert used <= variant.rules.LOTS
    # One number less must not be enough, or a lot was drawn that the record does not show.
    if used:
        with pytest.raises(IndexError):
            judge(context, variant.rules, position, orders, Lots(TAPE[: used - 1]))


def _what_is_stored_comes_back(position: Position, resolution: Resolution) -> None:
    assert codec.load_position(codec.dump_position(position)) == position
    # Field by field: `why` of a judged outcome is put into words only when it is read.
    back = codec.load_resolution(codec.dump_resolution(resolution))
    assert back.position == resolution.position
    assert [(o.order, o.result, o.reason, o.why) for o in back.outcomes] == [
        (o.order, o.result, o.reason, o.why) for o in resolution.outcomes]


def _the_command_says_the_same(variant: Variant, position: Position, resolution: Resolution) -> None:
    """What was judged, written as a case of the contract's JSON, is answered as it was judged."""
    case, answered = case_of(
        variant.context(), variant.rules, position, resolution, TAPE[: resolution.lots_used]
    )
    assert case is not None, "the contract's form can say all that is judged"
    out = io.StringIO()
    assert run_adjudicate(variant, [json.dumps(case)], out) == 0
    assert json.loads(out.getvalue()) == json.loads(json.dumps(answered))


def _nothing_hidden_is_told(variant: Variant, resolution: Resolution) -> None:
    """A unit that anyone who looks on does not see is seen by its own power alone, and no sentence names
    where it lies (D66-14)."""
    rules, context = variant.rules, variant.context()
    hidden = resolution.position.units - rules.visible_position(context, resolution.position, None).units
    for power in variant.powers if hidden else ():
        view = rules.redact_resolution(context, resolution, power)
        secret = {unit for unit in hidden if unit.power != power}
        assert not view.position.units & secret
        assert not rules.visible_position(context, resolution.position, power).units & secret
        assert not set(view.unordered) & secret
        foreign = [o for o in view.outcomes if o.order.power != power]
        for unit in secret:
            orders = [o for o in foreign if o.order.power == unit.power]
            assert not any(variant.board.provinces[unit.region.province].name in o.why for o in orders), (
                power,
                unit,
            )


@pytest.mark.parametrize("slug", SLUGS)
@FEW
@given(seed=seeds)
def test_a_game_of_random_papers_stays_sound(slug: str, seed: int) -> None:
    _check(maps.load(slug), seed)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("slug", SLUGS)
def test_seven_years_of_random_papers_stay_sound(slug: str) -> None:
    """Seven years of each game, ten times over."""
    variant = maps.load(slug)
    for seed in range(10):
        _check(variant, seed, 7 * len(variant.calendar.steps))


@pytest.mark.parametrize("slug", SLUGS)
def test_random_papers_try_much(slug: str) -> None:
    """The check of the checks: every class of order is written, and enough of them succeed, fail and are
    void."""
    variant = maps.load(slug)
    written: set[type[Order]] = set()
    results: Counter[Result] = Counter()
    for seed in range(2):
        for _, orders, resolution in _played(variant, seed, 20):
            written |= {type(order) for order in orders}
            results.update(o.result for o in resolution.outcomes)
    assert written == {kind for kinds in variant.rules.ORDERS.values() for kind in kinds}
    # Orders that all fail, or are all void, would leave the properties above with nothing to check.
    assert min(results[result] for result in Result) > 10, results
