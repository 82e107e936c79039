"""`galloper serve` with a wall clock that a test may set while it runs; what counts seconds, and the disk,
stay right.

    python -m tests.support.processes.jumping_child FOLDER DIAL

DIAL is a file with the seconds by which the wall clock is ahead.
"""

from __future__ import annotations

import datetime as dt
import sys
import time
from pathlib import Path
from typing import Self

_REAL = time.time


def main() -> None:
    folder, dial = Path(sys.argv[1]), Path(sys.argv[2])

    def ahead() -> float:
        return float(dial.read_text())

    class Jumping(dt.datetime):
        """The class `datetime` whose now is the dial's."""

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Self:
            return cls.fromtimestamp(_REAL() + ahead(), tz)

    # A preloaded library that does this to the whole process breaks `time.sleep` of Python 3.11, so the clock
    # is put in where the process requests the time.
    time.time = lambda: _REAL() + ahead()
    from apscheduler.schedulers import base
    from apscheduler.triggers import date, interval

    import service.bootstrap
    import service.clock
    import service.scheduler
    from service.cli.serve import run_site

    for module in (base, date, interval, service.bootstrap, service.clock, service.scheduler):
        setattr(module, "datetime", Jumping)  # noqa: B010 - a name of theirs, not of their type
    setattr(service.scheduler, "time", time.time)  # noqa: B010
    raise SystemExit(run_site(folder))


if __name__ == "__main__":
    main()
