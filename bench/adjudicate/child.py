"""What is measured in a fresh process, where nothing has been loaded yet.

    python -m bench.adjudicate.child QUANTITY SEED

Prints one number. `load`: CPU milliseconds to load the w3k board and make its context, without the imports.
`allocated`: the most MiB that Python allocates while it judges a full w3k turn and writes all its sentences.
`resident`: MiB by which the process has grown after that, with the resolution still held (Linux only).
"""

from __future__ import annotations

import gc
import os
import sys
import time
import tracemalloc
from pathlib import Path
from random import Random

import maps
from adjudicator.judge import judge
from adjudicator.outcome import Resolution
from bench.adjudicate.positions import full_board
from maps.variant import Variant

_MIB = 1024 * 1024


def load_ms() -> float:
    """CPU milliseconds to load the board and make its context."""
    start = time.process_time()
    maps.load("w3k").context()
    return (time.process_time() - start) * 1000


def resident_mib(seed: int) -> float:
    """Resident size with a judged turn held, less the size before it, in MiB."""
    variant = _loaded()
    gc.collect()
    before = _resident()
    turn = _turn(variant, seed)
    after = _resident()
    assert turn  # still held when its size was taken
    return (after - before) / _MIB


def _resident() -> int:
    # proc(5), statm: the second number is the resident set in pages.
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def allocated_mib(seed: int) -> float:
    """The most that Python holds at once for a judged turn, orders and sentences included, in MiB."""
    variant = _loaded()
    gc.collect()
    tracemalloc.start()
    _turn(variant, seed)
    return tracemalloc.get_traced_memory()[1] / _MIB


def _loaded() -> Variant:
    variant = maps.load("w3k")
    variant.context()
    return variant


def _turn(variant: Variant, seed: int) -> tuple[Resolution, list[str]]:
    chance = Random(seed)  # noqa: S311 no secret, but repeatable
    position, orders = full_board(variant, chance, list(variant.board.centres()))
    resolution = judge(variant.context(), variant.rules, position, orders)
    return resolution, [outcome.why for outcome in resolution.outcomes]


_QUANTITIES = {"load": lambda _: load_ms(), "resident": resident_mib, "allocated": allocated_mib}

if __name__ == "__main__":
    print(_QUANTITIES[sys.argv[1]](int(sys.argv[2])))
