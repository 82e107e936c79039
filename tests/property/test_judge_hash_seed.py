"""A result never hangs on the order in which a set of texts happens to be walked: Python draws that again for
each process, and a turn judged again after a restart must come out the same, to the last word of its
sentences."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from random import Random

import pytest

import maps
from adjudicator.judge import judge
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.serialize import codec
from bench.adjudicate.random_orders import lots, phase_orders
from maps.valid_moves import has_movement_phases
from maps.variant import Variant
from tests.adjudicator import positions

POSITIONS = 100
PHASES = 25


def say_all() -> None:
    """Print what becomes of some entangled positions of each board, half of them with the stuff of paradoxes,
    and of some phases of a game on it, with all kinds of orders that it has."""
    for slug in maps.variants():
        variant = maps.load(slug)
        position, dice = variant.start, Random(1066)
        for number in range(PHASES):
            resolution = judge(
                variant.context(), variant.rules, position, phase_orders(variant, position, dice), lots()
            )
            print(slug, "phase", number, _said(resolution), _told(variant, resolution))
            position = resolution.position
        if not has_movement_phases(variant):
            continue
        powers = list(variant.powers)[:3]
        for seed in range(POSITIONS):
            chance = Random(seed)
            if seed % 2:
                units, order_of = positions.straits(variant.board, chance, powers)
            else:
                units, order_of = (
                    positions.units(
                        variant.board, chance, positions.piece(variant.board, chance, 25), powers
                    ),
                    {},
                )
            orders = positions.orders(variant.board, chance, units, order_of)
            position = Position(variant.start.phase, frozenset(units))
            print(slug, seed, _said(judge(variant.context(), variant.rules, position, orders)))


def _told(variant: Variant, resolution: Resolution) -> str:
    """What is stored and reported next to the outcomes."""
    position = resolution.position
    standing = variant.rules.public_holdings(variant.context(), position)
    return "\n".join(
        [
            # Unsorted on purpose: the record hashes the text as the codec writes it.
            json.dumps(codec.dump_position(position), sort_keys=False),
            json.dumps(codec.dump_resolution(resolution)),
            *standing,
        ]
    )


def _said(resolution: Resolution) -> str:
    lines = [f"{o.order}: {o.result} {o.reason} {o.dislodged} {o.cause} {o.why}" for o in resolution.outcomes]
    lines += sorted(map(str, resolution.position.units))
    lines += [(f"{d.unit} from {d.attacker_from} to "
               f"{sorted(map(str, d.may_retreat))}") for d in resolution.dislodged]
    return "\n".join([*lines, str(resolution.unordered), str(sorted(resolution.contested))])


@pytest.mark.slow
def test_a_result_is_the_same_in_every_process() -> None:
    command = [sys.executable, "-c", "from tests.property.test_judge_hash_seed import say_all; say_all()"]
    answers = [
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed,
                                                                      "PYTHONPATH": "."}).stdout
        for seed in ("1", "2", "3")
    ]
    for slug in maps.variants():
        # Nothing printed would be the same in every process, too.
        assert answers[0].count(f"{slug} phase ".encode()) == PHASES
    assert answers[0] == answers[1] == answers[2]
