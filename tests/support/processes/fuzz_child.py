"""Opens mutated files under the very limits of `service.intake.opening.sandbox_child`, each in a process of
its own that was forked once the decoders were loaded, so that twenty thousand take minutes and one that dies
takes no one along.

    python -m tests.support.processes.fuzz_child KIND COUNT SEED FOLDER

KIND is a name of `SEEDS` below; FOLDER has the files to begin with. What it prints is one line of JSON: how
many ended how. Files that were not simply opened or refused are left in FOLDER/odd for the test to try on the
real door.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections import Counter
from pathlib import Path
from random import Random

from service.intake.opening.sandbox import SandboxLimits
from service.intake.opening.sandbox_child import _jpeg, _leave_network, _limit
from tests.support.mutate import mutated, sealed

CPU_SECONDS = 5
OPENED, REFUSED, MEMORY, UNFORESEEN = 0, 3, 4, 5
ENDS = {OPENED: "opened", REFUSED: "refused", MEMORY: "memory", UNFORESEEN: "unforeseen"}


def main() -> None:
    kind, count, seed, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    chance, files = Random(f"{kind}-{seed}"), [path.read_bytes() for path in sorted(folder.glob(f"{kind}-*"))]
    (folder / "odd").mkdir(exist_ok=True)
    limits = SandboxLimits()
    _limit(limits.memory, 3600, limits.output)
    # Once for all: the forks inherit it.
    _leave_network()
    for data in files:  # load every decoder, and show that the files are sound to begin with
        assert _try(kind, data) == OPENED, f"a file of kind {kind} cannot be opened as it is"
    ends: Counter[str] = Counter()
    for number in range(count):
        data = mutated(chance.choice(files), chance.choice(files), chance)
        if kind == "png" and chance.random() < 0.8:
            data = sealed(data)
        end = _in_a_fork(kind, data)
        ends[end] += 1
        if end not in {"opened", "refused"}:
            (folder / "odd" / f"{kind}-{seed}-{number}-{end}").write_bytes(data)
    print(json.dumps(ends))


def _in_a_fork(kind: str, data: bytes) -> str:
    child = os.fork()
    if child == 0:
        # A decoder that turns in circles is ended by SIGXCPU, which the parent then counts by its name.
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        # Decoders written in C complain on standard error, thousands of times.
        os.close(2)
        # Without the parent's exit handlers and buffers, which the fork has too.
        os._exit(_try(kind, data))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return ENDS.get(os.WEXITSTATUS(status), "died")


def _try(kind: str, data: bytes) -> int:
    try:
        if kind == "tnef":
            from service.mail.mime.tnef import read_tnef

            return OPENED if read_tnef(data) else REFUSED
        from ocr.image.open_image import ImageRefused, iter_pages

        try:
            for page in iter_pages(data):
                _jpeg(page.picture, 80)
        except ImageRefused:
            return REFUSED
    except MemoryError:
        return MEMORY
    except Exception:
        return UNFORESEEN
    return OPENED


if __name__ == "__main__":
    main()
