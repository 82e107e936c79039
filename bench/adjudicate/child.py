"""What is measured in a fresh process, where nothing has been loaded yet: `python -m bench.adjudicate.child
WHAT SEED`.

Prints one number. `load`: CPU milliseconds to load the w3k board and make its context, imports apart.
`allocated`: MiB that Python allocates at most while a full w3k turn is judged and every sentence of it said.
`resident`: MiB by which the process is larger afterwards, while the resolution is held (Linux only).
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
    """Resident size with a judged turn held less that before it, in MiB."""
    variant = _loaded()
    gc.collect()
    before = _resident()
    held = _turn(variant, seed)
    after = _resident()
    assert held
    return (after - before) / _MIB


def _resident() -> int:
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def allocated_mib(seed: int) -> float:
    """The most that Python holds for a judged turn at once, its orders and sentences among it, in MiB."""
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


if __name__ == "__main__":
    what, given = sys.argv[1], int(sys.argv[2])
    print({"load": lambda _: load_ms(), "resident": resident_mib, "allocated": allocated_mib}[what](given))
