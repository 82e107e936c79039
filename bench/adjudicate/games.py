"""A full turn of every game, next to a public judge's turn of the classic board in the same run.

A turn is everything between two builds: a movement phase with a unit on every centre and an order for each,
the retreats that follow from it, and an adjustment phase in which every power builds wherever it can. In a
game without movement phases (brittania) a turn is one phase with orders of every power, played until every
power holds something.
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
from bench.adjudicate.peers import Peer, load
from bench.adjudicate.positions import Record, full_board
from bench.adjudicate.random_orders import lots, phase_orders
from maps.valid_moves import has_movement_phases
from maps.variant import Variant

# Milliseconds that a full turn may take, for the games that have a limit (their issues set it).
LIMITS_MS: Mapping[str, float] = {"bretwalda": 5, "britain1066": 5, "war1648": 10, "brittania": 5}
TURNS, ROUNDS = 60, 5
PEER = "diplomacy"
PEER_POSITIONS = 120  # of the classic board: enough for a mean, and seconds instead of minutes

# Phases of a game without movement that are played before one is measured, and the most that are waited for
# until every power holds something.
_MIN_PLAYED, _MAX_PLAYED = 8, 40


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """The phases of one turn, each a position and the orders for it."""

    phases: tuple[tuple[Position, tuple[Order, ...]], ...]


def turns(variant: Variant, count: int, seed: int) -> list[PlayedTurn]:
    """Full turns with orders made up from a fixed seed."""
    chance = Random(seed)  # noqa: S311 no secret, but repeatable
    phases_of = _three_phases if has_movement_phases(variant) else _one_phase
    return [PlayedTurn(tuple(phases_of(variant, chance))) for _ in range(count)]


def _three_phases(variant: Variant, chance: Random) -> Iterator[tuple[Position, tuple[Order, ...]]]:
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
    # Winter: every power owns every so-many-th centre, and half of the units are left.
    count = len(variant.powers)
    owned = {power: frozenset(centres[seat::count]) for seat, power in enumerate(variant.powers)}
    standing = frozenset(unit for unit in position.units if chance.random() < 0.5)
    end = Position(Phase(variant.start.phase.year + 1, winter, PhaseKind.ADJUSTMENT), standing, owned)
    yield end, tuple(phase_orders(variant, end, chance))


def _one_phase(variant: Variant, chance: Random) -> Iterator[tuple[Position, tuple[Order, ...]]]:
    position = variant.start
    for played in range(_MAX_PLAYED):
        if played >= _MIN_PLAYED and set(position.centres) == set(variant.powers):
            break
        orders = phase_orders(variant, position, chance)
        position = judge(variant.context(), variant.rules, position, orders, lots()).position
    yield position, tuple(phase_orders(variant, position, chance))


def measure(
    slugs: Sequence[str],
    records: Sequence[Record],
    seed: int,
    say: Callable[..., None],
    tell: Callable[[str], None],
) -> None:
    """Print a line for each game with `say`, and progress with `tell`.

    `value` is the median full turn in ms, `worst` the slowest; `limit_ms` and `within` are there if the game
    has a limit; `peer_value` is the peer's mean time for a position of the classic board, and `ratio` how
    many of our median turns fit into it.
    """
    peer = load(PEER, maps.load("standard").board)
    peer_ms = _peer_ms(peer, records[:PEER_POSITIONS], tell) if peer is not None else None
    if peer is None:
        say(what="peer absent", value=PEER, unit="package", how="pip install -e '.[bench]' brings it")
    for slug in slugs:
        variant = maps.load(slug)
        played_turns = turns(variant, TURNS, seed)
        tell(f"{TURNS} full turns of {slug}")
        times = [seconds * 1000 for seconds in _best_seconds(variant, played_turns)]
        middle = statistics.median(times)
        line: dict[str, Any] = {"value": round(middle, 3), "unit": "ms", "worst": round(max(times), 3)}
        if slug in LIMITS_MS:
            line |= {"limit_ms": LIMITS_MS[slug], "within": max(times) <= LIMITS_MS[slug]}
        if peer is not None and peer_ms is not None:
            ratio = round(peer_ms / middle, 2)
            line |= {"peer": peer.name, "peer_value": round(peer_ms, 3), "ratio": ratio}
        orders = sum(len(phase_orders) for turn in played_turns for _, phase_orders in turn.phases)
        say(
            what=f"full turn of {slug}, median",
            **line,
            orders=round(orders / len(played_turns)),
            powers=len(variant.powers),
            how=f"{_turn_in_words(variant)}; {TURNS} turns from seed {seed}, best of {ROUNDS} each",
        )


def _turn_in_words(variant: Variant) -> str:
    if has_movement_phases(variant):
        return (f"a unit on all {len(variant.board.centres())} centres moves or helps, the beaten retreat, "
                f"all powers build")
    return "one phase with the orders of all powers"


def _peer_ms(peer: Peer, records: Sequence[Record], tell: Callable[[str], None]) -> float:
    """Mean milliseconds of the peer for a position of the classic board; the best of ROUNDS."""
    best = float("inf")
    for number in range(ROUNDS):
        tell(f"round {number + 1} of {ROUNDS}: {peer.name}, {len(records)} positions of the classic board")
        jobs = [peer.ready(record).work for record in records]
        start = time.process_time()
        for work in jobs:
            work()
        best = min(best, time.process_time() - start)
    return best / len(records) * 1000


def _best_seconds(variant: Variant, played_turns: Sequence[PlayedTurn]) -> list[float]:
    """Processor seconds of each turn, all its phases together; the best of ROUNDS."""
    context, best_seconds = variant.context(), [float("inf")] * len(played_turns)
    for _ in range(ROUNDS):
        for index, turn in enumerate(played_turns):
            start = time.process_time()
            for position, orders in turn.phases:
                read_resolution(judge(context, variant.rules, position, orders, lots()))
            best_seconds[index] = min(best_seconds[index], time.process_time() - start)
    return best_seconds


def read_resolution(resolution: Resolution) -> Resolution:
    """Read what any caller reads. Outcomes are worked out lazily; their sentences stay unread, since most
    callers never ask for them."""
    for outcome in resolution.outcomes:
        _ = outcome.result, outcome.reason, outcome.cause, outcome.dislodged
    for dislodged in resolution.dislodged:
        _ = dislodged.unit, dislodged.attacker_from, dislodged.may_retreat
    return resolution
