"""A full turn of every game, and how it compares with the public judge's turn of the classic board in the
same run.

A turn is all that is judged between two builds: a movement phase with a unit on every centre and an order for
each, the retreats of all that it beat, and an adjustment phase in which every power builds wherever it can.
Where states take states a turn is one phase, with papers of every power, once every power holds something.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.judge import judge
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from bench.adjudicate.papers import lots, phase_orders
from bench.adjudicate.peers import Peer, load
from bench.adjudicate.positions import Record, full_board
from maps.valid_moves import has_movement_phases
from maps.variant import Variant

LIMITS_MS: Mapping[str, float] = {"bretwalda": 5, "britain1066": 5, "war1648": 10, "brittania": 5}
"""What a full turn may take, where that is laid down."""
TURNS, ROUNDS = 60, 5
PEER = "diplomacy"
MOST_POSITIONS = 120
"""Positions of the classic board that the peer judges: enough for a mean, and seconds instead of minutes."""
_EARLIER, _LATEST = 8, 40
"""Turns that are played before one is measured, and how long one waits for every power to hold something."""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """The phases of one turn: each a position and the orders for it."""

    phases: tuple[tuple[Position, tuple[Order, ...]], ...]


def turns(variant: Variant, count: int, seed: int) -> list[PlayedTurn]:
    """Full turns with papers from a fixed seed."""
    chance = Random(seed)  # noqa: S311 no secret, but repeatable
    make = _marched if has_movement_phases(variant) else _ruled
    return [PlayedTurn(tuple(make(variant, chance))) for _ in range(count)]


def _marched(variant: Variant, chance: Random) -> Iterator[tuple[Position, tuple[Order, ...]]]:
    centres = list(variant.board.centres())
    steps = variant.calendar.steps
    position, orders = full_board(variant, chance, centres)
    season = next(season for season, kind in steps if kind is PhaseKind.MOVEMENT)
    position = replace(position, phase=Phase(variant.start.phase.year, season, PhaseKind.MOVEMENT))
    yield position, tuple(orders)
    after = judge(variant.context(), variant.rules, position, orders, lots()).position
    if after.phase.kind is PhaseKind.RETREAT:
        yield after, tuple(phase_orders(variant, after, chance))
    winter = next(season for season, kind in steps if kind is PhaseKind.ADJUSTMENT)
    owned = {power: frozenset(centres[at::len(variant.powers)]) for at, power in enumerate(variant.powers)}
    standing = frozenset(unit for unit in position.units if chance.random() < 0.5)
    end = Position(Phase(variant.start.phase.year + 1, winter, PhaseKind.ADJUSTMENT), standing, owned)
    yield end, tuple(phase_orders(variant, end, chance))


def _ruled(variant: Variant, chance: Random) -> Iterator[tuple[Position, tuple[Order, ...]]]:
    position = variant.start
    for played in range(_LATEST):
        if played >= _EARLIER and set(position.centres) == set(variant.powers):
            break
        position = judge(
            variant.context(), variant.rules, position, phase_orders(variant, position, chance), lots()
        ).position
    yield position, tuple(phase_orders(variant, position, chance))


def measure(
    slugs: Sequence[str],
    records: Sequence[Record],
    seed: int,
    say: Callable[..., None],
    tell: Callable[[str], None],
) -> None:
    """Print a line for each game: `value` the median full turn in ms, `worst` the slowest, `limit_ms` and
    `within` where a limit is laid down; with the peer installed its mean time for a position of the classic
    board, and how many times ours goes into it."""
    peer = load(PEER, maps.load("standard").board)
    peer_ms = _peer_ms(peer, records[:MOST_POSITIONS], tell) if peer is not None else None
    if peer is None:
        say(what="peer absent", value=PEER, unit="package", how="pip install -e '.[bench]' brings it")
    for slug in slugs:
        variant = maps.load(slug)
        found = turns(variant, TURNS, seed)
        tell(f"{TURNS} full turns of {slug}")
        times = [one * 1000 for one in _best(variant, found)]
        line: dict[str, Any] = {
            "value": round(statistics.median(times), 3),
            "unit": "ms",
            "worst": round(max(times), 3),
        }
        if slug in LIMITS_MS:
            line |= {"limit_ms": LIMITS_MS[slug], "within": max(times) <= LIMITS_MS[slug]}
        if peer is not None and peer_ms is not None:
            line |= {
                "peer": peer.name,
                "peer_value": round(peer_ms, 3),
                "ratio": round(peer_ms / statistics.median(times), 2),
            }
        phases = [phase for turn in found for phase in turn.phases]
        say(
            what=f"full turn of {slug}, median",
            **line,
            orders=round(sum(len(o) for _, o in phases) / len(found)),
            powers=len(variant.powers),
            how=f"{_shape(variant)}; {TURNS} turns from seed {seed}, best of {ROUNDS} each",
        )


def _shape(variant: Variant) -> str:
    if has_movement_phases(variant):
        return (f"a unit on all {len(variant.board.centres())} centres moves or helps, the beaten retreat, "
                f"all powers build")
    return "one phase with the papers of all powers"


def _peer_ms(peer: Peer, records: Sequence[Record], tell: Callable[[str], None]) -> float:
    """Mean milliseconds of the peer for a position of the classic board, best of some rounds."""
    best = float("inf")
    for number in range(ROUNDS):
        tell(f"round {number + 1} of {ROUNDS}: {peer.name}, {len(records)} positions of the classic board")
        jobs = [peer.ready(record).work for record in records]
        start = time.process_time()
        for work in jobs:
            work()
        best = min(best, time.process_time() - start)
    return best / len(records) * 1000


def _best(variant: Variant, found: Sequence[PlayedTurn]) -> list[float]:
    """Seconds of processor time for each turn, all its phases together, the best of some rounds."""
    context, best = variant.context(), [float("inf")] * len(found)
    for _ in range(ROUNDS):
        for at, turn in enumerate(found):
            start = time.process_time()
            for position, orders in turn.phases:
                _read(judge(context, variant.rules, position, orders, lots()))
            best[at] = min(best[at], time.process_time() - start)
    return best


def _read(resolution: Resolution) -> None:
    """What a caller reads of a resolution; sentences are put into words only when they are asked for."""
    for outcome in resolution.outcomes:
        _ = outcome.result, outcome.reason, outcome.cause, outcome.dislodged
    for beaten in resolution.dislodged:
        _ = beaten.unit, beaten.attacker_from, beaten.may_retreat
