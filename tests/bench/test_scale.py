"""The simulated season of `galloper bench scale` (SCA-06): nothing is lost in it, and its waits can be
checked by hand. The parts with real processes are slow."""

from __future__ import annotations

import io
import json
import random
import sys
import time
from subprocess import Popen

import pytest

from bench.scale.costs import Costs
from bench.scale.parts import Arrivals, ScalePart, Sizes
from bench.scale.run import run
from bench.scale.season import DAY, DEADLINE, HOUR, RELAY_SECONDS, figures, play, time_left
from bench.scale.share import held_to, processor_time
from bench.servers.postgres import binaries

COSTS = Costs(games=40, mail=0.5, look=0.0, close=1.0, database=0.25, results=2.0, letter=0.0,
              letters_a_game=10)


def test_every_game_of_a_season_is_read_judged_and_mailed_once() -> None:
    """(SCA-06)"""
    season = play(COSTS, Sizes(read_seconds=3.0), cores=4, connections=2)
    assert [len(season.judged), len(season.written), len(season.mailed)] == [40, 40, 40]
    assert len(season.read) == 400
    assert season.busy["mail"] == pytest.approx(400 * 0.5)
    assert season.busy["read"] == pytest.approx(400 * 3.0)
    assert season.busy["results"] == pytest.approx(40 * 2.0)


def test_games_that_close_at_one_moment_are_judged_one_after_the_other_on_one_core() -> None:
    """(SCA-06) Ten of the forty close in each hour: the last is judged after ten times 1.25 seconds."""
    costless = Costs(40, 0.0, 0.0, 1.0, 0.25, 0.0, 0.0, 10)
    season = play(costless, Sizes(read_seconds=0.0), cores=1, connections=1)
    assert max(season.judged) == pytest.approx(12.5)
    assert min(season.judged) == pytest.approx(1.25)
    # Results are drawn once all ten are judged, and the relay takes ten letters one after the other.
    assert min(season.mailed) == pytest.approx(12.5 + 10 * RELAY_SECONDS)


def test_a_season_names_the_least_machines_that_are_enough() -> None:
    """(SCA-06)"""
    named = {figure.name: figure.value for figure in figures(COSTS, Sizes(read_seconds=3.0))}
    assert [value for name, value in named.items() if name.endswith("machines it takes")] == [1, 1]
    assert named["season of 40 games: mails"] == 400


def test_mails_come_as_the_pattern_says() -> None:
    """(SCA-06) By the inverse of the time left ln 60 of ln 17,280 come in the last hour (a minute, an hour,
    twelve days), and ln 1,440 of it on the last day."""
    shares = {}
    for arrivals in Arrivals:
        chance, sizes = random.Random(7), Sizes(last_day=0.9, last_hour=0.6)
        left = [time_left(chance, sizes, arrivals) for _ in range(20_000)]
        assert 0 <= min(left) <= max(left) <= DEADLINE
        shares[arrivals] = [sum(seconds <= within for seconds in left) / len(left) for within in (HOUR, DAY)]
    assert shares[Arrivals.INVERSE] == pytest.approx([0.4195, 0.7452], abs=0.01)
    # Those of the whole season fall on the last day by chance, too.
    assert shares[Arrivals.SHARES] == pytest.approx([0.6 + 0.3 / 24, 0.9 + 0.1 / 12], abs=0.01)


def test_a_process_is_held_to_its_share_of_a_core() -> None:
    """(SCA-03) Two workers are compared by what each may use, on a machine of few cores."""
    with Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            with held_to([process.pid], 0.1):
                time.sleep(0.2)
                before, begun = processor_time(process.pid), time.monotonic()
                time.sleep(1.0)
                share = (processor_time(process.pid) - before) / (time.monotonic() - begun)
        finally:
            process.kill()
    # On a busy machine it may get less.
    assert share < 0.16


@pytest.mark.slow
@pytest.mark.skipif(binaries() is None, reason="PostgreSQL's server is not installed")
def test_games_that_close_at_one_moment_are_all_judged_and_log_in_once_a_process() -> None:
    """(SCA-06) (SCA-02)"""
    out = io.StringIO()
    assert run((ScalePart.CLOSING,), Sizes(at_once=6, around=30), out, io.StringIO()) == 0
    named = {line["what"]: line["value"] for line in map(json.loads, out.getvalue().splitlines())}
    (log_ins,) = [value for name, value in named.items() if "log-ins" in name]
    assert 0 <= log_ins <= 3
