"""What holds of Brittania for any position and any orders: grain comes from somewhere and goes somewhere,
no one has what another has, and no die falls that the tape did not hold (WSB-04, WSB-09, WSB-13, WSB-18,
WSB-20)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

import maps
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Order
from adjudicator.outcome import Resolution, Result
from adjudicator.position import Position
from adjudicator.rules.brittania_realm import (
    Ally,
    Chronicle,
    Claim,
    Conquer,
    Defend,
    Invest,
    MoveKing,
    Realm,
    Send,
    Swap,
    pair,
)
from adjudicator.serialize import codec
from adjudicator.units import Unit

VARIANT = maps.load("brittania")
CONTEXT, RULES = VARIANT.context(), VARIANT.rules
STATES = VARIANT.board.centres()
POWERS = tuple(VARIANT.powers)
CALM = settings(deadline=None, max_examples=120)
TAPE = tuple(range(5, 2005, 2))
seeds = st.integers(0, 2**32)


def _case(seed: int) -> tuple[Position, list[Order]]:
    """Some powers with a few states each, allies among them, and orders good and bad for all."""
    chance = Random(seed)
    playing = chance.sample(POWERS, chance.randint(1, 8))
    states = list(STATES)
    chance.shuffle(states)
    held = {power: [states.pop() for _ in range(chance.randint(1, 5))] for power in playing}
    kings = frozenset(
        Unit(p, "K", Region(chance.choice(states))) for p, states in held.items() if chance.random() < 0.8
    )
    alliances = (
        {pair(*chance.sample(playing, 2)) for _ in range(chance.randint(0, 3))} if len(playing) > 1 else set()
    )
    realm = Realm(
        grain={power: chance.randint(0, 60) for power in playing},
        output={state: chance.randint(0, 30) for state in STATES if chance.random() < 0.5},
        capitals={
            power: chance.choice(states if chance.random() < 0.8 else STATES)
            for power, states in held.items()
        },
        kingdoms=frozenset(power for power in playing if chance.random() < 0.3),
        alliances=frozenset(alliances),
    )
    centres = {power: frozenset(states) for power, states in held.items()}
    position = Position(VARIANT.start.phase, kings, centres, own=realm)
    return position, [_order(chance, held) for _ in range(chance.randint(0, 40))]


def _order(chance: Random, held: dict[str, list[str]]) -> Order:
    # Mostly powers that hold states, some that can only pick a capital.
    power = chance.choice([*held, *held, *held, *POWERS])
    held_state = Region(chance.choice(held.get(power, list(STATES))))
    neighbours = [s for s in STATES if s in VARIANT.board.near(held_state.province, "land")] or list(STATES)
    target = Region(chance.choice(neighbours if chance.random() < 0.8 else STATES))
    # Nought and less too: orders that no one could mean.
    grain, other = chance.randint(-1, 20), chance.choice(POWERS)
    theirs = Region(chance.choice(held.get(other, list(STATES))))
    king = chance.random() < 0.3
    return chance.choice([
        Defend(power=power, grain=grain, state=held_state),
        Invest(power=power, grain=grain, state=held_state),
        Conquer(power=power, grain=grain, state=target, king=king),
        Conquer(power=power, grain=grain, state=target),
        MoveKing(power=power, state=target), Ally(power=power, grain=5, to_power=other),
        Swap(power=power, grain=grain + 10, give=held_state, get=theirs),
        Send(power=power, grain=grain, to_power=other),
        Claim(power=power, state=target),
    ])


def _judged(position: Position, orders: Sequence[Order]) -> tuple[Realm, Realm, Resolution]:
    resolution = judge(CONTEXT, RULES, position, orders, Lots(TAPE))
    before, after = position.own, resolution.position.own
    assert isinstance(before, Realm)
    assert isinstance(after, Realm)
    return before, after, resolution


@CALM
@given(seeds)
def test_grain_is_conserved(seed: int) -> None:
    """Next turn's grain of all is what they had, less what good orders spent, plus yields, kingdoms and gifts
    that arrive. Counted here from the outcomes, without the judge's own ledger."""
    position, orders = _case(seed)
    before, after, resolution = _judged(position, orders)
    fallen = position.centres.keys() - resolution.position.centres.keys()
    new = resolution.position.centres.keys() - position.centres.keys()
    had = {power: before.grain[power] for power in position.centres}
    for outcome in resolution.outcomes:
        order = outcome.order
        # Void orders spend nothing, and neither do ceremonies and swaps that came to nothing
        # (`unmatched_grain = "kept"`).
        if outcome.result is Result.VOID or (
            outcome.result is Result.FAILS and isinstance(order, Ally | Swap)
        ):
            continue
        match order:
            case Defend() | Invest() | Conquer():
                had[order.power] -= order.grain
            case Ally():
                had[order.power] -= 5
            case Swap():
                # each pays what the state that it gives away yields.
                had[order.power] -= before.yields(order.give.province)
            case Send():
                had[order.power] -= order.grain
            case _:
                pass
    assert min(had.values(), default=0) >= 0
    # From the sentence that players read: a crossing has taken 5 of what was sent.
    gifts = sum(int(outcome.why.split()[0]) for outcome in resolution.outcomes
                if isinstance(outcome.order, Send) and outcome.result is Result.SUCCEEDS)
    expected = sum(grain for power, grain in had.items() if power not in fallen) + gifts + 10 * len(new)
    for power, states in resolution.position.centres.items():
        if power not in new:
            expected += sum(after.yields(state) for state in states) + 5 * (power in after.kingdoms)
    assert sum(after.grain.values()) == expected


@CALM
@given(seeds)
def test_states_belong_to_one_power_and_change_hands_for_a_reason(seed: int) -> None:
    position, orders = _case(seed)
    _, after, resolution = _judged(position, orders)
    assert len(resolution.outcomes) == len(orders)
    assert all(outcome.why for outcome in resolution.outcomes)
    owned = [state for states in resolution.position.centres.values() for state in states]
    assert len(set(owned)) == len(owned)
    owner = {state: power for power, states in position.centres.items() for state in states}
    assert isinstance(resolution.report, Chronicle)
    taken = {battle.state: battle.winner for battle in resolution.report.battles if battle.winner}
    picked = {o.order.state.province for o in resolution.outcomes
              if isinstance(o.order, Claim) and o.result is Result.SUCCEEDS}
    swapped = {o.order.get.province for o in resolution.outcomes
               if isinstance(o.order, Swap) and o.result is Result.SUCCEEDS}
    for power, states in resolution.position.centres.items():
        for state in states - position.centres.get(power, frozenset()):
            assert taken.get(state) == power or state in picked | swapped, state
    assert all(state in owned for state in owner), "a state that was held never becomes independent"
    kings = {unit.power: unit.region.province for unit in resolution.position.units}
    assert all(state in resolution.position.centres[power] for power, state in kings.items())
    assert all({ally, other} <= resolution.position.centres.keys() for ally, other in after.alliances)
    assert set(after.grain) == set(resolution.position.centres)


@CALM
@given(seeds)
def test_no_die_falls_that_the_tape_does_not_hold(seed: int) -> None:
    """The dice of the record are the numbers of the tape, in order, and a tape one too short is refused."""
    position, orders = _case(seed)
    _, _, resolution = _judged(position, orders)
    assert isinstance(resolution.report, Chronicle)
    dice = [
        die
        for battle in resolution.report.battles
        for fight in battle.fights
        for die in (fight.die, fight.defence_die)
        if die
    ]
    used = resolution.lots_used
    # Lots between equals are drawn from the same tape as dice.
    assert len(dice) <= used
    numbers = iter(TAPE[:used])
    assert all(any(number % 10 + 1 == die for number in numbers) for die in dice)
    if used:
        with pytest.raises(IndexError):
            judge(CONTEXT, RULES, position, orders, Lots(TAPE[: used - 1]))
    assert judge(CONTEXT, RULES, position, orders, Lots(TAPE[:used])) == resolution
    assert used <= VARIANT.rules.LOTS


@CALM
@given(seeds)
def test_whose_sheet_is_read_first_makes_no_difference(seed: int) -> None:
    """WSB-02: all turns are simultaneous."""
    position, orders = _case(seed)
    mixed = sorted(orders, key=lambda order: (Random(seed ^ POWERS.index(order.power)).random()))
    first, other = (judge(CONTEXT, RULES, position, some, Lots(TAPE)) for some in (orders, mixed))
    assert first.position == other.position
    assert {(o.order, o.result, o.why) for o in first.outcomes} == {
        (o.order, o.result, o.why) for o in other.outcomes
    }


@CALM
@given(seeds)
def test_what_is_stored_comes_back(seed: int) -> None:
    position, orders = _case(seed)
    _, _, resolution = _judged(position, orders)
    assert codec.load_position(codec.dump_position(position)) == position
    assert codec.load_resolution(codec.dump_resolution(resolution)) == resolution
    assert list(codec.load_orders(codec.dump_orders(orders))) == orders
    assert hash(resolution.position.own) == hash(
        codec.load_position(codec.dump_position(resolution.position)).own
    )
