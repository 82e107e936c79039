"""`galloper serve` and `galloper worker` as processes of their own, to be listened to, stopped and killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.support.mails import wait_for

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0


@cache
def own_network() -> tuple[str, ...]:
    """The words before a command that cut it off every network, a separate machine as far as sockets go;
    none where the kernel does not let us. PostgreSQL and the mailbox of the tests are reached through the
    disk."""
    # An ordinary user needs a namespace of users too; root in one could not enter the folder of the cluster.
    words = (
        ("unshare", "--net") if os.geteuid() == 0 else ("unshare", "--user", "--map-current-user", "--net")
    )
    try:
        completed_process = subprocess.run([*words, "true"], check=False, capture_output=True, timeout=20)
    except OSError:
        return ()
    return words if completed_process.returncode == 0 else ()


class Served:
    """A program of a site in its own process; `said` is its standard error so far."""

    def __init__(
        self, folder: Path, command: Sequence[str] = ("serve",), *, before: Sequence[str] = (),
        program: Sequence[str] = (),
    ) -> None:
        """`command` is galloper's, `before` the words before it, `program` a module and its arguments in its
        place."""
        self.said: list[str] = []
        words = program or ("service.cli.main", command[0], str(folder), *command[1:])
        self.process = subprocess.Popen(
            [*before, sys.executable, "-m", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, cwd=ROOT)
        # Read all the time: a full pipe would stop the program.
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(iter(self.process.stderr.readline, ""))

    def heard(self, words: str) -> bool:
        return any(words in line for line in list(self.said))

    def running(self) -> bool:
        return self.process.poll() is None

    def ready(self, words: str = "The desk is at") -> None:
        """Wait until it has begun."""
        assert wait_for(lambda: self.heard(words) or not self.running(), PATIENCE)
        assert self.running(), self.said

    @property
    def address(self) -> str:
        return next(m[1] for line in self.said if (m := re.search(r"The desk is at (\S+?)/? ", line)))

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; gives the exit code."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._listener.join(PATIENCE)
        return code

    def close(self) -> None:
        if self.running():
            self.process.kill()
        self.process.wait()
        self._listener.join()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
