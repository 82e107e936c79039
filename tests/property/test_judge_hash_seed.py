"""A result never hangs on the order in which a set of texts happens to be walked: Python draws that anew for each process,
and a turn judged again after a restart must come out the same, to the last word of its sentences."""

from __future__ import annotations

import os
import subprocess
import sys
from random import Random

import maps
from adjudicator.judge import judge
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from tests.adjudicator import positions

POSITIONS = 300


def say_all() -> None:
    """Print what becomes of some entangled positions of both boards, half of them with the stuff of paradoxes."""
    for slug in ("standard", "w3k"):
        variant = maps.load(slug)
        setting, powers = variant.setting(), list(variant.powers)[:3]
        for seed in range(POSITIONS):
            chance = Random(seed)
            if seed % 2:
                units, given = positions.straits(variant.board, chance, powers)
            else:
                units, given = positions.units(variant.board, chance, positions.piece(variant.board, chance, 25), powers), {}
            orders = positions.orders(variant.board, chance, units, given)
            print(slug, seed, _said(judge(setting, Position(variant.start.phase, frozenset(units)), orders)))


def _said(resolution: Resolution) -> str:
    lines = [f"{o.order}: {o.result} {o.reason} {o.dislodged} {o.cause} {o.why}" for o in resolution.outcomes]
    lines += sorted(map(str, resolution.position.units))
    lines += [f"{d.unit} from {d.attacker_from} to {sorted(map(str, d.may_retreat))}" for d in resolution.dislodged]
    return "\n".join([*lines, str(resolution.unordered), str(sorted(resolution.contested))])


def test_a_result_is_the_same_in_every_process() -> None:
    command = [sys.executable, "-c", "from tests.property.test_judge_hash_seed import say_all; say_all()"]
    answers = [
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed,
                                                                      "PYTHONPATH": "."}).stdout
        for seed in ("1", "2", "3")
    ]
    assert answers[0].count(b"w3k ") >= POSITIONS
    assert answers[0] == answers[1] == answers[2]
