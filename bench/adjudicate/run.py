"""`galloper bench adjudicate`: the judge's speed and size, next to two public judges in the same run.

All on one core and in CPU time, so that a busy machine changes little. Rounds of the judges alternate, and
the best round of each counts. A judge's work: parsed orders in; every outcome's result, reason and cause, the
dislodged units and their retreats out. Sentences are written only when they are read, so they have a figure
of their own.
"""

from __future__ import annotations

import gc
import io
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, TextIO

import galloper
import maps
from adjudicator.judge import FORM, judge
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.serialize.cases import CaseReader
from bench.adjudicate import games as game_turns
from bench.adjudicate.games import read_resolution
from bench.adjudicate.peers import Job, Peer, expected, load
from bench.adjudicate.positions import DEFAULT, NoPositions, Record, chosen, full_board, nearest_places
from bench.figure import print_line
from bench.process import one_core
from maps.variant import Variant
from service.cli.adjudicate import run_adjudicate

PEERS = ("diplomacy", "pydip")
ROUNDS = 5
BOARDS = 400  # random full boards of w3k
SEED = 1642
HALF, WHOLE = 54, 108  # units; what doubling them costs shows whether the judge is linear
MIDDLE = "Staffordshire"  # the half of the board that is as dense as the whole is the half nearest to it


def run(positions: Path | None, out: TextIO, progress: TextIO, games: Sequence[str] = ()) -> int:
    """Measure and print JSON lines: everything, or only a full turn of the games that are named.

    Returns 0, or 1 if there are no positions to measure on. Raises MapError for a game that does not exist.
    """
    for slug in games:
        maps.folder(slug)

    def say(**line: Any) -> None:
        print_line(out, **line)

    def tell(text: str) -> None:
        print(text, file=progress, flush=True)

    try:
        records = chosen(positions or DEFAULT)
    except NoPositions as error:
        tell(f"{error}.")
        return 1
    with one_core():
        if not games:
            _standard(records, say, tell)
            _full_boards(say, tell)
            _sizes(say, tell)
        game_turns.measure(games or maps.variants(), records, SEED, say, tell)
    return 0


Say = Callable[..., None]


# The standard board, next to peers
# ------------------------------------------------------------------------------------


class Ours:
    """This judge, in the shape of a peer."""

    name = "galloper"
    timed = "judge() from parsed orders; each outcome's result, reason and cause, dislodged and retreats read"

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._reader = CaseReader(variant.context(), variant.rules, 1901)

    def ready(self, record: Record) -> Job:
        """See Peer: the record's orders parsed."""
        case = self._reader.read(record)

        def work() -> Resolution:
            return _judge_and_read(self._variant, case.position, case.orders)

        return Job(work, lambda resolution: frozenset(map(str, resolution.position.units)))


class Doors:
    """`Position.judge` of the package, which its users call: with orders as values, or as JSON."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._board = galloper.load_board("standard")
        orders = "orders as JSON" if as_json else "Order values"
        self.name = f"Position.judge, {orders}"
        self.timed = f"Position.judge, {orders}; each outcome's result and reason, and the retreats read"

    def ready(self, record: Record) -> Job:
        """See Peer: the position made, and the orders where they are values."""
        position = galloper.Position.from_json(self._board, record)
        orders: list[Any] = record["orders"]
        if not self._as_json:
            orders = [galloper.Order.from_json(self._board, order) for order in orders]

        def work() -> galloper.Resolution:
            resolution = position.judge(orders)
            for outcome in resolution.outcomes:
                _ = outcome.result, outcome.reason, outcome.dislodged
            _ = resolution.dislodged
            return resolution

        return Job(work, lambda resolution: frozenset(map(str, resolution.position.units)))


def _judge_and_read(variant: Variant, position: Position, orders: Sequence[Order]) -> Resolution:
    return read_resolution(judge(variant.context(), variant.rules, position, orders))


def _standard(records: Sequence[Record], say: Say, tell: Callable[[str], None]) -> None:
    # 1. The judges that are here.
    variant = maps.load("standard")
    doors: list[Peer] = [Ours(variant), Doors(as_json=False), Doors(as_json=True)]
    judges = doors.copy()
    for package in PEERS:
        peer = load(package, variant.board)
        if peer is None:
            say(what="peer absent", value=package, unit="package", how="pip install -e '.[bench]' brings it")
        else:
            judges.append(peer)
    # 2. Whether all do the same work.
    for contender in judges:
        say(what="positions judged as expected", value=count_agreeing(contender, records), unit="positions",
            of=len(records), judge=contender.name)
    # 3. How fast each is.
    best = dict.fromkeys((contender.name for contender in judges), float("inf"))
    for number in range(ROUNDS):
        for contender in judges:
            tell(f"round {number + 1} of {ROUNDS}: {contender.name}, {len(records)} positions")
            best[contender.name] = min(best[contender.name], _seconds(contender, records))
    rate = {name: len(records) / seconds for name, seconds in best.items()}
    others = judges[len(doors):]
    for door in doors:
        say(what="positions judged", value=round(rate[door.name]), unit="1/s", positions=len(records),
            judge=FORM, door=door.name, how=door.timed)
        _compare(say, others, rate, "positions judged", rate[door.name], door=door.name)
    # 4. The whole command, with JSON and sentences.
    texts = [json.dumps(record) for record in records]
    # Garbage collections of the command must not walk the objects of the peers.
    gc.collect()
    gc.freeze()
    seconds = min(_cpu_seconds(lambda: run_adjudicate(variant, texts, io.StringIO())) for _ in range(ROUNDS))
    gc.unfreeze()
    answered = len(records) / seconds
    say(what="cases answered, JSON to JSON", value=round(answered), unit="1/s",
        how=("the command galloper adjudicate without its start: JSON parsed, judged, every sentence said, "
             "JSON written"))
    _compare(say, others, rate, "cases answered, JSON to JSON", answered)


def _compare(
    say: Say, others: Sequence[Peer], rate: Mapping[str, float], what: str, value: float, **more: str
) -> None:
    for peer in others:
        say(what=what, value=round(value), unit="1/s", peer=peer.name, peer_value=round(rate[peer.name]),
            ratio=round(value / rate[peer.name], 2), how=peer.timed, **more)


def count_agreeing(contender: Peer, records: Sequence[Record]) -> int:
    """The number of positions after which a judge has the units that the record expects."""
    jobs = ((contender.ready(record), record) for record in records)
    return sum(job.result(job.work()) == expected(record) for job, record in jobs)


def _seconds(contender: Peer, records: Sequence[Record]) -> float:
    jobs = [contender.ready(record).work for record in records]
    start = time.process_time()
    for work in jobs:
        work()
    return time.process_time() - start


def _cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


# Full boards of w3k
# --------------------------------------------------------------------------------------------------


def _full_boards(say: Say, tell: Callable[[str], None]) -> None:
    variant = maps.load("w3k")
    centres = list(variant.board.centres())
    chance = Random(SEED)  # noqa: S311 no secret, but repeatable
    # 1. A unit on every centre.
    tell(f"{BOARDS} full boards of w3k")
    times = _board_times(variant, [full_board(variant, chance, centres) for _ in range(BOARDS)])
    method = (f"a unit on all {len(centres)} centres, {BOARDS} boards of orders from seed {SEED}, best of "
              f"{ROUNDS} each")
    say(what="full w3k turn, median", value=_median(times), unit="ms", how=method)
    say(what="full w3k turn, 99th percentile", value=_percentile(times), unit="ms", how=method)
    # 2. As many units anywhere, with convoys.
    anywhere = sorted(variant.board.provinces)
    times = _board_times(variant, [
        full_board(variant, chance, sorted(chance.sample(anywhere, len(centres)))) for _ in range(BOARDS)])
    method = f"{len(centres)} units anywhere, fleets at sea carrying; {BOARDS} boards, best of {ROUNDS} each"
    say(what="w3k turn with convoys, median", value=_median(times), unit="ms", how=method)
    say(what="w3k turn with convoys, 99th percentile", value=_percentile(times), unit="ms", how=method)
    # 3. Twice as many units: over the same area (thinned out), and over half of it (as dense).
    nearest = nearest_places(variant.board, MIDDLE, centres, WHOLE)
    pairs = {
        "thinned out": [chance.sample(nearest, HALF) for _ in range(BOARDS)],
        "as dense": [nearest[:HALF]] * BOARDS,
    }
    full_time = sum(_board_times(variant, [full_board(variant, chance, nearest) for _ in range(BOARDS)]))
    for name, places in pairs.items():
        boards = [full_board(variant, chance, board_places) for board_places in places]
        half = sum(_board_times(variant, boards))
        say(what=f"cost of {WHOLE} units over {HALF}, {name}", value=round(full_time / half, 3), unit="times",
            how=f"mean of {BOARDS} boards each, best of {ROUNDS} a board")


def _median(times: Sequence[float]) -> float:
    return round(statistics.median(times) * 1000, 3)


def _percentile(times: Sequence[float]) -> float:
    return round(statistics.quantiles(times, n=100)[98] * 1000, 3)


def _board_times(variant: Variant, boards: Sequence[tuple[Position, list[Order]]]) -> list[float]:
    """Processor seconds of each board; the best of ROUNDS."""
    best = [float("inf")] * len(boards)
    for _ in range(ROUNDS):
        for index, (position, orders) in enumerate(boards):
            start = time.process_time()
            _judge_and_read(variant, position, orders)
            best[index] = min(best[index], time.process_time() - start)
    return best


# Sizes, in fresh processes
# -------------------------------------------------------------------------------------------


def _sizes(say: Say, tell: Callable[[str], None]) -> None:
    tell("memory and loading, in fresh processes")
    say(what="memory of a judged full w3k turn over the loaded board",
        value=round(max(_in_child("resident")), 2), unit="MiB",
        how=f"resident size with the resolution held over that before, most of {ROUNDS} processes; every "
            f"sentence said")
    say(what="memory allocated for a judged full w3k turn", value=round(max(_in_child("allocated")), 2),
        unit="MiB", how=f"tracemalloc's peak, orders and sentences among it, most of {ROUNDS} processes")
    say(what="loading the w3k board", value=round(min(_in_child("load")), 1), unit="ms",
        how=f"maps.load and its setting in CPU time, imports apart, best of {ROUNDS} fresh processes")


def _in_child(quantity: str) -> list[float]:
    """What ROUNDS fresh processes measure; see `bench.adjudicate.child`."""
    command = [sys.executable, "-m", "bench.adjudicate.child", quantity, str(SEED)]
    return [
        float(subprocess.run(  # noqa: S603 our own command
            command, check=True, capture_output=True, text=True).stdout)
        for _ in range(ROUNDS)
    ]
