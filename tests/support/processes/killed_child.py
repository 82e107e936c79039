"""A whole site at work in its own process, killed at one chosen point of the product.

    python -m tests.support.processes.killed_child FOLDER MODULE.NAME.METHOD before|after

`before` kills at the call, `after` when the call has done its work: inside the transaction where the method
is called in one, else after its commit and before the queue's own checkpoint. With no point it works until
its standard input ends.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    from service.bootstrap import Running, open_site
    from service.site_folder import settings_of

    folder, *point = sys.argv[1:]
    if point:
        _kill_at(*point)
    site = open_site(settings_of(Path(folder)))
    running = Running(site)
    running.start()
    if point:
        time.sleep(120)
        raise SystemExit(f"{point} was never reached")
    sys.stdin.read()
    site.jobs.wait_idle(60)
    running.stop()


def _kill_at(name: str, when: str) -> None:
    module, _, attribute = name.rpartition(".")
    owner: Any
    try:
        owner = import_module(module)
    except ModuleNotFoundError:
        module, _, kind = module.rpartition(".")
        owner = getattr(import_module(module), kind)
    real = getattr(owner, attribute)

    @functools.wraps(real)
    def killed(*arguments: Any, **more: Any) -> Any:
        if when == "after":
            # What it returns is lost, as in a power cut between the work and its answer.
            real(*arguments, **more)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, attribute, killed)


if __name__ == "__main__":
    main()
