"""`galloper bench adjudicate`: the judge's speed and size, beside two public judges in the same run.

All on one core and in CPU time, so that a busy machine spoils little; rounds of the judges alternate and the
best round of each counts. A judge's work: parsed orders in; every outcome's result, reason and cause, the
dislodged and their retreats out. Sentences are put into words only when they are read, so they have a line of
their own.
"""

from __future__ import annotations

import io
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, TextIO

import maps
from adjudicator.judge import judge
from adjudicator.orders import Order
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.serialize.cases import CaseReader
from bench.adjudicate import games as adj_games
from bench.adjudicate.peers import Job, Peer, expected, load
from bench.adjudicate.positions import DEFAULT, NoPositions, Record, chosen, full_board, together
from maps.variant import Variant
from service.cli.adjudicate import run_adjudicate

PEERS = ("diplomacy", "pydip")
ROUNDS = 5
BOARDS = 400
"""Random full boards of w3k."""
SEED = 1642
HALF, WHOLE = 54, 108
"""Units of the doubling ratio: the whole is twice the half."""
MIDDLE = "Staffordshire"
"""Where the half of the board is counted from that keeps its density."""


def run(positions: Path | None, out: TextIO, progress: TextIO, games: Sequence[str] = ()) -> int:
    """Measure and print JSON lines: of all, or of a full turn of the games named alone. Exit status 0, or 1
    when there are no positions to measure on. Raises MapError for a game that is not there."""
    for slug in games:
        maps.folder(slug)

    def say(**line: Any) -> None:
        print(json.dumps(line), file=out, flush=True)

    def tell(text: str) -> None:
        print(text, file=progress, flush=True)

    try:
        records = chosen(positions or DEFAULT)
    except NoPositions as error:
        tell(f"{error}.")
        return 1
    with _one_core():
        if not games:
            _standard(records, say, tell)
            _full_boards(say, tell)
            _sizes(say, tell)
        adj_games.measure(games or maps.variants(), records, SEED, say, tell)
    return 0


Say = Callable[..., None]


@contextmanager
def _one_core() -> Iterator[None]:
    """Keep this process and its children to one processor, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


# The standard board, beside peers
# ------------------------------------------------------------------------------------


class Ours:
    """This judge, in the shape of a peer."""

    name = "galloper"
    timed = "judge() from parsed orders; each outcome's result, reason and cause, dislodged and retreats read"

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._reader = CaseReader(variant.context(), variant.rules, 1901)

    def ready(self, record: Record) -> Job:
        """The record's orders parsed."""
        case = self._reader.read(record)

        def work() -> Resolution:
            return _judged(self._variant, case.position, case.orders)

        return Job(work, lambda resolution: frozenset(map(str, resolution.position.units)))


def _judged(variant: Variant, position: Position, orders: Sequence[Order]) -> Resolution:
    resolution = judge(variant.context(), variant.rules, position, orders)
    for outcome in resolution.outcomes:
        _ = outcome.result, outcome.reason, outcome.cause, outcome.dislodged
    for beaten in resolution.dislodged:
        _ = beaten.unit, beaten.attacker_from, beaten.may_retreat
    return resolution


def _standard(records: Sequence[Record], say: Say, tell: Callable[[str], None]) -> None:
    variant = maps.load("standard")
    judges: list[Peer] = [Ours(variant)]
    for package in PEERS:
        peer = load(package, variant.board)
        if peer is None:
            say(what="peer absent", value=package, unit="package", how="pip install -e '.[bench]' brings it")
        else:
            judges.append(peer)
    for one in judges:
        say(
            what="positions judged as expected",
            value=agreeing(one, records),
            unit="positions",
            of=len(records),
            judge=one.name,
        )
    best = dict.fromkeys((one.name for one in judges), float("inf"))
    for number in range(ROUNDS):
        for one in judges:
            tell(f"round {number + 1} of {ROUNDS}: {one.name}, {len(records)} positions")
            best[one.name] = min(best[one.name], _seconds(one, records))
    ours, *others = judges
    rate = {name: len(records) / seconds for name, seconds in best.items()}
    say(
        what="positions judged",
        value=round(rate[ours.name]),
        unit="1/s",
        positions=len(records),
        how=ours.timed,
    )
    for peer in others:
        say(what="positions judged", value=round(rate[ours.name]), unit="1/s", peer=peer.name,
            peer_value=round(rate[peer.name]), ratio=round(rate[ours.name] / rate[peer.name], 2),
            how=peer.timed)
    texts = [json.dumps(record) for record in records]
    seconds = min(_cpu(lambda: run_adjudicate(variant, texts, io.StringIO())) for _ in range(ROUNDS))
    say(what="cases answered, JSON to JSON", value=round(len(records) / seconds), unit="1/s",
        how=("the command galloper adjudicate without its start: JSON parsed, judged, every sentence said, "
             "JSON written"))


def agreeing(judge_: Peer, records: Sequence[Record]) -> int:
    """On how many positions a judge leaves the units where the record says."""
    jobs = ((judge_.ready(record), record) for record in records)
    return sum(job.result(job.work()) == expected(record) for job, record in jobs)


def _seconds(judge_: Peer, records: Sequence[Record]) -> float:
    jobs = [judge_.ready(record).work for record in records]
    start = time.process_time()
    for work in jobs:
        work()
    return time.process_time() - start


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


# Full boards of w3k
# --------------------------------------------------------------------------------------------------


def _full_boards(say: Say, tell: Callable[[str], None]) -> None:
    variant = maps.load("w3k")
    centres = list(variant.board.centres())
    chance = Random(SEED)  # noqa: S311 no secret, but repeatable
    tell(f"{BOARDS} full boards of w3k")
    times = _board_times(variant, [full_board(variant, chance, centres) for _ in range(BOARDS)])
    how = (f"a unit on all {len(centres)} centres, {BOARDS} boards of orders from seed {SEED}, best of "
           f"{ROUNDS} each")
    say(what="full w3k turn, median", value=_median(times), unit="ms", how=how)
    say(what="full w3k turn, 99th percentile", value=_percentile(times), unit="ms", how=how)
    anywhere = sorted(variant.board.provinces)
    times = _board_times(variant, [
        full_board(variant, chance, sorted(chance.sample(anywhere, len(centres)))) for _ in range(BOARDS)])
    how = f"{len(centres)} units anywhere, fleets at sea carrying; {BOARDS} boards, best of {ROUNDS} each"
    say(what="w3k turn with convoys, median", value=_median(times), unit="ms", how=how)
    say(what="w3k turn with convoys, 99th percentile", value=_percentile(times), unit="ms", how=how)
    near = together(variant.board, MIDDLE, centres, WHOLE)
    pairs = {
        "thinned out": [chance.sample(near, HALF) for _ in range(BOARDS)],
        "as dense": [near[:HALF]] * BOARDS,
    }
    whole = sum(_board_times(variant, [full_board(variant, chance, near) for _ in range(BOARDS)]))
    for name, places in pairs.items():
        half = sum(_board_times(variant, [full_board(variant, chance, some) for some in places]))
        say(what=f"cost of {WHOLE} units over {HALF}, {name}", value=round(whole / half, 3), unit="times",
            how=f"mean of {BOARDS} boards each, best of {ROUNDS} a board")


def _median(times: Sequence[float]) -> float:
    return round(statistics.median(times) * 1000, 3)


def _percentile(times: Sequence[float]) -> float:
    return round(statistics.quantiles(times, n=100)[98] * 1000, 3)


def _board_times(variant: Variant, boards: Sequence[tuple[Position, list[Order]]]) -> list[float]:
    """Seconds for each board, the best of several."""
    best = [float("inf")] * len(boards)
    for _ in range(ROUNDS):
        for at, (position, orders) in enumerate(boards):
            start = time.process_time()
            _judged(variant, position, orders)
            best[at] = min(best[at], time.process_time() - start)
    return best


# Sizes, in fresh processes
# -------------------------------------------------------------------------------------------


def _sizes(say: Say, tell: Callable[[str], None]) -> None:
    tell("memory and loading, in fresh processes")
    say(what=("memory of a judged full w3k turn over the loaded "
              "board"), value=round(max(_child("resident")), 2),
        unit="MiB", how=(f"resident size with the resolution held over that before, most of {ROUNDS} "
                         f"processes; every sentence said"))
    say(what=("memory allocated for a judged full w3k "
              "turn"), value=round(max(_child("allocated")), 2), unit="MiB",
        how=f"tracemalloc's peak, orders and sentences among it, most of {ROUNDS} processes")
    say(what="loading the w3k board", value=round(min(_child("load")), 1), unit="ms",
        how=f"maps.load and its setting in CPU time, imports apart, best of {ROUNDS} fresh processes")


def _child(what: str) -> list[float]:
    command = [sys.executable, "-m", "bench.adjudicate.child", what, str(SEED)]
    return [
        float(subprocess.run(  # noqa: S603 our own command
            command, check=True, capture_output=True, text=True).stdout)
        for _ in range(ROUNDS)
    ]
