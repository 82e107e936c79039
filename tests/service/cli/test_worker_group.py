"""A worker process for each core, kept running (SCA-03)."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from service.cli.worker_group import WorkerGroup
from tests.support.mails import wait_for

# Notes that it runs, and ends in order when it is asked to.
PROGRAM = """
import os, pathlib, signal, sys, time
folder = pathlib.Path(sys.argv[1])
signal.signal(signal.SIGTERM, lambda *_: ((folder / f"{os.getpid()}.ended").touch(), sys.exit(0)))
(folder / f"{os.getpid()}.began").touch()
time.sleep(60)
"""


def test_a_process_that_is_killed_is_started_anew_and_all_end_in_order(tmp_path: Path) -> None:
    messages: list[str] = []
    stop = threading.Event()
    group = WorkerGroup((sys.executable, "-c", PROGRAM, str(tmp_path)), 2, messages.append, pauses=(0.1,))
    thread = threading.Thread(target=group.run, args=(stop,))
    thread.start()

    def began() -> list[int]:
        return sorted(int(path.stem) for path in tmp_path.glob("*.began"))

    try:
        assert wait_for(lambda: len(began()) == 2, 30)
        first = began()
        os.kill(first[0], signal.SIGKILL)
        assert wait_for(lambda: len(began()) == 3, 30)
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive()
    assert messages == ["A worker process ended with -9; the next one starts in 0.1 s."]
    ended = {int(path.stem) for path in tmp_path.glob("*.ended")}
    assert ended == set(began()) - {first[0]}
